//! Messages: the table of texts and what they are.

use pipeproof_transport::Policy;
use pipeproof_transport::message::{
    Batch, ErrorCode, Id, IdError, Member, Message, MessageErrorKind, Parsed, SyntaxErrorKind,
    parse,
};
use pipeproof_transport::policy::Batches;
use proptest::prelude::*;
use serde_json::value::RawValue;

/// A message in one line, or the error with its byte and its id.
fn told(text: impl AsRef<[u8]>) -> String {
    tell(&Message::parse(text.as_ref(), &Policy::default()))
}

fn tell(message: &Result<Message<'_>, pipeproof_transport::message::MessageError>) -> String {
    let raw = |raw: Option<&RawValue>| raw.map_or("-".to_owned(), |raw| raw.get().to_owned());
    match message {
        Ok(Message::Request(request)) => {
            format!("request {} {} {}", request.id, request.method, raw(request.params))
        }
        Ok(Message::Notification(call)) => {
            format!("notification {} {}", call.method, raw(call.params))
        }
        Ok(Message::Response(response)) => {
            format!("response {} {}", response.id, response.result.get())
        }
        Ok(Message::ErrorResponse(response)) => {
            let id = response.id.as_ref().map_or("-".to_owned(), ToString::to_string);
            let error = &response.error;
            format!("error {id} {} {} {}", error.code.0, error.message, raw(error.data))
        }
        Ok(Message::Batch(Batch { entries })) => {
            let entries: Vec<String> = entries.iter().map(tell).collect();
            format!("batch [{}]", entries.join("; "))
        }
        Err(error) => {
            let id = error.id().map_or(String::new(), |id| format!(", id {id}"));
            format!("{error}{id}")
        }
    }
}

#[test]
fn messages_are_what_they_are() {
    for (text, expected) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "request 1 a -"),
        (
            r#" { "method" : "a/b" , "params" : [ 1 , 2 ] , "id" : "x" , "jsonrpc" : "2.0" } "#,
            "request \"x\" a/b [ 1 , 2 ]",
        ),
        (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, "request null a -"),
        (r#"{"jsonrpc":"2.0","method":"a","params":{}}"#, "notification a {}"),
        (r#"{"jsonrpc":"2\u002e0","method":"\u0061\n"}"#, "notification a\n -"),
        (r#"{"jsonrpc":"2.0","\u0069d":7,"r\u0065sult":null}"#, "response 7 null"),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"b":1e400,"a":"\ud800"}}"#,
            r#"response 1 {"b":1e400,"a":"\ud800"}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":[0]}}"#,
            "error 1 -32601 no [0]",
        ),
        (r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#, "error null 1  -"),
        (r#"{"jsonrpc":"2.0","error":{"code":1,"message":"","x":1}}"#, "error - 1  -"),
        (r#"{"jsonrpc":"2.0","method":"a","extra":1,"extra":2}"#, "notification a -"),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_message_says_why_where_and_whom_to_answer() {
    for (text, expected) in [
        ("5", "JSON value is not an object at byte 0"),
        (" null", "JSON value is not an object at byte 1"),
        ("\"x\"", "JSON value is not an object at byte 0"),
        (" {}", "`jsonrpc` is missing at byte 1"),
        (r#"{"id":3,"method":"a"}"#, "`jsonrpc` is missing at byte 0, id 3"),
        (r#"{"jsonrpc":"1.0","id":3,"method":"a"}"#, "`jsonrpc` is not \"2.0\" at byte 11, id 3"),
        (r#"{"jsonrpc":2.0,"id":3,"method":"a"}"#, "`jsonrpc` is not \"2.0\" at byte 11, id 3"),
        (
            r#"{"jsonrpc":"2.0","id":4}"#,
            "neither `method` nor `result` nor `error` at byte 0, id 4",
        ),
        (r#"{"jsonrpc":"2.0","result":1}"#, "`id` is missing at byte 0"),
        (
            r#"{"jsonrpc":"2.0","id":4,"result":1,"error":{}}"#,
            "both `result` and `error` at byte 43, id 4",
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"a","result":1}"#,
            "`method` beside `result` or `error` at byte 33, id 4",
        ),
        (
            r#"{"jsonrpc":"2.0","id":[],"method":"a"}"#,
            "`id` is neither string nor number nor null at byte 22",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"\ud800","method":"a"}"#,
            "`id` is neither string nor number nor null at byte 22",
        ),
        (
            r#"{"jsonrpc":"2.0","id":true,"result":1}"#,
            "`id` is neither string nor number nor null at byte 22",
        ),
        (r#"{"jsonrpc":"2.0","id":5,"method":6}"#, "`method` is not a string at byte 33, id 5"),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"a","params":null}"#,
            "`params` is neither object nor array at byte 46, id 5",
        ),
        (r#"{"jsonrpc":"2.0","id":5,"error":"x"}"#, "`error` is not an object at byte 32, id 5"),
        (r#"{"jsonrpc":"2.0","id":5,"error":{}}"#, "`code` is missing at byte 32, id 5"),
        (
            r#"{"jsonrpc":"2.0","id":5,"error":{"code":1.5,"message":""}}"#,
            "`code` is not an integer at byte 40, id 5",
        ),
        (r#"{"jsonrpc":"2.0","id":5,"error":{"code":1}}"#, "`message` is missing at byte 32, id 5"),
        (
            r#"{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":null}}"#,
            "`message` is not a string at byte 52, id 5",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"","\u0063ode":2}}"#,
            "`code` stands twice at byte 55, id 5",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"a","method":"b"}"#,
            "`method` stands twice at byte 37, id 5",
        ),
        (r#"{"jsonrpc":"2.0","id":5,"id":5,"method":"b"}"#, "`id` stands twice at byte 24"),
        (r#"{"jsonrpc":"2.0","id":5,"\u0069d":6,"method":"b"}"#, "`id` stands twice at byte 24"),
        ("[]", "batch is empty at byte 0"),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn a_bad_entry_spoils_no_other_entry_of_a_batch() {
    let text = r#" [{"jsonrpc":"2.0","id":1,"method":"a"}, 5, {"id":2}, [], {"jsonrpc":"2.0","method":"b"}]"#;
    let expected = "batch [request 1 a -; JSON value is not an object at byte 41; \
                    `jsonrpc` is missing at byte 44, id 2; \
                    JSON value is not an object at byte 54; notification b -]";
    assert_eq!(told(text), expected);
}

#[test]
fn a_policy_can_refuse_batches() {
    let policy = Policy::default().with_batch(Batches::Reject);
    let error = Message::parse(b" [1]", &policy).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (MessageErrorKind::BatchNotAllowed, 1));
}

#[test]
fn syntax_errors_name_the_first_wrong_byte() {
    use SyntaxErrorKind as Kind;

    for (text, kind, offset) in [
        (&b""[..], Kind::Empty, 0),
        (b" \n\t", Kind::Empty, 3),
        (b"\xef\xbb\xbf{}", Kind::ByteOrderMark, 0),
        (b"Demo server started", Kind::ExpectedValue, 0),
        (b"nul", Kind::UnexpectedEnd, 3),
        (b"nulx", Kind::ExpectedValue, 3),
        (b"{", Kind::UnexpectedEnd, 1),
        (b"{\"a\"", Kind::UnexpectedEnd, 4),
        (b"{\"a\":\"x", Kind::UnexpectedEnd, 7),
        (b"{\"a\":1,}", Kind::TrailingComma, 7),
        (b"[1,]", Kind::TrailingComma, 3),
        (b"[1 2]", Kind::ExpectedCommaOrEnd, 3),
        (b"{\"a\" 1}", Kind::ExpectedColon, 5),
        (b"{a:1}", Kind::NameNotAString, 1),
        (b"{} {}", Kind::TrailingCharacters, 3),
        (b"{}}", Kind::TrailingCharacters, 2),
        (b"[] x", Kind::TrailingCharacters, 3),
        (b"1 1", Kind::TrailingCharacters, 2),
        (b"{\"a\":\"\x01\"}", Kind::ControlCharacter, 6),
        (b"{\"a\x01\":1}", Kind::ControlCharacter, 3),
        (b"{\"a\":\"\n\"}", Kind::ControlCharacter, 6),
        (b"{\"a\":\"\\x\"}", Kind::InvalidEscape, 7),
        (b"{\"a\":\"\\u12x4\"}", Kind::InvalidEscape, 10),
        (b"{\"a\":\"\\u1\"}", Kind::InvalidEscape, 9),
        (b"{\"a\":01}", Kind::InvalidNumber, 6),
        (b"{\"a\":-}", Kind::InvalidNumber, 6),
        (b"[-", Kind::UnexpectedEnd, 2),
        (b"[--", Kind::InvalidNumber, 2),
        (b"1.", Kind::UnexpectedEnd, 2),
        (b"1..", Kind::InvalidNumber, 2),
        (b"1e+", Kind::UnexpectedEnd, 3),
        (b"1e+-", Kind::InvalidNumber, 3),
        (b"{\"a\":NaN}", Kind::ExpectedValue, 5),
        (b"{\"a\":\n\n  x}", Kind::ExpectedValue, 9),
        (b"{\n\"a\":1\n}\n]", Kind::TrailingCharacters, 10),
        (b"{\n\"a\":[\n1,\n", Kind::UnexpectedEnd, 11),
        (b"{\"a\":\n}", Kind::ExpectedValue, 6),
        (b"{}\xff", Kind::InvalidUtf8 { valid_up_to: 2 }, 2),
        (b"{\"a\":\"\xe2\x80\"}", Kind::InvalidUtf8 { valid_up_to: 6 }, 6),
    ] {
        let shown = String::from_utf8_lossy(text);
        let error = parse(text).expect_err(&shown);
        assert_eq!((error.kind, error.offset), (kind, offset), "{shown:?}: {error}");
    }
}

#[test]
fn ids_are_exact() {
    let id = |text: &str| Id::from_raw(&RawValue::from_string(text.to_owned()).unwrap());
    for text in [
        "1",
        "-1",
        "0",
        "-0",
        "1.0",
        "1e0",
        "1E0",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "123456789012345678901234567890123456789012345678901234567890",
        "null",
        "\"\"",
        "\"1\"",
        r#""a\"\\\n""#,
    ] {
        assert_eq!(id(text).unwrap().to_json(), text, "digit for digit");
    }
    let different = ["1", "\"1\"", "1.0", "1e0", "10e-1", "null", "\"null\"", "-0", "0"];
    for (index, one) in different.iter().enumerate() {
        for other in &different[index + 1..] {
            assert_ne!(id(one), id(other));
        }
    }
    assert_eq!(id(r#""\u0061""#), id("\"a\""), "strings are compared unescaped");
    assert_eq!(id("[]"), Err(IdError::Type));
    assert_eq!(id("false"), Err(IdError::Type));
    assert_eq!(id(r#""\udc00""#), Err(IdError::LoneSurrogate));
}

#[test]
fn made_ids_equal_read_ones() {
    let id = |text: &str| Id::from_raw(&RawValue::from_string(text.to_owned()).unwrap()).unwrap();
    assert_eq!(Id::from(7), id("7"));
    assert_eq!(Id::from(i64::MIN), id("-9223372036854775808"));
    assert_eq!(Id::from(u64::MAX), id("18446744073709551615"));
    assert_eq!(Id::from("é\""), id(r#""é\"""#));
    let Id::Number(number) = id("18446744073709551615") else { panic!("a number") };
    assert!(number.is_integer());
    assert_eq!(number.as_i64(), None);
}

#[test]
fn an_envelope_tells_what_stands_there_without_judging() {
    let text = br#"{"x":1,"jsonrpc":3,"id":{},"y":2,"x":3,"x":4,"params":5,"params":6,"\ud800":7}"#;
    let Ok(Parsed::Object(envelope)) = parse(text) else { panic!("an object") };
    let get = |raw: Option<&RawValue>| raw.map(|raw| raw.get().to_owned());
    assert_eq!(get(envelope.jsonrpc).as_deref(), Some("3"));
    assert_eq!(get(envelope.id).as_deref(), Some("{}"));
    assert_eq!(get(envelope.params).as_deref(), Some("6"), "the last one counts");
    assert_eq!(get(envelope.method), None);
    assert_eq!(envelope.duplicates, ["params", "x"]);
    assert_eq!(envelope.unknown, ["x", "y", "x", "x", "\\ud800"]);
}

#[test]
fn raw_values_borrow_from_the_text() {
    let text = br#"{"jsonrpc":"2.0","method":"m","params":{"big":[1,2,3]}}"#;
    let Ok(Message::Notification(call)) = Message::parse(text, &Policy::default()) else {
        panic!("a notification")
    };
    let params = call.params.expect("params");
    assert!(text.as_ptr_range().contains(&params.get().as_ptr()));
    assert!(text.as_ptr_range().contains(&call.method.as_ptr()));
}

#[test]
fn nesting_of_any_depth_is_read_and_refused_without_a_crash() {
    let depth = 100_000;
    let nested = "[".repeat(depth) + &"]".repeat(depth);
    let objects = "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth);
    for deep in [&nested, &objects] {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{deep}}}"#);
        assert_eq!(told(&text), format!("notification m {deep}"));
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"message":"","data":{deep}}}}}"#
        );
        assert!(told(&text).starts_with("error 1 1"));
        assert!(told(format!("[{deep}]")).starts_with("batch"));
        let open = &deep[..depth];
        assert!(told(open).starts_with("JSON ends early"), "{:.80}", told(open));
    }
    assert!(told(&nested).starts_with("batch [JSON value is not an object"));
    assert!(told(&objects).starts_with("`jsonrpc` is missing"));
    assert!(matches!(parse(nested.as_bytes()), Ok(Parsed::Array(elements)) if elements.len() == 1));
}

#[test]
fn what_is_written_is_read_back() {
    for text in [
        r#"{"jsonrpc":"2.0","id":"a\"b","method":"m\n","params":[1.0]}"#,
        r#"{"jsonrpc":"2.0","method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":1.50,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x","data":{}}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"x"}}"#,
        r#"[{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","id":1,"result":1}]"#,
    ] {
        let message = Message::parse(text.as_bytes(), &Policy::default()).unwrap();
        assert_eq!(message.to_json(), text);
    }
}

#[test]
fn error_kinds_can_be_matched() {
    let error = Message::parse(br#"{"jsonrpc":"2.0"}"#, &Policy::default()).unwrap_err();
    assert_eq!(error.kind(), MessageErrorKind::NeitherCallNorAnswer);
    assert!(!error.is_syntax());
    let text = br#"{"jsonrpc":"2.0","result":1}"#;
    let error = Message::parse(text, &Policy::default()).unwrap_err();
    assert_eq!(error.kind(), MessageErrorKind::Missing(Member::Id));
    assert!(Message::parse(b"{", &Policy::default()).unwrap_err().is_syntax());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_bytes_crash_the_parser_and_offsets_lie_in_the_text(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Err(error) = Message::parse(&bytes, &Policy::default()) {
            prop_assert!(error.offset() <= bytes.len());
        }
    }

    #[test]
    fn the_byte_of_a_syntax_error_is_the_first_that_no_json_has_there(
        text in prop::collection::vec(
            prop::sample::select(vec![
                "{", "}", "[", "]", ",", ":", "\"a\"", "\"id\":", "1", "-", "0", ".", "e", "E", "+",
                "true", "nul", "x", " ", "\n", "\t", "\"", "\\", "\\u", "d8", "00", "\u{1}", "é",
                "{\"a\":[1,{\"b\":\"c\"}],", "\u{7f}",
            ]),
            1..14,
        )
    ) {
        let text = text.concat();
        let possible = |end: usize| match parse(&text.as_bytes()[..end]) {
            Ok(_) => true,
            Err(error) => matches!(
                error.kind,
                SyntaxErrorKind::UnexpectedEnd
                    | SyntaxErrorKind::Empty
                    | SyntaxErrorKind::InvalidUtf8 { .. }
            ),
        };
        if let Err(error) = parse(text.as_bytes()) {
            prop_assert!(possible(error.offset), "{text:?}: {error}");
            if error.offset < text.len() {
                let wrong = text[error.offset..].chars().next().map_or(1, char::len_utf8);
                prop_assert!(!possible(error.offset + wrong), "{text:?}: {error}");
            }
        }
    }

    #[test]
    fn every_cut_of_a_message_ends_early(cut in 1_usize..53) {
        let text = br#"{"jsonrpc":"2.0","id":"x","method":"m","params":[{}]}"#;
        let error = parse(&text[..cut]).unwrap_err();
        prop_assert_eq!((error.kind, error.offset), (SyntaxErrorKind::UnexpectedEnd, cut));
    }

    #[test]
    fn server_errors_are_the_range_of_the_specification(code in -33000_i64..-31000) {
        prop_assert_eq!(ErrorCode(code).is_server_error(), (-32099..=-32000).contains(&code));
        prop_assert_eq!(ErrorCode(code).is_reserved(), (-32768..=-32000).contains(&code));
    }

    #[test]
    fn any_text_survives_as_an_id(text in ".*") {
        let raw = RawValue::from_string(Id::from(&*text).to_json()).unwrap();
        prop_assert_eq!(Id::from_raw(&raw), Ok(Id::String(text)));
    }
}
