//! The reports over runs made by hand: what they say, that they agree, and what they never let through.
#![cfg(feature = "cli")]
#![expect(clippy::unwrap_used, reason = "helpers of tests too: what fails is the test")]

#[path = "report/sample.rs"]
mod sample;

use std::ffi::OsStr;

use pipeproof::campaign::{Run, RunEvent};
use pipeproof::protocol::Era;
use pipeproof::report::redact::{Given, Secrets};
use pipeproof::report::text::{Detail, TextReporter};
use pipeproof::report::{Reporter as _, json};
use pipeproof::transcript::{Bytes, Event, FORMAT, Fact, Header, Transcript};
use pipeproof::verdict::{Cause, FailOn, Level, Verdict};
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

/// Two results of every level and verdict, under every rule of the gate.
fn generated() -> Vec<(String, Run)> {
    let single: Vec<_> = Level::ALL
        .iter()
        .flat_map(|level| Verdict::ALL.iter().map(move |verdict| (*level, *verdict)))
        .collect();
    let mut runs = Vec::new();
    for (index, one) in single.iter().enumerate() {
        for other in &single[index..] {
            for fail_on in std::iter::once(&[][..]).chain(FailOn::ALL.chunks(1)) {
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

#[test]
fn text_and_json_agree() {
    let all = generated();
    assert!(all.len() > 5000);
    for (name, run) in all {
        let json = parsed(&run);
        let said = |member: &str| json[member].as_str().unwrap().to_string();
        let expected = format!(
            "{} · scope {} · robustness {} · gate {} · exit status {}",
            said("verdict").replace('-', " "),
            said("scope"),
            said("robustness"),
            said("gate"),
            json["exit_status"],
        );
        let text = text(&run, Detail::Findings);
        assert_eq!(text.lines().next(), Some(expected.as_str()), "{name}");
        for verdict in Verdict::ALL {
            let count = format!("{} {verdict}", json["counts"][verdict.as_str()]);
            assert!(text.contains(&count), "{name}: {count}");
        }
        let broken = text.contains("\nBroken requirements (");
        assert_eq!(broken, said("verdict") == "not-conformant", "{name}");
        let defects = text.contains("\nDefects outside the specification (");
        assert_eq!(defects, said("robustness") == "defects", "{name}");
        assert_eq!(json["checks"].as_array().unwrap().len(), run.results.len());
    }
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
    for detail in [Detail::Headlines, Detail::Findings, Detail::Everything] {
        let styled = styled(&run, detail);
        let harmless = |c: char| c == '\n' || !c.is_control();
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
    assert!(json.chars().all(|c| c == '\n' || !c.is_control()), "{json:?}");
    assert_eq!(parsed(&run)["subject"]["server"]["name"], words);
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
    for written in [text(&run, Detail::Everything), json::to_text(&run).unwrap(), stored] {
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
