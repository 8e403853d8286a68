//! Instances of shapes, made from the table, and the places where each can be broken.

use serde_json::{Map, Value, json};

use super::super::notation::{Kind, Member, Type};
use super::super::table::{Form, OTHERS, Table, standing};

/// A change to one member that must be exactly one problem.
#[derive(Debug)]
pub(super) struct Fault {
    /// The object's place.
    pub(super) object: String,
    pub(super) member: String,
    /// The value of another JSON type; `None` to leave the member out.
    pub(super) wrong: Option<Value>,
}

/// Below this depth only what is required is made.
const DEPTH: usize = 8;

/// An instance of a shape, and its faults.
pub(super) fn generate(table: &Table, place: usize, shape: &str, seed: u64) -> (Value, Vec<Fault>) {
    let random = fastrand::Rng::with_seed(seed);
    let mut generator = Generator { table, place, random, faults: Vec::new() };
    let value = generator.what(&Type::Named(shape.into()), "", None);
    (value, generator.faults)
}

struct Generator<'a> {
    table: &'a Table,
    place: usize,
    random: fastrand::Rng,
    faults: Vec<Fault>,
}

impl Generator<'_> {
    /// A value of a type. `fixed` is a member that decides which variant of a union is meant, so that without it the value
    /// would be another variant: it is not broken.
    fn what(&mut self, what: &Type, path: &str, fixed: Option<&str>) -> Value {
        let deep = path.split('/').count() > DEPTH;
        match what {
            Type::Any => self.random.choice(samples()).unwrap(),
            Type::Simple(kind, _) => self.simple(*kind),
            Type::Limited(Kind::Integer, least, _) => {
                json!(least.unwrap_or(0) + self.random.i64(0..2))
            }
            Type::Limited(..) => json!(self.random.f64()),
            Type::Literal(value) => value.clone(),
            Type::List(item, _) => {
                let count = if deep { 0 } else { self.random.usize(0..3) };
                (0..count).map(|at| self.what(item, &format!("{path}/{at}"), None)).collect()
            }
            Type::Map(item) => {
                let count = if deep { 0 } else { self.random.usize(0..3) };
                let mut map = Map::new();
                for at in 0..count {
                    let value = self.what(item, &format!("{path}/k{at}"), None);
                    map.insert(format!("k{at}"), value);
                }
                map.into()
            }
            Type::Object(members) => {
                let members: Vec<&Member> = standing(members, self.place).collect();
                self.object(&members, &[], path, fixed)
            }
            Type::Choice(all) => {
                let one = &all[self.random.usize(0..all.len())];
                self.what(one, path, None)
            }
            Type::Named(name) => {
                let table = self.table;
                let (_, definition) = table.get(self.place, name).unwrap();
                match &definition.form {
                    Form::Is(what) => self.what(what, path, None),
                    form @ Form::Object { some_of, .. } => {
                        self.object(&table.members(self.place, form), some_of, path, fixed)
                    }
                    Form::Union { by, variants } => {
                        let variants: Vec<&Member> = standing(variants, self.place).collect();
                        let others = variants.iter().any(|variant| variant.name == OTHERS);
                        let variant = variants[self.random.usize(0..variants.len())];
                        let by = by.as_ref().unwrap_or(&variant.name);
                        // Another variant stands for it where it is broken.
                        let fixed = (others && variants.len() > 1).then_some(by.as_str()).or(fixed);
                        self.what(&variant.what, path, fixed)
                    }
                }
            }
        }
    }

    fn simple(&mut self, kind: Kind) -> Value {
        match kind {
            Kind::Null => Value::Null,
            Kind::Boolean => json!(self.random.bool()),
            Kind::Integer => json!(self.random.i32(-5..5)),
            Kind::Number => json!(self.random.f64()),
            // Its characters stand in every alphabet, so it may be base64 too.
            Kind::String => json!(["", "s", "a/b"][self.random.usize(0..3)]),
            Kind::Array => json!([]),
            Kind::Object => json!({"x": self.random.bool()}),
        }
    }

    fn object(
        &mut self,
        members: &[&Member],
        some_of: &[String],
        path: &str,
        fixed: Option<&str>,
    ) -> Value {
        let deep = path.split('/').count() > DEPTH;
        let mut object = Map::new();
        if self.random.bool() {
            object.insert("x-extra".into(), Value::Null);
        }
        for member in members {
            let needed = member.required || some_of.first() == Some(&member.name);
            if !needed && (deep || self.random.bool()) {
                continue;
            }
            let inner = format!("{path}/{}", member.name.replace('/', "~1"));
            let value = self.what(&member.what, &inner, None);
            object.insert(member.name.clone(), value);
            if fixed == Some(member.name.as_str()) {
                continue;
            }
            let fault = |wrong| Fault { object: path.into(), member: member.name.clone(), wrong };
            let kinds = self.table.kinds(self.place, &member.what);
            if member.required {
                self.faults.push(fault(None));
            }
            for sample in samples() {
                let kind = Kind::of(&sample);
                let fits =
                    kinds.contains(&kind) || kind == Kind::Integer && kinds.contains(&Kind::Number);
                if !kinds.is_empty() && !fits {
                    self.faults.push(fault(Some(sample)));
                }
            }
        }
        object.into()
    }
}

/// A value of each JSON type.
fn samples() -> Vec<Value> {
    vec![json!(null), json!(true), json!(7), json!(1.5), json!("wrong"), json!([]), json!({})]
}
