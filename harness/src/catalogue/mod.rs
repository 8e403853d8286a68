//! Every requirement that Pipeproof judges, as data.
//!
//! The rows stand in TOML files beside this one, one file for each area of a protocol; this module reads them, refuses what is
//! inconsistent, and answers questions about them. No judge stands here: a row names its judge, and
//! [`crate::check`] holds it.

mod outcome;
mod requirement;

pub use outcome::Outcome;
pub use requirement::{Clause, Core, Requirement};

use std::sync::LazyLock;

use serde::Deserialize;
use thiserror::Error;

use crate::protocol::Era;

/// Changes whenever a row's meaning, level or outcome table does.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// One file for each area of a protocol; reports list requirements in this order.
const FILES: &[(&str, &str)] = &[
    ("mcp-stdio.toml", include_str!("mcp-stdio.toml")),
    ("mcp-rpc.toml", include_str!("mcp-rpc.toml")),
    ("mcp-life.toml", include_str!("mcp-life.toml")),
    ("mcp-tools.toml", include_str!("mcp-tools.toml")),
    ("mcp-resources.toml", include_str!("mcp-resources.toml")),
    ("mcp-prompts.toml", include_str!("mcp-prompts.toml")),
    ("mcp-utilities.toml", include_str!("mcp-utilities.toml")),
    ("jsonrpc.toml", include_str!("jsonrpc.toml")),
];

static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(|| {
    Catalogue::read(FILES).expect("the built-in catalogue is checked by the tests of this module")
});

/// A set of requirements, in the order in which reports list them.
#[derive(Debug)]
pub struct Catalogue {
    requirements: Vec<Requirement>,
}

/// Why a catalogue was refused.
#[derive(Debug, Error)]
pub enum CatalogueError {
    /// The file is not TOML of the expected form.
    #[error("cannot read `{file}`: {source}")]
    Form {
        /// The file's name.
        file: String,
        /// What the parser says.
        source: Box<toml::de::Error>,
    },
    /// A row contradicts itself, another row or the rules.
    #[error("`{file}`, requirement `{id}`: {problem}")]
    Row {
        /// The file's name.
        file: String,
        /// The row.
        id: String,
        /// What is wrong with it.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    requirement: Vec<Requirement>,
}

impl Catalogue {
    /// The catalogue that this version of Pipeproof carries.
    #[must_use]
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads a catalogue from TOML files, each given by name and text.
    ///
    /// # Errors
    ///
    /// When a file is not of the expected form, or a row is inconsistent.
    pub fn read(files: &[(&str, &str)]) -> Result<Self, CatalogueError> {
        let mut requirements: Vec<Requirement> = Vec::new();
        for (file, text) in files {
            let rows: File = toml::from_str(text).map_err(|source| CatalogueError::Form {
                file: (*file).into(),
                source: Box::new(source),
            })?;
            for row in rows.requirement {
                let problem = row.problem().or_else(|| {
                    requirements
                        .iter()
                        .any(|other| other.id == row.id)
                        .then(|| "the id stands twice".to_string())
                });
                if let Some(problem) = problem {
                    return Err(CatalogueError::Row { file: (*file).into(), id: row.id, problem });
                }
                requirements.push(row);
            }
        }
        Ok(Self { requirements })
    }

    /// Every requirement.
    #[must_use]
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// The requirement with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Requirement> {
        self.requirements.iter().find(|requirement| requirement.id == id)
    }

    /// The requirements of a protocol, whatever their revision.
    pub fn of<'a>(&'a self, protocol: &'a str) -> impl Iterator<Item = &'a Requirement> {
        self.requirements.iter().filter(move |requirement| requirement.protocol() == protocol)
    }

    /// The requirements of a protocol that bind at a revision.
    pub fn binding<'a>(
        &'a self,
        protocol: &'a str,
        era: Era,
        revision: &'a str,
    ) -> impl Iterator<Item = &'a Requirement> {
        self.of(protocol).filter(move |requirement| requirement.binds(era, revision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_catalogue_is_consistent() {
        Catalogue::read(FILES).unwrap();
    }

    #[test]
    fn a_row_that_promises_more_than_its_level_allows_is_refused() {
        let text = r#"
            [[requirement]]
            id = "mcp.x"
            level = "should"
            title = "t"
            requirement = "r"
            why = "w"
            clause = { all = "c" }
            judge = "j"
            [[requirement.outcome]]
            when = "bad"
            verdict = "fail"
            cause = "mismatch"
            text = "x"
        "#;
        let error = Catalogue::read(&[("x.toml", text)]).unwrap_err();
        assert!(error.to_string().contains("`bad` is worse than a should allows"), "{error}");
    }

    #[test]
    fn an_id_never_stands_twice() {
        let (name, text) = FILES[0];
        let error = Catalogue::read(&[(name, text), (name, text)]).unwrap_err();
        assert!(error.to_string().contains("the id stands twice"), "{error}");
    }
}
