//! One frame: a line, or what the subject wrote in place of one.

use super::Facts;

/// A run of bytes that the reader takes as one unit.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Offset of its first byte in its stream.
    pub offset: u64,
    /// Its length in bytes, line end included.
    pub len: u64,
    /// When its last byte was seen, in microseconds.
    pub at: u64,
    /// The stimulus that it belongs to (sent) or came after (received); an index into [`super::Ledger::stimuli`].
    pub stimulus: Option<usize>,
    /// Its bytes without the line end; bounded for what is no message.
    pub bytes: Vec<u8>,
    /// Over how many lines it is spread; more than one is a fault of framing.
    pub lines: usize,
    /// Whether it shares its line with another message, which is a fault of framing.
    pub glued: bool,
    /// Whether a line end follows it.
    pub ended: bool,
    /// Whether that line end is a carriage return and a newline.
    pub carriage_return: bool,
    /// The number of its bytes before the first that is not UTF-8, where there is one.
    pub not_utf8: Option<usize>,
    /// Whether it begins with a byte order mark.
    pub bom: bool,
    /// What it holds.
    pub kind: Kind,
}

/// What a frame holds.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A JSON object: a message, or an attempt at one.
    Message(Box<Facts>),
    /// A JSON array, taken for a batch; its elements in order.
    Batch(Vec<Facts>),
    /// An empty line, or one of white space.
    Blank,
    /// Valid JSON that is neither an object nor an array.
    Scalar,
    /// A JSON object that has nothing of a message: a line of somebody's log.
    Foreign,
    /// No JSON, for this reason, at this byte of the frame.
    NotJson {
        /// The reason, in words.
        reason: String,
        /// The byte of the frame at which it shows.
        at: usize,
    },
    /// Longer than the cap; its bytes were not kept.
    TooLong,
}

impl Frame {
    /// The messages in it: one, those of a batch, or none.
    #[must_use]
    pub fn messages(&self) -> &[Facts] {
        match &self.kind {
            Kind::Message(facts) => std::slice::from_ref(facts),
            Kind::Batch(all) => all,
            _ => &[],
        }
    }

    /// Whether its bytes are no message at all.
    #[must_use]
    pub fn is_stray(&self) -> bool {
        !matches!(self.kind, Kind::Message(_) | Kind::Batch(_) | Kind::TooLong)
    }
}
