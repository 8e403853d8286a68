//! The rule `catalogue`: an id stands for one check, and each check has transcripts that show it passing and failing.

use std::collections::BTreeMap;

use super::{File, Violation};

const CATALOGUE: &str = "harness/src/catalogue/";
const TRANSCRIPTS: &str = "fixtures/transcripts/";

pub(super) fn catalogue(files: &[File]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut places: BTreeMap<&str, String> = BTreeMap::new();
    let judged: Vec<(&str, &str)> = tables(files).flat_map(|file| judges(&file.text)).collect();
    for file in tables(files) {
        for (line, id) in ids(&file.text) {
            if let Some(first) = places.get(id) {
                violations
                    .push(file.violation(line, format!("the id {id} stands already at {first}")));
                continue;
            }
            places.insert(id, format!("{}:{line}", file.path));
            let folder = format!("{TRANSCRIPTS}{id}/");
            let has_own = |id: &str| {
                let folder = format!("{TRANSCRIPTS}{id}/");
                files.iter().any(|file| file.path.starts_with(&folder))
            };
            if !has_own(id) && !twins(id, &judged).any(has_own) {
                let what = format!(
                    "{id} has no transcripts: write one that passes and one that fails in {folder}"
                );
                violations.push(file.violation(line, what));
            }
        }
    }
    violations
}

fn tables(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| file.path.starts_with(CATALOGUE) && file.path.ends_with(".toml"))
}

/// The requirements of other protocols that the same judge judges: their transcripts speak for this one.
fn twins<'a>(id: &'a str, judged: &'a [(&'a str, &'a str)]) -> impl Iterator<Item = &'a str> {
    let protocol = |id: &'a str| id.split('.').next();
    let judge = judged.iter().find(|(own, _)| *own == id).map(|(_, judge)| *judge);
    let same = judged.iter().filter(move |(_, other)| Some(*other) == judge);
    same.map(|(own, _)| *own).filter(move |own| protocol(own) != protocol(id))
}

/// The ids of the requirements, each with its judge.
fn judges(table: &str) -> Vec<(&str, &str)> {
    let values = |name: &'static str| {
        table.lines().filter_map(move |line| {
            let rest = line.strip_prefix(name)?.trim_start().strip_prefix('=')?;
            Some(rest.trim().trim_matches('"'))
        })
    };
    values("id").zip(values("judge")).collect()
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
