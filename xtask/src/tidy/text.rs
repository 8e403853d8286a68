//! The rules that read one file for itself: `head`, `length`, `place`, `unfinished` and `lock`.

use super::source;
use super::{File, Violation};

/// A longer file is two ideas, or one that needs a reason.
const MOST_LINES: usize = 800;

/// How many words a module head has at least.
const FEWEST_WORDS: usize = 4;

/// Files with code, whose length counts; data may be as long as it is.
const CODE: &[&str] = &[".rs", ".sh", ".py", ".js", ".ts", ".html", ".css"];

/// Hosts of package registries, in two parts so that this file does not name them.
const HOSTS: &[(&str, &str)] = &[
    ("crates", ".io"),
    ("registry.npm", "js.org"),
    ("pypi", ".org"),
    ("pythonhosted", ".org"),
    ("deb.debian", ".org"),
];

/// Folders that only exist on somebody's machine, without the slashes around them for the same reason.
const MACHINE: &[&str] = &["work", "root", "home"];

/// Each Rust file says at its top what it is for.
pub(super) fn head(file: &File) -> Option<Violation> {
    let lines =
        file.text.lines().skip_while(|line| line.trim().is_empty() || line.starts_with("#!"));
    let words = lines
        .map_while(|line| line.strip_prefix("//!"))
        .flat_map(str::split_whitespace)
        .filter(|word| word.chars().any(char::is_alphabetic))
        .count();
    (words < FEWEST_WORDS).then(|| {
        file.violation(1, "no module head: begin with `//!` and say what the file is for and what it leaves to others")
    })
}

/// No source file is too long without a written reason.
pub(super) fn length(file: &File) -> Option<Violation> {
    let lines = file.text.lines().count();
    let is_code = CODE.iter().any(|ending| file.path.ends_with(ending));
    if !is_code || lines <= MOST_LINES {
        return None;
    }
    let mark = "tidy: long because ";
    let reason = file.text.lines().take(40).find_map(|line| line.split_once(mark));
    if reason.is_some_and(|(_, reason)| reason.split_whitespace().count() > 1) {
        return None;
    }
    let what = format!(
        "{lines} lines, more than {MOST_LINES}: split the file, or give the reason near its top as `// {mark}…`"
    );
    Some(file.violation(MOST_LINES + 1, what))
}

/// No file names the host of a package registry or a path of somebody's machine.
pub(super) fn place(file: &File) -> Vec<Violation> {
    if file.path.rsplit('/').next() == Some("Cargo.lock") {
        return Vec::new();
    }
    let hosts: Vec<String> = HOSTS.iter().map(|(a, b)| format!("{a}{b}")).collect();
    let folders: Vec<String> = MACHINE.iter().map(|folder| format!("/{folder}/")).collect();
    let mut violations = Vec::new();
    for (line, text) in numbered(&file.text) {
        for host in hosts.iter().filter(|host| text.contains(host.as_str())) {
            let what = format!(
                "names the registry host {host}: say which registry in words, or leave it out"
            );
            violations.push(file.violation(line, what));
        }
        for folder in folders.iter().filter(|folder| begins_path(text, folder)) {
            let what =
                format!("names a path below {folder}, of somebody's machine: make it relative");
            violations.push(file.violation(line, what));
        }
    }
    violations
}

/// No test is ignored without a reason, and nothing is left to do.
pub(super) fn unfinished(file: &File) -> Vec<Violation> {
    let code = source::code(&file.text);
    let mut violations = Vec::new();
    for (line, text) in numbered(&code) {
        if text.contains("#[ignore]") {
            violations.push(
                file.violation(line, "test ignored without a reason: write #[ignore = \"REASON\"]"),
            );
        }
        for name in ["todo", "unimplemented"] {
            if let Some((_, rest)) = text.split_once(&format!("{name}!"))
                && rest.starts_with(['(', '[', '{'])
            {
                violations.push(
                    file.violation(line, format!("{name}! is left: write the code, or an error")),
                );
            }
        }
    }
    violations
}

/// The lock files of subjects carry hashes, and no address: whoever installs says from where.
pub(super) fn lock(file: &File) -> Vec<Violation> {
    let Some(name) = file.path.strip_prefix("fixtures/subjects/") else { return Vec::new() };
    let (signs, remedy): (&[&str], _) = if name.ends_with("package-lock.json") {
        (&["\"resolved\":"], "lock again with --omit-lockfile-registry-resolved")
    } else if name.ends_with("requirements.txt") || name.ends_with("requirements.in") {
        (
            &["://", "--index-url", "--extra-index-url", "--find-links"],
            "see fixtures/subjects/README.md",
        )
    } else {
        return Vec::new();
    };
    numbered(&file.text)
        .filter(|(_, text)| signs.iter().any(|sign| text.contains(sign)))
        .map(|(line, _)| {
            file.violation(line, format!("a download address in a lock file: {remedy}"))
        })
        .collect()
}

/// Whether the folder stands in the text where a path begins, not inside a longer one.
fn begins_path(text: &str, folder: &str) -> bool {
    text.match_indices(folder).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|before| !before.is_alphanumeric() && !"/._-~})".contains(before))
    })
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[test]
    fn a_head_has_more_than_a_few_words() {
        for text in [
            "//! Reads a line and no more.\n",
            "#![cfg(fuzzing)]\n\n//! Reads lines\n//! from bytes.\n",
        ] {
            assert_eq!(head(&file("a.rs", text)), None, "{text}");
        }
        for text in
            ["", "fn f() {}", "//! Lines.\n", "// Reads a line and no more.\n", "//! - - - - -\n"]
        {
            assert!(head(&file("a.rs", text)).is_some(), "{text}");
        }
    }

    #[test]
    fn a_long_file_needs_a_reason() {
        let long = "x\n".repeat(MOST_LINES + 1);
        assert_eq!(length(&file("a.rs", &long)).unwrap().line, 801);
        assert_eq!(length(&file("a.json", &long)), None);
        assert_eq!(length(&file("a.rs", &"x\n".repeat(MOST_LINES))), None);
        assert_eq!(
            length(&file("a.rs", &format!("// tidy: long because one table\n{long}"))),
            None
        );
        assert!(length(&file("a.rs", &format!("// tidy: long because \n{long}"))).is_some());
    }

    #[test]
    fn hosts_and_paths_of_machines_are_found() {
        let (a, b) = HOSTS[0];
        let hit = |text: &str| place(&file("a.md", text)).len();
        assert_eq!(hit(&format!("see https://{a}{b}/x")), 1);
        for folder in MACHINE {
            for before in ["", " ", "\"", "`", "=", "("] {
                assert_eq!(hit(&format!("{before}/{folder}/x")), 1, "{before}{folder}");
            }
            for before in ["a", "file://", "https://x.test", "{dir}"] {
                assert_eq!(hit(&format!("{before}/{folder}/x")), 0, "{before}{folder}");
            }
        }
        for lock in ["Cargo.lock", "b/Cargo.lock"] {
            assert_eq!(place(&file(lock, &format!("{a}{b}"))), []);
        }
    }

    #[test]
    fn unfinished_code_is_found_and_words_about_it_are_not() {
        let hit = |text: &str| unfinished(&file("a.rs", text)).len();
        for text in ["#[ignore]", "todo!()", "fn f() { unimplemented!(\"x\") }"] {
            assert_eq!(hit(text), 1, "{text}");
        }
        for text in ["#[ignore = \"slow\"]", "// todo!()", "\"todo!()\"", "todo != x"] {
            assert_eq!(hit(text), 0, "{text}");
        }
    }

    #[test]
    fn lock_files_carry_no_addresses() {
        let hit = |path: &str, text: &str| lock(&file(path, text)).len();
        let npm = "fixtures/subjects/a/package-lock.json";
        assert_eq!(hit(npm, "{\n\"resolved\": \"x\",\n\"integrity\": \"y\"}"), 1);
        assert_eq!(hit(npm, "\"url\": \"https://example.test/fund\""), 0);
        let pip = "fixtures/subjects/a/requirements.txt";
        assert_eq!(hit(pip, "a==1 --hash=sha256:00\n"), 0);
        assert_eq!(hit(pip, "--index-url https://example.test\n"), 1);
        assert_eq!(hit("b/requirements.txt", "--index-url x"), 0);
    }
}
