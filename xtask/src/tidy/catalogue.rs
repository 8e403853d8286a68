//! The rule `catalogue`: an id stands for one check, and each check has transcripts that show it passing and failing.

use std::collections::BTreeMap;

use super::{File, Violation};

const CATALOGUE: &str = "harness/src/catalogue/";
const TRANSCRIPTS: &str = "fixtures/transcripts/";

pub(super) fn catalogue(files: &[File]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut places: BTreeMap<&str, String> = BTreeMap::new();
    let tables = files
        .iter()
        .filter(|file| file.path.starts_with(CATALOGUE) && file.path.ends_with(".toml"));
    for file in tables {
        for (line, id) in ids(&file.text) {
            if let Some(first) = places.get(id) {
                violations
                    .push(file.violation(line, format!("the id {id} stands already at {first}")));
                continue;
            }
            places.insert(id, format!("{}:{line}", file.path));
            let folder = format!("{TRANSCRIPTS}{id}/");
            if !files.iter().any(|file| file.path.starts_with(&folder)) {
                let what = format!(
                    "{id} has no transcripts: write one that passes and one that fails in {folder}"
                );
                violations.push(file.violation(line, what));
            }
        }
    }
    violations
}

/// The ids of the requirements, with the line of each.
fn ids(table: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (index, line) in table.lines().enumerate() {
        if line.starts_with('[') {
            inside = line.trim_end() == "[[requirement]]";
        } else if inside
            && let Some(value) =
                line.strip_prefix("id").and_then(|rest| rest.trim_start().strip_prefix('='))
        {
            found.push((index + 1, value.trim().trim_matches('"')));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[test]
    fn an_id_stands_once_and_has_transcripts() {
        let table = "[[requirement]]\nid = \"a.b\"\n[[requirement.outcome]]\nid = \"no\"\n[[requirement]]\nid = \"a.c\"\n";
        let lines = |files: &[File]| -> Vec<usize> {
            catalogue(files).iter().map(|violation| violation.line).collect()
        };
        let one = file("harness/src/catalogue/x.toml", table);
        let ab = file("fixtures/transcripts/a.b/pass.txt", "");
        let ac = file("fixtures/transcripts/a.c/fail.txt", "");
        assert_eq!(lines(&[one, ab, ac]), [] as [usize; 0]);
        let one = file("harness/src/catalogue/x.toml", table);
        let two = file("harness/src/catalogue/y.toml", "[[requirement]]\nid = \"a.c\"\n");
        let ac = file("fixtures/transcripts/a.c/fail.txt", "");
        assert_eq!(lines(&[one, two, ac]), [2, 2]);
    }
}
