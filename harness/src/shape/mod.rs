//! What the messages of a server look like, at every revision, as data.
//!
//! The shapes stand in `mcp.toml` beside this file. This module answers which shape a method has at a revision, says
//! where a value departs from a shape, and gives a shape out as a JSON Schema. It judges no frame, no method's order and
//! no envelope: a caller hands it a result, params or the member `error`, and decides what a problem is worth.

mod notation;
mod problem;
mod schema;
mod table;
#[cfg(test)]
mod tests;

pub use problem::Problem;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;

use notation::place;
use table::{Methods, Table};

/// The most problems that are reported of a value.
pub const MOST_PROBLEMS: usize = 16;

/// In how large a value all problems are looked for: the validator holds every one before we see the first.
const MOST_PARTS: usize = 100_000;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    Table::read(include_str!("mcp.toml"))
        .expect("the built-in table is checked by the tests of this module")
});

/// Whether there is a table of this revision.
#[must_use]
pub fn knows(revision: &str) -> bool {
    place(revision).is_some()
}

/// Validators by revision and shape, each made when it is first needed.
type Validators = HashMap<(usize, &'static str), Arc<Validator>>;

static VALIDATORS: LazyLock<Mutex<Validators>> = LazyLock::new(Mutex::default);

/// The shape of the result of a client's request; `None` where the revision knows no such request.
#[must_use]
pub fn of_result(revision: &str, method: &str) -> Option<&'static str> {
    shape(&TABLE.results, revision, method)
}

/// The shape of the params of a server's notification; `None` where the revision knows no such notification.
///
/// Params that are left out are to be judged as `{}`.
#[must_use]
pub fn of_notification(revision: &str, method: &str) -> Option<&'static str> {
    shape(&TABLE.notifications, revision, method)
}

/// The shape of the params of a server's request; `None` where the revision knows no such request.
///
/// Params that are left out are to be judged as `{}`.
#[must_use]
pub fn of_request(revision: &str, method: &str) -> Option<&'static str> {
    shape(&TABLE.requests, revision, method)
}

/// The problems of a value, at most [`MOST_PROBLEMS`]; none when it has the shape.
///
/// Of a huge value that is broken only the first one is looked for, so that what is kept stays small. A shape that the
/// revision does not know is itself the one problem.
#[must_use]
pub fn problems(revision: &str, shape: &str, value: &Value) -> Vec<Problem> {
    let Some(validator) = validator(revision, shape) else {
        return vec![Problem {
            path: String::new(),
            missing: None,
            text: format!("there is no `{shape}` at {revision}"),
        }];
    };
    if validator.is_valid(value) {
        return Vec::new();
    }
    if parts(value, MOST_PARTS) > MOST_PARTS {
        return validator.validate(value).err().iter().map(Problem::of).collect();
    }
    let mut problems: Vec<Problem> = Vec::new();
    for error in validator.iter_errors(value) {
        let problem = Problem::of(&error);
        if !problems.contains(&problem) {
            problems.push(problem);
        }
        if problems.len() == MOST_PROBLEMS {
            break;
        }
    }
    problems
}

/// The JSON Schema (draft 2020-12) of a shape at a revision, with all that it refers to.
#[must_use]
pub fn schema(revision: &str, shape: &str) -> Option<Value> {
    schema::of(&TABLE, place(revision)?, shape)
}

fn shape(methods: &'static Methods, revision: &str, method: &str) -> Option<&'static str> {
    let place = place(revision)?;
    let (name, _) = methods.get(method)?.iter().find(|(_, range)| range.contains(place))?;
    Some(name)
}

/// How many values a value is made of, counted until there are more than `most`.
fn parts(value: &Value, most: usize) -> usize {
    let inner: &mut dyn Iterator<Item = &Value> = match value {
        Value::Array(items) => &mut items.iter(),
        Value::Object(members) => &mut members.values(),
        _ => return 1,
    };
    let mut count = 1;
    for value in inner {
        if count > most {
            break;
        }
        count += parts(value, most - count);
    }
    count
}

/// Whether a text may be base64: one of its alphabets, line breaks and a missing end included, which decoders bear.
fn is_base64(text: &str) -> bool {
    let in_alphabet = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_= \t\r\n".contains(&byte);
    text.bytes().all(in_alphabet)
}

fn validator(revision: &str, shape: &str) -> Option<Arc<Validator>> {
    let place = place(revision)?;
    let (name, _) = TABLE.get(place, shape)?;
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(validator) = validators.get(&(place, name)) {
        return Some(validator.clone());
    }
    let schema = schema::of(&TABLE, place, name)?;
    let validator = jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(true)
        .with_format("byte", is_base64)
        // Which addresses a server gives its resources is its own business.
        .with_format("uri", |_: &str| true)
        .with_format("uri-template", |_: &str| true)
        .build(&schema)
        .expect("that every schema compiles is checked by the tests of this module");
    let validator = Arc::new(validator);
    validators.insert((place, name), validator.clone());
    Some(validator)
}
