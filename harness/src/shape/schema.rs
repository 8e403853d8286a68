//! From a shape of the table to a JSON Schema.
//!
//! A union is written so that a value is held to one variant only, and what is wrong with it is said of that one: `if` the
//! discriminator says so, `then` the variant; never `anyOf` the variants.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::notation::{Member, Type};
use super::table::{Form, OTHERS, Table, standing};

/// The JSON Schema of a shape at a revision, with all that it refers to.
pub(super) fn of(table: &Table, place: usize, shape: &str) -> Option<Value> {
    table.get(place, shape)?;
    let mut writer = Writer { table, place, wanted: vec![shape.to_string()] };
    let mut definitions = BTreeMap::new();
    while let Some(name) = writer.wanted.pop() {
        if definitions.contains_key(&name) {
            continue;
        }
        let (_, definition) = table.get(place, &name)?;
        let schema = writer.form(&definition.form);
        definitions.insert(name, schema);
    }
    Some(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": shape,
        "$ref": format!("#/$defs/{shape}"),
        "$defs": definitions,
    }))
}

struct Writer<'a> {
    table: &'a Table,
    place: usize,
    /// Types that were referred to.
    wanted: Vec<String>,
}

impl Writer<'_> {
    fn form(&mut self, form: &Form) -> Value {
        match form {
            Form::Is(what) => self.what(what),
            Form::Object { some_of, .. } => {
                let mut schema = self.object(&self.table.members(self.place, form));
                if !some_of.is_empty() {
                    schema["anyOf"] =
                        some_of.iter().map(|name| json!({"required": [name]})).collect();
                }
                schema
            }
            Form::Union { by, variants } => {
                let variants: Vec<&Member> = standing(variants, self.place).collect();
                match by {
                    Some(by) => self.union_by(by, &variants),
                    None => self.union_by_members(&variants),
                }
            }
        }
    }

    fn what(&mut self, what: &Type) -> Value {
        match what {
            Type::Any => json!(true),
            Type::Simple(kind, None) => json!({"type": kind.name()}),
            Type::Simple(kind, Some(format)) => json!({"type": kind.name(), "format": format}),
            Type::Limited(kind, least, most) => {
                let mut schema = json!({"type": kind.name()});
                for (keyword, limit) in [("minimum", least), ("maximum", most)] {
                    if let Some(limit) = limit {
                        schema[keyword] = json!(limit);
                    }
                }
                schema
            }
            Type::Literal(value) => json!({"const": value}),
            Type::List(item, most) => {
                let mut schema = json!({"type": "array", "items": self.what(item)});
                if let Some(most) = most {
                    schema["maxItems"] = json!(most);
                }
                schema
            }
            Type::Object(members) => {
                let members: Vec<&Member> = standing(members, self.place).collect();
                self.object(&members)
            }
            Type::Map(item) => json!({"type": "object", "additionalProperties": self.what(item)}),
            Type::Choice(all) => self.choice(all),
            Type::Named(name) => {
                self.wanted.push(name.clone());
                json!({"$ref": format!("#/$defs/{name}")})
            }
        }
    }

    fn object(&mut self, members: &[&Member]) -> Value {
        let mut properties = Map::new();
        for member in members {
            properties.insert(member.name.clone(), self.what(&member.what));
        }
        let required: Vec<&str> = members
            .iter()
            .filter(|member| member.required)
            .map(|member| member.name.as_str())
            .collect();
        let mut schema = json!({"type": "object"});
        if !properties.is_empty() {
            schema["properties"] = properties.into();
        }
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }

    /// Alternatives of different JSON types, or literals.
    fn choice(&mut self, all: &[Type]) -> Value {
        let literals: Vec<&Value> = all
            .iter()
            .filter_map(|one| if let Type::Literal(value) = one { Some(value) } else { None })
            .collect();
        if literals.len() == all.len() {
            return json!({"enum": literals});
        }
        let mut names = Vec::new();
        let mut rules = Vec::new();
        for one in all {
            let kinds = self.table.kinds(self.place, one).into_iter().map(|kind| kind.name());
            let kinds: Vec<&str> = kinds.collect();
            if !matches!(one, Type::Simple(_, None)) {
                rules.push(json!({"if": {"type": kinds}, "then": self.what(one)}));
            }
            names.extend(kinds);
        }
        let mut schema = json!({"type": names});
        if !rules.is_empty() {
            schema["allOf"] = rules.into();
        }
        schema
    }

    /// The variant that the value of a member names.
    fn union_by(&mut self, by: &str, variants: &[&Member]) -> Value {
        let others = variants.iter().find(|variant| variant.name == OTHERS);
        let named: Vec<(Value, &Type)> = variants
            .iter()
            .filter(|variant| variant.name != OTHERS)
            .map(|variant| (key(&variant.name), &variant.what))
            .collect();
        let keys: Vec<&Value> = named.iter().map(|(key, _)| key).collect();
        let mut rules: Vec<Value> = Vec::new();
        for (key, what) in &named {
            rules.push(json!({"if": has(by, &json!({"const": key})), "then": self.what(what)}));
        }
        match others {
            Some(others) if keys.is_empty() => self.what(&others.what),
            Some(others) => {
                let others = self.what(&others.what);
                rules.push(json!({"if": has(by, &json!({"enum": keys})), "else": others}));
                json!({"allOf": rules})
            }
            None => json!({
                "type": "object",
                "properties": {by: {"enum": keys}},
                "required": [by],
                "allOf": rules,
            }),
        }
    }

    /// The first variant whose member is there. One that is null counts only where no other is there: it is not the shape
    /// of any variant, but beside the member of another it may be an extra.
    fn union_by_members(&mut self, variants: &[&Member]) -> Value {
        let named = || variants.iter().filter(|variant| variant.name != OTHERS);
        let mut schema = match variants.iter().find(|variant| variant.name == OTHERS) {
            Some(others) => self.what(&others.what),
            None => {
                let one: Vec<Value> =
                    named().map(|variant| json!({"required": [variant.name]})).collect();
                let none = json!({"type": "object", "anyOf": one});
                named().rev().fold(none, |rest, variant| {
                    let there = has(&variant.name, &json!({"type": "null"}));
                    json!({"if": there, "then": self.what(&variant.what), "else": rest})
                })
            }
        };
        for variant in named().rev() {
            let there = has(&variant.name, &json!({"not": {"type": "null"}}));
            schema = json!({"if": there, "then": self.what(&variant.what), "else": schema});
        }
        schema
    }
}

/// The value of a discriminator, which is a string unless it looks like an integer.
pub(super) fn key(text: &str) -> Value {
    text.parse::<i64>().map_or_else(|_| text.into(), Value::from)
}

/// A schema of the objects that have a member of a form.
fn has(name: &str, form: &Value) -> Value {
    json!({"type": "object", "properties": {name: form}, "required": [name]})
}
