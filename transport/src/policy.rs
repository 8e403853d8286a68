//! Every leniency by name, and the limits.
//!
//! This module only names choices; the decoder, the message parser and the readers carry them
//! out. It holds no state and reads no configuration.

/// What a link tolerates and where its limits are.
///
/// The default is strict: the strictest reading that loses nothing in silence. Each field is one
/// named choice; the `with_*` methods set one at a time.
///
/// # Example
///
/// ```
/// use pipeproof_transport::policy::{FinalLine, Limit, Policy};
///
/// let policy = Policy::default().with_max_line(1024).with_final_line(FinalLine::Error);
/// assert_eq!(policy.max_line, Limit::Bytes(1024));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Policy {
    /// The longest line that is delivered.
    pub max_line: Limit,
    /// What becomes of a last line without a line end.
    pub final_line: FinalLine,
    /// What is taken off the ends of a line.
    pub trim: Trim,
    /// What becomes of bytes that are not UTF-8.
    pub utf8: Utf8,
    /// What a reader does with a line that holds no message.
    pub on_malformed: OnMalformed,
    /// Whether an array of messages is accepted.
    pub batch: Batches,
}

impl Policy {
    /// The behaviour of the JavaScript transports that this crate replaces.
    ///
    /// No line limit, Unicode trimming as JavaScript's `trim` does it, replacement of bad UTF-8,
    /// and malformed lines skipped. They do not say what happens to a last line without a line
    /// end or to batches; those two stay as in the default.
    #[must_use]
    pub const fn seed() -> Self {
        Self {
            max_line: Limit::Unlimited,
            final_line: FinalLine::Deliver,
            trim: Trim::Unicode,
            utf8: Utf8::Lossy,
            on_malformed: OnMalformed::Skip,
            batch: Batches::Allow,
        }
    }

    /// Sets the line limit; a plain number is a number of bytes.
    #[must_use]
    pub fn with_max_line(mut self, limit: impl Into<Limit>) -> Self {
        self.max_line = limit.into();
        self
    }

    /// Sets what becomes of a last line without a line end.
    #[must_use]
    pub const fn with_final_line(mut self, final_line: FinalLine) -> Self {
        self.final_line = final_line;
        self
    }

    /// Sets what is taken off the ends of a line.
    #[must_use]
    pub const fn with_trim(mut self, trim: Trim) -> Self {
        self.trim = trim;
        self
    }

    /// Sets what becomes of bytes that are not UTF-8.
    #[must_use]
    pub const fn with_utf8(mut self, utf8: Utf8) -> Self {
        self.utf8 = utf8;
        self
    }

    /// Sets what a reader does with a line that holds no message.
    #[must_use]
    pub const fn with_on_malformed(mut self, on_malformed: OnMalformed) -> Self {
        self.on_malformed = on_malformed;
        self
    }

    /// Sets whether an array of messages is accepted.
    #[must_use]
    pub const fn with_batch(mut self, batch: Batches) -> Self {
        self.batch = batch;
        self
    }
}

/// The longest line that is delivered, in bytes without its LF (a CR before it counts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// At most this many bytes.
    Bytes(usize),
    /// Any length; memory grows with the line. Only for a trusted peer.
    Unlimited,
}

impl Limit {
    /// 16 MiB, the default.
    pub const DEFAULT: Self = Self::Bytes(16 * 1024 * 1024);

    pub(crate) const fn bytes(self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes as u64,
            Self::Unlimited => u64::MAX,
        }
    }
}

impl Default for Limit {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl From<usize> for Limit {
    fn from(bytes: usize) -> Self {
        Self::Bytes(bytes)
    }
}

/// What becomes of a last line that the end of the stream cuts off before its line end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FinalLine {
    /// It is delivered like any other, marked as unterminated.
    #[default]
    Deliver,
    /// Its bytes are not delivered; that it was there is reported.
    Discard,
    /// As [`Discard`](Self::Discard), and a reader fails.
    Error,
}

/// What is taken off the ends of a line before it is delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Trim {
    /// One CR right before the LF, nothing else.
    #[default]
    CarriageReturn,
    /// What JavaScript's `trim` strips: Unicode spaces, U+FEFF and line ends on both sides. Most
    /// of it is no JSON whitespace, so this accepts texts that are not JSON.
    Unicode,
}

/// What becomes of bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Utf8 {
    /// The line is delivered as it is; parsing it reports where it is not UTF-8.
    #[default]
    Strict,
    /// The decoder replaces each bad sequence by U+FFFD, as `TextDecoder` does. A repaired line can
    /// be three times as long as the limit.
    Lossy,
}

/// What a reader of messages does with a line that holds no message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnMalformed {
    /// It is an item of its own, with offset, length, reason and excerpt; reading goes on.
    #[default]
    Report,
    /// It is counted and passed over.
    Skip,
    /// The reader fails; the next call goes on after that line.
    Fail,
}

/// Whether an array of messages is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Batches {
    /// A non-empty array is a batch, as in JSON-RPC 2.0.
    #[default]
    Allow,
    /// An array is an error.
    Reject,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_is_strict() {
        let strict = Policy::default();
        assert_eq!(strict.max_line, Limit::Bytes(16 << 20));
        assert_eq!(strict.final_line, FinalLine::Deliver);
        assert_eq!(strict.trim, Trim::CarriageReturn);
        assert_eq!(strict.utf8, Utf8::Strict);
        assert_eq!(strict.on_malformed, OnMalformed::Report);
        assert_eq!(strict.batch, Batches::Allow);
    }

    #[test]
    fn seed_is_the_default_with_four_leniencies() {
        let built = Policy::default()
            .with_max_line(Limit::Unlimited)
            .with_trim(Trim::Unicode)
            .with_utf8(Utf8::Lossy)
            .with_on_malformed(OnMalformed::Skip);
        assert_eq!(Policy::seed(), built);
    }
}
