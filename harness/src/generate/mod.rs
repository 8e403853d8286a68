//! Values for a JSON Schema: the smallest arguments that a tool should take.
//!
//! Only what a schema requires is filled in, in the plainest way. It does not prove that the value is valid: a schema
//! can ask for more than is understood here, and then the tool may refuse it.

use serde_json::{Map, Value, json};

/// How deep nested schemas are followed.
const DEPTH: usize = 8;

/// The smallest value that a schema seems to ask for.
#[must_use]
pub fn smallest(schema: &Value) -> Value {
    value(schema, schema, DEPTH)
}

fn value(schema: &Value, root: &Value, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let target = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return target.map_or(Value::Null, |target| value(target, root, depth - 1));
    }
    for given in ["const", "default"] {
        if let Some(given) = schema.get(given) {
            return given.clone();
        }
    }
    for list in ["enum", "examples"] {
        if let Some(first) =
            schema.get(list).and_then(Value::as_array).and_then(|list| list.first())
        {
            return first.clone();
        }
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        let first =
            schema.get(choice).and_then(Value::as_array).and_then(|choices| choices.first());
        if let Some(first) = first {
            return value(first, root, depth - 1);
        }
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        Some(kind) => kind.as_str(),
        None if schema.get("properties").is_some() => Some("object"),
        None => None,
    };
    match kind {
        Some("object") => object(schema, root, depth),
        Some("array") => {
            let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(16);
            let item = value(schema.get("items").unwrap_or(&Value::Null), root, depth - 1);
            Value::Array((0..least).map(|_| item.clone()).collect())
        }
        Some("string") => string(schema),
        Some("integer" | "number") => {
            let least = |name: &str| schema.get(name).cloned();
            let above = schema.get("exclusiveMinimum").and_then(Value::as_f64);
            above
                .map(|above| json!(above.floor() + 1.0))
                .or_else(|| least("minimum"))
                .unwrap_or(json!(1))
        }
        Some("boolean") => json!(false),
        _ => Value::Null,
    }
}

fn object(schema: &Value, root: &Value, depth: usize) -> Value {
    let mut members = Map::new();
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        let Some(name) = name.as_str() else { continue };
        let property = schema.pointer("/properties").and_then(|all| all.get(name));
        members.insert(name.into(), value(property.unwrap_or(&Value::Null), root, depth - 1));
    }
    Value::Object(members)
}

fn string(schema: &Value) -> Value {
    let text = match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2000-01-01",
        Some("time") => "12:00:00Z",
        Some("date-time") => "2000-01-01T12:00:00Z",
        Some("uri" | "url") => "https://example.com/",
        Some("email") => "someone@example.com",
        Some("uuid") => "0b9de4a6-3f2c-4d1e-9a57-6c1f0e8b7d21",
        _ => "pipeproof",
    };
    let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0).min(4096) as usize;
    let most = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX) as usize;
    let mut text: String = text.chars().take(most).collect();
    while text.chars().count() < least {
        text.push('x');
    }
    json!(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_required_is_filled_in() {
        let schema = json!({
            "type": "object",
            "properties": {
                "city": { "type": "string" },
                "days": { "type": "integer", "minimum": 3 },
                "unit": { "enum": ["c", "f"] },
                "note": { "type": "string" },
                "where": { "$ref": "#/$defs/place" },
            },
            "required": ["city", "days", "unit", "where"],
            "$defs": { "place": { "type": "object", "required": ["x"], "properties": { "x": { "type": "number" } } } },
        });
        let expected = json!({ "city": "pipeproof", "days": 3, "unit": "c", "where": { "x": 1 } });
        assert_eq!(smallest(&schema), expected);
    }

    #[test]
    fn a_schema_that_names_itself_comes_to_an_end() {
        let schema = json!({ "type": "object", "required": ["next"], "properties": { "next": { "$ref": "#" } } });
        assert!(smallest(&schema).is_object());
    }

    #[test]
    fn what_is_no_schema_gives_null() {
        for odd in [json!(null), json!(true), json!([]), json!({ "type": 7 })] {
            assert_eq!(smallest(&odd), Value::Null);
        }
    }
}
