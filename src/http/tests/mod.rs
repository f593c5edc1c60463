//! A whole connection's worth of bytes, as a socket would bring it.

mod cases;
mod splits;

use super::*;

/// What whoever reads a connection gets to see; neighbouring pieces of a body are joined.
#[derive(PartialEq, Eq, Debug, Clone)]
enum Event {
    Head(Box<Head>),
    Body(Vec<u8>),
    End,
    Error(RequestError),
    /// So many bytes were left that nothing came of.
    Rest(usize),
}

/// Reads `wire` as if it came in the pieces that end at `cuts`.
fn events(limits: &Limits, wire: &[u8], cuts: &[usize]) -> Vec<Event> {
    let mut reader = RequestReader::new(limits.clone());
    let (mut events, mut used) = (Vec::new(), 0);
    for &have in cuts.iter().chain([&wire.len()]) {
        loop {
            let (n, step) = match reader.advance(&wire[used..have]) {
                Ok(advanced) => advanced,
                Err(error) => {
                    assert_eq!(reader.advance(&wire[used..]), Err(error.clone()), "an error stays");
                    events.push(Event::Error(error));
                    return events;
                }
            };
            used += n;
            match step {
                Step::NeedMore => break,
                Step::Head(head) => events.push(Event::Head(head)),
                Step::Body(bytes) => {
                    assert!(!bytes.is_empty());
                    match events.last_mut() {
                        Some(Event::Body(all)) => all.extend_from_slice(bytes),
                        _ => events.push(Event::Body(bytes.to_vec())),
                    }
                }
                Step::End => {
                    events.push(Event::End);
                    reader.next();
                }
            }
        }
    }
    events.push(Event::Rest(wire.len() - used));
    events
}

/// The requests of a connection as `METHOD path body`, and the status that it ends with, or 0.
fn served(limits: &Limits, wire: &[u8]) -> (Vec<String>, u16) {
    let (mut requests, mut status) = (Vec::new(), 0);
    let mut current = String::new();
    for event in events(limits, wire, &[]) {
        match event {
            Event::Head(head) => current = format!("{} {}", head.method, head.path),
            Event::Body(bytes) => current += &format!(" {}", String::from_utf8_lossy(&bytes)),
            Event::End => requests.push(std::mem::take(&mut current)),
            Event::Error(error) => status = error.status(),
            Event::Rest(_) => {}
        }
    }
    (requests, status)
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        // xorshift64: small, and random enough to cut bytes with.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}
