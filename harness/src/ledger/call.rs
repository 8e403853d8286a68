//! Requests that we sent, and the answers that came for them.

use pipeproof_transport::message::Id;

use super::{Facts, Frame, IdFacts, Shape};
use crate::transcript::Expect;

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
    /// Its id is none of ours; it came when this request was the one that was open, or the one open longest where the
    /// subject has not yet given any id back.
    ByOrder,
}

/// All requests.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    odd_ids: Vec<Id>,
    unmatched: Vec<usize>,
    /// Whether the subject was seen to give an id back.
    echoes: bool,
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
            ] if version.as_deref() == Some("\"2.0\"") && frame.not_utf8.is_none() => (id, method),
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

    /// Gives a request the answer that came before its last byte was sent: a subject that does not wait for the line end
    /// may be quicker than we are.
    pub(super) fn adopt(&mut self, call: usize, received: &[Frame], begun: u64) {
        let own = &self.calls[call].id;
        let is_answer = |facts: &Facts| facts.is_answer() && facts.id.valid() == Some(own);
        let place = self.unmatched.iter().rposition(|index| {
            received[*index].at >= begun && received[*index].messages().iter().any(is_answer)
        });
        let Some(place) = place else { return };
        let frame = self.unmatched.remove(place);
        let element = received[frame].messages().iter().position(is_answer).unwrap_or_default();
        let answer = Answer { frame, element, at: received[frame].at, matched: Match::Exact };
        self.echoes = true;
        self.calls[call].answers.push(answer);
    }

    /// Takes note of a frame that was received while this kind of reaction was called for. Where that is none, or any,
    /// only its id makes it an answer to a request, unless the subject gives no id back.
    pub(super) fn received(&mut self, index: usize, frame: &Frame, expect: Option<Expect>) {
        let strict = matches!(expect, Some(Expect::Silence | Expect::Free));
        for (element, facts) in frame.messages().iter().enumerate() {
            if !facts.is_answer() && facts.shape != Shape::Neither {
                continue;
            }
            // What repeats an id of long ago while a notification waits is an answer to that, from whoever takes no id
            // for the id 0.
            let is_stale = |call: usize| {
                matches!(expect, Some(Expect::Silence | Expect::Free))
                    && call + 2 < self.calls.len()
                    && !self.calls[call].answers.is_empty()
            };
            let place = self
                .place(facts, strict, frame.not_utf8.is_some())
                .filter(|(call, _)| !is_stale(*call));
            if let Some((call, matched)) = place {
                self.echoes |= matched != Match::ByOrder;
                let answer = Answer { frame: index, element, at: frame.at, matched };
                self.calls[call].answers.push(answer);
            } else if facts.is_answer() && !self.is_odd(facts) {
                self.unmatched.push(index);
            }
        }
    }

    /// Whether it has an id that we wrote into something that is no request.
    fn is_odd(&self, facts: &Facts) -> bool {
        facts.id.valid().is_some_and(|id| self.odd_ids.contains(id))
    }

    /// The call that an answer belongs to. The id of a `garbled` one cannot be told, but whose it is can be guessed.
    fn place(&self, facts: &Facts, strict: bool, garbled: bool) -> Option<(usize, Match)> {
        let latest = |wanted: &dyn Fn(&Call) -> bool| self.calls.iter().rposition(wanted);
        let is_open = |call: &Call| call.answers.is_empty();
        if let Some(id) = facts.id.valid() {
            let same = |call: &Call| call.id == *id;
            let alike = |call: &Call| is_alike(&call.id, id);
            // What has the id of something else that we wrote is the answer to that, unless a request waits for it.
            if self.is_odd(facts) && latest(&|call| same(call) && is_open(call)).is_none() {
                return None;
            }
            let found = latest(&|call| same(call) && is_open(call))
                .map(|call| (call, Match::Exact))
                // `7` was answered long ago, and `"7"` waits: then this is the answer to that.
                .or_else(|| {
                    latest(&|call| alike(call) && is_open(call))
                        .map(|call| (call, Match::OtherType))
                })
                .or_else(|| latest(&same).map(|call| (call, Match::Exact)))
                .or_else(|| latest(&alike).map(|call| (call, Match::OtherType)));
            if found.is_some() {
                return found;
            }
        }
        // Whoever gives ids back means none by what has none; and what was not even read has none to give.
        let of_no_request =
            facts.shape == Shape::Neither || is_of_unread(facts) || self.is_odd(facts);
        // A result under an id that nobody knows is meant for the request, and is wrong about it.
        let named = facts.shape == Shape::Response && facts.id.valid().is_some();
        if (strict && self.echoes && !named) || of_no_request {
            return None;
        }
        let mut open = self.calls.iter().enumerate().filter(|(_, call)| is_open(call));
        match (open.next(), open.next()) {
            (Some((call, _)), None) => Some((call, Match::ByOrder)),
            (Some((call, _)), Some(_)) if garbled || !self.echoes => Some((call, Match::ByOrder)),
            _ => None,
        }
    }
}

/// Whether it says of something that it could not be read as a request.
fn is_of_unread(facts: &Facts) -> bool {
    facts.shape == Shape::Error
        && facts.id.valid().is_none()
        && matches!(facts.error_code(), None | Some(-32700 | -32600))
}

/// Whether two ids that differ are one in another form: a string of digits for a number, `1.0` for `1`.
fn is_alike(one: &Id, other: &Id) -> bool {
    let value = |text: &str| text.parse::<f64>().ok();
    match (one, other) {
        (Id::Number(one), Id::Number(other)) => {
            one != other && value(&one.to_string()) == value(&other.to_string())
        }
        (Id::Number(number), Id::String(text)) | (Id::String(text), Id::Number(number)) => {
            text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
                && value(text) == value(&number.to_string())
        }
        _ => false,
    }
}
