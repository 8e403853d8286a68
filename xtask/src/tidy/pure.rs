//! The rule `pure`: modules that promise to do without the outside world name nothing of it.
//!
//! Tests inside a module may do as they like. The rule reads names, so that it does not see what a function of another
//! module does for the caller: that is why the whole of a pure module's surroundings is in the table.

use super::source::{self, Named};
use super::{File, Violation};

/// A group of modules of one package and what they must not name.
struct Modules {
    /// The folder of the sources.
    sources: &'static str,
    /// Modules of the top level; `line*` stands for all whose name begins so.
    names: &'static [&'static str],
    forbidden: &'static [&'static [&'static str]],
}

const TABLE: &[Modules] = &[
    Modules {
        sources: "transport/src/",
        names: &["line*", "header*", "sse*", "message*", "policy*", "connection*"],
        forbidden: &[WORLD, &["crate::blocking", "crate::nonblocking"]],
    },
    Modules {
        sources: "harness/src/",
        names: &["transcript", "ledger", "split", "catalogue", "check", "verdict", "oracle"],
        forbidden: &[WORLD, FACES],
    },
    Modules { sources: "harness/src/", names: &["transcript"], forbidden: &[&["crate::session"]] },
    Modules {
        sources: "harness/src/",
        names: &["ledger", "split", "catalogue", "check", "verdict"],
        forbidden: &[&["crate::session", "crate::campaign", "crate::report", "crate::cli"]],
    },
];

/// I/O, clock, threads and runtime.
const WORLD: &[&str] = &[
    "std::io",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "tokio",
];

/// The parts of the transport that do I/O.
const FACES: &[&str] = &["pipeproof_transport::blocking", "pipeproof_transport::nonblocking"];

pub(super) fn pure(file: &File) -> Vec<Violation> {
    let mut violations = Vec::new();
    let Some((sources, module)) = module(&file.path) else { return violations };
    let groups = TABLE.iter().filter(|group| {
        group.sources == sources && group.names.iter().any(|name| matches(name, &module[0]))
    });
    let forbidden: Vec<&str> =
        groups.flat_map(|group| group.forbidden).copied().flatten().copied().collect();
    if forbidden.is_empty() {
        return violations;
    }
    let code = source::without_tests(&source::code(&file.text));
    for Named { line, segments } in source::paths(&code) {
        let path = resolved(&segments, &module);
        if let Some(forbidden) = forbidden.iter().find(|forbidden| names(&path, forbidden)) {
            let what = format!(
                "`{}` in the pure module `{}`: take the value as a parameter, or move this to a module that may \
                 use `{forbidden}`",
                segments.join("::"),
                module[0],
            );
            violations.push(file.violation(line, what));
        }
    }
    violations.dedup();
    violations
}

/// The folder of sources and the path of the module, for a file that is code of one of our libraries.
fn module(path: &str) -> Option<(&'static str, Vec<String>)> {
    let sources =
        TABLE.iter().map(|group| group.sources).find(|sources| path.starts_with(sources))?;
    let mut module: Vec<String> =
        path[sources.len()..].strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    // Tests that stand in a file of their own.
    if module.iter().any(|part| part == "tests") {
        return None;
    }
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    Some((sources, module))
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

/// The path from the root of the crate, where it begins with `self` or `super`.
fn resolved(segments: &[String], module: &[String]) -> Vec<String> {
    let ups = segments.iter().take_while(|segment| *segment == "super").count();
    if ups == 0 && segments[0] != "self" {
        return segments.to_vec();
    }
    let below = module.len().saturating_sub(ups);
    let rest = segments[ups..].iter().filter(|segment| *segment != "self");
    ["crate".to_owned()].iter().chain(&module[..below]).chain(rest).cloned().collect()
}

/// Whether the path names what is forbidden, something in it, or all that stands around it.
fn names(path: &[String], forbidden: &str) -> bool {
    let forbidden: Vec<&str> = forbidden.split("::").collect();
    for (at, part) in forbidden.iter().enumerate() {
        match path.get(at) {
            Some(segment) if segment == "*" => return true,
            Some(segment) if segment == part => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        pure(&file(path, text)).iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn the_outside_world_is_found_in_every_spelling() {
        for text in [
            "use std::io;",
            "use std::{fmt, io::Read};",
            "use std::time::{Duration, Instant};",
            "use std::time::*;",
            "fn f() { std::thread::sleep(d) }",
            "#[tokio::test] fn f() {}",
            "use tokio::sync::mpsc;",
            "fn f() { ::std::fs::read(p) }",
        ] {
            assert_eq!(lines("transport/src/line.rs", text), [1], "{text}");
            assert_eq!(lines("harness/src/check/rpc.rs", text), [1], "{text}");
        }
    }

    #[test]
    fn what_is_only_mentioned_or_pure_is_not_found() {
        for text in [
            "// std::io is not used\n",
            "const A: &str = \"tokio::main\";",
            "use std::time::Duration; use std::{fmt, ops::Range};",
            "#[cfg(test)] mod tests { use std::io; }",
            "use tokio_like::io; let io = my::std::io;",
        ] {
            assert_eq!(lines("transport/src/sse/decoder.rs", text), [] as [usize; 0], "{text}");
        }
    }

    #[test]
    fn other_modules_and_files_of_tests_may_do_io() {
        for path in [
            "transport/src/blocking/client.rs",
            "harness/src/session/mod.rs",
            "harness/src/checkout.rs",
            "transport/src/line/tests.rs",
            "transport/tests/line.rs",
        ] {
            assert_eq!(lines(path, "use std::io;"), [] as [usize; 0], "{path}");
        }
        assert_eq!(lines("transport/src/line_limits.rs", "use std::io;"), [1]);
    }

    #[test]
    fn judges_do_not_reach_for_what_drives_them() {
        for text in [
            "use crate::session::Link;",
            "use crate::{report, ledger};",
            "super::super::session::open()",
        ] {
            assert_eq!(lines("harness/src/check/rpc.rs", text), [1], "{text}");
        }
        assert_eq!(lines("harness/src/check/mod.rs", "use super::campaign::Run;"), [1]);
        assert_eq!(
            lines("harness/src/check/mod.rs", "mod session; use self::session::X;"),
            [] as [usize; 0]
        );
        assert_eq!(lines("harness/src/transcript/mod.rs", "use crate::session::Link;"), [1]);
        assert_eq!(
            lines("harness/src/oracle/mod.rs", "use crate::session::Link;"),
            [] as [usize; 0]
        );
    }
}
