//! The reports over runs made by hand: what they say, that they agree, and what they never let through.
#![cfg(feature = "cli")]
#![expect(clippy::unwrap_used, reason = "helpers of tests too: what fails is the test")]

#[path = "report/sample.rs"]
mod sample;

use std::collections::BTreeSet;
use std::ffi::OsStr;

use pipeproof::campaign::{Run, RunEvent};
use pipeproof::protocol::{Era, Protocol};
use pipeproof::report::redact::{Given, Secrets};
use pipeproof::report::text::{Detail, TextReporter};
use pipeproof::report::{Reporter as _, json, junit};
use pipeproof::transcript::{Bytes, Event, FORMAT, Fact, Header, Transcript};
use pipeproof::verdict::{
    Cause, CheckResult, ExitStatus, FailOn, Gate, Level, Verdict, fails_gate,
};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus};
use serde_json::Value;

const SCHEMA: &str = include_str!("../../fixtures/schema/report.v1.json");

/// The text report with its styles.
fn styled(run: &Run, detail: Detail) -> String {
    let mut reporter = TextReporter::new(Vec::new(), detail, 100);
    reporter.event(&RunEvent::Finished { run }).unwrap();
    String::from_utf8(reporter.into_inner()).unwrap()
}

/// The text report as it is seen where there are no colours.
fn text(run: &Run, detail: Detail) -> String {
    anstream::adapter::strip_str(&styled(run, detail)).to_string()
}

fn parsed(run: &Run) -> Value {
    serde_json::from_str(&json::to_text(run).unwrap()).unwrap()
}

#[test]
fn a_stranger_understands_the_text() {
    for (name, run) in sample::all() {
        insta::assert_snapshot!(name, text(&run, Detail::Findings));
    }
    let run = sample::not_conformant();
    insta::assert_snapshot!("headlines", text(&run, Detail::Headlines));
    insta::assert_snapshot!("everything", text(&run, Detail::Everything));
}

#[test]
fn the_json_has_its_form() {
    insta::assert_snapshot!("json", json::to_text(&sample::not_conformant()).unwrap());
}

#[test]
fn the_junit_has_its_form() {
    insta::assert_snapshot!("junit", junit::to_text(&sample::not_conformant()).unwrap());
}

#[test]
fn every_report_is_valid_by_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let check = |name: &str, run: &Run| {
        let report = parsed(run);
        let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    };
    for (name, run) in sample::all() {
        check(name, &run);
    }
    for (name, run) in generated() {
        check(&name, &run);
    }
    for era in [Era::Legacy, Era::Modern, Era::Plain] {
        let mut run = sample::not_conformant();
        run.subject.eras = vec![era];
        let protocol = if era == Era::Plain { Protocol::JsonRpc } else { Protocol::Mcp };
        run.subject.protocol = protocol.name().into();
        for result in &mut run.results {
            result.era = era;
        }
        check(era.as_str(), &run);
    }
    for cause in Cause::ALL {
        check(cause.as_str(), &sample::run(vec![sample::finding("mcp.x", Level::Must, *cause)]));
    }
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let good = parsed(&sample::not_conformant());
    assert!(validator.is_valid(&good));
    let broken: &[fn(&mut Value)] = &[
        |report| report["verdict"] = "fine".into(),
        |report| report["exit_status"] = 6.into(),
        |report| report["exit_status"] = 130.into(),
        |report| report["extra"] = 1.into(),
        |report| report["checks"][1]["cause"] = "other".into(),
        |report| report["checks"][1]["evidence"][0]["stream"] = "stdlog".into(),
        |report| report["checks"][1]["reproduce"] = "x".into(),
        |report| report["counts"]["late"] = 0.into(),
        |report| _ = report["subject"].as_object_mut().unwrap().remove("server"),
        |report| _ = report["checks"][0].as_object_mut().unwrap().remove("stderr"),
    ];
    for (index, breaks) in broken.iter().enumerate() {
        let mut report = good.clone();
        breaks(&mut report);
        assert!(!validator.is_valid(&report), "broken report {index} was taken");
    }
}

/// One result of every level and verdict under every rule of the gate, and two of them under some.
fn generated() -> Vec<(String, Run)> {
    let single: Vec<_> = Level::ALL
        .iter()
        .flat_map(|level| Verdict::ALL.iter().map(move |verdict| (*level, *verdict)))
        .collect();
    let mut runs = Vec::new();
    for one in &single {
        for chosen in 0..1 << FailOn::ALL.len() {
            let rule = FailOn::ALL.iter().enumerate().filter(|(bit, _)| chosen >> bit & 1 == 1);
            let fail_on: Vec<FailOn> = rule.map(|(_, on)| *on).collect();
            let finding = matches!(one.1, Verdict::Fail | Verdict::Warn);
            for (strict, flaky) in [(false, false), (false, true), (true, false), (true, true)] {
                if flaky && !finding {
                    continue;
                }
                let result = CheckResult { flaky, ..sample::result("mcp.one", one.0, one.1) };
                let name = format!("{one:?} {fail_on:?} strict={strict} flaky={flaky}");
                runs.push((name, sample::run_with(vec![result], &fail_on, strict)));
            }
        }
    }
    for (index, one) in single.iter().enumerate() {
        for other in &single[index..] {
            for fail_on in [&[][..], &[FailOn::Robust], &[FailOn::Any]] {
                for strict in [false, true] {
                    let results = vec![
                        sample::result("mcp.one", one.0, one.1),
                        sample::modern(sample::result("mcp.other", other.0, other.1)),
                    ];
                    let name = format!("{one:?} {other:?} {fail_on:?} strict={strict}");
                    runs.push((name, sample::run_with(results, fail_on, strict)));
                }
            }
        }
    }
    runs
}

/// A result as a report shows it: id, era, revision, verdict.
type Shown = [String; 4];

fn shown_by_json(json: &Value) -> Vec<Shown> {
    let word = |check: &Value, member: &str| check[member].as_str().unwrap().to_string();
    let checks = json["checks"].as_array().unwrap().iter();
    checks.map(|check| ["id", "era", "revision", "verdict"].map(|name| word(check, name))).collect()
}

fn cases(report: &Report) -> impl Iterator<Item = &TestCase> {
    report.test_suites.iter().flat_map(|suite| &suite.test_cases)
}

fn property<'a>(case: &'a TestCase, name: &str) -> Option<&'a str> {
    let found = case.properties.iter().find(|property| property.name == *name);
    found.map(|property| property.value.as_str())
}

fn shown_by_junit(report: &Report) -> Vec<Shown> {
    let shown = |case: &TestCase| {
        let class: Vec<&str> = case.classname.as_deref().unwrap().splitn(3, '.').collect();
        let verdict = property(case, "verdict").unwrap();
        [&case.name, class[1], class[2], verdict].map(String::from)
    };
    cases(report).map(shown).collect()
}

/// The id and the verdict of each result in the text that shows everything.
fn shown_by_text(text: &str) -> BTreeSet<[String; 2]> {
    let verdict_of = |line: &str| {
        let (word, _) = line.split_once(' ')?;
        word.parse::<Verdict>().ok()
    };
    let mut shown = BTreeSet::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(verdict) = verdict_of(line) else { continue };
        let mut add = |id: &str| _ = shown.insert([id.to_string(), verdict.to_string()]);
        match line.split_whitespace().nth(1) {
            Some(id) if id.starts_with("mcp.") => add(id),
            // A reason, then the eras, then what it holds for.
            _ => {
                lines.next();
                while let Some(ids) = lines.next_if(|line| line.starts_with("    ")) {
                    ids.trim().split([',', ' ']).filter(|id| !id.is_empty()).for_each(&mut add);
                }
            }
        }
    }
    shown
}

/// Whether a case is what its result asks for.
fn is_told_rightly(case: &TestCase, result: &CheckResult, run: &Run) -> bool {
    let counted = fails_gate(result, &run.fail_on, run.strict);
    match (&case.status, result.verdict) {
        (TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, .. }, _) => counted,
        (TestCaseStatus::NonSuccess { kind: NonSuccessKind::Error, .. }, verdict) => {
            verdict == Verdict::Error
        }
        (TestCaseStatus::Skipped { message, .. }, verdict) => {
            message.as_deref() == Some(result.observed.as_str())
                && matches!(verdict, Verdict::Skip | Verdict::NotApplicable | Verdict::Untestable)
        }
        (TestCaseStatus::Success { .. }, Verdict::Fail | Verdict::Warn) => {
            let out = case.system_out.as_deref();
            !counted && out.is_some_and(|text| text.contains(&result.observed))
        }
        (TestCaseStatus::Success { .. }, verdict) => {
            matches!(verdict, Verdict::Pass | Verdict::Info)
        }
    }
}

#[test]
fn text_json_and_junit_agree() {
    let all = generated();
    assert!(all.len() > 4000);
    let samples = sample::all().into_iter().map(|(name, run)| (name.to_string(), run));
    for (name, run) in all.into_iter().chain(samples) {
        let json = parsed(&run);
        let said = |member: &str| json[member].as_str().unwrap().to_string();
        let expected = format!(
            "{} · scope {} · robustness {} · gate {} · exit status {}{}",
            said("verdict").replace('-', " "),
            said("scope"),
            said("robustness"),
            said("gate"),
            json["exit_status"],
            if json["interrupted"] == true { " · interrupted" } else { "" },
        );
        let text = text(&run, Detail::Everything);
        assert_eq!(text.lines().next(), Some(expected.as_str()), "{name}");
        let broken = text.contains("\nBroken requirements (");
        assert_eq!(broken, said("verdict") == "not-conformant", "{name}");
        let defects = text.contains("\nDefects outside the specification (");
        assert_eq!(defects, said("robustness") == "defects", "{name}");

        let junit = Report::deserialize_from_str(&junit::to_text(&run).unwrap()).unwrap();
        for suite in &junit.test_suites {
            for property in &suite.properties {
                let value = match &json[property.name.as_str()] {
                    Value::String(text) => text.clone(),
                    Value::Object(generator) => format!(
                        "{} {}",
                        generator["name"].as_str().unwrap(),
                        generator["version"].as_str().unwrap()
                    ),
                    other => other.to_string(),
                };
                assert_eq!(property.value, value, "{name}: {}", &*property.name);
            }
            assert_eq!(suite.properties.len(), 8, "{name}");
        }

        // The results, one by one and in numbers.
        let shown = shown_by_json(&json);
        let of = |result: &CheckResult| {
            [&result.id, result.era.as_str(), &result.revision, result.verdict.as_str()]
                .map(String::from)
        };
        assert_eq!(shown, run.results.iter().map(of).collect::<Vec<_>>(), "{name}");
        assert_eq!(shown, shown_by_junit(&junit), "{name}");
        let in_text = shown.iter().map(|[id, .., verdict]| [id.clone(), verdict.clone()]).collect();
        assert_eq!(shown_by_text(&text), in_text, "{name}\n{text}");
        for verdict in Verdict::ALL {
            let number = shown.iter().filter(|shown| shown[3] == verdict.as_str()).count();
            assert_eq!(json["counts"][verdict.as_str()], number, "{name}");
            assert!(text.contains(&format!("{number} {verdict}")), "{name}: {number} {verdict}");
        }

        // A failure stands exactly where the gate fails, and an error where there is one.
        assert_eq!(junit.failures > 0, run.gate == Gate::Failed, "{name}");
        if run.exit == ExitStatus::GATE_FAILED {
            assert!(junit.failures > 0, "{name}");
        }
        assert_eq!(junit.errors, run.counts()[&Verdict::Error], "{name}");
        for (case, result) in cases(&junit).zip(&run.results) {
            assert!(is_told_rightly(case, result, &run), "{name}: {case:?}");
        }
    }
}

#[test]
fn the_junit_of_a_run_is_always_the_same_and_reads_back() {
    for (name, run) in sample::all() {
        let xml = junit::to_text(&run).unwrap();
        assert_eq!(xml, junit::to_text(&run).unwrap(), "{name}");
        let report = Report::deserialize_from_str(&xml).unwrap();
        assert_eq!(report.to_string().unwrap(), xml, "{name}");
        let started = report.timestamp.unwrap().to_rfc3339();
        assert_eq!(started.replace("+00:00", "Z"), run.started, "{name}");
        assert_eq!(report.time, Some(run.duration), "{name}");
        assert!(!report.test_suites.is_empty(), "{name}: its verdict is told");
    }
}

#[test]
fn what_xml_forbids_is_written_in_words() {
    let words = "<&>\"']]>\0\x0b\x1b]0;\u{fffe}\u{ffff}\u{fffd}\u{10ffff} end";
    let escaped = "<&>\"']]>\\x00\\x0b\\x1b]0;\\u{fffe}\\u{ffff}\u{fffd}\u{10ffff} end";
    let xml = junit::to_text(&saying(words)).unwrap();
    let allowed = |c: char| matches!(c, '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}');
    assert!(xml.chars().all(allowed), "{xml:?}");
    let report = Report::deserialize_from_str(&xml).unwrap();
    let failed = cases(&report).find_map(|case| match &case.status {
        TestCaseStatus::NonSuccess { message, description, .. } => {
            Some((message.as_deref()?, description.as_deref()?, case.system_err.as_deref()?))
        }
        _ => None,
    });
    let (message, description, stderr) = failed.unwrap();
    assert_eq!(message, escaped);
    assert_eq!(stderr, format!("{escaped}\n{escaped}"));
    for shown in ["expected: ", "observed: ", "    "] {
        let line = format!("{shown}{escaped}");
        assert!(description.lines().any(|shown| shown == line), "{line}\n{description}");
    }
    assert!(description.ends_with(escaped), "the commands end with it: {description}");
}

/// A run in which everything that a subject can say says this.
fn saying(words: &str) -> Run {
    let mut run = sample::not_conformant();
    run.subject.name = Some(words.into());
    run.subject.version = Some(words.into());
    run.subject.revisions = vec![words.into()];
    run.subject.command.push(words.into());
    for result in &mut run.results {
        result.observed = words.into();
        result.expected = words.into();
        result.stderr = Some(format!("{words}\n{words}"));
        for piece in &mut result.evidence {
            piece.excerpt = words.into();
        }
        if let Some(reproduce) = &mut result.reproduce {
            reproduce.shell.push_str(words);
            reproduce.pipeproof.push_str(words);
        }
    }
    run
}

#[test]
fn no_subject_steers_the_terminal() {
    let words = "\x1b[2J\x1b]0;owned\x07\u{9b}31m\r\n\nconformant\u{202e}\u{2028}\u{7f}\x08";
    let run = saying(words);
    let harmless = |c: char| c == '\n' || !c.is_control();
    for detail in [Detail::Headlines, Detail::Findings, Detail::Everything] {
        let styled = styled(&run, detail);
        let bare: String = anstream::adapter::strip_str(&styled).to_string();
        assert!(bare.chars().all(harmless), "{bare:?}");
        assert!(!bare.contains(['\u{202e}', '\u{2028}']), "{bare:?}");
        // Only our own styles are left in it: what begins with ESC ends with `m` and holds numbers.
        for rest in styled.split('\x1b').skip(1) {
            let style = rest.split_once('m').map(|(style, _)| style);
            let numbers = style.and_then(|style| style.strip_prefix('['));
            let only = |c: char| c.is_ascii_digit() || c == ';';
            assert!(numbers.is_some_and(|numbers| numbers.chars().all(only)), "{rest:?}");
        }
        // Nor can it forge a line of the report.
        assert!(!bare.lines().any(|line| line.starts_with("conformant")), "{bare}");
    }
    let json = json::to_text(&run).unwrap();
    assert!(json.chars().all(harmless), "{json:?}");
    assert_eq!(parsed(&run)["subject"]["server"]["name"], words);
    let xml = junit::to_text(&run).unwrap();
    assert!(xml.chars().all(harmless), "{xml:?}");
    assert!(!xml.contains(['\u{202e}', '\u{2028}']), "{xml:?}");
    let report = Report::deserialize_from_str(&xml).unwrap();
    assert_eq!(cases(&report).count(), run.results.len());
}

#[test]
fn no_value_of_env_is_written() {
    let secret = "s3cr3t \"value\"";
    let mut run = saying(&format!("<{secret}> <s3cr3t \\\"value\\\"> <s3cr3… (9 bytes more)"));
    for reproduce in run.results.iter_mut().filter_map(|result| result.reproduce.as_mut()) {
        reproduce.pipeproof = format!("pipeproof certify --env 'A={secret}' --env B=1 -- x");
        reproduce.shell = format!("printf x | env 'A={secret}' B=1 x");
    }
    let bytes = |text: &str| Bytes(text.as_bytes().to_vec());
    let facts = [
        Fact::Received(bytes("{\"id\":\"s3cr3t \\\"val")),
        Fact::Received(bytes("ue\\\"\"}\n")),
        Fact::Logged(bytes(secret)),
    ];
    run.transcripts.push(Transcript {
        header: Header { command: vec![secret.into()], ..header() },
        events: facts.map(|fact| Event { at: 0, fact }).into(),
    });
    let mut secrets = Secrets::default();
    secrets.add(OsStr::new("A"), OsStr::new(secret), Given::InEnvironment);
    secrets.add(OsStr::new("B"), OsStr::new("1"), Given::OnCommandLine);
    secrets.hide(&mut run);

    let stored = run.transcripts[0].to_text();
    let reports = [json::to_text(&run).unwrap(), junit::to_text(&run).unwrap()];
    for written in reports.into_iter().chain([text(&run, Detail::Everything), stored]) {
        assert!(!written.contains("s3cr3"), "{written}");
    }
    let reproduce = run.results.iter().find_map(|result| result.reproduce.as_ref()).unwrap();
    assert_eq!(reproduce.pipeproof, "pipeproof certify --env A --env B=… -- x");
    assert_eq!(reproduce.shell, "printf x | env A=\"$A\" B=… x");
    let Fact::Received(first) = &run.transcripts[0].events[0].fact else { panic!("it changed") };
    assert_eq!(first.0.len(), "{\"id\":\"s3cr3t \\\"val".len());
}

fn header() -> Header {
    Header {
        plan: String::new(),
        cuts: Vec::new(),
        format: FORMAT,
        session: "s01-probe".into(),
        scenario: "probe".into(),
        part: 0,
        protocol: "mcp".into(),
        era: Era::Legacy,
        revision: "2025-11-25".into(),
        command: Vec::new(),
        seed: 0,
        catalogue: "0".into(),
    }
}
