//! Readers, writers and pairs: one table of tests through both faces.
#![expect(clippy::unwrap_used, reason = "helpers of tests too: what fails is the test")]

mod support;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};

use pipeproof_transport::connection::{Counts, Incoming, Malformed, MalformedReason};
use pipeproof_transport::line::{Ending, Span};
use pipeproof_transport::policy::{FinalLine, OnMalformed};
use pipeproof_transport::{Direction, Error, ErrorKind, Policy, blocking};
use support::{Owned, cases, line};

/// What a source does when it is read, or a sink when it is written to.
#[derive(Clone, Debug)]
enum Act {
    Bytes(Vec<u8>),
    /// Take so many bytes.
    Take(usize),
    Fail(io::ErrorKind),
    /// Nothing is ready; skipped where reading blocks.
    Wait,
}

fn bytes(bytes: &(impl AsRef<[u8]> + ?Sized)) -> Act {
    Act::Bytes(bytes.as_ref().to_vec())
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Item(Owned),
    Message(String),
    Malformed(Span, String, Vec<u8>),
    Error(ErrorKind, Option<u64>),
}

impl From<Error> for Seen {
    fn from(error: Error) -> Self {
        Self::Error(error.kind(), error.offset())
    }
}

impl From<Incoming<'_>> for Seen {
    fn from(incoming: Incoming<'_>) -> Self {
        match incoming {
            Incoming::Message(message, _) => Self::Message(message.to_json()),
            Incoming::Malformed(Malformed { span, reason, excerpt }) => {
                let reason = match reason {
                    MalformedReason::Message(error) => error.to_string(),
                    other => format!("{other:?}"),
                };
                Self::Malformed(span, reason, excerpt.to_vec())
            }
        }
    }
}

type Tapped = Arc<Mutex<Vec<u8>>>;
type Sunk = Arc<Mutex<Vec<Vec<u8>>>>;

/// A face, driven to the end.
trait Face {
    /// All items, until two ends in a row.
    fn items(&self, source: Source, policy: Policy) -> (Vec<Seen>, Counts);
    /// All messages, until two ends in a row.
    fn messages(&self, source: Source, policy: Policy) -> (Vec<Seen>, Counts);
    /// Sends each text and closes twice.
    fn send(&self, sink: Sink, texts: &[&[u8]]) -> Vec<Result<(), ErrorKind>>;
    /// What a tap sees of reading all.
    fn tap_reading(&self, source: Source) -> Vec<u8>;
    /// What a tap sees of sending.
    fn tap_sending(&self, sink: Sink, texts: &[&[u8]]) -> Vec<u8>;
    /// Sends texts through a pair that holds few bytes, and gives what arrives at the other end.
    fn through_pair(&self, capacity: usize, texts: Vec<Vec<u8>>) -> Vec<Seen>;
    /// Reads an item, closes twice, reads again.
    fn read_after_close(&self, source: Source) -> Vec<Option<Seen>>;
}

fn faces() -> Vec<Box<dyn Face>> {
    vec![
        Box::new(Blocking),
        #[cfg(feature = "tokio")]
        Box::new(nonblocking::Nonblocking),
    ]
}

fn observer(direction: Direction) -> (Tapped, impl FnMut(Direction, &[u8]) + Send + 'static) {
    let tapped = Tapped::default();
    let seen = Arc::clone(&tapped);
    let observe = move |way, bytes: &[u8]| {
        assert_eq!(way, direction);
        seen.lock().unwrap().extend_from_slice(bytes);
    };
    (tapped, observe)
}

fn drained(tapped: &Tapped) -> Vec<u8> {
    tapped.lock().unwrap().clone()
}

#[derive(Debug)]
struct Source(VecDeque<Act>);

fn source(acts: impl IntoIterator<Item = Act>) -> Source {
    Source(acts.into_iter().collect())
}

fn in_chunks(stream: &[u8], size: usize) -> Source {
    source(stream.chunks(size).map(bytes))
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.0.pop_front() {
            None => Ok(0),
            Some(Act::Wait | Act::Take(_)) => self.read(out),
            Some(Act::Fail(kind)) => Err(kind.into()),
            Some(Act::Bytes(bytes)) => {
                let count = bytes.len().min(out.len());
                out[..count].copy_from_slice(&bytes[..count]);
                if count < bytes.len() {
                    self.0.push_front(Act::Bytes(bytes[count..].to_vec()));
                }
                Ok(count)
            }
        }
    }
}

/// Keeps each write apart; past its acts it takes everything.
#[derive(Debug, Default)]
struct Sink {
    acts: VecDeque<Act>,
    writes: Sunk,
}

fn sink(acts: impl IntoIterator<Item = Act>) -> (Sink, Sunk) {
    let writes = Sunk::default();
    (Sink { acts: acts.into_iter().collect(), writes: Arc::clone(&writes) }, writes)
}

fn writes(sunk: &Sunk) -> Vec<Vec<u8>> {
    sunk.lock().unwrap().clone()
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = match self.acts.pop_front() {
            Some(Act::Wait | Act::Bytes(_)) => return self.write(bytes),
            Some(Act::Fail(kind)) => return Err(kind.into()),
            Some(Act::Take(count)) => count.min(bytes.len()),
            None => bytes.len(),
        };
        self.writes.lock().unwrap().push(bytes[..count].to_vec());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Blocking;

impl Face for Blocking {
    fn items(&self, source: Source, policy: Policy) -> (Vec<Seen>, Counts) {
        let mut reader = blocking::Reader::with_policy(source, policy);
        let mut seen = Vec::new();
        loop {
            match reader.recv() {
                Ok(Some(item)) => seen.push(Seen::Item(item.into())),
                Ok(None) => break,
                Err(error) => seen.push(error.into()),
            }
        }
        assert!(matches!(reader.recv(), Ok(None)), "the end stays");
        (seen, reader.counts())
    }

    fn messages(&self, source: Source, policy: Policy) -> (Vec<Seen>, Counts) {
        let mut reader = blocking::Reader::with_policy(source, policy);
        let mut seen = Vec::new();
        loop {
            match reader.recv_message() {
                Ok(Some(incoming)) => seen.push(incoming.into()),
                Ok(None) => break,
                Err(error) => seen.push(error.into()),
            }
        }
        assert!(matches!(reader.recv_message(), Ok(None)), "the end stays");
        (seen, reader.counts())
    }

    fn send(&self, sink: Sink, texts: &[&[u8]]) -> Vec<Result<(), ErrorKind>> {
        let mut writer = blocking::Writer::new(sink);
        let mut results: Vec<_> = texts.iter().map(|text| writer.send(text)).collect();
        results.extend([writer.close(), writer.close()]);
        assert!(writer.is_closed());
        results.into_iter().map(|result| result.map_err(|error| error.kind())).collect()
    }

    fn tap_reading(&self, source: Source) -> Vec<u8> {
        let (tapped, observe) = observer(Direction::Received);
        let mut reader = blocking::Reader::new(source).with_tap(observe);
        while !matches!(reader.recv(), Ok(None)) {}
        drained(&tapped)
    }

    fn tap_sending(&self, sink: Sink, texts: &[&[u8]]) -> Vec<u8> {
        let (tapped, observe) = observer(Direction::Sent);
        let mut writer = blocking::Writer::new(sink).with_tap(observe);
        for text in texts {
            let _ = writer.send(text);
        }
        drained(&tapped)
    }

    fn through_pair(&self, capacity: usize, texts: Vec<Vec<u8>>) -> Vec<Seen> {
        let (mut near, mut far) = blocking::pair(capacity, Policy::default());
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for text in &texts {
                    near.writer.send(text).unwrap();
                }
            });
            let mut seen = Vec::new();
            while let Some(item) = far.reader.recv().unwrap() {
                seen.push(Seen::Item(item.into()));
            }
            seen
        })
    }

    fn read_after_close(&self, source: Source) -> Vec<Option<Seen>> {
        let mut reader = blocking::Reader::new(source);
        let first = reader.recv().unwrap().map(|item| Seen::Item(item.into()));
        reader.close();
        reader.close();
        let second = reader.recv().unwrap().map(|item| Seen::Item(item.into()));
        vec![first, second]
    }
}

#[test]
fn every_line_case_holds_for_every_chunk_size() {
    for face in faces() {
        for cases::Case { rule, policy, stream, items } in cases::table() {
            let mut expected: Vec<Seen> = items.into_iter().map(Seen::Item).collect();
            if policy.final_line == FinalLine::Error {
                for seen in &mut expected {
                    if let Seen::Item(Owned::Unterminated(span)) = seen {
                        *seen = Seen::Error(ErrorKind::Unterminated, Some(span.offset));
                    }
                }
            }
            for size in [1, 2, 3, 5, 11, 1000] {
                let (seen, _) = face.items(in_chunks(stream, size), policy);
                assert_eq!(seen, expected, "{rule}, chunks of {size}");
            }
        }
    }
}

#[test]
fn lines_longer_than_the_buffer_arrive_whole() {
    let huge = vec![b'x'; 300_000];
    let stream = [&b"{}\n"[..], &huge, b"\n[]\n"].concat();
    for face in faces() {
        for size in [4096, 65_536, 1 << 20] {
            let (seen, _) = face.items(in_chunks(&stream, size), Policy::default());
            let expected = [
                line(0, b"{}", Ending::Lf),
                line(3, &huge, Ending::Lf),
                line(300_004, b"[]", Ending::Lf),
            ];
            assert!(seen == expected.map(Seen::Item), "chunks of {size}");
        }
    }
}

#[test]
fn interrupted_reads_are_repeated() {
    for face in faces() {
        let acts = [bytes("{"), Act::Fail(io::ErrorKind::Interrupted), Act::Wait, bytes("}\n")];
        let (seen, _) = face.items(source(acts), Policy::default());
        assert_eq!(seen, [Seen::Item(line(0, b"{}", Ending::Lf))]);
    }
}

#[test]
fn a_read_error_comes_once_and_what_was_pending_is_not_complete() {
    for face in faces() {
        let acts = [bytes("{}\n[1,"), Act::Fail(io::ErrorKind::ConnectionReset), bytes("2]\n")];
        let (seen, counts) = face.items(source(acts), Policy::default());
        let pending = Owned::Unterminated(Span { offset: 3, len: 3 });
        assert_eq!(
            seen,
            [
                Seen::Item(line(0, b"{}", Ending::Lf)),
                Seen::Error(ErrorKind::Io, Some(6)),
                Seen::Item(pending),
            ]
        );
        assert_eq!((counts.lines, counts.unterminated), (1, 1));
    }
}

#[test]
fn an_error_and_its_source_tell_what_happened() {
    let mut reader = blocking::Reader::new(source([Act::Fail(io::ErrorKind::TimedOut)]));
    let error = reader.recv().unwrap_err();
    assert_eq!(error.to_string(), "input or output failed at byte 0");
    let source = std::error::Error::source(&error).expect("a source");
    assert_eq!(source.to_string(), io::Error::from(io::ErrorKind::TimedOut).to_string());
}

#[test]
fn would_block_ends_nothing() {
    let acts = [bytes("{"), Act::Fail(io::ErrorKind::WouldBlock), bytes("}\n")];
    let (seen, _) = Blocking.items(source(acts), Policy::default());
    assert_eq!(
        seen,
        [Seen::Error(ErrorKind::Io, Some(1)), Seen::Item(line(0, b"{}", Ending::Lf)),]
    );
}

const MIXED: &[u8] = b"banner\n\n{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n{\"id\":1}\n\
                       {\"jsonrpc\":\"2.0\",\"method\":\"b\"}";

fn mixed(method: &str) -> Seen {
    Seen::Message(format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#))
}

#[test]
fn malformed_lines_are_reported_with_place_reason_and_excerpt() {
    for face in faces() {
        let (seen, counts) = face.messages(in_chunks(MIXED, 3), Policy::default());
        let banner = "expected a JSON value at byte 0".to_owned();
        let no_version = "`jsonrpc` is missing at byte 0".to_owned();
        assert_eq!(
            seen,
            [
                Seen::Malformed(Span { offset: 0, len: 6 }, banner, b"banner".to_vec()),
                mixed("a"),
                Seen::Malformed(Span { offset: 39, len: 8 }, no_version, b"{\"id\":1}".to_vec()),
                mixed("b"),
            ]
        );
        assert_eq!((counts.lines, counts.blank, counts.malformed), (4, 1, 2));
    }
}

#[test]
fn malformed_lines_can_be_skipped_and_are_counted() {
    let skip = Policy::default().with_on_malformed(OnMalformed::Skip).with_max_line(40);
    let stream = [MIXED, b"\n", &[b'x'; 100]].concat();
    for face in faces() {
        let (seen, counts) = face.messages(in_chunks(&stream, 3), skip);
        assert_eq!(seen, [mixed("a"), mixed("b")]);
        assert_eq!((counts.malformed, counts.too_long), (2, 1));
    }
}

#[test]
fn malformed_lines_can_fail_and_reading_goes_on() {
    let fail = Policy::default().with_on_malformed(OnMalformed::Fail).with_max_line(40);
    let stream = [MIXED, b"\n", &[b'x'; 100], b"\n"].concat();
    for face in faces() {
        let (seen, counts) = face.messages(in_chunks(&stream, 7), fail);
        assert_eq!(
            seen,
            [
                Seen::Error(ErrorKind::Malformed, Some(0)),
                mixed("a"),
                Seen::Error(ErrorKind::Malformed, Some(39)),
                mixed("b"),
                Seen::Error(ErrorKind::TooLong, Some(79)),
            ]
        );
        assert_eq!((counts.malformed, counts.too_long), (2, 1));
    }
}

#[test]
fn the_seed_drops_what_is_malformed_and_repairs_what_is_not_utf8() {
    let stream = b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}\nbanner\n\n";
    for face in faces() {
        let (seen, _) = face.messages(in_chunks(stream, 1), Policy::seed());
        assert_eq!(seen, [mixed("\u{fffd}")]);
    }
}

#[test]
fn one_frame_is_one_write() {
    for face in faces() {
        let (sink, sunk) = sink([]);
        let results = face.send(sink, &[b"{}", b"[1]"]);
        assert!(results.iter().all(Result::is_ok));
        assert_eq!(writes(&sunk), [b"{}\n".to_vec(), b"[1]\n".to_vec()]);
    }
}

#[test]
fn a_frame_with_a_line_end_is_refused_and_nothing_is_written() {
    for face in faces() {
        let (sink, sunk) = sink([]);
        let results = face.send(sink, &[b"{\n}", b"", b"{}"]);
        assert_eq!(results[..3], [Err(ErrorKind::Frame), Err(ErrorKind::Frame), Ok(())]);
        assert_eq!(writes(&sunk), [b"{}\n"]);
    }
}

#[test]
fn partial_and_interrupted_writes_go_on_where_they_stopped() {
    for face in faces() {
        let acts = [Act::Take(1), Act::Wait, Act::Fail(io::ErrorKind::Interrupted), Act::Take(2)];
        let (sink, sunk) = sink(acts);
        assert!(face.send(sink, &[b"{\"a\":1}"]).iter().all(Result::is_ok));
        assert_eq!(writes(&sunk), [&b"{"[..], b"\"a", b"\":1}\n"]);
    }
}

#[test]
fn a_broken_pipe_says_that_the_peer_is_gone_and_closes() {
    for face in faces() {
        let (sink, _) = sink([Act::Fail(io::ErrorKind::BrokenPipe)]);
        let results = face.send(sink, &[b"{}", b"{}"]);
        assert_eq!(results, [Err(ErrorKind::PeerGone), Err(ErrorKind::Closed), Ok(()), Ok(())]);
    }
}

#[test]
fn a_sink_that_takes_nothing_is_an_error() {
    for face in faces() {
        let (sink, _) = sink([Act::Take(0)]);
        assert_eq!(face.send(sink, &[b"{}"])[0], Err(ErrorKind::Io));
    }
}

#[test]
fn blocking_writer_finishes_the_frame_that_would_block_first() {
    let (sink, sunk) = sink([Act::Take(2), Act::Fail(io::ErrorKind::WouldBlock)]);
    let mut writer = blocking::Writer::new(sink);
    assert_eq!(writer.send(b"[1]").unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(writer.pending(), 2);
    writer.send(b"[2]").unwrap();
    assert_eq!(writes(&sunk).concat(), b"[1]\n[2]\n");
}

#[test]
fn a_tap_sees_the_raw_bytes_both_ways() {
    let stream = b"no json\r\n\n\xff\n{";
    for face in faces() {
        assert_eq!(face.tap_reading(in_chunks(stream, 3)), stream);
        let (all, _) = sink([Act::Take(1)]);
        assert_eq!(face.tap_sending(all, &[b"{}", b"\n", b"[]"]), b"{}\n[]\n");
        let (broken, _) = sink([Act::Take(1), Act::Fail(io::ErrorKind::BrokenPipe)]);
        assert_eq!(face.tap_sending(broken, &[b"{}"]), b"{", "only what went out");
    }
}

#[test]
fn a_pair_carries_frames_through_few_bytes_and_ends_with_its_writer() {
    let texts: Vec<Vec<u8>> = (0..200).map(|size| vec![b'x'; size + 1]).collect();
    for face in faces() {
        for capacity in [1, 7, 100_000] {
            let mut offset = 0;
            let expected: Vec<Seen> = texts
                .iter()
                .map(|text| {
                    let item = Seen::Item(line(offset, text, Ending::Lf));
                    offset += text.len() as u64 + 1;
                    item
                })
                .collect();
            assert_eq!(face.through_pair(capacity, texts.clone()), expected);
        }
    }
}

#[test]
fn reading_after_close_gives_the_end() {
    for face in faces() {
        let seen = face.read_after_close(in_chunks(b"{}\n[]\n", 100));
        assert_eq!(seen, [Some(Seen::Item(line(0, b"{}", Ending::Lf))), None]);
    }
}

#[test]
fn a_dropped_pipe_reader_breaks_the_pipe_and_wakes_the_writer() {
    let (reader, mut writer) = blocking::pipe(4);
    writer.write_all(b"full").unwrap();
    std::thread::scope(|scope| {
        let blocked = scope.spawn(move || writer.write(b"x").unwrap_err().kind());
        drop(reader);
        assert_eq!(blocked.join().unwrap(), io::ErrorKind::BrokenPipe);
    });
}

#[cfg(feature = "tokio")]
mod nonblocking {
    //! The second face, and what only it has to keep: nothing is lost by a dropped future.

    use std::future::Future;
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use pipeproof_transport::nonblocking::{Reader, Writer, pair};
    use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

    use super::*;

    pub(super) struct Nonblocking;

    impl AsyncRead for Source {
        fn poll_read(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
            out: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            if matches!(self.0.front(), Some(Act::Wait)) {
                self.0.pop_front();
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            let count = self.read(out.initialize_unfilled())?;
            out.advance(count);
            Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for Sink {
        fn poll_write(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            if matches!(self.acts.front(), Some(Act::Wait)) {
                self.acts.pop_front();
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(self.write(bytes))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    /// Polls once and drops the future.
    fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    impl Face for Nonblocking {
        fn items(&self, source: Source, policy: Policy) -> (Vec<Seen>, Counts) {
            run(async {
                let mut reader = Reader::with_policy(source, policy);
                let mut seen = Vec::new();
                loop {
                    match reader.recv().await {
                        Ok(Some(item)) => seen.push(Seen::Item(item.into())),
                        Ok(None) => break,
                        Err(error) => seen.push(error.into()),
                    }
                }
                assert!(matches!(reader.recv().await, Ok(None)), "the end stays");
                (seen, reader.counts())
            })
        }

        fn messages(&self, source: Source, policy: Policy) -> (Vec<Seen>, Counts) {
            run(async {
                let mut reader = Reader::with_policy(source, policy);
                let mut seen = Vec::new();
                loop {
                    match reader.recv_message().await {
                        Ok(Some(incoming)) => seen.push(incoming.into()),
                        Ok(None) => break,
                        Err(error) => seen.push(error.into()),
                    }
                }
                assert!(matches!(reader.recv_message().await, Ok(None)), "the end stays");
                (seen, reader.counts())
            })
        }

        fn send(&self, sink: Sink, texts: &[&[u8]]) -> Vec<Result<(), ErrorKind>> {
            run(async {
                let mut writer = Writer::new(sink);
                let mut results = Vec::new();
                for text in texts {
                    results.push(writer.send(text).await);
                }
                results.push(writer.close().await);
                results.push(writer.close().await);
                assert!(writer.is_closed());
                results.into_iter().map(|result| result.map_err(|error| error.kind())).collect()
            })
        }

        fn tap_reading(&self, source: Source) -> Vec<u8> {
            let (tapped, observe) = observer(Direction::Received);
            run(async {
                let mut reader = Reader::new(source).with_tap(observe);
                while !matches!(reader.recv().await, Ok(None)) {}
            });
            drained(&tapped)
        }

        fn tap_sending(&self, sink: Sink, texts: &[&[u8]]) -> Vec<u8> {
            let (tapped, observe) = observer(Direction::Sent);
            run(async {
                let mut writer = Writer::new(sink).with_tap(observe);
                for text in texts {
                    let _ = writer.send(text).await;
                }
            });
            drained(&tapped)
        }

        fn through_pair(&self, capacity: usize, texts: Vec<Vec<u8>>) -> Vec<Seen> {
            run(async {
                let (mut near, mut far) = pair(capacity, Policy::default());
                let sending = async move {
                    for text in &texts {
                        near.writer.send(text).await.unwrap();
                    }
                };
                let receiving = async {
                    let mut seen = Vec::new();
                    while let Some(item) = far.reader.recv().await.unwrap() {
                        seen.push(Seen::Item(item.into()));
                    }
                    seen
                };
                tokio::join!(sending, receiving).1
            })
        }

        fn read_after_close(&self, source: Source) -> Vec<Option<Seen>> {
            run(async {
                let mut reader = Reader::new(source);
                let first = reader.recv().await.unwrap().map(|item| Seen::Item(item.into()));
                reader.close();
                reader.close();
                let second = reader.recv().await.unwrap().map(|item| Seen::Item(item.into()));
                vec![first, second]
            })
        }
    }

    #[test]
    fn a_dropped_recv_loses_no_byte() {
        for (rule, policy, stream, items) in cases::table()
            .into_iter()
            .map(|case| (case.rule, case.policy, case.stream, case.items))
            .filter(|case| case.1.final_line != FinalLine::Error)
        {
            let acts = stream.iter().flat_map(|byte| [Act::Wait, bytes(&[*byte]), Act::Wait]);
            let mut reader = Reader::with_policy(source(acts), policy);
            let mut seen = Vec::new();
            loop {
                match poll_once(reader.recv()) {
                    None => {}
                    Some(Ok(None)) => break,
                    Some(item) => seen.push(Owned::from(item.unwrap().unwrap())),
                }
            }
            assert_eq!(seen, items, "{rule}");
        }
    }

    #[test]
    fn a_dropped_send_leaves_no_cut_and_no_mixed_frame() {
        let acts = [Act::Take(2), Act::Wait, Act::Take(1), Act::Wait];
        let (sink, sunk) = sink(acts);
        let mut writer = Writer::new(sink);
        assert!(poll_once(writer.send(b"[1,2]")).is_none());
        assert_eq!(writer.pending(), 4, "accepted, half written");
        assert!(poll_once(writer.send(b"[3]")).is_none());
        assert_eq!(writer.pending(), 3, "the second frame was not accepted yet");
        run(writer.send(b"[4]")).unwrap();
        assert_eq!(writes(&sunk).concat(), b"[1,2]\n[4]\n");
    }

    #[test]
    fn a_dropped_close_can_be_repeated() {
        let (sink, sunk) = sink([Act::Take(1), Act::Wait, Act::Wait]);
        let mut writer = Writer::new(sink);
        assert!(poll_once(writer.send(b"[]")).is_none());
        assert!(poll_once(writer.close()).is_none());
        run(writer.close()).unwrap();
        assert!(writer.is_closed());
        assert_eq!(writes(&sunk).concat(), b"[]\n");
    }
}
