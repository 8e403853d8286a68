//! What the subject's lists hold, as far as sessions have found out.

use serde_json::Value;

use super::{CallTools, Driver};
use crate::generate;

/// What was found in the subject's lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed {
    /// The tools.
    pub tools: Vec<Value>,
    /// The resources.
    pub resources: Vec<Value>,
    /// The prompts.
    pub prompts: Vec<Value>,
    /// A tool that was seen to work for a while, and for how many milliseconds.
    pub slow: Option<(String, u64)>,
    /// Tools that were not done when a request after their call was answered.
    pub unfinished: Vec<String>,
}

impl Listed {
    /// The tool of this name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Value> {
        self.tools.iter().find(|tool| name_of(tool) == Some(name))
    }
}

/// The name of something in a list.
pub(super) fn name_of(item: &Value) -> Option<&str> {
    item.get("name").and_then(Value::as_str)
}

/// The names of the tools that may be called, in their order.
pub(super) fn callable(driver: &mut Driver) -> Vec<String> {
    let settings = driver.settings();
    let (allowed, hints) = (settings.call_tools, settings.hints.clone());
    let may = |tool: &&Value| {
        let hinted = name_of(tool).and_then(|name| hints.may_call(name));
        match (allowed, hinted) {
            (CallTools::None, _) => false,
            (_, Some(may)) => may,
            (CallTools::All, None) => true,
            (CallTools::ReadOnly, None) => {
                tool.pointer("/annotations/readOnlyHint") == Some(&Value::Bool(true))
            }
        }
    };
    let tools = driver.listed().tools.iter().filter(may);
    tools.filter_map(name_of).map(str::to_string).collect()
}

/// Arguments for a tool: the user's, else the smallest that its schema asks for.
pub(super) fn arguments(driver: &mut Driver, tool: &str) -> Value {
    if let Some(given) = driver.settings().hints.tools.arguments.get(tool) {
        return Value::Object(given.clone());
    }
    let schema = driver.listed().tool(tool).and_then(|tool| tool.get("inputSchema"));
    match generate::smallest(schema.unwrap_or(&Value::Null)) {
        Value::Object(members) => Value::Object(members),
        _ => Value::Object(serde_json::Map::new()),
    }
}
