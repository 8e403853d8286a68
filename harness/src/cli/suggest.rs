//! Names that a mistyped one may have meant: "did you mean …?" It only compares spellings.

use crate::campaign::distance;

/// How many names are suggested.
const MOST: usize = 3;

/// What to add to a message about a name that is not known: the known names that it may have meant.
pub(super) fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut near: Vec<(usize, &str)> = known
        .filter_map(|name| {
            let part = name.contains(word) && word.len() > 2;
            let far = distance(word, name);
            let last = name.rsplit('.').next().map_or(far, |last| distance(word, last));
            let far = if part { 0 } else { far.min(last) };
            (far <= word.chars().count() / 3).then_some((far, name))
        })
        .collect();
    near.sort_unstable();
    let names: Vec<String> =
        near.into_iter().take(MOST).map(|(_, name)| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(" or ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_suggested_and_no_far_ones() {
        let known = ["mcp.rpc.id-echo", "mcp.rpc.error-shape", "mcp.stdio.utf8"];
        let table = [
            ("mcp.rpc.id-ecko", "; did you mean `mcp.rpc.id-echo`?"),
            ("id-echo", "; did you mean `mcp.rpc.id-echo`?"),
            ("utf9", "; did you mean `mcp.stdio.utf8`?"),
            ("rpc", "; did you mean `mcp.rpc.error-shape` or `mcp.rpc.id-echo`?"),
            ("something-else", ""),
            ("", ""),
        ];
        for (word, text) in table {
            assert_eq!(did_you_mean(word, known.into_iter()), text, "{word}");
        }
    }
}
