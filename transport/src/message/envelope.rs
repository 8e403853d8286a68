//! What stands in a JSON text, before any judgement.
//!
//! The visitor keeps every value raw, so nesting of any depth costs neither stack nor copies.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde_core::Deserializer as _;
use serde_core::de::{MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::syntax::{SyntaxError, SyntaxErrorKind};

/// What stands in one JSON text.
#[derive(Clone, Debug)]
pub enum Parsed<'a> {
    /// An object, by its JSON-RPC members.
    Object(Envelope<'a>),
    /// An array, by its elements.
    Array(Vec<&'a RawValue>),
    /// A string, number, boolean or `null`.
    Scalar(&'a RawValue),
}

/// The members of one JSON-RPC object as they stand.
///
/// Names are compared unescaped: `"\u0069d"` is `id`. Of a name that stands twice the last value
/// counts, as in JavaScript. A member whose value is `null` is there: `Some` with text `null`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Envelope<'a> {
    /// The member `jsonrpc`.
    pub jsonrpc: Option<&'a RawValue>,
    /// The member `id`.
    pub id: Option<&'a RawValue>,
    /// The member `method`.
    pub method: Option<&'a RawValue>,
    /// The member `params`.
    pub params: Option<&'a RawValue>,
    /// The member `result`.
    pub result: Option<&'a RawValue>,
    /// The member `error`.
    pub error: Option<&'a RawValue>,
    /// Names that stand more than once, known or not, each once.
    pub duplicates: Vec<Cow<'a, str>>,
    /// Names that JSON-RPC does not know, in order, each as often as it stands. A name with a lone
    /// surrogate is left in its escaped spelling.
    pub unknown: Vec<Cow<'a, str>>,
    /// Where the first repeated name of JSON-RPC stands the second time.
    pub(super) repeated_at: Option<usize>,
}

/// Reads one JSON text and says what stands in it.
///
/// The text is checked to be UTF-8 and JSON (RFC 8259) to its end, whatever the depth. Memory
/// grows with the number of members or elements, not with their size.
///
/// # Errors
///
/// Says what is wrong and at which byte.
///
/// # Example
///
/// ```
/// use pipeproof_transport::message::{Parsed, parse};
///
/// let Ok(Parsed::Object(envelope)) = parse(br#"{"id":1,"method":"a","id":2,"x":[]}"#) else {
///     panic!("an object")
/// };
/// assert_eq!(envelope.id.map(|id| id.get()), Some("2"));
/// assert_eq!(envelope.duplicates, ["id"]);
/// assert_eq!(envelope.unknown, ["x"]);
/// assert_eq!(parse(b"{\"a\":\n}").unwrap_err().offset, 6);
/// ```
pub fn parse(bytes: &[u8]) -> Result<Parsed<'_>, SyntaxError> {
    parse_text(as_text(bytes)?)
}

/// The bytes as text; the slow search for the first bad byte is made only if there is one.
pub(super) fn as_text(bytes: &[u8]) -> Result<&str, SyntaxError> {
    simdutf8::basic::from_utf8(bytes).or_else(|_| {
        simdutf8::compat::from_utf8(bytes).map_err(|error| {
            let valid_up_to = error.valid_up_to();
            SyntaxError::new(SyntaxErrorKind::InvalidUtf8 { valid_up_to }, valid_up_to)
        })
    })
}

pub(super) fn parse_text(text: &str) -> Result<Parsed<'_>, SyntaxError> {
    let first = text.bytes().find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    match first {
        None => Err(SyntaxError::new(SyntaxErrorKind::Empty, text.len())),
        Some(0xEF) if text.trim_start_matches([' ', '\t', '\n', '\r']).starts_with('\u{feff}') => {
            let at = text.find('\u{feff}').unwrap_or(0);
            Err(SyntaxError::new(SyntaxErrorKind::ByteOrderMark, at))
        }
        Some(b'{') => {
            let mut envelope = Envelope::default();
            members(text, |name, key, value| envelope.take(text, name, key, value))?;
            envelope.close();
            Ok(Parsed::Object(envelope))
        }
        Some(b'[') => elements(text).map(Parsed::Array),
        Some(_) => serde_json::from_str(text)
            .map(Parsed::Scalar)
            .map_err(|error| SyntaxError::from_json(&error, text)),
    }
}

impl<'a> Envelope<'a> {
    fn take(&mut self, text: &'a str, name: Cow<'a, str>, key: &'a RawValue, value: &'a RawValue) {
        let slot = match &*name {
            "jsonrpc" => &mut self.jsonrpc,
            "id" => &mut self.id,
            "method" => &mut self.method,
            "params" => &mut self.params,
            "result" => &mut self.result,
            "error" => &mut self.error,
            _ => {
                self.unknown.push(name);
                return;
            }
        };
        if slot.replace(value).is_some() {
            self.repeated_at.get_or_insert(offset_in(text, key));
            if !self.duplicates.contains(&name) {
                self.duplicates.push(name);
            }
        }
    }

    /// Adds the unknown names that stand more than once to the duplicates.
    fn close(&mut self) {
        if self.unknown.len() < 2 {
            return;
        }
        let mut sorted: Vec<&Cow<'a, str>> = self.unknown.iter().collect();
        sorted.sort_unstable();
        let mut last = None;
        for pair in sorted.windows(2) {
            if pair[0] == pair[1] && last != Some(pair[0]) {
                self.duplicates.push(pair[0].clone());
                last = Some(pair[0]);
            }
        }
    }
}

/// Where `raw`, which borrows from `text`, begins in it.
pub(super) fn offset_in(text: &str, raw: &RawValue) -> usize {
    (raw.get().as_ptr() as usize).wrapping_sub(text.as_ptr() as usize)
}

/// Hands the members of the object in `text` to `take`: name, raw name, raw value.
pub(super) fn members<'a>(
    text: &'a str,
    take: impl FnMut(Cow<'a, str>, &'a RawValue, &'a RawValue),
) -> Result<(), SyntaxError> {
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_map(Members { take, text: PhantomData })
        .and_then(|()| json.end())
        .map_err(|error| SyntaxError::from_json(&error, text))
}

fn elements(text: &str) -> Result<Vec<&RawValue>, SyntaxError> {
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_seq(Elements)
        .and_then(|elements| json.end().map(|()| elements))
        .map_err(|error| SyntaxError::from_json(&error, text))
}

struct Members<'a, F> {
    take: F,
    text: PhantomData<&'a str>,
}

impl<'de, F> Visitor<'de> for Members<'de, F>
where
    F: FnMut(Cow<'de, str>, &'de RawValue, &'de RawValue),
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<&'de RawValue>()? {
            let value = map.next_value::<&'de RawValue>()?;
            (self.take)(unescape(key), key, value);
        }
        Ok(())
    }
}

struct Elements;

impl<'de> Visitor<'de> for Elements {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element()? {
            elements.push(element);
        }
        Ok(elements)
    }
}

/// The text of a raw string; one with a lone surrogate keeps its escapes.
fn unescape(raw: &RawValue) -> Cow<'_, str> {
    string(raw).unwrap_or_else(|| {
        let quoted = raw.get();
        Cow::Borrowed(quoted.get(1..quoted.len() - 1).unwrap_or(quoted))
    })
}

/// The text of a raw string, borrowed where it has no escapes; `None` if it is no string or holds
/// a lone surrogate.
pub(super) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    let quoted = raw.get();
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(quoted).ok().map(Cow::Owned)
}
