//! Text that comes from a subject, made safe to show.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes what could steer a terminal or turn the order of what is read: control characters, line ends included, and
/// invisible and directional characters, and noncharacters, which XML forbids. All else stays as it is, so a text that was escaped already does not change.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_treacherous) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            c if is_treacherous(c) && c.is_ascii() => _ = write!(safe, "\\x{:02x}", u32::from(c)),
            c if is_treacherous(c) => _ = write!(safe, "\\u{{{:x}}}", u32::from(c)),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// Whether a character does something other than being seen.
pub(super) fn is_treacherous(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped_and_nothing_else() {
        let table = [
            ("plain, é, 日本, 😀, …", "plain, é, 日本, 😀, …"),
            ("\x1b]0;x\x07", "\\x1b]0;x\\x07"),
            ("a\r\nb\tc", "a\\r\\nb\\tc"),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\x7f"),
            ("a\u{202e}b\u{200b}\u{feff}", "a\\u{202e}b\\u{200b}\\u{feff}"),
            ("\0\u{fffe}\u{ffff}\u{fffd}", "\\x00\\u{fffe}\\u{ffff}\u{fffd}"),
            ("\\x1b \\n", "\\x1b \\n"),
        ];
        for (text, safe) in table {
            assert_eq!(printable(text), safe);
            assert_eq!(printable(&printable(text)), safe);
        }
    }
}
