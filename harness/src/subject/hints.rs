//! Hints: what a certifier cannot find out about a subject by itself, as a file that the user writes.
//!
//! ```toml
//! [tools]
//! call = ["read_file"]    # may be called, although they do not say of themselves that they only read
//! never = ["shutdown"]    # are never called, whatever they say
//! slow = "wait"           # works for half a second or longer, and can be cancelled
//! progress = "index"      # tells of its progress when it is asked to
//!
//! [tools.arguments]       # valid arguments; otherwise the smallest that the schema asks for are tried
//! read_file = { path = "/etc/hostname" }
//!
//! [prompts.arguments]
//! review = { language = "Rust" }
//! ```
//!
//! Names that the subject does not list are no error here: a subject may list other tools in another revision.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the user knows of a subject.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hints {
    /// What is known of its tools.
    #[serde(default)]
    pub tools: ToolHints,
    /// What is known of its prompts.
    #[serde(default)]
    pub prompts: PromptHints,
}

/// What is known of the tools of a subject.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolHints {
    /// Tools that may be called, beside those that say that they only read.
    #[serde(default)]
    pub call: Vec<String>,
    /// Tools that are never called.
    #[serde(default)]
    pub never: Vec<String>,
    /// A tool that works for half a second or longer. It may be called.
    #[serde(default)]
    pub slow: Option<String>,
    /// A tool that tells of its progress. It may be called.
    #[serde(default)]
    pub progress: Option<String>,
    /// Valid arguments, by tool.
    #[serde(default)]
    pub arguments: BTreeMap<String, Map<String, Value>>,
}

/// What is known of the prompts of a subject.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptHints {
    /// Valid arguments, by prompt.
    #[serde(default)]
    pub arguments: BTreeMap<String, Map<String, Value>>,
}

impl Hints {
    /// Reads hints from TOML.
    ///
    /// # Errors
    ///
    /// When the text is no TOML of this form; the error names the line and the member.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// Whether the user said that a tool may be called, or may not; `None` where nothing was said.
    #[must_use]
    pub fn may_call(&self, tool: &str) -> Option<bool> {
        let tools = &self.tools;
        if tools.never.iter().any(|name| name == tool) {
            return Some(false);
        }
        let named = [&tools.slow, &tools.progress].into_iter().flatten().any(|name| name == tool);
        (named || tools.call.iter().any(|name| name == tool)).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_wins_and_what_is_named_for_its_ways_may_be_called() {
        let hints = Hints::parse(
            "[tools]\ncall = ['a', 'b']\nnever = ['b']\nslow = 'c'\n[tools.arguments]\na = { x = 1 }\n",
        )
        .unwrap();
        let table = [("a", Some(true)), ("b", Some(false)), ("c", Some(true)), ("d", None)];
        for (tool, may) in table {
            assert_eq!(hints.may_call(tool), may, "{tool}");
        }
        assert_eq!(hints.tools.arguments["a"]["x"], 1);
    }

    #[test]
    fn an_unknown_member_is_an_error_that_names_it() {
        let error = Hints::parse("[tools]\nslwo = 'x'\n").unwrap_err();
        assert!(error.to_string().contains("slwo"), "{error}");
    }
}
