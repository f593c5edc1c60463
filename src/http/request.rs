//! The requests of one connection, one after another: bytes in, events out.

use super::body::{Decoder, Piece};
use super::limits::EMPTY_LINES;
use super::scan::Scan;
use super::{Head, Limits, RequestError};

/// Reads requests. It keeps no bytes: what it has not consumed it is given again, with more behind it.
///
/// See the [state graph](super) for what follows what.
#[derive(Debug)]
pub struct RequestReader {
    limits: Limits,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Before the first byte of a request, after so many empty lines.
    Idle(usize),
    Head(Scan),
    Body(Decoder),
    Done,
    /// Nothing that comes after can be understood.
    Failed(RequestError),
}

/// What is awaited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// A request of which no byte has been seen: a FIN here is an orderly end.
    Idle,
    /// The rest of a head.
    Head,
    /// The rest of a body.
    Body,
    /// Nothing: [`RequestReader::next`] begins with the next request, or the connection ends after an error.
    Done,
}

/// What a piece of input brought.
#[derive(PartialEq, Eq, Debug)]
pub enum Step<'a> {
    /// Nothing more: give the rest again, with more behind it.
    NeedMore,
    /// A whole head. Whoever drives this decides now whether to read the body at all.
    Head(Box<Head>),
    /// A piece of the body, without its framing; never empty.
    Body(&'a [u8]),
    /// The request is complete.
    End,
}

impl RequestReader {
    /// A reader for the first request of a connection.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            state: State::Idle(0),
        }
    }

    /// What is awaited, for whoever keeps the deadlines.
    pub fn phase(&self) -> Phase {
        match &self.state {
            State::Idle(_) => Phase::Idle,
            State::Head(_) => Phase::Head,
            State::Body(_) => Phase::Body,
            State::Done | State::Failed(_) => Phase::Done,
        }
    }

    /// Begins with the next request, wherever the present one is.
    pub fn next(&mut self) {
        self.state = State::Idle(0);
    }

    /// Feeds `input`; returns how many bytes were consumed and what they brought.
    ///
    /// After [`Step::NeedMore`] the rest of `input` is given again with more behind it, after any other step at once.
    /// Before the end of a head nothing of it is consumed; the bytes that were there before are not looked at again.
    ///
    /// # Errors
    /// Whatever is not a request, or too much of one. The connection has no meaning after that, and every further call
    /// says the same: answer with [`RequestError::status`] and close it.
    pub fn advance<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Step<'a>), RequestError> {
        let result = self.step(input);
        if let Err(error) = &result {
            self.state = State::Failed(error.clone());
        }
        result
    }

    fn step<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Step<'a>), RequestError> {
        match &mut self.state {
            State::Idle(empty_lines) => {
                let blank = skip_empty_lines(empty_lines, input)?;
                let rest = input.get(blank..).unwrap_or_default();
                if let [] | [b'\r'] = rest {
                    return Ok((blank, Step::NeedMore));
                }
                self.state = State::Head(Scan::new());
                let (used, step) = self.step(rest)?;
                Ok((blank + used, step))
            }
            State::Head(scan) => {
                let Some(length) = scan.find_end(input, &self.limits)? else {
                    return Ok((0, Step::NeedMore));
                };
                let head = Head::parse(input.get(..length).unwrap_or_default(), &self.limits)?;
                self.state = State::Body(Decoder::new(head.framing, self.limits.body));
                Ok((length, Step::Head(Box::new(head))))
            }
            State::Body(decoder) => {
                let (used, piece) = decoder.decode(input)?;
                let step = match piece {
                    Piece::NeedMore => Step::NeedMore,
                    Piece::Content(bytes) => Step::Body(bytes),
                    Piece::End => {
                        self.state = State::Done;
                        Step::End
                    }
                };
                Ok((used, step))
            }
            State::Done => Ok((0, Step::NeedMore)),
            State::Failed(error) => Err(error.clone()),
        }
    }
}

/// How many bytes of empty lines come before the request line (RFC 9112, 2.2).
fn skip_empty_lines(seen: &mut usize, input: &[u8]) -> Result<usize, RequestError> {
    let mut rest = input;
    while let [b'\r', b'\n', after @ ..] = rest {
        rest = after;
        *seen += 1;
        if *seen > EMPTY_LINES {
            return Err(RequestError::EmptyLines);
        }
    }
    Ok(input.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_the_bytes() {
        let mut reader = RequestReader::new(Limits::default());
        let wire = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx";
        assert_eq!(reader.phase(), Phase::Idle);
        assert_eq!(reader.advance(b"\r\n\r"), Ok((2, Step::NeedMore)));
        assert_eq!(reader.phase(), Phase::Idle, "an empty line is no request");
        assert_eq!(reader.advance(&wire[..1]), Ok((0, Step::NeedMore)));
        assert_eq!(reader.phase(), Phase::Head);
        let (n, _) = reader.advance(wire).unwrap();
        assert_eq!((n, reader.phase()), (wire.len() - 1, Phase::Body));
        assert_eq!(reader.advance(&wire[n..]), Ok((1, Step::Body(b"x"))));
        assert_eq!(reader.phase(), Phase::Body);
        assert_eq!(reader.advance(b""), Ok((0, Step::End)));
        assert_eq!(reader.phase(), Phase::Done);
        assert_eq!(
            reader.advance(b"GET"),
            Ok((0, Step::NeedMore)),
            "the next one waits for its turn"
        );
        reader.next();
        assert_eq!(reader.phase(), Phase::Idle);
    }

    #[test]
    fn a_request_without_a_body_ends_with_its_head() {
        let mut reader = RequestReader::new(Limits::default());
        let wire = b"GET / HTTP/1.1\r\nHost: h\r\n\r\nGET";
        let (n, step) = reader.advance(wire).unwrap();
        assert!(matches!(step, Step::Head(_)));
        assert_eq!(reader.advance(&wire[n..]), Ok((0, Step::End)));
    }

    #[test]
    fn an_error_stays() {
        let mut reader = RequestReader::new(Limits::default());
        assert_eq!(reader.advance(b"\0"), Err(RequestError::RequestLine));
        assert_eq!(
            reader.advance(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
            Err(RequestError::RequestLine)
        );
        assert_eq!(reader.phase(), Phase::Done);
    }

    #[test]
    fn a_few_empty_lines_may_come_before_a_request() {
        let read = |lines: usize| {
            let wire = ["\r\n".repeat(lines).as_str(), "GET / HTTP/1.1\r\nHost: h\r\n\r\n"].concat();
            let result = RequestReader::new(Limits::default())
                .advance(wire.as_bytes())
                .map(|(n, _)| n);
            (result, wire.len())
        };
        let (result, all) = read(EMPTY_LINES);
        assert_eq!(result, Ok(all));
        assert_eq!(read(EMPTY_LINES + 1).0, Err(RequestError::EmptyLines));
    }

    #[test]
    fn empty_lines_are_counted_over_many_pieces_and_anew_for_each_request() {
        let mut reader = RequestReader::new(Limits::default());
        for _ in 0..EMPTY_LINES {
            assert_eq!(reader.advance(b"\r\n"), Ok((2, Step::NeedMore)));
        }
        reader.next();
        assert_eq!(reader.advance(b"\r\n"), Ok((2, Step::NeedMore)));
    }
}
