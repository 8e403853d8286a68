//! Who is measured: each takes a stream in chunks and answers with what it read.

use std::io::{BufRead, BufReader, Read};

use pipeproof_transport::line::{Item, LineDecoder};

/// What a reader made of a stream. Peers that agree read the same lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// How many lines.
    pub lines: u64,
    /// How many bytes they hold, without their line ends.
    pub bytes: u64,
}

/// A reader of lines.
pub trait Peer {
    /// Its name, as figures show it.
    fn name(&self) -> &'static str;

    /// Reads a stream that arrives in chunks of this size.
    fn read(&self, stream: &[u8], chunk: usize) -> Answer;
}

/// Every reader, the limit first: looking for newlines over the whole stream at once, which frames nothing.
#[must_use]
pub fn all() -> Vec<Box<dyn Peer>> {
    vec![Box::new(Limit), Box::new(Pipeproof), Box::new(StdReadUntil), Box::new(StdLines)]
}

struct Limit;

impl Peer for Limit {
    fn name(&self) -> &'static str {
        "limit: memchr_iter"
    }

    fn read(&self, stream: &[u8], _chunk: usize) -> Answer {
        let mut answer = Answer::default();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', stream) {
            let line = &stream[start..end];
            add(&mut answer, line.strip_suffix(b"\r").unwrap_or(line));
            start = end + 1;
        }
        answer
    }
}

struct Pipeproof;

impl Peer for Pipeproof {
    fn name(&self) -> &'static str {
        "pipeproof LineDecoder"
    }

    fn read(&self, stream: &[u8], chunk: usize) -> Answer {
        let mut answer = Answer::default();
        let mut decoder = LineDecoder::new();
        for mut rest in stream.chunks(chunk) {
            while let Some(item) = decoder.decode(&mut rest) {
                if let Item::Line(line) = item {
                    add(&mut answer, line.bytes);
                }
            }
        }
        answer
    }
}

struct StdReadUntil;

impl Peer for StdReadUntil {
    fn name(&self) -> &'static str {
        "std read_until"
    }

    fn read(&self, stream: &[u8], chunk: usize) -> Answer {
        let mut answer = Answer::default();
        let mut reader = BufReader::with_capacity(64 << 10, Chunks { stream, chunk });
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            add(&mut answer, text.strip_suffix(b"\r").unwrap_or(text));
            line.clear();
        }
        answer
    }
}

struct StdLines;

impl Peer for StdLines {
    fn name(&self) -> &'static str {
        "std lines"
    }

    fn read(&self, stream: &[u8], chunk: usize) -> Answer {
        let mut answer = Answer::default();
        let reader = BufReader::with_capacity(64 << 10, Chunks { stream, chunk });
        for line in reader.lines().map_while(Result::ok) {
            add(&mut answer, line.as_bytes());
        }
        answer
    }
}

/// A source that gives at most so many bytes at a time.
struct Chunks<'a> {
    stream: &'a [u8],
    chunk: usize,
}

impl Read for Chunks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.chunk.min(buffer.len()).min(self.stream.len());
        let (head, tail) = self.stream.split_at(count);
        buffer[..count].copy_from_slice(head);
        self.stream = tail;
        Ok(count)
    }
}

fn add(answer: &mut Answer, line: &[u8]) {
    answer.lines += 1;
    answer.bytes += line.len() as u64;
}
