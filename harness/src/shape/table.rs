//! The table of shapes: read from its file, checked to be consistent, and asked for what stands at a revision.
//!
//! How a row is written is the business of [`super::notation`]; what a shape means for a value, that of
//! [`super::schema`].

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::notation::{self, Kind, Member, Range, Type, revisions};

/// Every shape and every method.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) results: Methods,
    pub(super) notifications: Methods,
    pub(super) requests: Methods,
    types: BTreeMap<String, Definition>,
}

/// The shapes that a method has, each with its range.
pub(super) type Methods = BTreeMap<String, Vec<(String, Range)>>;

#[derive(Debug)]
pub(super) struct Definition {
    range: Range,
    pub(super) form: Form,
}

#[derive(Debug)]
pub(super) enum Form {
    Is(Type),
    Object {
        includes: Vec<(String, Range)>,
        members: Vec<Member>,
        /// Of these at least one must be there.
        some_of: Vec<String>,
    },
    /// One of several objects, told apart by the value of a member or, without one, by the members that are there.
    Union {
        by: Option<String>,
        variants: Vec<Member>,
    },
}

/// What stands for all other variants of a union.
pub(super) const OTHERS: &str = "_";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    result: BTreeMap<String, Vec<String>>,
    notification: BTreeMap<String, Vec<String>>,
    request: BTreeMap<String, Vec<String>>,
    #[serde(rename = "type")]
    types: BTreeMap<String, Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Row {
    since: Option<String>,
    until: Option<String>,
    is: Option<String>,
    includes: Option<Vec<String>>,
    members: Option<Vec<String>>,
    #[serde(default)]
    some_of: Vec<String>,
    by: Option<String>,
    variants: Option<Vec<String>>,
}

impl Table {
    /// Reads a table, and refuses one that is not consistent.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut types = BTreeMap::new();
        for (name, row) in file.types {
            let definition = row.definition().map_err(|problem| format!("`{name}`: {problem}"))?;
            types.insert(name, definition);
        }
        let table = Self {
            results: methods(file.result)?,
            notifications: methods(file.notification)?,
            requests: methods(file.request)?,
            types,
        };
        for place in 0..revisions().count() {
            table.check(place)?;
        }
        Ok(table)
    }

    /// A type, where it stands at a revision.
    pub(super) fn get(&self, place: usize, name: &str) -> Option<(&str, &Definition)> {
        let (name, definition) = self.types.get_key_value(name)?;
        definition.range.contains(place).then_some((name.as_str(), definition))
    }

    /// Every type that stands at a revision.
    pub(super) fn at(&self, place: usize) -> impl Iterator<Item = (&str, &Definition)> {
        self.types
            .iter()
            .filter(move |(_, definition)| definition.range.contains(place))
            .map(|(name, definition)| (name.as_str(), definition))
    }

    /// The members of an object at a revision, with those that it includes; its own come before theirs.
    pub(super) fn members<'a>(&'a self, place: usize, form: &'a Form) -> Vec<&'a Member> {
        let Form::Object { includes, members, .. } = form else { return Vec::new() };
        let mut all: Vec<&Member> = standing(members, place).collect();
        for (name, range) in includes {
            if !range.contains(place) {
                continue;
            }
            let Some((_, included)) = self.get(place, name) else { continue };
            for member in self.members(place, &included.form) {
                if all.iter().all(|other| other.name != member.name) {
                    all.push(member);
                }
            }
        }
        all
    }

    /// The JSON types that a type allows at a revision; none where it allows all.
    pub(super) fn kinds(&self, place: usize, what: &Type) -> BTreeSet<Kind> {
        match what {
            Type::Any => BTreeSet::new(),
            Type::Simple(kind, _) | Type::Limited(kind, ..) => [*kind].into(),
            Type::Literal(value) => [Kind::of(value)].into(),
            Type::List(..) => [Kind::Array].into(),
            Type::Object(_) | Type::Map(_) => [Kind::Object].into(),
            Type::Choice(all) => all.iter().flat_map(|one| self.kinds(place, one)).collect(),
            Type::Named(name) => match self.get(place, name).map(|(_, found)| &found.form) {
                Some(Form::Is(what)) => self.kinds(place, what),
                _ => [Kind::Object].into(),
            },
        }
    }

    /// What is wrong with the table at a revision.
    fn check(&self, place: usize) -> Result<(), String> {
        let revision = revisions().nth(place).unwrap_or_default();
        for methods in [&self.results, &self.notifications, &self.requests] {
            for (method, shapes) in methods {
                let mut shapes = shapes.iter().filter(|(_, range)| range.contains(place));
                let first = shapes.next();
                if shapes.next().is_some() {
                    return Err(format!("`{method}` has two shapes at {revision}"));
                }
                if let Some((name, _)) = first {
                    self.known(place, name)
                        .map_err(|problem| format!("`{method}` at {revision}: {problem}"))?;
                }
            }
        }
        for (name, definition) in self.at(place) {
            self.check_form(place, &definition.form)
                .map_err(|problem| format!("`{name}` at {revision}: {problem}"))?;
        }
        Ok(())
    }

    fn check_form(&self, place: usize, form: &Form) -> Result<(), String> {
        match form {
            Form::Is(what) => self.check_type(place, what),
            Form::Object { includes, members, some_of } => {
                for (name, range) in includes {
                    if range.contains(place) {
                        match &self.known(place, name)?.form {
                            Form::Object { .. } => {}
                            _ => return Err(format!("`{name}` has no members to include")),
                        }
                    }
                }
                self.check_members(place, members)?;
                let all = self.members(place, form);
                match some_of.iter().find(|name| all.iter().all(|member| member.name != **name)) {
                    Some(name) => Err(format!("`{name}` is not a member")),
                    None => Ok(()),
                }
            }
            Form::Union { variants, .. } => {
                self.check_members(place, variants)?;
                if standing(variants, place).next().is_none() {
                    return Err("no variant is left".into());
                }
                for variant in standing(variants, place) {
                    let Type::Named(_) = &variant.what else {
                        return Err(format!("the variant `{}` has no name", variant.name));
                    };
                    if self.kinds(place, &variant.what) != [Kind::Object].into() {
                        return Err(format!("the variant `{}` is no object", variant.name));
                    }
                }
                Ok(())
            }
        }
    }

    fn check_members(&self, place: usize, members: &[Member]) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for member in standing(members, place) {
            if !seen.insert(&member.name) {
                return Err(format!("`{}` stands twice", member.name));
            }
            self.check_type(place, &member.what)
                .map_err(|problem| format!("`{}`: {problem}", member.name))?;
        }
        Ok(())
    }

    fn check_type(&self, place: usize, what: &Type) -> Result<(), String> {
        match what {
            Type::Any | Type::Simple(..) | Type::Limited(..) | Type::Literal(_) => Ok(()),
            Type::List(item, _) => self.check_type(place, item),
            Type::Map(item) => self.check_type(place, item),
            Type::Object(members) => self.check_members(place, members),
            Type::Named(name) => self.known(place, name).map(drop),
            Type::Choice(all) if all.iter().all(|one| matches!(one, Type::Literal(_))) => Ok(()),
            Type::Choice(all) => {
                // So that a value decides by its JSON type which alternative it is held to.
                let mut seen = BTreeSet::new();
                for one in all {
                    self.check_type(place, one)?;
                    let kinds = self.kinds(place, one);
                    if kinds.is_empty() || !kinds.into_iter().all(|kind| seen.insert(kind)) {
                        return Err("alternatives are not told apart by their JSON types".into());
                    }
                }
                Ok(())
            }
        }
    }

    fn known(&self, place: usize, name: &str) -> Result<&Definition, String> {
        self.get(place, name)
            .map(|(_, definition)| definition)
            .ok_or_else(|| format!("there is no `{name}`"))
    }
}

/// The members that stand at a revision.
pub(super) fn standing(members: &[Member], place: usize) -> impl Iterator<Item = &Member> {
    members.iter().filter(move |member| member.range.contains(place))
}

fn methods(rows: BTreeMap<String, Vec<String>>) -> Result<Methods, String> {
    let mut methods = Methods::new();
    for (method, shapes) in rows {
        methods.insert(method, each(&shapes, notation::name)?);
    }
    Ok(methods)
}

fn each<T>(texts: &[String], read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    texts.iter().map(|text| read(text)).collect()
}

impl Row {
    fn definition(self) -> Result<Definition, String> {
        let range = Range::between(self.since.as_deref(), self.until.as_deref())?;
        let object = self.includes.is_some() || self.members.is_some();
        let form = match (self.is, self.variants) {
            (Some(what), None) if !object => Form::Is(notation::what(&what)?),
            (None, Some(variants)) if !object => {
                Form::Union { by: self.by, variants: each(&variants, notation::member)? }
            }
            (None, None) if object => Form::Object {
                includes: each(&self.includes.unwrap_or_default(), notation::name)?,
                members: each(&self.members.unwrap_or_default(), notation::member)?,
                some_of: self.some_of,
            },
            _ => return Err("is not one of `is`, `members` and `variants`".into()),
        };
        Ok(Definition { range, form })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inconsistent_table_is_refused() {
        for (rows, problem) in [
            ("[type.A]\nmembers = ['b: B']", "`A` at 2024-11-05: `b`: there is no `B`"),
            (
                "[type.A]\nmembers = ['b: B']\n[type.B]\nsince = '2025-06-18'\nis = 'any'",
                "`A` at 2024-11-05: `b`: there is no `B`",
            ),
            (
                "[type.A]\nmembers = ['b: any until 2025-06-18', 'b: null since 2025-06-18']",
                "`A` at 2025-06-18: `b` stands twice",
            ),
            ("[type.A]\nis = 'string | uri'", "alternatives are not told apart"),
            ("[type.A]\nis = 'string | any'", "alternatives are not told apart"),
            ("[type.A]\nis = 'any'\nmembers = []", "is not one of"),
            ("[type.A]\nsince = '2025-06-17'\nis = 'any'", "`2025-06-17` is not a revision"),
            ("[type.A]\nvariants = ['a: B']\n[type.B]\nis = 'string'", "`a` is no object"),
            ("[type.A]\nvariants = ['a: A only 2025-06-18']", "no variant is left"),
            ("[type.A]\nincludes = ['B']\n[type.B]\nis = 'string'", "no members to include"),
            ("[type.A]\nmembers = []\nsome-of = ['b']", "`b` is not a member"),
            ("[type.A]\nmember = []", "unknown field"),
        ] {
            let text = format!("result = {{}}\nnotification = {{}}\nrequest = {{}}\n{rows}");
            let error = Table::read(&text).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
        let methods = "request = {}\nnotification = {}\ntype = {}\n[result]\n";
        let error = Table::read(&format!("{methods}x = ['A']")).unwrap_err();
        assert_eq!(error, "`x` at 2024-11-05: there is no `A`");
        let error = Table::read(&format!("{methods}x = ['A', 'A']")).unwrap_err();
        assert_eq!(error, "`x` has two shapes at 2024-11-05");
    }
}
