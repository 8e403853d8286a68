//! The notation of the rows of the table: types, members and ranges of revisions, from text to values.
//!
//! Whether a row agrees with the others, and whether a name exists, is the business of [`super::table`].

use serde_json::Value;

use crate::protocol::mcp;

/// What a value may be.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Any,
    /// A value of a JSON type, with the name of its format where it has one.
    Simple(Kind, Option<&'static str>),
    /// A number within limits.
    Limited(Kind, Option<i64>, Option<i64>),
    Literal(Value),
    /// A list and the most items that it may have.
    List(Box<Type>, Option<u64>),
    Object(Vec<Member>),
    /// An object with any names, whose members are all of a type.
    Map(Box<Type>),
    Choice(Vec<Type>),
    /// A type of the table.
    Named(String),
}

/// The types of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) what: Type,
    pub(super) range: Range,
}

/// Revisions by their place in [`revisions`], both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// Every revision, oldest first.
pub(super) fn revisions() -> impl Iterator<Item = &'static str> {
    mcp::LEGACY.iter().chain(mcp::MODERN).copied()
}

/// The place of a revision.
pub(super) fn place(revision: &str) -> Option<usize> {
    revisions().position(|known| known == revision)
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

impl Range {
    pub(super) fn all() -> Self {
        Self { first: 0, last: revisions().count() - 1 }
    }

    /// From the first revision to the last, where they are named.
    pub(super) fn between(since: Option<&str>, until: Option<&str>) -> Result<Self, String> {
        let find = |revision: &str| {
            place(revision).ok_or_else(|| format!("`{revision}` is not a revision"))
        };
        let Self { first, last } = Self::all();
        let range =
            Self { first: since.map_or(Ok(first), find)?, last: until.map_or(Ok(last), find)? };
        if range.first > range.last {
            return Err("ends before it begins".into());
        }
        Ok(range)
    }

    pub(super) fn contains(self, place: usize) -> bool {
        (self.first..=self.last).contains(&place)
    }
}

/// Reads `NAME: TYPE`, with a range.
pub(super) fn member(text: &str) -> Result<Member, String> {
    whole(text, |reader| reader.member())
}

/// Reads a type.
pub(super) fn what(text: &str) -> Result<Type, String> {
    whole(text, |reader| reader.choice())
}

/// Reads a name, with a range.
pub(super) fn name(text: &str) -> Result<(String, Range), String> {
    whole(text, |reader| Ok((reader.word()?, reader.range()?)))
}

fn whole<T>(
    text: &str,
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, String>,
) -> Result<T, String> {
    let mut reader = Reader { rest: text.trim() };
    let value = read(&mut reader).map_err(|problem| format!("`{text}`: {problem}"))?;
    if !reader.rest.is_empty() {
        return Err(format!("`{text}`: `{}` is left over", reader.rest));
    }
    Ok(value)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// Takes a sign, if it is next.
    fn sign(&mut self, sign: char) -> bool {
        let Some(rest) = self.rest.strip_prefix(sign) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn need(&mut self, sign: char) -> Result<(), String> {
        if self.sign(sign) {
            Ok(())
        } else {
            Err(format!("`{sign}` is missing before `{}`", self.rest))
        }
    }

    /// The word that is next, without taking it; empty where there is none.
    fn peek(&self) -> &str {
        let end = self.rest.find(|c: char| c.is_whitespace() || "[]{}|?:,*\"".contains(c));
        &self.rest[..end.unwrap_or(self.rest.len())]
    }

    fn word(&mut self) -> Result<String, String> {
        let word = self.peek().to_string();
        if word.is_empty() {
            return Err(format!("a name is missing before `{}`", self.rest));
        }
        self.rest = self.rest[word.len()..].trim_start();
        Ok(word)
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        let found = self.peek() == keyword;
        if found {
            self.rest = self.rest[keyword.len()..].trim_start();
        }
        found
    }

    fn range(&mut self) -> Result<Range, String> {
        if self.keyword("only") {
            let revision = self.word()?;
            return Range::between(Some(&revision), Some(&revision));
        }
        let since = if self.keyword("since") { Some(self.word()?) } else { None };
        let until = if self.keyword("until") { Some(self.word()?) } else { None };
        Range::between(since.as_deref(), until.as_deref())
    }

    fn member(&mut self) -> Result<Member, String> {
        let name = self.word()?;
        let required = !self.sign('?');
        self.need(':')?;
        Ok(Member { name, required, what: self.choice()?, range: self.range()? })
    }

    fn choice(&mut self) -> Result<Type, String> {
        let first = self.one()?;
        if !self.rest.starts_with('|') {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.sign('|') {
            all.push(self.one()?);
        }
        Ok(Type::Choice(all))
    }

    fn one(&mut self) -> Result<Type, String> {
        if self.sign('[') {
            let item = self.choice()?;
            self.need(']')?;
            let (least, most) = self.limits()?;
            return match (least, most.map(u64::try_from)) {
                (None, None) => Ok(Type::List(item.into(), None)),
                (None, Some(Ok(most))) => Ok(Type::List(item.into(), Some(most))),
                _ => Err("a list is limited by `..MOST`".into()),
            };
        }
        if self.sign('{') {
            return self.object();
        }
        if let Some(rest) = self.rest.strip_prefix('"') {
            let (literal, rest) = rest.split_once('"').ok_or("a literal does not end")?;
            self.rest = rest.trim_start();
            return Ok(Type::Literal(literal.into()));
        }
        let word = self.word()?;
        Ok(match word.as_str() {
            "any" => Type::Any,
            "null" => Type::Simple(Kind::Null, None),
            "boolean" => Type::Simple(Kind::Boolean, None),
            "string" => Type::Simple(Kind::String, None),
            "object" => Type::Simple(Kind::Object, None),
            "uri" => Type::Simple(Kind::String, Some("uri")),
            "uri-template" => Type::Simple(Kind::String, Some("uri-template")),
            "base64" => Type::Simple(Kind::String, Some("byte")),
            "integer" => self.number(Kind::Integer)?,
            "number" => self.number(Kind::Number)?,
            name if name.starts_with(|c: char| c.is_ascii_uppercase()) => Type::Named(word),
            _ => match word.parse::<i64>() {
                Ok(literal) => Type::Literal(literal.into()),
                Err(_) => return Err(format!("`{word}` is not a type")),
            },
        })
    }

    fn object(&mut self) -> Result<Type, String> {
        if self.sign('*') {
            self.need(':')?;
            let what = self.choice()?;
            self.need('}')?;
            return Ok(Type::Map(what.into()));
        }
        let mut members = vec![self.member()?];
        while self.sign(',') {
            members.push(self.member()?);
        }
        self.need('}')?;
        Ok(Type::Object(members))
    }

    fn number(&mut self, kind: Kind) -> Result<Type, String> {
        Ok(match self.limits()? {
            (None, None) => Type::Simple(kind, None),
            (least, most) => Type::Limited(kind, least, most),
        })
    }

    /// `LEAST..MOST`, of which one may be left out.
    fn limits(&mut self) -> Result<(Option<i64>, Option<i64>), String> {
        let Some((least, most)) = self.peek().split_once("..") else { return Ok((None, None)) };
        let number = |text: &str| match text {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| format!("`{text}` is not a limit")),
        };
        let limits = (number(least)?, number(most)?);
        self.word()?;
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_all_about_a_member() {
        let row = member("tags?: [string | null] ..3 since 2025-03-26 until 2025-11-25").unwrap();
        let item =
            Type::Choice(vec![Type::Simple(Kind::String, None), Type::Simple(Kind::Null, None)]);
        assert_eq!(
            row,
            Member {
                name: "tags".into(),
                required: false,
                what: Type::List(item.into(), Some(3)),
                range: Range { first: 1, last: 3 },
            }
        );
        let nested = member("a/b.c: {x: number 0..1, $y?: {*: Tool}} only 2025-06-18").unwrap();
        let Type::Object(members) = nested.what else { panic!("{nested:?}") };
        assert_eq!(members[0].what, Type::Limited(Kind::Number, Some(0), Some(1)));
        assert_eq!(members[1].what, Type::Map(Type::Named("Tool".into()).into()));
        assert_eq!(nested.range, Range { first: 2, last: 2 });
    }

    #[test]
    fn what_is_not_a_row_is_refused() {
        for (text, problem) in [
            ("a string", "`:` is missing"),
            ("a: strin", "`strin` is not a type"),
            ("a: [string", "`]` is missing"),
            ("a: \"x", "a literal does not end"),
            ("a: string since 2025-01-01", "`2025-01-01` is not a revision"),
            ("a: string since 2025-11-25 until 2025-03-26", "ends before it begins"),
            ("a: string and more", "`and more` is left over"),
            ("a: [any] 1..", "a list is limited by `..MOST`"),
            ("a: integer x..", "`x` is not a limit"),
            ("?: string", "a name is missing"),
        ] {
            let error = member(text).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
