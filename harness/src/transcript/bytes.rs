//! Bytes as transcripts hold and reports show them.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A run of bytes. On disk a JSON string where it is UTF-8, else `{"base64": "…"}`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", escape(&self.0, 256))
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("base64", &STANDARD.encode(&self.0))?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BytesVisitor)
    }
}

struct BytesVisitor;

impl<'de> Visitor<'de> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or an object with the member `base64`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
        Ok(Bytes(text.as_bytes().to_vec()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bytes, A::Error> {
        let mut bytes = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != "base64" || bytes.is_some() {
                return Err(de::Error::unknown_field(&key, &["base64"]));
            }
            let text = map.next_value::<String>()?;
            bytes = Some(STANDARD.decode(text).map_err(de::Error::custom)?);
        }
        bytes.map(Bytes).ok_or_else(|| de::Error::missing_field("base64"))
    }
}

/// Shows bytes so that a person can read them and a terminal cannot be steered by them: printable ASCII as it is,
/// `\n`, `\r`, `\t`, `\\`, whole characters of UTF-8 that can be seen as they are, everything else `\xNN`.
/// What exceeds `limit` bytes is cut off, and the number of bytes left out is said.
#[must_use]
pub fn escape(bytes: &[u8], limit: usize) -> String {
    let shown = &bytes[..bytes.len().min(limit)];
    let mut text = String::with_capacity(shown.len() + 16);
    for part in shown.utf8_chunks() {
        for c in part.valid().chars() {
            match c {
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                '\\' => text.push_str("\\\\"),
                ' '..='~' => text.push(c),
                // What a debugger would show as it is: no control, no format, no unusual space.
                c if c.escape_debug().count() == 1 => text.push(c),
                c => {
                    let mut buffer = [0; 4];
                    push_hex(&mut text, c.encode_utf8(&mut buffer).as_bytes());
                }
            }
        }
        push_hex(&mut text, part.invalid());
    }
    if bytes.len() > shown.len() {
        text.push_str(&format!("… ({} bytes more)", bytes.len() - shown.len()));
    }
    text
}

fn push_hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        text.push_str(&format!("\\x{byte:02x}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_odd_bytes_survive_the_disk() {
        for bytes in [&b"{}\n"[..], "é€😀".as_bytes(), &[0xff, 0x00, 0xc3]] {
            let json = serde_json::to_string(&Bytes(bytes.to_vec())).unwrap();
            assert_eq!(serde_json::from_str::<Bytes>(&json).unwrap().0, bytes);
        }
    }

    #[test]
    fn what_could_steer_a_terminal_is_escaped() {
        assert_eq!(escape(b"\x1b[31m\x07\r\n", 99), "\\x1b[31m\\x07\\r\\n");
        assert_eq!(
            escape("a\u{202e}b\u{85}é€😀".as_bytes(), 99),
            "a\\xe2\\x80\\xaeb\\xc2\\x85é€😀"
        );
        assert_eq!(escape(b"abcdef", 2), "ab… (4 bytes more)");
    }
}
