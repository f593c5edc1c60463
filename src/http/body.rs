//! The body of a request: bytes in, content out, whichever way it is delimited (RFC 9112, 6 and 7.1).

use super::limits::{CHUNK_LINE, CHUNK_OVERHEAD, TRAILERS};
use super::{Framing, RequestError};

/// Decodes one body.
///
/// ```text
/// Exact ─────────────────────────────────> Done
/// Size ──> Data ──> DataEnd ──> Size
///   └─ size 0 ──> Trailers ──────────────> Done
/// ```
#[derive(Debug)]
pub(super) struct Decoder {
    state: State,
    /// Content bytes that may still come.
    room: usize,
    limit: usize,
    /// Framing bytes so far beyond one for each byte of content.
    overhead: usize,
}

#[derive(Debug)]
enum State {
    /// So many bytes are left.
    Exact(usize),
    /// The line that says how long the next chunk is.
    Size,
    /// So many bytes of this chunk are left.
    Data(usize),
    /// The CRLF after a chunk.
    DataEnd,
    /// Lines that are thrown away, until an empty one; so many bytes of them were read.
    Trailers(usize),
    Done,
}

/// What a piece of input brought.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Piece<'a> {
    /// Nothing yet: give the rest again, with more behind it.
    NeedMore,
    /// Framing only; go on.
    Framing,
    Content(&'a [u8]),
    End,
}

impl Decoder {
    pub(super) fn new(framing: Framing, limit: usize) -> Self {
        let state = match framing {
            Framing::None => State::Done,
            Framing::Length(n) => State::Exact(n),
            Framing::Chunked => State::Size,
        };
        Self {
            state,
            room: limit,
            limit,
            overhead: 0,
        }
    }

    /// Feeds `input`; returns how many bytes were consumed and what they brought.
    ///
    /// # Errors
    /// A chunked body that is malformed, or larger than its bounds. Lengths were checked with the head.
    pub(super) fn decode<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Piece<'a>), RequestError> {
        match self.state {
            State::Done => Ok((0, Piece::End)),
            State::Exact(left) => Ok(self.content(input, left)),
            State::Data(left) => Ok(self.content(input, left)),
            State::Size => self.size_line(input),
            State::DataEnd => self.data_end(input),
            State::Trailers(read) => self.trailer(input, read),
        }
    }

    fn content<'a>(&mut self, input: &'a [u8], left: usize) -> (usize, Piece<'a>) {
        let n = left.min(input.len());
        if n == 0 {
            return (0, Piece::NeedMore);
        }
        self.state = match (&self.state, left - n) {
            (State::Exact(_), 0) => State::Done,
            (State::Exact(_), rest) => State::Exact(rest),
            (_, 0) => State::DataEnd,
            (_, rest) => State::Data(rest),
        };
        self.overhead = self.overhead.saturating_sub(n);
        (n, Piece::Content(&input[..n]))
    }

    fn size_line<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Piece<'a>), RequestError> {
        let Some((line, used)) = line(input, CHUNK_LINE)? else {
            return Ok((0, Piece::NeedMore));
        };
        let size = chunk_size(line)?;
        self.room = self
            .room
            .checked_sub(size)
            .ok_or(RequestError::BodyTooLarge { limit: self.limit })?;
        // The line, and the CRLF that will follow the chunk.
        self.overhead += used + 2;
        if self.overhead > CHUNK_OVERHEAD {
            return Err(RequestError::TinyChunks);
        }
        self.state = if size == 0 {
            State::Trailers(0)
        } else {
            State::Data(size)
        };
        Ok((used, Piece::Framing))
    }

    fn data_end<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Piece<'a>), RequestError> {
        match input {
            [b'\r', b'\n', ..] => {
                self.state = State::Size;
                Ok((2, Piece::Framing))
            }
            [] | [b'\r'] => Ok((0, Piece::NeedMore)),
            _ => Err(RequestError::Chunk),
        }
    }

    fn trailer<'a>(&mut self, input: &'a [u8], read: usize) -> Result<(usize, Piece<'a>), RequestError> {
        let Some((line, used)) = line(input, TRAILERS - read)? else {
            return Ok((0, Piece::NeedMore));
        };
        self.state = if line.is_empty() {
            State::Done
        } else {
            State::Trailers(read + used)
        };
        Ok((used, Piece::Framing))
    }
}

/// The first line without its CRLF, and its length with it; `None` if it has not all come.
fn line(input: &[u8], most: usize) -> Result<Option<(&[u8], usize)>, RequestError> {
    let seen = &input[..input.len().min(most)];
    match memchr::memchr2(b'\r', b'\n', seen) {
        Some(end) if seen[end] == b'\n' => Err(RequestError::Chunk),
        Some(end) if end + 1 < seen.len() => {
            if seen[end + 1] == b'\n' {
                Ok(Some((&seen[..end], end + 2)))
            } else {
                Err(RequestError::Chunk)
            }
        }
        _ if input.len() >= most => Err(RequestError::ChunkLine),
        _ => Ok(None),
    }
}

/// The hexadecimal size; an extension after a semicolon is ignored (RFC 9112, 7.1.1).
fn chunk_size(line: &[u8]) -> Result<usize, RequestError> {
    let digits = line.split(|b| *b == b';').next().unwrap_or_default();
    // Blanks before the semicolon are "bad whitespace", which a recipient may refuse; we do, nobody sends them.
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) || line.contains(&0) {
        return Err(RequestError::Chunk);
    }
    let text = std::str::from_utf8(digits).map_err(|_| RequestError::Chunk)?;
    // A size that does not fit is larger than any limit.
    Ok(usize::from_str_radix(text, 16).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 100;

    /// Decodes as a connection would that gets `step` bytes at a time.
    fn decode(framing: Framing, wire: &[u8], step: usize) -> Result<(Vec<u8>, usize), RequestError> {
        let mut decoder = Decoder::new(framing, LIMIT);
        let (mut content, mut used, mut have) = (Vec::new(), 0, 0);
        loop {
            match decoder.decode(&wire[used..have])? {
                (n, Piece::Framing) => used += n,
                (n, Piece::Content(bytes)) => {
                    content.extend_from_slice(bytes);
                    used += n;
                }
                (_, Piece::End) => return Ok((content, used)),
                (n, Piece::NeedMore) => {
                    used += n;
                    assert!(have < wire.len(), "still hungry");
                    have = (have + step).min(wire.len());
                }
            }
        }
    }

    #[test]
    fn bodies_end_where_they_say() {
        for (framing, wire, content, rest) in [
            (Framing::None, "GET", "", "GET"),
            (Framing::Length(3), "abcGET", "abc", "GET"),
            (Framing::Chunked, "0\r\n\r\nGET", "", "GET"),
            (Framing::Chunked, "3\r\nabc\r\n0\r\n\r\nGET", "abc", "GET"),
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
            for step in 1..=wire.len() {
                let used = wire.len() - rest.len();
                assert_eq!(
                    decode(framing, wire.as_bytes(), step),
                    Ok((content.into(), used)),
                    "{wire:?} by {step}"
                );
            }
        }
    }

    #[test]
    fn chunks_that_two_readers_could_read_differently_are_refused() {
        for wire in [
            "\r\n",
            "x\r\n",
            "+3\r\nabc",
            "0x3\r\nabc",
            "-1\r\n",
            "3 \r\nabc",
            " 3\r\nabc",
            "3\nabc",
            "3\rabc",
            "3\r\nabcd\r\n",
            "3\r\nabc\n0",
            "3\r\nabcX",
            "1;a\0b\r\n",
            "0\r\nA: b\n\r\n",
            ";\r\n",
        ] {
            for step in 1..=wire.len() {
                assert_eq!(
                    decode(Framing::Chunked, wire.as_bytes(), step),
                    Err(RequestError::Chunk),
                    "{wire:?} by {step}"
                );
            }
        }
    }

    #[test]
    fn a_chunked_body_may_be_as_large_as_the_limit_and_no_larger() {
        let wire = |n: usize| format!("{:x}\r\n{}\r\n2\r\nab\r\n0\r\n\r\n", n - 2, "x".repeat(n - 2)).into_bytes();
        assert_eq!(
            decode(Framing::Chunked, &wire(LIMIT), 7).map(|(c, _)| c.len()),
            Ok(LIMIT)
        );
        let too_large = Err(RequestError::BodyTooLarge { limit: LIMIT });
        assert_eq!(decode(Framing::Chunked, &wire(LIMIT + 1), 7), too_large);
        for huge in ["ffffffffffffffff\r\n", "10000000000000000000000000\r\n"] {
            assert_eq!(decode(Framing::Chunked, huge.as_bytes(), 1), too_large);
        }
    }

    #[test]
    fn lines_have_a_length() {
        let size = |n: usize| format!("1;{}\r\na\r\n0\r\n\r\n", "x".repeat(n - 4)).into_bytes();
        assert!(decode(Framing::Chunked, &size(CHUNK_LINE), 1000).is_ok());
        assert_eq!(
            decode(Framing::Chunked, &size(CHUNK_LINE + 1), 1000),
            Err(RequestError::ChunkLine)
        );
        let trailers = |n: usize| format!("0\r\nA: {}\r\n\r\n", "x".repeat(n - 7)).into_bytes();
        assert!(decode(Framing::Chunked, &trailers(TRAILERS), 10_000).is_ok());
        assert_eq!(
            decode(Framing::Chunked, &trailers(TRAILERS + 1), 10_000),
            Err(RequestError::ChunkLine)
        );
    }

    #[test]
    fn tiny_chunks_are_taken_for_a_while() {
        // Each costs 6 bytes of framing for 1 of content, so 5 too many.
        let decode = |n: usize| {
            let mut decoder = Decoder::new(Framing::Chunked, usize::MAX);
            let (wire, mut used) = ("1\r\na\r\n".repeat(n).into_bytes(), 0);
            while used < wire.len() {
                used += decoder.decode(&wire[used..])?.0;
            }
            Ok(())
        };
        let enough = CHUNK_OVERHEAD / 4;
        assert_eq!(decode(enough - 1), Ok(()));
        assert_eq!(decode(enough + 1), Err(RequestError::TinyChunks));
    }
}
