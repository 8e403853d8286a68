//! Split plans: where a stream is cut into chunks.
//!
//! A plan is data, can be printed and read back, and says nothing of time: how cuts are kept apart is the business of
//! the [`crate::session`].

mod shrink;

pub use shrink::Shrink;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use fastrand::Rng;

/// Where a stream of bytes is cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SplitPlan {
    /// Nowhere: one chunk.
    #[default]
    Whole,
    /// After every so many bytes.
    Every(usize),
    /// At each place inside a character of more than one byte.
    InsideCharacters,
    /// Around each line end: before it, and after it where something follows.
    FrameEdges,
    /// At random places that this seed and the number of bytes decide, some close together and some far apart, with
    /// a pause now and then.
    Random(u64),
    /// Nowhere, and the request that follows comes in the same chunk.
    Joined,
    /// Before these bytes, counted from 0, in rising order.
    At(Vec<usize>),
}

impl SplitPlan {
    /// The places at which the plan cuts these bytes: rising, each between the first byte and the last.
    #[must_use]
    pub fn cuts(&self, bytes: &[u8]) -> Vec<usize> {
        let mut cuts: Vec<usize> = match self {
            Self::Whole | Self::Joined => Vec::new(),
            Self::FrameEdges => {
                let ends = (0..bytes.len()).filter(|at| bytes[*at] == b'\n');
                ends.flat_map(|at| [at, at + 1]).collect()
            }
            Self::Random(seed) => random(*seed, bytes.len()),
            Self::Every(size) => (1..bytes.len()).filter(|at| at % (*size).max(1) == 0).collect(),
            // A byte 10xxxxxx never begins a character.
            Self::InsideCharacters => {
                (1..bytes.len()).filter(|at| bytes[*at] & 0b1100_0000 == 0b1000_0000).collect()
            }
            Self::At(cuts) => cuts.clone(),
        };
        cuts.retain(|at| (1..bytes.len()).contains(at));
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    /// How long is waited before a chunk, counted from 0, beyond what keeps it apart from the one before.
    #[must_use]
    pub const fn pause(&self, chunk: usize) -> Duration {
        match self {
            Self::Random(_) if chunk % 8 == 7 => Duration::from_millis(1),
            _ => Duration::ZERO,
        }
    }

    /// The chunks that the plan cuts these bytes into.
    #[must_use]
    pub fn chunks<'a>(&self, bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let mut rest = bytes;
        let mut taken = 0;
        let mut chunks = Vec::new();
        for cut in self.cuts(bytes) {
            let (chunk, after) = rest.split_at(cut - taken);
            chunks.push(chunk);
            rest = after;
            taken = cut;
        }
        chunks.push(rest);
        chunks
    }
}

/// Cuts at distances of 1 to 64 bytes, small ones as often as large ones.
fn random(seed: u64, len: usize) -> Vec<usize> {
    let mut rng = Rng::with_seed(seed ^ len as u64);
    let mut cuts = Vec::new();
    let mut at = 0;
    while at < len {
        let most = 1 << rng.u32(0..=6);
        at += rng.usize(1..=most);
        cuts.push(at);
    }
    cuts
}

impl fmt::Display for SplitPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole"),
            Self::Every(size) => write!(f, "every={size}"),
            Self::InsideCharacters => f.write_str("inside-characters"),
            Self::FrameEdges => f.write_str("frame-edges"),
            Self::Random(seed) => write!(f, "random={seed}"),
            Self::Joined => f.write_str("joined"),
            Self::At(cuts) => {
                let cuts: Vec<String> = cuts.iter().map(ToString::to_string).collect();
                write!(f, "cuts={}", cuts.join(","))
            }
        }
    }
}

impl FromStr for SplitPlan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            text.parse::<usize>().map_err(|_| format!("`{text}` is not a number of bytes"))
        };
        match text.split_once('=') {
            None if text == "whole" => Ok(Self::Whole),
            None if text == "inside-characters" => Ok(Self::InsideCharacters),
            None if text == "frame-edges" => Ok(Self::FrameEdges),
            None if text == "joined" => Ok(Self::Joined),
            Some(("random", seed)) => {
                let seed = seed.parse().map_err(|_| format!("`{seed}` is no seed"))?;
                Ok(Self::Random(seed))
            }
            Some(("every", size)) => match number(size)? {
                0 => Err("`every=0` cuts nowhere; write `whole`".into()),
                size => Ok(Self::Every(size)),
            },
            Some(("cuts", list)) => {
                Ok(Self::At(list.split(',').map(number).collect::<Result<_, _>>()?))
            }
            _ => Err(format!(
                "`{text}` is not a split plan; one of: whole, every=N, inside-characters, frame-edges, random=SEED, joined, \
                 cuts=N,N,…"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_plan_cuts_where_its_name_says() {
        let text = "aé€😀b".as_bytes();
        assert_eq!(SplitPlan::Whole.chunks(text), [text]);
        assert_eq!(SplitPlan::Every(1).chunks(text).len(), text.len());
        assert_eq!(SplitPlan::Every(4).cuts(text), [4, 8]);
        assert_eq!(SplitPlan::InsideCharacters.cuts(text), [2, 4, 5, 7, 8, 9]);
        assert_eq!(SplitPlan::At(vec![0, 3, 3, 99]).cuts(text), [3]);
        assert_eq!(SplitPlan::FrameEdges.cuts(b"ab\nc\n"), [2, 3, 4]);
        let random = SplitPlan::Random(7).cuts(&[0; 500]);
        assert_eq!(random, SplitPlan::Random(7).cuts(&[1; 500]));
        assert_ne!(random, SplitPlan::Random(8).cuts(&[0; 500]));
    }

    #[test]
    fn an_empty_stream_is_one_empty_chunk() {
        assert_eq!(SplitPlan::Every(1).chunks(b""), [b""]);
    }

    fn plan() -> impl Strategy<Value = SplitPlan> {
        prop_oneof![
            Just(SplitPlan::Whole),
            Just(SplitPlan::InsideCharacters),
            Just(SplitPlan::FrameEdges),
            Just(SplitPlan::Joined),
            any::<u64>().prop_map(SplitPlan::Random),
            (1usize..50).prop_map(SplitPlan::Every),
            prop::collection::btree_set(0usize..99, 1..9)
                .prop_map(|cuts| SplitPlan::At(cuts.into_iter().collect())),
        ]
    }

    proptest! {
        #[test]
        fn chunks_joined_are_the_stream(bytes in prop::collection::vec(any::<u8>(), 0..99), plan in plan()) {
            let chunks = plan.chunks(&bytes);
            prop_assert_eq!(chunks.len(), plan.cuts(&bytes).len() + 1);
            prop_assert_eq!(chunks.concat(), bytes);
        }

        #[test]
        fn a_printed_plan_reads_back(plan in plan()) {
            prop_assert_eq!(plan.to_string().parse(), Ok(plan));
        }
    }
}
