//! The body of a request: bytes in, content out, whichever way it is delimited (RFC 9112, 6 and 7.1).

use super::limits::{CHUNK_LINE, CHUNK_OVERHEAD, TRAILERS};
use super::syntax::{FieldPlace, is_value_byte};
use super::{Framing, RequestError};

/// Decodes one body. Framing is taken byte by byte and kept as a state, so nothing is ever looked at twice.
///
/// ```text
/// Exact ─────────────────────────────────────────────────────> Done
///
///   ┌──────────────────── LF ──────────────────────┐
///   ▼                                              │
/// Size ─ CR ─> SizeLineFeed ─ LF ─> Data ──> DataCr ─ CR ─> DataLineFeed
///   │ ";"          ▲     └─ size 0 ─> Trailers ──────────────> Done
///   └> Extension ──┘
/// ```
#[derive(Debug)]
pub(super) struct Decoder {
    state: State,
    /// Content bytes that may still be announced.
    room: usize,
    limit: usize,
    /// Bytes of the present chunk-size line.
    line: usize,
    /// Framing bytes so far beyond one for each byte of content.
    overhead: usize,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// So many bytes are left.
    Exact(usize),
    /// The size of the next chunk, as far as its digits have come.
    Size(Option<usize>),
    /// What may stand behind a size; it means nothing to us.
    Extension(usize),
    SizeLineFeed(usize),
    /// So many bytes of this chunk are left.
    Data(usize),
    DataCr,
    DataLineFeed,
    /// Lines that are checked and thrown away; so many bytes of them were read.
    Trailers(FieldPlace, usize),
    Done,
}

/// What a piece of input brought.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Piece<'a> {
    /// Nothing more: all of it was framing, and was consumed.
    NeedMore,
    /// At least one byte.
    Content(&'a [u8]),
    End,
}

impl Decoder {
    /// A decoder of a body of at most `limit` bytes; a [`Framing::Length`] was held against it already.
    pub(super) fn new(framing: Framing, limit: usize) -> Self {
        Self {
            state: match framing {
                Framing::None => State::Done,
                Framing::Length(n) => State::Exact(n),
                Framing::Chunked => State::Size(None),
            },
            room: limit,
            limit,
            line: 0,
            overhead: 0,
        }
    }

    /// Feeds `input`; returns how many bytes were consumed and what they brought.
    ///
    /// # Errors
    /// A chunked body that is malformed, or larger than its bounds.
    pub(super) fn decode<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Piece<'a>), RequestError> {
        let mut used = 0;
        loop {
            match (self.state, input.get(used..).unwrap_or_default()) {
                (State::Done, _) => return Ok((used, Piece::End)),
                (_, []) => return Ok((used, Piece::NeedMore)),
                (State::Exact(left) | State::Data(left), rest) => {
                    let content = self.content(rest, left);
                    return Ok((used + content.len(), Piece::Content(content)));
                }
                (_, [byte, ..]) => {
                    self.state = self.framing(*byte)?;
                    used += 1;
                }
            }
        }
    }

    fn content<'a>(&mut self, input: &'a [u8], left: usize) -> &'a [u8] {
        let content = input.get(..left).unwrap_or(input);
        self.overhead = self.overhead.saturating_sub(content.len());
        self.state = match (self.state, left - content.len()) {
            (State::Exact(_), 0) => State::Done,
            (State::Exact(_), left) => State::Exact(left),
            (_, 0) => State::DataCr,
            (_, left) => State::Data(left),
        };
        content
    }

    /// The state after one more byte of framing.
    fn framing(&mut self, byte: u8) -> Result<State, RequestError> {
        if let State::Trailers(place, read) = self.state {
            return trailers(place, read, byte);
        }
        self.count_framing()?;
        match (self.state, byte) {
            (State::Size(Some(size)), b'\r') => Ok(State::SizeLineFeed(size)),
            (State::Size(Some(size)), b';') => Ok(State::Extension(size)),
            // RFC 9112, 7.1.1 would have us skip blanks around the semicolon. Nobody sends them, and not all readers
            // skip them.
            (State::Size(size), _) => Ok(State::Size(Some(self.larger(size.unwrap_or(0), byte)?))),
            (State::Extension(size), b'\r') => Ok(State::SizeLineFeed(size)),
            (State::Extension(size), _) if is_value_byte(byte) => Ok(State::Extension(size)),
            (State::SizeLineFeed(size), b'\n') => Ok(self.begin_chunk(size)),
            (State::DataCr, b'\r') => Ok(State::DataLineFeed),
            (State::DataLineFeed, b'\n') => Ok(State::Size(None)),
            _ => Err(RequestError::Chunk),
        }
    }

    /// Counts a byte of framing, and holds it against the bounds of its line and of the body.
    fn count_framing(&mut self) -> Result<(), RequestError> {
        self.overhead += 1;
        if self.overhead > CHUNK_OVERHEAD {
            return Err(RequestError::TinyChunks);
        }
        if let State::Size(_) | State::Extension(_) | State::SizeLineFeed(_) = self.state {
            self.line += 1;
        }
        if self.line > CHUNK_LINE {
            return Err(RequestError::ChunkLine);
        }
        Ok(())
    }

    /// A size with one more digit. It may not be larger than what may still come, so that nobody waits for the rest of
    /// it.
    fn larger(&self, size: usize, digit: u8) -> Result<usize, RequestError> {
        let digit = char::from(digit).to_digit(16).ok_or(RequestError::Chunk)?;
        size.checked_mul(16)
            .and_then(|size| size.checked_add(digit as usize))
            .filter(|size| *size <= self.room)
            .ok_or(RequestError::BodyTooLarge { limit: self.limit })
    }

    fn begin_chunk(&mut self, size: usize) -> State {
        self.room -= size;
        self.line = 0;
        match size {
            0 => State::Trailers(FieldPlace::LineStart, 0),
            _ => State::Data(size),
        }
    }
}

fn trailers(place: FieldPlace, read: usize, byte: u8) -> Result<State, RequestError> {
    if read == TRAILERS {
        return Err(RequestError::Trailers);
    }
    Ok(match place.after(byte)? {
        FieldPlace::End => State::Done,
        place => State::Trailers(place, read + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 100;

    /// Decodes as a connection would that gets `step` bytes at a time: the content, and how long the body was.
    fn decode(framing: Framing, wire: &[u8], step: usize) -> Result<(Vec<u8>, usize), RequestError> {
        let mut decoder = Decoder::new(framing, LIMIT);
        let (mut content, mut used, mut have) = (Vec::new(), 0, 0);
        loop {
            let (n, piece) = decoder.decode(&wire[used..have])?;
            used += n;
            match piece {
                Piece::Content(bytes) => {
                    assert!(!bytes.is_empty());
                    content.extend_from_slice(bytes);
                }
                Piece::End => return Ok((content, used)),
                Piece::NeedMore => {
                    assert_eq!(used, have, "what was looked at is consumed, so it is looked at once");
                    assert!(have < wire.len(), "still hungry");
                    have = (have + step).min(wire.len());
                }
            }
        }
    }

    fn chunked(wire: &str) -> Result<Vec<u8>, RequestError> {
        decode(Framing::Chunked, wire.as_bytes(), wire.len()).map(|(content, _)| content)
    }

    #[test]
    fn bodies_end_where_they_say() {
        for (framing, wire, content, rest) in [
            (Framing::None, "GET", "", "GET"),
            (Framing::Length(3), "abcGET", "abc", "GET"),
            (Framing::Chunked, "0\r\n\r\nGET", "", "GET"),
            (Framing::Chunked, "3\r\nabc\r\n0\r\n\r\nGET", "abc", "GET"),
            (Framing::Chunked, "3\r\n\r\n0\r\n0\r\n\r\nGET", "\r\n0", "GET"),
            (
                Framing::Chunked,
                "1\r\na\r\n002;x=\"y\"\r\nbc\r\n0;z\r\nA: b\r\nC: d\r\n\r\nGET",
                "abc",
                "GET",
            ),
            (
                Framing::Chunked,
                "a\r\n0123456789\r\nA\r\n0123456789\r\n00\r\n\r\n",
                "01234567890123456789",
                "",
            ),
        ] {
            let used = wire.len() - rest.len();
            for step in 1..=wire.len() {
                let decoded = decode(framing, wire.as_bytes(), step);
                assert_eq!(decoded, Ok((content.into(), used)), "{wire:?} by {step}");
            }
        }
    }

    #[test]
    fn chunks_that_two_readers_could_read_differently_are_refused() {
        for (wire, error) in [
            ("\r\n", RequestError::Chunk),
            ("x\r\n", RequestError::Chunk),
            ("+3\r\nabc", RequestError::Chunk),
            ("-1\r\n", RequestError::Chunk),
            ("0x3\r\nabc", RequestError::Chunk),
            ("3_0\r\nabc", RequestError::Chunk),
            ("3 \r\nabc", RequestError::Chunk),
            (" 3\r\nabc", RequestError::Chunk),
            ("3 ;a\r\nabc", RequestError::Chunk),
            (";\r\n", RequestError::Chunk),
            ("3\nabc", RequestError::Chunk),
            ("3\rabc", RequestError::Chunk),
            ("3;a\nabc", RequestError::Chunk),
            ("3;a\rb\r\nabc", RequestError::Chunk),
            ("3;a\0b\r\nabc", RequestError::Chunk),
            ("3\r\nabcd\r\n", RequestError::Chunk),
            ("3\r\nabc\n0", RequestError::Chunk),
            ("3\r\nabcX", RequestError::Chunk),
            ("3\r\nabc\rX", RequestError::Chunk),
            ("0\r\nA: b\n\r\n", RequestError::LineEnd),
            ("0\r\n\n", RequestError::LineEnd),
            ("0\r\nA: b\r\n c\r\n\r\n", RequestError::FoldedLine),
            ("0\r\nGET / HTTP/1.1\r\n\r\n", RequestError::Field),
            ("0\r\nA : b\r\n\r\n", RequestError::Field),
        ] {
            for step in 1..=wire.len() {
                let decoded = decode(Framing::Chunked, wire.as_bytes(), step);
                assert_eq!(decoded, Err(error.clone()), "{wire:?} by {step}");
            }
        }
    }

    #[test]
    fn a_chunked_body_may_be_as_large_as_the_limit_and_no_larger() {
        // DEV-LIM-2
        let wire = |n: usize| format!("{:x}\r\n{}\r\n2\r\nab\r\n0\r\n\r\n", n - 2, "x".repeat(n - 2));
        let too_large = RequestError::BodyTooLarge { limit: LIMIT };
        assert_eq!(chunked(&wire(LIMIT)).map(|content| content.len()), Ok(LIMIT));
        assert_eq!(chunked(&wire(LIMIT + 1)), Err(too_large.clone()));
        for huge in ["65", "ffffffffffffffff", "10000000000000000"] {
            assert_eq!(
                chunked(huge),
                Err(too_large.clone()),
                "{huge} is refused before its chunk comes"
            );
        }
    }

    #[test]
    fn lines_have_a_length() {
        let size = |n: usize| format!("1;{}\r\na\r\n0\r\n\r\n", "x".repeat(n - 4));
        assert_eq!(chunked(&size(CHUNK_LINE)), Ok(b"a".into()));
        assert_eq!(chunked(&size(CHUNK_LINE + 1)), Err(RequestError::ChunkLine));
        let zeros = |n: usize| format!("{}1\r\na\r\n0\r\n\r\n", "0".repeat(n - 3));
        assert_eq!(chunked(&zeros(CHUNK_LINE)), Ok(b"a".into()));
        assert_eq!(chunked(&zeros(CHUNK_LINE + 1)), Err(RequestError::ChunkLine));
        let two = format!("1;{0}\r\na\r\n1;{0}\r\na\r\n0\r\n\r\n", "x".repeat(CHUNK_LINE - 4));
        assert_eq!(chunked(&two), Ok(b"aa".into()), "each line counts for itself");
    }

    #[test]
    fn trailers_have_a_length() {
        let trailers = |n: usize| format!("0\r\nA: {}\r\n\r\n", "x".repeat(n - 7));
        assert_eq!(chunked(&trailers(TRAILERS)), Ok(vec![]));
        assert_eq!(chunked(&trailers(TRAILERS + 1)), Err(RequestError::Trailers));
        let many = "A: b\r\n".repeat(TRAILERS);
        assert_eq!(chunked(&format!("0\r\n{many}")), Err(RequestError::Trailers));
    }

    #[test]
    fn tiny_chunks_are_taken_for_a_while() {
        let decode = |chunk: &str, times: usize| {
            let mut decoder = Decoder::new(Framing::Chunked, usize::MAX);
            let (wire, mut used) = (chunk.repeat(times).into_bytes(), 0);
            while used < wire.len() {
                used += decoder.decode(&wire[used..])?.0;
            }
            Ok(())
        };
        // Five bytes of framing and one of content: four too many each time.
        let enough = CHUNK_OVERHEAD / 4;
        assert_eq!(decode("1\r\na\r\n", enough), Ok(()));
        assert_eq!(decode("1\r\na\r\n", enough + 1), Err(RequestError::TinyChunks));
        // A chunk of five pays for its own framing.
        assert_eq!(decode("5\r\nabcde\r\n", CHUNK_OVERHEAD), Ok(()));
    }
}
