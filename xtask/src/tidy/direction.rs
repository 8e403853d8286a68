//! The rule `direction`: dependencies between our packages point one way.

use super::{File, Violation};

/// Each package, by its folder, and the packages of ours that it may depend on, in any section of its manifest.
const ALLOWED: &[(&str, &[&str])] = &[
    ("transport", &[]),
    ("transport/bridge", &["pipeproof-transport"]),
    ("harness", &["pipeproof-transport", "pipeproof-bridge"]),
    ("fuzz", &["pipeproof-transport", "pipeproof-bridge", "pipeproof"]),
    ("benches", &["pipeproof-transport", "pipeproof-bridge", "pipeproof"]),
    ("xtask", &[]),
];

pub(super) fn direction(files: &[File]) -> Vec<Violation> {
    let manifests: Vec<(&File, &str)> = files
        .iter()
        .filter(|file| !file.path.starts_with("fixtures/"))
        .filter_map(|file| Some((file, file.path.strip_suffix("/Cargo.toml")?)))
        .collect();
    let ours: Vec<&str> =
        manifests.iter().filter_map(|(file, _)| package_name(&file.text)).collect();
    let mut violations = Vec::new();
    for (file, folder) in &manifests {
        let Some((_, allowed)) = ALLOWED.iter().find(|(allowed, _)| allowed == folder) else {
            let what = "a package without a place: say in xtask/src/tidy/direction.rs what it may depend on";
            violations.push(file.violation(1, what));
            continue;
        };
        for (line, dependency) in dependencies(&file.text) {
            if ours.contains(&dependency) && !allowed.contains(&dependency) {
                let what =
                    format!("{folder} must not depend on {dependency}: dependencies point one way");
                violations.push(file.violation(line, what));
            }
        }
    }
    violations
}

fn package_name(manifest: &str) -> Option<&str> {
    let mut lines = manifest.lines().skip_while(|line| line.trim() != "[package]").skip(1);
    lines.find_map(|line| {
        Some(line.strip_prefix("name")?.trim_start().strip_prefix('=')?.trim().trim_matches('"'))
    })
}

/// The packages that a manifest depends on, of any kind and for any target, with the line of each.
///
/// Reads the forms that our manifests have: one dependency a line, or a section of its own.
fn dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (index, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if let Some(section) = line
            .strip_prefix('[')
            .and_then(|line| line.split(']').next_back()?.is_empty().then_some(line))
        {
            let section = section.trim_end_matches(']');
            let (rest, last) = section.rsplit_once('.').unwrap_or(("", section));
            inside = last.ends_with("dependencies");
            if rest.ends_with("dependencies") {
                found.push((index + 1, last));
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        // A dependency under another name says `package = "…"`, in its line or in its section.
        let renamed = value
            .split_once("package")
            .map(|(_, rest)| rest)
            .or((key.trim() == "package").then_some(value));
        if let Some(name) = renamed.and_then(|rest| rest.split('"').nth(1)) {
            found.push((index + 1, name));
        }
        if inside {
            let key = key.trim().split('.').next().unwrap_or_default();
            found.push((index + 1, key.trim_matches('"')));
        }
    }
    found.retain(|(_, name)| !name.is_empty() && !name.starts_with('#'));
    found
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[test]
    fn every_form_of_dependency_is_read() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\na = \"1\"\nb.workspace = true\nc = { path = \"c\" }\n\
                        y = { package = \"d\", version = \"1\" }\n[target.'cfg(unix)'.dev-dependencies]\n\
                        # f = \"1\"\ne = \"1\"\n\
                        [build-dependencies.g]\nversion = \"1\"\n[lints]\nworkspace = true\n";
        assert_eq!(package_name(manifest), Some("x"));
        let found = dependencies(manifest);
        let names: Vec<_> = found.iter().map(|(_, name)| *name).collect();
        assert_eq!(names, ["a", "b", "c", "d", "y", "e", "g"]);
        assert_eq!(found[1], (5, "b"));
    }

    #[test]
    fn dependencies_point_one_way() {
        let manifest = |folder: &str, name: &str, dependency: &str| {
            let text = format!(
                "[package]\nname = \"{name}\"\n[dev-dependencies]\n{dependency}.workspace = true\n"
            );
            file(&format!("{folder}/Cargo.toml"), &text)
        };
        let right = [
            manifest("transport", "pipeproof-transport", "memchr"),
            manifest("harness", "pipeproof", "pipeproof-transport"),
            manifest("fuzz", "pipeproof-fuzz", "pipeproof"),
        ];
        assert_eq!(direction(&right), []);
        let wrong = [
            manifest("transport", "pipeproof-transport", "pipeproof"),
            manifest("harness", "pipeproof", "pipeproof-transport"),
            manifest("xtask", "xtask", "pipeproof-transport"),
        ];
        let paths: Vec<_> = direction(&wrong)
            .into_iter()
            .map(|violation| (violation.path, violation.line))
            .collect();
        assert_eq!(
            paths,
            [("transport/Cargo.toml".to_owned(), 4), ("xtask/Cargo.toml".to_owned(), 4)]
        );
    }

    #[test]
    fn a_new_package_needs_a_place() {
        let files = [file("tools/new/Cargo.toml", "[package]\nname = \"new\"\n")];
        assert_eq!(direction(&files).len(), 1);
    }
}
