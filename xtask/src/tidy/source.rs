//! Reads Rust source as far as the rules need it: code without comments and literals, and the paths named in it.
//!
//! This is a scanner, not a parser. It does not expand macros, follow renames or see through `cfg` other than `test`.

/// A path that the code names, with the uses of a `use` tree written out.
#[derive(Debug, PartialEq)]
pub(crate) struct Named {
    pub(crate) line: usize,
    /// `std`, `io`, `Read`; `*` stands for a glob.
    pub(crate) segments: Vec<String>,
}

/// The text with comments and the content of literals turned into spaces; lines stay where they are.
pub(crate) fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = skipped(bytes, at);
        if end == at {
            at += 1;
            continue;
        }
        for byte in &mut out[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The code without the items that stand behind `#[cfg(test)]`; lines stay where they are.
pub(crate) fn without_tests(code: &str) -> String {
    let mut out = code.as_bytes().to_vec();
    let mut from = 0;
    while let Some(found) = code[from..].find("#[cfg(") {
        let start = from + found;
        from = start + 1;
        let Some(length) = code[start..].find(']') else { break };
        let attribute = &code[start..start + length];
        let tests = words(attribute).any(|word| word == "test");
        if !tests || words(attribute).any(|word| word == "not" || word == "any") {
            continue;
        }
        let end = item_end(code.as_bytes(), start + length + 1);
        for byte in &mut out[start..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        from = end;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Every path of two segments or more, in the order of the code.
pub(crate) fn paths(code: &str) -> Vec<Named> {
    let mut scanner = Scanner { bytes: code.as_bytes(), at: 0, line: 1, found: Vec::new() };
    while let Some(byte) = scanner.peek() {
        if byte.is_ascii_digit() {
            scanner.word();
        } else if is_word(byte) {
            scanner.tree(&mut Vec::new());
        } else {
            scanner.bump();
        }
    }
    scanner.found
}

/// The words of the code: names, keywords and numbers.
pub(crate) fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|char: char| !char.is_alphanumeric() && char != '_').filter(|word| !word.is_empty())
}

/// Where the comment or literal that begins here ends; here, if none begins.
fn skipped(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    // A letter inside a word is no prefix of a literal.
    let in_word = at > 0 && is_word(bytes[at - 1]);
    match rest {
        [b'/', b'/', ..] => at + find(rest, b"\n").unwrap_or(rest.len()),
        [b'/', b'*', ..] => at + block_comment(rest),
        [b'"', ..] => at + quoted(rest, 1),
        [b'b' | b'c', b'"', ..] if !in_word => at + quoted(rest, 2),
        [b'b', b'\'', ..] if !in_word => at + char_literal(rest, 2),
        [b'r', ..] if !in_word => at + raw(rest, 1),
        [b'b' | b'c', b'r', ..] if !in_word => at + raw(rest, 2),
        [b'\'', ..] => at + char_literal(rest, 1),
        _ => at,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (at, depth) = (at + 2, depth + 1),
            [b'*', b'/', ..] => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

fn quoted(rest: &[u8], mut at: usize) -> usize {
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// A raw string; nothing, if what stands here is a raw name or a plain word.
fn raw(rest: &[u8], prefix: usize) -> usize {
    let hashes = rest[prefix..].iter().take_while(|&&byte| byte == b'#').count();
    let open = prefix + hashes;
    if rest.get(open) != Some(&b'"') {
        return 0;
    }
    let close = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
    find(&rest[open + 1..], &close).map_or(rest.len(), |found| open + 1 + found + close.len())
}

/// A character literal; nothing, if the quote begins a lifetime.
fn char_literal(rest: &[u8], open: usize) -> usize {
    if rest.get(open) == Some(&b'\\') {
        let body = &rest[(open + 2).min(rest.len())..];
        return find(body, b"'").map_or(rest.len(), |found| open + 2 + found + 1);
    }
    // One character of up to four bytes, then the quote.
    let width = match rest.get(open) {
        Some(0xf0..) => 4,
        Some(0xe0..) => 3,
        Some(0xc0..) => 2,
        _ => 1,
    };
    if rest.get(open + width) == Some(&b'\'') { open + width + 1 } else { 0 }
}

/// Where the item that begins here ends: behind its braces, or behind its semicolon if it has none.
fn item_end(bytes: &[u8], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => {
                // A field or a match arm can end where its surroundings do.
                let Some(less) = depth.checked_sub(1) else { return at };
                depth = less;
                if depth == 0 && *byte == b'}' {
                    return at + 1;
                }
            }
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    bytes.len()
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    found: Vec<Named>,
}

impl Scanner<'_> {
    /// Reads a path or a tree of paths behind the prefix, which is left as it was.
    fn tree(&mut self, prefix: &mut Vec<String>) {
        let (line, length) = (self.line, prefix.len());
        prefix.push(self.word());
        loop {
            let before = (self.at, self.line);
            self.space();
            if !self.eat(b"::") {
                (self.at, self.line) = before;
                break;
            }
            self.space();
            match self.peek() {
                Some(b'{') => {
                    self.branches(prefix);
                    prefix.truncate(length);
                    return;
                }
                Some(b'*') => {
                    self.bump();
                    prefix.push("*".to_owned());
                }
                Some(byte) if is_word(byte) => {
                    let word = self.word();
                    prefix.push(word);
                }
                // The types of a generic call, which are read for themselves.
                _ => break,
            }
        }
        if prefix.len() > 1 {
            self.found.push(Named { line, segments: prefix.clone() });
        }
        prefix.truncate(length);
    }

    fn branches(&mut self, prefix: &mut Vec<String>) {
        self.bump();
        while let Some(byte) = self.peek() {
            if byte == b'}' {
                self.bump();
                return;
            } else if byte == b'*' {
                self.bump();
                let segments = [prefix.as_slice(), &["*".to_owned()]].concat();
                self.found.push(Named { line: self.line, segments });
            } else if is_word(byte) {
                self.tree(prefix);
                // The new name of `as` is no path.
                self.space();
                if self.bytes[self.at..].starts_with(b"as ") {
                    self.word();
                    self.space();
                    self.word();
                }
            } else {
                self.bump();
            }
        }
    }

    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(is_word) {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.bump();
        }
    }

    fn eat(&mut self, token: &[u8]) -> bool {
        let found = self.bytes[self.at..].starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn bump(&mut self) {
        self.line += usize::from(self.peek() == Some(b'\n'));
        self.at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        paths(&without_tests(&code(text))).iter().map(|named| named.segments.join("::")).collect()
    }

    #[test]
    fn comments_and_literals_are_blanked() {
        for text in [
            "a; // x::y\nb",
            "a; /* x /* x::y */ */ b",
            "a(\"x::y \\\" x::y\") b",
            "a(r#\"x::y \" x::y\"#) b",
            "a(br\"x::y\") b",
            "a('\\'', b'\"', '\"', 'é') b // '\"'",
        ] {
            let code = code(text);
            assert_eq!(code.len(), text.len(), "{text}");
            assert!(!code.contains('x') && !code.contains('"'), "{text} -> {code}");
            assert!(code.starts_with('a') && code.contains('b'), "{text} -> {code}");
        }
    }

    #[test]
    fn lifetimes_and_raw_names_are_code() {
        let text = "fn f<'a>(r#type: &'a str) -> &'a str { br.x }";
        assert_eq!(code(text), text);
    }

    #[test]
    fn use_trees_are_written_out() {
        let text = "use std::{fs, io::{self, Read as R}, time::*};";
        assert_eq!(found(text), ["std::fs", "std::io::self", "std::io::Read", "std::time::*"]);
        assert_eq!(
            found("let x = a\n    ::b(::std::fs::read::<c::D>(1.0));"),
            ["a::b", "std::fs::read", "c::D"]
        );
        assert_eq!(
            found("#[tokio::main] fn f() { x as std::io::Y; 0x1f }"),
            ["tokio::main", "std::io::Y"]
        );
    }

    #[test]
    fn lines_are_counted_through_trees_and_comments() {
        let named = paths(&code("/* \n */ use a::{\n    b,\n    c,\n};\nd::e"));
        let lines: Vec<_> = named.iter().map(|named| named.line).collect();
        assert_eq!(lines, [3, 4, 6]);
    }

    #[test]
    fn items_of_tests_are_left_out() {
        assert_eq!(found("a::b; #[cfg(test)] mod tests { x::y { } } c::d"), ["a::b", "c::d"]);
        assert_eq!(found("#[cfg(test)]\n#[path = \"t.rs\"]\nmod tests; c::d"), ["c::d"]);
        assert_eq!(found("#[cfg(all(test, unix))] fn t(x: [u8; 2]) { x::y } c::d"), ["c::d"]);
        assert_eq!(found("#[cfg(not(test))] a::b"), ["a::b"]);
    }
}
