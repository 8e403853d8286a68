//! The text report: the verdict first, then what it rests on, then how to see it again.
//!
//! Written for somebody who has never heard of Pipeproof. Styles are always written; a stream that is no terminal is
//! wrapped in [`anstream`], which takes them out.

mod finding;
mod section;
mod summary;

pub(super) use finding::place;

use std::io::{self, Write};

use super::Reporter;
use super::page::Page;
use crate::campaign::RunEvent;

/// How much the report says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// The verdict and the headlines of the findings.
    Headlines,
    /// Findings in full, everything else as numbers.
    #[default]
    Findings,
    /// Also what passed, what was only noted, and what was left out.
    Everything,
}

/// Writes the text report.
#[derive(Debug)]
pub struct TextReporter<W> {
    page: Page<W>,
    detail: Detail,
}

impl<W: Write> TextReporter<W> {
    /// A reporter that writes to `out`, as wide as `width` columns where lines can be wrapped.
    pub const fn new(out: W, detail: Detail, width: usize) -> Self {
        Self { page: Page::new(out, width), detail }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.page.into_inner()
    }
}

impl<W: Write> Reporter for TextReporter<W> {
    fn event(&mut self, event: &RunEvent<'_>) -> io::Result<()> {
        let RunEvent::Finished { run } = event else { return Ok(()) };
        let sections = section::divide(run);
        summary::verdict(&mut self.page, run, &sections, self.detail)?;
        if self.detail > Detail::Headlines {
            summary::subject(&mut self.page, &run.subject)?;
        }
        for section in &sections {
            section.write(&mut self.page, self.detail)?;
        }
        if self.detail > Detail::Headlines {
            summary::numbers(&mut self.page, run, self.detail)?;
        }
        self.page.flush()
    }
}
