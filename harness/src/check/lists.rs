//! Lists: they end, hold nothing twice, and are the same each time; and the tools in them can be used.

use std::collections::BTreeSet;

use jsonschema::{Draft, Validator};
use serde_json::Value;

use super::stdout::push_bounded;
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{Frame, Shape};

pub(super) const JUDGES: &[(&str, Judge)] = &[
    ("pages", pages),
    ("names-unique", names_unique),
    ("name-form", name_form),
    ("same-tools", same_tools),
    ("scope-alike", scope_alike),
    ("schema-valid", schema_valid),
    ("structured", structured),
];

/// The lists: the method, the member that holds the items, and what tells one item from another.
const LISTS: &[(&str, &str, &str)] = &[
    ("tools/list", "tools", "name"),
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
    ("prompts/list", "prompts", "name"),
];

/// One page of a list.
struct Page<'a> {
    call: usize,
    frame: &'a Frame,
    result: Value,
    /// The cursor that it was asked for with.
    cursor: Option<Value>,
}

/// The lists of one method in a session: each the pages from one without a cursor to the next such.
fn walks<'a>(reading: &'a Reading, method: &str) -> Vec<Vec<Page<'a>>> {
    let mut walks: Vec<Vec<Page<'a>>> = Vec::new();
    for (call, frame, result) in reading.results(method) {
        let own =
            reading.ledger.calls()[call].stimulus.map(|index| &reading.ledger.stimuli()[index]);
        // Pages that were asked for in order; not what was asked for with a cursor that nobody gave.
        if own.is_none_or(|stimulus| !stimulus.name.ends_with("-list")) {
            continue;
        }
        let cursor = sent_params(reading, call).and_then(|params| params.get("cursor").cloned());
        let page = Page { call, frame, result, cursor };
        match walks.last_mut() {
            _ if page.cursor.is_none() => walks.push(vec![page]),
            Some(walk) => walk.push(page),
            // A page without the one before it says nothing of the list.
            None => {}
        }
    }
    walks
}

fn sent_params(reading: &Reading, call: usize) -> Option<Value> {
    let frame = &reading.ledger.sent()[reading.ledger.calls()[call].frame];
    serde_json::from_str(frame.messages().first()?.params.as_deref()?).ok()
}

fn items<'v>(result: &'v Value, member: &str) -> impl Iterator<Item = &'v Value> {
    result.get(member).and_then(Value::as_array).into_iter().flatten()
}

/// The tools of a session as they were listed first, each with the frame that it stands in.
fn tools(reading: &Reading) -> Vec<(&Frame, Value)> {
    let walk = walks(reading, "tools/list").into_iter().next().unwrap_or_default();
    let pages = walk.into_iter();
    pages
        .flat_map(|page| {
            let tools: Vec<Value> = items(&page.result, "tools").cloned().collect();
            tools.into_iter().map(move |tool| (page.frame, tool))
        })
        .collect()
}

fn name(tool: &Value) -> &str {
    tool.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// Each list comes to its end.
fn pages(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        for (method, member, key) in LISTS {
            for walk in walks(reading, method) {
                seen.extend(walked(index, reading, method, member, key, &walk));
            }
            seen.extend(refused_page(index, reading, method));
        }
    }
    if seen.is_empty() && evidence.capabilities().is_some() {
        seen.push(
            Observation::new(super::EXCUSED, 0).observed("the subject was seen to list nothing"),
        );
    }
    seen
}

/// A page that the subject promised by a cursor, and refused.
fn refused_page(index: usize, reading: &Reading, method: &str) -> Option<Observation> {
    let ledger = &reading.ledger;
    let calls = ledger.calls().iter().enumerate();
    let mut pages = calls.filter(|(_, call)| {
        let own = call.stimulus.map(|index| &ledger.stimuli()[index]);
        call.method == method
            && own
                .is_some_and(|own| own.name.ends_with("-list") && own.variant.starts_with("page "))
    });
    let (number, frame) = pages.find_map(|(number, call)| {
        let (frame, facts) = reading.answers(call).next()?;
        (facts.shape == Shape::Error).then_some((number, frame))
    })?;
    let observation = Observation::new("no-page", index).observed(method);
    Some(observation.at(reading.request(number)).at(reading.received(frame)))
}

fn walked(
    index: usize,
    reading: &Reading,
    method: &str,
    member: &str,
    key: &str,
    walk: &[Page<'_>],
) -> Vec<Observation> {
    let mut seen = Vec::new();
    let mut cursors: Vec<&Value> = Vec::new();
    let mut keys: BTreeSet<(&str, usize)> = BTreeSet::new();
    for (number, page) in walk.iter().enumerate() {
        let at = |when: &'static str, text: String| {
            Observation::new(when, index)
                .observed(format!("{method}: {text}"))
                .at(reading.request(page.call))
                .at(reading.received(page.frame))
        };
        for item in items(&page.result, member) {
            let Some(key) = item.get(key).and_then(Value::as_str) else { continue };
            if keys.iter().any(|(own, page)| *own == key && *page != number) {
                seen.push(at("twice", format!("`{key}` stands on page {} too", number + 1)));
            }
            keys.insert((key, number));
        }
        match page.result.get("nextCursor") {
            None => seen.push(Observation::new("ended", index)),
            Some(cursor) if !cursor.is_string() => {
                seen.push(at("no-string", format!("nextCursor is {cursor}")));
            }
            Some(cursor) if cursors.contains(&cursor) => {
                seen.push(at("endless", format!("page {} leads back to one before", number + 1)));
            }
            Some(cursor) => cursors.push(cursor),
        }
    }
    // The scenario gives up after many pages: on a list that has no end where it repeats itself, else on a long one.
    let repeats = !seen.is_empty();
    let last = walk.last().filter(|_| seen.iter().all(|one| one.when == "twice"));
    if let Some(page) = last.filter(|_| walk.len() >= 40) {
        let when = if repeats { "endless" } else { "long" };
        seen.push(
            Observation::new(when, index)
                .observed(format!("{method}: after {} pages there was no end", walk.len()))
                .at(reading.received(page.frame)),
        );
    }
    // Items that stand twice because the list leads back are no news.
    if seen.iter().any(|one| one.when == "endless") {
        seen.retain(|one| one.when != "twice");
    }
    seen
}

/// Every page of a list may be kept by the same clients.
fn scope_alike(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        for (method, ..) in LISTS {
            for walk in walks(reading, method).iter().filter(|walk| walk.len() > 1) {
                let scope = |page: &Page<'_>| page.result.get("cacheScope").cloned();
                let first = scope(&walk[0]);
                let other = walk.iter().find(|page| scope(page) != first);
                seen.push(match other {
                    Some(page) => Observation::new("mixed", index)
                        .observed(*method)
                        .at(reading.received(walk[0].frame))
                        .at(reading.received(page.frame)),
                    None => Observation::new("alike", index),
                });
            }
        }
    }
    if seen.is_empty() && evidence.capabilities().is_some() {
        seen.push(
            Observation::new(super::EXCUSED, 0).observed("no list was seen to have a second page"),
        );
    }
    seen
}

fn names_unique(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        for walk in walks(reading, "tools/list") {
            let names: Vec<&str> =
                walk.iter().flat_map(|page| items(&page.result, "tools")).map(name).collect();
            let Some(page) = walk.first() else { continue };
            let twice = names.iter().enumerate().find(|(at, own)| names[..*at].contains(own));
            let observation = match twice {
                Some((_, name)) => Observation::new("twice", index).observed(format!("`{name}`")),
                None => Observation::new("unique", index),
            };
            push_bounded(&mut seen, observation, || reading.received(page.frame));
        }
    }
    seen
}

fn name_form(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        for (frame, tool) in tools(reading) {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
            let fits = (1..=128).contains(&name.len()) && name.chars().all(plain);
            let when = if fits { "plain" } else { "odd" };
            let shown: String = name.chars().take(140).collect();
            let observation = Observation::new(when, index).observed(format!("`{shown}`"));
            push_bounded(&mut seen, observation, || reading.received(frame));
        }
        if walks(reading, "tools/list").iter().flatten().next().is_some() {
            seen.push(Observation::new("plain", index));
        }
    }
    seen
}

/// The tools of each list, and whether they are those of the first, in its order.
fn same_tools(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut first: Option<Vec<String>> = None;
    let mut seen = Vec::new();
    let mut lists = 0;
    for (index, reading) in evidence.sessions() {
        // A client that declares more may be offered more, and another revision other things.
        let agreed = evidence.readings.first().map(Reading::revision);
        let other_client = reading.transcript.header.scenario == "full-client";
        if other_client || agreed.is_none_or(|agreed| reading.revision() != agreed) {
            continue;
        }
        // Whoever announces a change may change.
        let announced = reading
            .ledger
            .received()
            .iter()
            .flat_map(|frame| frame.messages())
            .any(|facts| facts.method.as_deref() == Some("notifications/tools/list_changed"));
        for walk in walks(reading, "tools/list") {
            let ended = walk.last().is_some_and(|page| page.result.get("nextCursor").is_none());
            let listed = walk.iter().flat_map(|page| items(&page.result, "tools"));
            let names: Vec<String> = listed.map(|tool| name(tool).to_string()).collect();
            if announced {
                let why = "the subject announced that its tools had changed";
                seen.push(Observation::new(super::EXCUSED, index).observed(why));
                continue;
            }
            let Some(page) = walk.first().filter(|_| ended) else { continue };
            lists += 1;
            let Some(first) = &first else {
                first = Some(names);
                continue;
            };
            let sorted = |names: &[String]| {
                let mut names = names.to_vec();
                names.sort();
                names
            };
            let (when, observed) = if *first == names {
                ("same", String::new())
            } else if sorted(first) == sorted(&names) {
                ("other-order", format!("{} and {}", first.join(", "), names.join(", ")))
            } else {
                let all = first.iter().chain(&names);
                let only = all.filter(|name| !(first.contains(name) && names.contains(name)));
                let only: Vec<&str> = only.map(String::as_str).take(6).collect();
                ("other-set", format!("not in both: {}", only.join(", ")))
            };
            let observation = Observation::new(when, index).observed(observed);
            push_bounded(&mut seen, observation, || reading.received(page.frame));
        }
    }
    if seen.is_empty() && lists == 1 {
        seen.push(Observation::new("once", 0));
    }
    seen
}

/// The dialect that a schema names; `None` when it is not known here.
fn draft(schema: &Value) -> Option<Draft> {
    let Some(name) = schema.get("$schema").and_then(Value::as_str) else {
        return Some(Draft::Draft202012);
    };
    let name =
        name.trim_end_matches('#').trim_start_matches("https://").trim_start_matches("http://");
    match name {
        "json-schema.org/draft/2020-12/schema" => Some(Draft::Draft202012),
        "json-schema.org/draft/2019-09/schema" => Some(Draft::Draft201909),
        "json-schema.org/draft-07/schema" => Some(Draft::Draft7),
        "json-schema.org/draft-06/schema" => Some(Draft::Draft6),
        "json-schema.org/draft-04/schema" => Some(Draft::Draft4),
        _ => None,
    }
}

fn schema_valid(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        for (frame, tool) in tools(reading) {
            for member in ["inputSchema", "outputSchema"] {
                // What is no object is judged as that.
                let Some(schema) = tool.get(member).filter(|schema| schema.is_object()) else {
                    continue;
                };
                let of = format!("`{member}` of `{}`", name(&tool));
                let (when, observed) = match draft(schema) {
                    None => ("unknown-dialect", format!("{of}: {}", schema["$schema"])),
                    Some(draft) => match jsonschema::options().with_draft(draft).build(schema) {
                        Ok(_) => ("valid", String::new()),
                        Err(error) => {
                            ("invalid", format!("{of}: {error}, at {}", error.instance_path()))
                        }
                    },
                };
                let observation = Observation::new(when, index).observed(observed);
                push_bounded(&mut seen, observation, || reading.received(frame));
            }
        }
        if seen.is_empty() && walks(reading, "tools/list").iter().flatten().next().is_some() {
            seen.push(Observation::new("valid", index));
        }
    }
    seen
}

/// Structured content is what the schema of its tool accepts.
fn structured(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    let mut with_schema = 0;
    for (index, reading) in evidence.sessions() {
        let tools = tools(reading);
        with_schema += tools.iter().filter(|(_, tool)| tool.get("outputSchema").is_some()).count();
        for (call, frame, result) in reading.results("tools/call") {
            let called = sent_params(reading, call);
            let called =
                called.as_ref().and_then(|params| params.get("name")).and_then(Value::as_str);
            let tool = tools.iter().find(|(_, tool)| Some(name(tool)) == called);
            let Some(schema) = tool.and_then(|(_, tool)| tool.get("outputSchema")) else {
                continue;
            };
            if result.get("resultType").is_some_and(|kind| kind != "complete") {
                continue;
            }
            // A schema that cannot be used is the business of another check.
            if validator(schema).is_none() {
                continue;
            }
            // Whether a call failed that says so in another type is anybody's guess.
            let failed = result.get("isError");
            if failed.is_some_and(|failed| !failed.is_boolean()) {
                continue;
            }
            let refusal = result.get("structuredContent").map(|content| refusal(schema, content));
            let (when, observed) = match refusal {
                _ if failed == Some(&Value::Bool(true)) => ("failed", String::new()),
                None => ("missing", String::new()),
                Some(Some(why)) => ("refused", why),
                Some(None) => ("conforms", String::new()),
            };
            let observation = Observation::new(when, index)
                .observed(format!("`{}` {observed}", called.unwrap_or_default()).trim_end())
                .at(reading.request(call));
            push_bounded(&mut seen, observation, || reading.received(frame));
        }
    }
    // A call that failed says nothing where another succeeded.
    if seen.iter().any(|one| one.when != "failed") {
        seen.retain(|one| one.when != "failed");
    }
    if with_schema == 0 && evidence.stimuli(requirement).next().is_some() {
        let why = "no tool has an outputSchema";
        seen.push(Observation::new(super::EXCUSED, 0).observed(why));
    }
    seen
}

/// What a schema means, where it is one that can be used.
fn validator(schema: &Value) -> Option<Validator> {
    jsonschema::options().with_draft(draft(schema)?).build(schema).ok()
}

/// Why a schema refuses a value; `None` when it accepts it.
fn refusal(schema: &Value, value: &Value) -> Option<String> {
    let validator = validator(schema)?;
    let error = validator.iter_errors(value).next()?;
    Some(format!("{error}, at `{}`", error.instance_path()))
}
