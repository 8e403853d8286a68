//! How a child is started: the program, its arguments, its surroundings.

use std::fs;
use std::path::Path;

use pipeproof_transport::ErrorKind;
use pipeproof_transport::process::{Environment, Spawn, resolve};

use super::family::{directory, script, sh};
use super::kid::faces;

#[test]
fn a_start_that_fails_leaves_nothing_and_names_the_program() {
    let here = directory("start");
    script(&here.join("plain"), "#!/bin/sh\n", 0o644);
    script(&here.join("text"), "echo started by a shell\n", 0o755);
    script(&here.join("lost"), "#!/nonexistent/interpreter\n", 0o755);
    let in_path = |name: &str| Spawn::new(name).env("PATH", &here);
    for (spawn, kind) in [
        (Spawn::new("/nonexistent/demo server"), ErrorKind::NotFound),
        (in_path("absent"), ErrorKind::NotFound),
        (Spawn::new(""), ErrorKind::NotFound),
        (Spawn::new("sh").env("PATH", ""), ErrorKind::NotFound),
        (Spawn::new(&here), ErrorKind::IsDirectory),
        (Spawn::new(here.join("plain")), ErrorKind::NotExecutable),
        (in_path("plain"), ErrorKind::NotExecutable),
        (in_path("text"), ErrorKind::NotExecutable),
        (in_path("lost"), ErrorKind::InterpreterNotFound),
        (Spawn::new("sh").cwd("/nonexistent/cwd"), ErrorKind::WorkingDirectory),
        (Spawn::new("sh").cwd(here.join("plain")), ErrorKind::WorkingDirectory),
        (Spawn::new("sh").arg("nul\0byte"), ErrorKind::Spawn),
    ] {
        for (face, start) in faces() {
            let error = start(&spawn).err().unwrap_or_else(|| panic!("{spawn:?} started"));
            assert_eq!(error.kind(), kind, "{face}: {spawn:?}: {error}");
            let named = spawn.directory().unwrap_or(Path::new(spawn.program()));
            assert!(error.to_string().contains(&*named.to_string_lossy()), "{face}: {error}");
        }
    }
}

#[test]
fn programs_are_found_as_the_child_would_find_them() {
    let here = directory("resolve");
    fs::create_dir(here.join("bin")).unwrap();
    fs::create_dir(here.join("tool")).unwrap();
    script(&here.join("bin/tool"), "#!/bin/sh\n", 0o755);
    let found = |spawn: Spawn| {
        let path = resolve(&spawn.cwd(&here)).unwrap();
        assert!(path.is_absolute());
        path.canonicalize().unwrap()
    };
    let expected = here.join("bin/tool").canonicalize().unwrap();
    assert_eq!(found(Spawn::new("bin/tool")), expected);
    assert_eq!(found(Spawn::new("./bin/tool")), expected);
    assert_eq!(found(Spawn::new("tool").env("PATH", "/nonexistent:bin")), expected);
    let empty_entry = Spawn::new("tool").env("PATH", ":").cwd(here.join("bin"));
    assert_eq!(resolve(&empty_entry).unwrap().canonicalize().unwrap(), expected);
    let skips_directory = Spawn::new("tool").env("PATH", format!("{}:bin", here.display()));
    assert_eq!(found(skips_directory), expected);
    let cleared = Spawn::new("sh").environment(Environment::Clear);
    assert!(resolve(&cleared).is_ok(), "without a PATH the default is searched");
    let error = resolve(&Spawn::new("tool").env("PATH", &here)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IsDirectory);
}

#[test]
fn arguments_and_program_pass_through_no_shell() {
    let here = directory("dir with blank");
    let program = here.join("demo server");
    script(&program, "#!/bin/sh\nfor arg; do printf '[%s]' \"$arg\"; done; echo\n", 0o755);
    for (face, start) in faces() {
        let spawn = Spawn::new(&program).args(["a b", "c\"d", "$HOME", "", "*.txt"]);
        let mut kid = start(&spawn).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("[a b][c\"d][$HOME][][*.txt]"), "{face}");
    }
}

#[test]
fn the_program_is_named_as_it_was_asked_for() {
    for (face, start) in faces() {
        let mut kid = start(&sh("tr '\\0' '\\n' < /proc/$$/cmdline")).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("sh"), "{face}");
    }
}

#[test]
fn the_environment_is_what_was_chosen() {
    let path = std::env::var("PATH").unwrap();
    let allow = Environment::Allow(vec!["PATH".into(), "UNSET_IN_TESTS".into()]);
    for (face, start) in faces() {
        let seen = |spawn: Spawn| {
            let mut kid = start(&spawn).unwrap();
            let mut lines: Vec<String> = std::iter::from_fn(|| kid.recv()).collect();
            lines.sort();
            lines
        };
        let env = || Spawn::new("env");
        let inherited = seen(env().env("ADDED", "1"));
        for line in [format!("PATH={path}"), "ADDED=1".to_owned()] {
            assert!(inherited.contains(&line), "{face}: {inherited:?}");
        }
        assert!(inherited.len() > 2, "{face}: {inherited:?}");
        assert_eq!(seen(env().environment(Environment::Clear)), Vec::<String>::new(), "{face}");
        assert_eq!(seen(env().environment(allow.clone())), [format!("PATH={path}")], "{face}");
        let overridden =
            env().environment(allow.clone()).env("A", "1").env("A", "2").env_remove("PATH");
        assert_eq!(seen(overridden), ["A=2"], "{face}");
    }
}

#[test]
fn the_working_directory_is_what_was_chosen() {
    let here = directory("cwd").canonicalize().unwrap();
    for (face, start) in faces() {
        let mut kid = start(&sh("pwd -P").cwd(&here)).unwrap();
        assert_eq!(kid.recv().as_deref(), here.to_str(), "{face}");
    }
}
