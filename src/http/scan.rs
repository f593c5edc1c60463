//! Finds the end of a request head that arrives in any pieces, looking at every byte once.
//!
//! What cannot become a request is refused at the byte that shows it, and no bound waits for the end. Taking the head
//! apart is left to [`Head::parse`](super::Head), which reads it a second time in another way: what the two do not
//! agree on is refused.

use super::limits::METHOD;
use super::syntax::{FieldPlace, is_token_byte};
use super::{Limits, RequestError};

/// How far a head has been looked at.
///
/// ```text
/// Method ─ blank ─> Target ─ blank ─> Version ─ CR ─> LineFeed ─ LF ─> Fields ─> (end)
/// ```
#[derive(Debug)]
pub(super) struct Scan {
    /// Bytes looked at.
    at: usize,
    place: Place,
    /// Field lines begun.
    fields: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// So many bytes into it, like the next two.
    Method(usize),
    Target(usize),
    Version(usize),
    LineFeed,
    Fields(FieldPlace),
}

impl Scan {
    pub(super) fn new() -> Self {
        Self {
            at: 0,
            place: Place::Method(0),
            fields: 0,
        }
    }

    /// The length of the head, once its end has come. `input` begins where the head does, every time.
    ///
    /// # Errors
    /// What is not a head, or too large a one.
    pub(super) fn find_end(&mut self, input: &[u8], limits: &Limits) -> Result<Option<usize>, RequestError> {
        for &byte in input.get(self.at..).unwrap_or_default() {
            self.at += 1;
            if self.at > limits.head {
                return Err(RequestError::HeadTooLarge { limit: limits.head });
            }
            self.place = self.after(byte, limits)?;
            if self.place == Place::Fields(FieldPlace::End) {
                return Ok(Some(self.at));
            }
        }
        Ok(None)
    }

    fn after(&mut self, byte: u8, limits: &Limits) -> Result<Place, RequestError> {
        match (self.place, byte) {
            (Place::Method(1..), b' ') => Ok(Place::Target(0)),
            (Place::Method(METHOD..), _) if is_token_byte(byte) => Err(RequestError::MethodTooLong),
            (Place::Method(n), _) if is_token_byte(byte) => Ok(Place::Method(n + 1)),
            (Place::Target(1..), b' ') => Ok(Place::Version(0)),
            (Place::Target(n), 0x21..=0x7e) if n == limits.target => {
                Err(RequestError::TargetTooLong { limit: limits.target })
            }
            (Place::Target(n), 0x21..=0x7e) => Ok(Place::Target(n + 1)),
            (Place::Target(_), 0x80..) => Err(RequestError::Target),
            (Place::Version(8), b'\r') => Ok(Place::LineFeed),
            (Place::Version(n), _) if continues_version(n, byte) => Ok(Place::Version(n + 1)),
            (Place::LineFeed, b'\n') => Ok(Place::Fields(FieldPlace::LineStart)),
            (Place::Fields(place), _) => self.field(place, byte, limits),
            (Place::LineFeed, _) | (_, b'\n') => Err(RequestError::LineEnd),
            _ => Err(RequestError::RequestLine),
        }
    }

    fn field(&mut self, place: FieldPlace, byte: u8, limits: &Limits) -> Result<Place, RequestError> {
        let next = place.after(byte)?;
        if (place, next) == (FieldPlace::LineStart, FieldPlace::Name) {
            self.fields += 1;
            if self.fields > limits.headers {
                return Err(RequestError::TooManyHeaders { limit: limits.headers });
            }
        }
        Ok(Place::Fields(next))
    }
}

/// Whether a byte goes on with `HTTP/1.1`, or that with other digits (RFC 9112, 2.3).
fn continues_version(at: usize, byte: u8) -> bool {
    match b"HTTP/0.0".get(at) {
        Some(b'0') => byte.is_ascii_digit(),
        expected => expected == Some(&byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        head: 200,
        headers: 3,
        target: 10,
        body: 0,
    };

    /// What a scan says, and how many bytes it took to say it.
    fn scan(wire: &[u8]) -> (usize, Result<Option<usize>, RequestError>) {
        let mut scan = Scan::new();
        let verdict = scan.find_end(wire, &LIMITS);
        (scan.at, verdict)
    }

    #[test]
    fn the_end_is_found() {
        let wire = b"GET / HTTP/1.1\r\nA: b\r\n\r\n";
        assert_eq!(scan(wire).1, Ok(Some(wire.len())));
        assert_eq!(scan(&[wire, &wire[..]].concat()).1, Ok(Some(wire.len())));
        assert_eq!(scan(&wire[..wire.len() - 1]).1, Ok(None));
        assert_eq!(scan(b"GET / HTTP/1.1\r\n\r\n").1, Ok(Some(18)));
    }

    #[test]
    fn what_cannot_become_a_request_is_refused_at_the_byte_that_shows_it() {
        for (begin, culprit, error) in [
            ("", "\u{16}\u{3}\u{1}", RequestError::RequestLine), // a TLS hello
            ("", " GET / HTTP/1.1\r\n", RequestError::RequestLine),
            ("GET", "\t/ HTTP/1.1\r\n", RequestError::RequestLine),
            ("GET", ":/", RequestError::RequestLine),
            ("GET ", " / HTTP/1.1\r\n", RequestError::RequestLine),
            ("GET / ", " HTTP/1.1\r\n", RequestError::RequestLine),
            ("GET / HTTP/1.1", " \r\n", RequestError::RequestLine),
            ("GET / HTTP/1.", "\r\n", RequestError::RequestLine),
            ("GET / ", "http/1.1\r\n", RequestError::RequestLine),
            ("GET / HTTP/1", "0\r\n", RequestError::RequestLine),
            ("GET /", "\r\n", RequestError::RequestLine), // HTTP/0.9
            ("GET", "\r\n\r\n", RequestError::RequestLine),
            ("GET /", "\0 HTTP/1.1\r\n", RequestError::RequestLine),
            ("GET /", "\u{7f} HTTP/1.1\r\n", RequestError::RequestLine),
            ("GET /", "\u{e9} HTTP/1.1\r\n", RequestError::Target),
            ("GET /", "\n", RequestError::LineEnd),
            ("GET / HTTP/1.1", "\nHost: h\n\n", RequestError::LineEnd),
            ("GET / HTTP/1.1\r", "Host: h\r\n", RequestError::LineEnd),
            ("GET / HTTP/1.1\r\n", " Host: h\r\n", RequestError::FoldedLine),
            ("GET / HTTP/1.1\r\nA", " : b\r\n", RequestError::Field),
        ] {
            let wire = [begin, culprit].concat();
            assert_eq!(scan(begin.as_bytes()).1, Ok(None), "{begin:?}");
            assert_eq!(scan(wire.as_bytes()), (begin.len() + 1, Err(error)), "{wire:?}");
        }
    }

    #[test]
    fn every_bound_holds_at_the_limit_and_one_past_it() {
        let head = |method: usize, target: usize, fields: usize| {
            let (method, target, fields) = ("M".repeat(method), "/".repeat(target), "A: b\r\n".repeat(fields));
            format!("{method} {target} HTTP/1.1\r\n{fields}\r\n")
        };
        let long = |n: usize| format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "b".repeat(n - 23));
        for (wire, error) in [
            (head(METHOD, 1, 1), None),
            (head(METHOD + 1, 1, 1), Some(RequestError::MethodTooLong)),
            (head(1, 10, 1), None),
            (head(1, 11, 1), Some(RequestError::TargetTooLong { limit: 10 })),
            (head(1, 1, 3), None),
            (head(1, 1, 4), Some(RequestError::TooManyHeaders { limit: 3 })),
            (long(200), None),
            (long(201), Some(RequestError::HeadTooLarge { limit: 200 })),
        ] {
            let expected = error.map_or(Ok(Some(wire.len())), Err);
            assert_eq!(scan(wire.as_bytes()).1, expected, "{wire}");
        }
    }

    #[test]
    fn a_head_that_comes_byte_by_byte_is_looked_at_once() {
        // `at` counts the bytes that were looked at, and every call looks at what is behind it alone: were anything
        // looked at again, it would be past what has come.
        let limits = Limits::default();
        let wire = format!("GET /{} HTTP/1.1\r\nA: {}", "t".repeat(8000), "v".repeat(24_000));
        let mut scan = Scan::new();
        for have in 1..=wire.len() {
            assert_eq!(scan.find_end(&wire.as_bytes()[..have], &limits), Ok(None));
            assert_eq!(scan.at, have);
        }
    }

    #[test]
    fn input_that_shrinks_does_no_harm() {
        let mut scan = Scan::new();
        assert_eq!(scan.find_end(b"GET / HT", &LIMITS), Ok(None));
        assert_eq!(scan.find_end(b"", &LIMITS), Ok(None));
    }
}
