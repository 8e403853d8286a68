//! What is wrong with a value, in a few words.
//!
//! Texts are short whatever the value is: of a long string its beginning is shown, of a list or an object only that it is
//! one.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

/// A place where a value has not the shape that a revision gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A JSON pointer to the place; empty for the whole value. Of a member that is missing it is the object's.
    pub path: String,
    /// The member that is missing there, where that is the problem.
    pub missing: Option<String>,
    /// A lower-case fragment, such as "`inputSchema` is missing" or "null, not a string".
    pub text: String,
}

/// How many characters of a string are shown.
const SHOWN: usize = 40;

impl Problem {
    /// A JSON pointer to what is wrong: to where it would stand, when it is missing.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.missing {
            Some(member) => format!("{}/{member}", self.path),
            None => self.path.clone(),
        }
    }

    pub(super) fn of(error: &ValidationError<'_>) -> Self {
        let value = error.instance();
        let text = match error.kind() {
            Kind::Required { property } => format!("`{}` is missing", name(property)),
            Kind::Type { kind: TypeKind::Single(kind) } => {
                format!("{}, not {}", brief(value), noun(&kind.to_string()))
            }
            Kind::Type { kind: TypeKind::Multiple(kinds) } => {
                let nouns: Vec<String> =
                    kinds.iter().map(|kind| noun(&kind.to_string()).to_string()).collect();
                format!("{}, not {}", brief(value), nouns.join(" or "))
            }
            Kind::Constant { expected_value } => {
                format!("{}, not {}", brief(value), brief(expected_value))
            }
            Kind::Enum { options } => {
                let options: Vec<String> =
                    options.as_array().into_iter().flatten().map(brief).collect();
                match options.as_slice() {
                    [one] => format!("{}, not {one}", brief(value)),
                    _ => format!("{}, not one of {}", brief(value), options.join(", ")),
                }
            }
            Kind::Minimum { limit } => format!("{}, less than {limit}", brief(value)),
            Kind::Maximum { limit } => format!("{}, more than {limit}", brief(value)),
            Kind::MaxItems { limit } => {
                let items = value.as_array().map_or(0, Vec::len);
                format!("{items} items, more than {limit}")
            }
            // The only alternatives that our schemas have: one of some members must be there.
            Kind::AnyOf { context } => {
                let names: Vec<String> = context
                    .iter()
                    .flatten()
                    .filter_map(|error| match error.kind() {
                        Kind::Required { property } => Some(format!("`{}`", name(property))),
                        _ => None,
                    })
                    .collect();
                format!("neither {} is there", names.join(" nor "))
            }
            _ => error.to_string().chars().take(4 * SHOWN).collect(),
        };
        let missing = match error.kind() {
            Kind::Required { property } => Some(name(property).to_string()),
            _ => None,
        };
        Self { path: error.instance_path().as_str().to_string(), missing, text }
    }
}

fn name(property: &Value) -> &str {
    property.as_str().unwrap_or_default()
}

fn noun(kind: &str) -> &str {
    match kind {
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        other => other,
    }
}

fn brief(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
        Value::String(text) if text.chars().count() > SHOWN => {
            let beginning: String = text.chars().take(SHOWN).chain(['…']).collect();
            Value::String(beginning).to_string()
        }
        other => other.to_string(),
    }
}
