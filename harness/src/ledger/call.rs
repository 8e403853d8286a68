//! Requests that we sent, and the answers that came for them.

use pipeproof_transport::message::Id;

use super::{Facts, Frame, IdFacts, Shape};

/// A request of ours.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its id.
    pub id: Id,
    /// Its method.
    pub method: String,
    /// Its frame: an index into [`super::Ledger::sent`].
    pub frame: usize,
    /// The stimulus that it belongs to.
    pub stimulus: Option<usize>,
    /// When its last byte was sent, in microseconds.
    pub at: u64,
    /// What came for it, in order.
    pub answers: Vec<Answer>,
}

/// An answer to a request of ours.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its frame: an index into [`super::Ledger::received`].
    pub frame: usize,
    /// Its place within the frame; 0 but for a batch.
    pub element: usize,
    /// When it was complete, in microseconds.
    pub at: u64,
    /// How it was recognised.
    pub matched: Match,
}

/// How an answer was recognised as the answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// It has the request's id, to the letter.
    Exact,
    /// Its id is the request's in another type: `"7"` for `7`.
    OtherType,
    /// Its id is no id of ours, but only this request was open.
    OnlyOpen,
}

/// All requests.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    odd_ids: Vec<Id>,
    unmatched: Vec<usize>,
}

impl Calls {
    pub(super) fn all(&self) -> &[Call] {
        &self.calls
    }

    pub(super) fn find(&self, id: &Id) -> Option<&Call> {
        self.calls.iter().find(|call| call.id == *id)
    }

    pub(super) fn unmatched(&self) -> &[usize] {
        &self.unmatched
    }

    /// Takes note of a frame that we sent; the index of the call, if it is a request.
    pub(super) fn sent(&mut self, index: usize, frame: &Frame) -> Option<usize> {
        let (id, method) = match frame.messages() {
            [
                Facts {
                    shape: Shape::Request,
                    id: IdFacts::Valid(id),
                    method: Some(method),
                    version,
                    ..
                },
            ] if version.as_deref() == Some("\"2.0\"") => (id, method),
            // An answer to something malformed may carry the id that could be read out of it.
            others => {
                self.odd_ids.extend(others.iter().filter_map(|facts| facts.id.valid().cloned()));
                return None;
            }
        };
        self.calls.push(Call {
            id: id.clone(),
            method: method.clone(),
            frame: index,
            stimulus: frame.stimulus,
            at: frame.at,
            answers: Vec::new(),
        });
        Some(self.calls.len() - 1)
    }

    /// Takes note of a frame that was received. `strict`: what came is no reaction to a request, so only an exact
    /// id makes it an answer.
    pub(super) fn received(&mut self, index: usize, frame: &Frame, strict: bool) {
        for (element, facts) in frame.messages().iter().enumerate() {
            if !facts.is_answer() {
                continue;
            }
            if let Some((call, matched)) = self.place(facts, strict) {
                let answer = Answer { frame: index, element, at: frame.at, matched };
                self.calls[call].answers.push(answer);
            } else if facts.id.valid().is_none_or(|id| !self.odd_ids.contains(id)) {
                self.unmatched.push(index);
            }
        }
    }

    /// The call that an answer belongs to.
    fn place(&self, facts: &Facts, strict: bool) -> Option<(usize, Match)> {
        let id = facts.id.valid();
        let latest = |wanted: &dyn Fn(&Call) -> bool| self.calls.iter().rposition(wanted);
        if let Some(id) = id {
            if let Some(call) = latest(&|call| call.id == *id) {
                return Some((call, Match::Exact));
            }
            let other = other_type(id);
            if let Some(call) = latest(&|call| Some(&call.id) == other.as_ref()) {
                return Some((call, Match::OtherType));
            }
        }
        if strict {
            return None;
        }
        let mut open = self.calls.iter().enumerate().filter(|(_, call)| call.answers.is_empty());
        match (open.next(), open.next()) {
            (Some((call, _)), None) => Some((call, Match::OnlyOpen)),
            _ => None,
        }
    }
}

/// The same id, as a string if it is a number and as a number if it is a string of digits.
fn other_type(id: &Id) -> Option<Id> {
    match id {
        Id::Number(number) => Some(Id::from(number.to_string().as_str())),
        Id::String(text) => {
            let raw = serde_json::value::RawValue::from_string(text.clone()).ok()?;
            match Id::from_raw(&raw) {
                Ok(number @ Id::Number(_)) => Some(number),
                _ => None,
            }
        }
        Id::Null => None,
    }
}
