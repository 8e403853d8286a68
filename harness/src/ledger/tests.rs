//! The ledger against hand-made events: frames, calls and stimuli as a judge will see them.

use super::*;
use crate::transcript::{Bytes, Expect};

/// A ledger fed with facts, one microsecond apart.
fn ledger(facts: Vec<Fact>) -> Ledger {
    let mut ledger = Ledger::default();
    for (at, fact) in facts.into_iter().enumerate() {
        ledger.push(&Event { at: at as u64, fact });
    }
    ledger.finish();
    ledger
}

fn sent(text: &str) -> Fact {
    Fact::Sent(Bytes(text.as_bytes().to_vec()))
}

fn received(text: &str) -> Fact {
    Fact::Received(Bytes(text.as_bytes().to_vec()))
}

fn stimulus(name: &str, expect: Expect) -> Fact {
    Fact::Mark(Mark::Stimulus { name: name.into(), variant: String::new(), expect, cuts: 0 })
}

const PING_1: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

#[test]
fn an_answer_is_found_by_its_id_however_it_was_cut() {
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    for cut in 0..answer.len() {
        let (head, tail) = answer.split_at(cut);
        let ledger = ledger(vec![sent(PING_1), received(head), received(tail)]);
        let [call] = ledger.calls() else { panic!("one call") };
        assert_eq!(call.answers.len(), 1, "cut at {cut}");
        assert_eq!(call.answers[0].matched, Match::Exact);
    }
}

#[test]
fn an_answer_that_is_quicker_than_the_line_end_is_an_answer() {
    let ledger = ledger(vec![
        stimulus("id", Expect::Answer),
        sent(PING_1.trim_end()),
        received("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"),
        sent("\n"),
    ]);
    let [call] = ledger.calls() else { panic!("one call") };
    assert_eq!(call.answers.len(), 1);
    assert_eq!(call.answers[0].matched, Match::Exact);
    assert!(ledger.unmatched().is_empty());
}

#[test]
fn an_id_in_another_type_is_recognised_as_that() {
    let table = [
        (r#"1"#, r#""1""#, Match::OtherType),
        (r#""7""#, "7", Match::OtherType),
        ("1", "1.0", Match::OtherType),
        ("1", "2", Match::ByOrder),
        ("1", "null", Match::ByOrder),
        ("1", "1", Match::Exact),
    ];
    for (asked, answered, matched) in table {
        let ledger = ledger(vec![
            stimulus("id", Expect::Answer),
            sent(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{asked},\"method\":\"ping\"}}\n")),
            received(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{answered},\"result\":{{}}}}\n")),
        ]);
        assert_eq!(ledger.calls()[0].answers[0].matched, matched, "{asked} {answered}");
    }
}

#[test]
fn two_ids_that_look_alike_are_not_taken_for_each_other() {
    let ping = |id| sent(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n"));
    let pong = |id| received(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n"));
    for answered in ["7", r#""7""#] {
        let ledger = ledger(vec![ping(r#""7""#), pong(r#""7""#), ping("7"), pong(answered)]);
        let answers: Vec<usize> = ledger.calls().iter().map(|call| call.answers.len()).collect();
        assert_eq!(answers, [1, 1], "{answered}");
    }
}

#[test]
fn a_subject_that_gives_no_id_back_is_followed_by_order() {
    let asked = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\"}\n";
    let null = "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n";
    let answers = |facts: Vec<Fact>| -> Vec<usize> {
        ledger(facts).calls().iter().map(|call| call.answers.len()).collect()
    };
    assert_eq!(answers(vec![sent(asked), received(null)]), [1, 0]);
    assert_eq!(answers(vec![sent(asked), received(null), received(null)]), [1, 1]);
    // It has given one back, so null is none of the two that are open.
    let echo = "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n";
    let first = sent("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}\n");
    assert_eq!(answers(vec![first, received(echo), sent(asked), received(null)]), [1, 0, 0]);
}

#[test]
fn what_says_that_a_line_was_unreadable_answers_no_request() {
    for code in [-32700, -32600] {
        let ledger = ledger(vec![
            stimulus("cut", Expect::Judged),
            sent(PING_1),
            received(&format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{{\"code\":{code},\"message\":\"\"}}}}\n"
            )),
        ]);
        assert!(ledger.calls()[0].answers.is_empty());
        assert_eq!(ledger.unmatched(), [0]);
    }
}

#[test]
fn a_response_without_result_or_error_is_an_answer_where_it_names_its_request() {
    let ledger = ledger(vec![
        sent(PING_1),
        received("{\"jsonrpc\":\"2.0\"}\n{\"jsonrpc\":\"2.0\",\"id\":1}\n"),
    ]);
    assert_eq!(ledger.calls()[0].answers.len(), 1);
    assert_eq!(ledger.calls()[0].answers[0].frame, 1);
}

#[test]
fn a_log_line_in_json_is_no_message() {
    let log = "{\"level\":30,\"id\":1,\"msg\":\"{\"}\n";
    let ledger = ledger(vec![
        sent(PING_1),
        received(&format!("{log}{log}{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{}}}}\n")),
    ]);
    assert_eq!(ledger.stray_len(), 2 * log.len() as u64);
    let [call] = ledger.calls() else { panic!("one call") };
    assert_eq!((call.answers.len(), call.answers[0].frame), (1, 2));
}

#[test]
fn what_follows_a_notification_or_a_bad_line_is_nobodys_answer() {
    for expect in [Expect::Silence, Expect::Free] {
        let ledger = ledger(vec![
            stimulus("x", expect),
            sent("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n"),
            Fact::Mark(Mark::Barrier),
            sent(PING_1),
            received(
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"no\"}}\n",
            ),
            received("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"),
        ]);
        assert_eq!(ledger.unmatched(), [0]);
        assert_eq!(ledger.calls()[0].answers.len(), 1);
        assert_eq!(ledger.stimuli()[0].barrier, Some(0));
    }
}

#[test]
fn the_id_of_a_malformed_request_may_come_back() {
    let ledger = ledger(vec![
        stimulus("malformed", Expect::Free),
        sent("{\"jsonrpc\":\"2.0\",\"id\":\"bad\",\"method\":1}\n"),
        received(
            "{\"jsonrpc\":\"2.0\",\"id\":\"bad\",\"error\":{\"code\":-32600,\"message\":\"no\"}}\n",
        ),
    ]);
    assert!(ledger.calls().is_empty());
    assert!(ledger.unmatched().is_empty());
}

#[test]
fn a_message_over_several_lines_is_one_frame_and_an_answer() {
    let pretty = "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {\n    \"a\": [\n      {}\n    ]\n  }\n}\n";
    for cut in 0..pretty.len() {
        let (head, tail) = pretty.split_at(cut);
        let ledger = ledger(vec![sent(PING_1), received(head), received(tail)]);
        let [frame] = ledger.received() else { panic!("one frame: {:?}", ledger.received()) };
        assert_eq!((frame.lines, frame.offset, frame.len), (9, 0, pretty.len() as u64));
        assert_eq!(ledger.calls()[0].answers.len(), 1);
        assert_eq!(ledger.stray_len(), 0);
    }
}

#[test]
fn two_messages_on_one_line_are_two_frames() {
    let ledger = ledger(vec![
        sent(PING_1),
        received(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n",
        ),
    ]);
    let [one, two] = ledger.received() else { panic!("two frames") };
    assert!(one.glued && two.glued);
    assert_eq!((one.offset, one.len, two.offset), (0, 36, 36));
    assert_eq!(ledger.calls()[0].answers.len(), 1);
}

#[test]
fn a_log_line_that_looks_like_a_beginning_swallows_nothing() {
    let ledger = ledger(vec![
        sent(PING_1),
        received("{starting up\nready}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"),
    ]);
    assert_eq!(ledger.received().len(), 3);
    assert_eq!(ledger.calls()[0].answers.len(), 1);
    assert_eq!(ledger.stray_len(), 20);
}

#[test]
fn a_message_in_the_wrong_encoding_or_after_a_mark_is_still_read() {
    let latin = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xe9\"}}\n".to_vec();
    let first = ledger(vec![sent(PING_1), Fact::Received(Bytes(latin))]);
    assert_eq!(first.received()[0].not_utf8, Some(39));
    assert_eq!(first.calls()[0].answers.len(), 1);
    let second = ledger(vec![
        sent(PING_1),
        received("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"),
    ]);
    assert!(second.received()[0].bom);
    assert_eq!(second.calls()[0].answers.len(), 1);
}

#[test]
fn a_cut_is_delivered_only_when_everything_before_it_was_taken() {
    let cut = |between: Vec<Fact>| {
        let mark = Mark::Stimulus {
            name: "cut".into(),
            variant: String::new(),
            expect: Expect::Answer,
            cuts: 1,
        };
        let mut facts = vec![Fact::Mark(mark), sent("{\"a\"")];
        facts.extend(between);
        facts.push(sent(":1}\n"));
        ledger(facts).stimuli()[0].delivered
    };
    assert_eq!(cut(vec![Fact::Taken]), 1);
    assert_eq!(cut(vec![]), 0);
    // What follows the last piece, such as our answer to a request of the subject, is no piece.
    assert_eq!(cut(vec![Fact::Taken, sent(":"), Fact::Taken]), 1);
}

#[test]
fn an_exit_is_early_only_before_we_end_the_session() {
    let early = ledger(vec![Fact::Exited(1), Fact::StdinClosed]);
    assert_eq!(early.process().ended_early(), Some((End::Code(1), 0)));
    let late = ledger(vec![Fact::StdinClosed, Fact::Exited(0)]);
    assert_eq!(late.process().ended_early(), None);
}
