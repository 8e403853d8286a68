//! Transcripts in a short form, for cases that are written by hand: one word a line says what happens, and the clock goes
//! on by itself. `fixtures/README.md` explains the words.

use pipeproof::protocol::{Dialect, jsonrpc, mcp};
use pipeproof::transcript::{Bytes, Event, Expect, FORMAT, Fact, Header, Mark, Transcript};
use pipeproof_transport::message::Id;
use serde_json::{Value, json};

/// How much time a line takes, in microseconds.
const TICK: u64 = 10;

/// Reads the sessions of a case.
pub(crate) fn parse(text: &str) -> Result<Vec<Transcript>, String> {
    let mut sessions: Vec<Writing> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let at = |problem: String| format!("line {}: {problem}", number + 1);
        if let Some(rest) = line.strip_prefix("session ") {
            sessions.push(Writing::new(rest, sessions.len() + 1).map_err(at)?);
            continue;
        }
        let session = sessions.last_mut().ok_or_else(|| at("no session was begun".into()))?;
        session.line(line).map_err(at)?;
    }
    Ok(sessions.into_iter().map(|session| session.transcript).collect())
}

/// A session that is being written.
struct Writing {
    dialect: Dialect,
    transcript: Transcript,
    clock: u64,
    alive: usize,
}

impl Writing {
    /// `ERA REVISION [SCENARIO] [plan=PLAN]`.
    fn new(words: &str, number: usize) -> Result<Self, String> {
        let mut words = words.split(' ');
        let (era, revision) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let dialect = match era {
            "legacy" => mcp::legacy(revision),
            "modern" => mcp::modern(revision),
            "plain" => jsonrpc::dialect(),
            _ => return Err(format!("`{era}` is no era")),
        };
        let (mut scenario, mut plan) = ("conversation", "");
        for word in words {
            match word.strip_prefix("plan=") {
                Some(own) => plan = own,
                None => scenario = word,
            }
        }
        let header = Header {
            format: FORMAT,
            session: format!("by-hand-{number}"),
            scenario: scenario.into(),
            part: 0,
            plan: plan.into(),
            cuts: Vec::new(),
            protocol: dialect.protocol.into(),
            era: dialect.era,
            revision: dialect.revision.clone(),
            command: vec!["./server".into()],
            seed: 0,
            catalogue: String::new(),
        };
        let transcript = Transcript { header, events: Vec::new() };
        let mut writing = Self { dialect, transcript, clock: 0, alive: 0 };
        writing.push(Fact::Spawned { pid: 4711 });
        Ok(writing)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let number = || rest.parse().map_err(|_| format!("`{rest}` is no number"));
        match word {
            ">" => self.push(Fact::Sent(Bytes(format!("{rest}\n").into_bytes()))),
            "<" => self.push(Fact::Received(Bytes(format!("{rest}\n").into_bytes()))),
            ">>" => self.push(Fact::Sent(Bytes(bytes(rest)?))),
            "<<" => self.push(Fact::Received(Bytes(bytes(rest)?))),
            "taken" => self.push(Fact::Taken),
            "opened" => self.opened(rest)?,
            "open" => self.push(Fact::Mark(Mark::Open)),
            "stimulus" => self.stimulus(rest)?,
            "barrier" => self.push(Fact::Mark(Mark::Barrier)),
            "rest" => self.push(Fact::Mark(Mark::Rest)),
            "waited" => self.waited(rest)?,
            "settled" => {
                let millis: u64 = rest.parse().map_err(|_| format!("`{rest}` is no number"))?;
                self.clock += millis * 1000;
                self.push(Fact::Mark(Mark::Settled { millis }));
            }
            "alive" => self.answered_alive(),
            "deaf" => self.deaf(),
            "stopped" => self.push(Fact::Mark(Mark::Stopped(rest.into()))),
            "exited" => self.gone(Fact::Exited(number()?)),
            "killed" => self.gone(Fact::Killed(number()?)),
            "write-failed" => self.push(Fact::WriteFailed("broken pipe".into())),
            "after" => self.clock += number()? as u64 * 1000,
            "end" => self.end(),
            other => return Err(format!("`{other}` is no word")),
        }
        Ok(())
    }

    fn push(&mut self, fact: Fact) {
        self.clock += TICK;
        self.transcript.events.push(Event { at: self.clock, fact });
    }

    fn send(&mut self, line: &[u8]) {
        self.push(Fact::Sent(Bytes([line, b"\n"].concat())));
    }

    fn receive(&mut self, message: &Value) {
        self.push(Fact::Received(Bytes(format!("{message}\n").into_bytes())));
    }

    /// The opening, answered as it should be, by a subject that declares these capabilities.
    fn opened(&mut self, capabilities: &str) -> Result<(), String> {
        let declared = if capabilities.is_empty() { "{}" } else { capabilities };
        let declared: Value = serde_json::from_str(declared).map_err(|error| error.to_string())?;
        let Some(opening) = self.dialect.opening.clone() else { return Ok(()) };
        self.stimulus(&format!("{} judged", opening.stimulus))?;
        let request =
            self.dialect.request(&Id::from("hello"), opening.method, Some(opening.params));
        self.send(&request);
        let result = match opening.then {
            Some(_) => json!({
                "protocolVersion": self.dialect.revision,
                "capabilities": declared,
                "serverInfo": { "name": "s", "version": "1" },
            }),
            None => json!({
                "supportedVersions": [self.dialect.revision],
                "capabilities": declared,
                "resultType": "complete",
                "ttlMs": 0,
                "cacheScope": "private",
            }),
        };
        self.receive(&json!({ "jsonrpc": "2.0", "id": "hello", "result": result }));
        self.waited("20000")?;
        if let Some(then) = opening.then {
            self.push(Fact::Mark(Mark::Rest));
            let notification = self.dialect.notification(then, None);
            self.send(&notification);
        }
        self.push(Fact::Mark(Mark::Open));
        Ok(())
    }

    /// `NAME EXPECT [VARIANT]`; a name may be followed by `*CUTS`.
    fn stimulus(&mut self, words: &str) -> Result<(), String> {
        let mut words = words.splitn(3, ' ');
        let name = words.next().unwrap_or_default();
        let (name, cuts) = name.split_once('*').unwrap_or((name, "0"));
        let expect = words.next().unwrap_or_default();
        let expect: Expect =
            serde_json::from_value(json!(expect)).map_err(|error| error.to_string())?;
        self.push(Fact::Mark(Mark::Stimulus {
            name: name.into(),
            variant: words.next().unwrap_or_default().into(),
            expect,
            cuts: cuts.parse().map_err(|_| format!("`{cuts}` is no number of cuts"))?,
        }));
        Ok(())
    }

    /// `MILLIS [expired]`.
    fn waited(&mut self, words: &str) -> Result<(), String> {
        let (millis, expired) = match words.split_once(' ') {
            Some((millis, "expired")) => (millis, true),
            None => (words, false),
            Some(_) => return Err(format!("`{words}` is no waiting")),
        };
        let millis: u64 = millis.parse().map_err(|_| format!("`{millis}` is no number"))?;
        if expired {
            self.clock += millis * 1000;
        }
        self.push(Fact::Mark(Mark::Waited { millis, expired }));
        Ok(())
    }

    fn ask_alive(&mut self) -> String {
        self.alive += 1;
        let id = format!("alive-{}", self.alive);
        self.push(Fact::Mark(Mark::Barrier));
        let (method, params) = self.dialect.liveness.clone();
        let params = Some(params).filter(|params| !params.is_null());
        let request = self.dialect.request(&Id::from(id.as_str()), method, params);
        self.send(&request);
        id
    }

    /// A barrier that is answered.
    fn answered_alive(&mut self) {
        let id = self.ask_alive();
        let result = match self.dialect.opening.as_ref().map(|opening| opening.then) {
            Some(None) => json!({
                "supportedVersions": [self.dialect.revision],
                "capabilities": {},
                "resultType": "complete",
                "ttlMs": 0,
                "cacheScope": "private",
            }),
            _ => json!({}),
        };
        self.receive(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        self.push(Fact::Mark(Mark::Waited { millis: 10_000, expired: false }));
    }

    /// A barrier that is not answered.
    fn deaf(&mut self) {
        self.ask_alive();
        self.clock += 10_000_000;
        self.push(Fact::Mark(Mark::Waited { millis: 10_000, expired: true }));
        self.push(Fact::Mark(Mark::Stopped("nothing was answered".into())));
    }

    fn gone(&mut self, how: Fact) {
        self.push(how);
        self.push(Fact::StdoutEnded);
        self.push(Fact::NothingLeft);
    }

    /// The end of input, and a proper exit.
    fn end(&mut self) {
        self.push(Fact::Mark(Mark::Stimulus {
            name: "end-of-input".into(),
            variant: "after the session".into(),
            expect: Expect::Free,
            cuts: 0,
        }));
        self.push(Fact::Mark(Mark::Shutdown));
        self.push(Fact::StdinClosed);
        self.push(Fact::Exited(0));
        self.push(Fact::Mark(Mark::Waited { millis: 5000, expired: false }));
        self.push(Fact::StdoutEnded);
        self.push(Fact::NothingLeft);
    }
}

/// A JSON string as the bytes that it stands for.
fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let text: String = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(text.into_bytes())
}
