//! Hides values in the bytes of a transcript without moving a byte, so that offsets stay true.

use crate::transcript::{Event, Fact};

/// Overwrites every occurrence of a form in each stream, also where a chunk boundary cuts it.
pub(super) fn hide(forms: &[String], events: &mut [Event]) {
    for stream in [sent, received, logged] {
        let mut bytes: Vec<u8> = Vec::new();
        for event in events.iter_mut() {
            bytes.extend(stream(&mut event.fact).into_iter().flat_map(|bytes| bytes.iter()));
        }
        if !overwrite(forms, &mut bytes) {
            continue;
        }
        let mut rest = bytes.as_slice();
        for chunk in events.iter_mut().filter_map(|event| stream(&mut event.fact)) {
            let (own, later) = rest.split_at(chunk.len());
            chunk.copy_from_slice(own);
            rest = later;
        }
    }
}

fn overwrite(forms: &[String], bytes: &mut [u8]) -> bool {
    let mut any = false;
    for form in forms {
        let found: Vec<usize> = memchr::memmem::find_iter(bytes, form.as_bytes()).collect();
        for at in found {
            bytes[at..at + form.len()].fill(b'*');
            any = true;
        }
    }
    any
}

fn sent(fact: &mut Fact) -> Option<&mut Vec<u8>> {
    if let Fact::Sent(bytes) = fact { Some(&mut bytes.0) } else { None }
}

fn received(fact: &mut Fact) -> Option<&mut Vec<u8>> {
    if let Fact::Received(bytes) = fact { Some(&mut bytes.0) } else { None }
}

fn logged(fact: &mut Fact) -> Option<&mut Vec<u8>> {
    if let Fact::Logged(bytes) = fact { Some(&mut bytes.0) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Bytes;

    #[test]
    fn a_value_is_overwritten_across_chunks_and_in_its_own_stream() {
        let facts = [
            Fact::Received(Bytes(b"{\"key\":\"hun".to_vec())),
            Fact::Logged(Bytes(b"key hun".to_vec())),
            Fact::Received(Bytes(b"ter2\"}\n".to_vec())),
            Fact::Logged(Bytes(b"?".to_vec())),
        ];
        let mut events: Vec<Event> = facts.into_iter().map(|fact| Event { at: 0, fact }).collect();
        hide(&["hunter2".into()], &mut events);
        let facts: Vec<Fact> = events.into_iter().map(|event| event.fact).collect();
        assert_eq!(facts[0], Fact::Received(Bytes(b"{\"key\":\"***".to_vec())));
        assert_eq!(facts[1], Fact::Logged(Bytes(b"key hun".to_vec())));
        assert_eq!(facts[2], Fact::Received(Bytes(b"****\"}\n".to_vec())));
    }
}
