//! The requests of one connection, one after another: bytes in, events out.

use super::body::{Decoder, Piece};
use super::limits::EMPTY_LINES;
use super::{Framing, Head, Limits, RequestError};

/// Reads requests. It keeps no bytes: what it has not consumed it is given again, with more behind it.
#[derive(Debug)]
pub struct RequestReader {
    limits: Limits,
    state: State,
}

#[derive(Debug)]
enum State {
    Head(Search),
    Body(Decoder),
    Done,
}

/// How far the search for the end of a head has come, so that a head that arrives byte by byte is searched once.
#[derive(Debug, Default)]
struct Search {
    empty_lines: usize,
    /// Where to look on.
    from: usize,
    /// Whether any byte of the request has been seen.
    begun: bool,
}

/// What is awaited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// A request of which no byte has been seen.
    Idle,
    /// The rest of a head.
    Head,
    /// The rest of a body.
    Body,
    /// [`RequestReader::next`].
    Done,
}

/// What a piece of input brought.
#[derive(PartialEq, Eq, Debug)]
pub enum Step<'a> {
    /// Nothing more: give the rest again, with more behind it.
    NeedMore,
    /// A whole head. Whoever drives this decides now whether to read the body at all.
    Head(Box<Head>),
    /// A piece of the body, without its framing.
    Body(&'a [u8]),
    /// The request is complete.
    End,
}

impl RequestReader {
    /// A reader for the first request of a connection.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            state: State::Head(Search::default()),
        }
    }

    /// What is awaited, for whoever keeps the deadlines.
    pub fn phase(&self) -> Phase {
        match &self.state {
            State::Head(search) if search.begun => Phase::Head,
            State::Head(_) => Phase::Idle,
            State::Body(_) => Phase::Body,
            State::Done => Phase::Done,
        }
    }

    /// Begins with the next request, wherever the present one is.
    pub fn next(&mut self) {
        self.state = State::Head(Search::default());
    }

    /// Feeds `input`; returns how many bytes were consumed and what they brought.
    ///
    /// # Errors
    /// Whatever is not a request, or too much of one. The connection has no meaning after that: answer with
    /// [`RequestError::status`] and close it.
    pub fn advance<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Step<'a>), RequestError> {
        match &mut self.state {
            State::Head(search) => {
                let blank = search.skip_empty_lines(input)?;
                if !search.begun {
                    return Ok((blank, Step::NeedMore));
                }
                let Some(length) = search.find_end(&input[blank..], &self.limits)? else {
                    return Ok((blank, Step::NeedMore));
                };
                let head = Head::parse(&input[blank..blank + length], &self.limits)?;
                self.state = State::Body(Decoder::new(head.framing, self.limits.body));
                Ok((blank + length, Step::Head(Box::new(head))))
            }
            State::Body(decoder) => {
                let mut used = 0;
                loop {
                    let (n, piece) = decoder.decode(&input[used..])?;
                    used += n;
                    match piece {
                        Piece::Framing => {}
                        Piece::NeedMore => return Ok((used, Step::NeedMore)),
                        Piece::Content(bytes) => return Ok((used, Step::Body(bytes))),
                        Piece::End => {
                            self.state = State::Done;
                            return Ok((used, Step::End));
                        }
                    }
                }
            }
            State::Done => Ok((0, Step::NeedMore)),
        }
    }
}

impl Search {
    /// How many bytes of empty lines come before the request line (RFC 9112, 2.2).
    fn skip_empty_lines(&mut self, input: &[u8]) -> Result<usize, RequestError> {
        let mut at = 0;
        if self.begun {
            return Ok(0);
        }
        while input[at..].starts_with(b"\r\n") {
            at += 2;
            self.empty_lines += 1;
            if self.empty_lines > EMPTY_LINES {
                return Err(RequestError::Syntax);
            }
        }
        self.begun = !matches!(&input[at..], [] | [b'\r']);
        Ok(at)
    }

    /// The length of the head, if its end is there. Meanwhile its bounds are kept, and what cannot become a request is refused
    /// without waiting for its end.
    fn find_end(&mut self, input: &[u8], limits: &Limits) -> Result<Option<usize>, RequestError> {
        // What was searched before need not be searched again, but for an end that was cut in the middle.
        let from = self.from.saturating_sub(3);
        let end = input
            .get(from..)
            .and_then(|tail| memchr::memmem::find(tail, b"\r\n\r\n"))
            .map(|at| from + at + 4);
        let length = end.unwrap_or(input.len());
        if self.from <= limits.target + LINE_BESIDE_TARGET {
            refuse_early(&input[..length], limits)?;
        }
        self.from = input.len();
        if length > limits.head {
            return Err(RequestError::HeadTooLarge { limit: limits.head });
        }
        Ok(end)
    }
}

/// What a request line holds beside its target, at the most: a method, two blanks and a version.
const LINE_BESIDE_TARGET: usize = 64;

/// Looks at the request line alone: its method, and how long its target is so far.
fn refuse_early(input: &[u8], limits: &Limits) -> Result<(), RequestError> {
    let line = &input[..memchr::memchr(b'\n', input).unwrap_or(input.len())];
    let method = &line[..memchr::memchr(b' ', line).unwrap_or(line.len())];
    let token = |b: &u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(b);
    if method.len() > LINE_BESIDE_TARGET / 2
        || !method.iter().all(token)
        || (method.len() < line.len() && method.is_empty())
    {
        return Err(RequestError::Syntax);
    }
    let target = line.get(method.len() + 1..).unwrap_or_default();
    let target = &target[..memchr::memchr(b' ', target).unwrap_or(target.len())];
    if target.len() > limits.target {
        Err(RequestError::TargetTooLong { limit: limits.target })
    } else {
        Ok(())
    }
}

/// Whether a framing means that there is a body.
impl Framing {
    /// False for [`Framing::None`].
    pub fn has_body(self) -> bool {
        self != Self::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(PartialEq, Eq, Debug, Clone)]
    enum Event {
        Head(String, String),
        Body(Vec<u8>),
        End,
        Error(RequestError),
        Rest(usize),
    }

    /// Everything that a connection would see that gets its bytes in these pieces; neighbouring pieces of a body are joined.
    fn events(wire: &[u8], cuts: &[usize]) -> Vec<Event> {
        let mut reader = RequestReader::new(Limits {
            head: 600,
            headers: 8,
            target: 100,
            body: 1000,
        });
        let (mut events, mut used) = (Vec::new(), 0);
        for &have in cuts.iter().chain([&wire.len()]) {
            loop {
                match reader.advance(&wire[used..have]) {
                    Ok((n, step)) => {
                        used += n;
                        match step {
                            Step::NeedMore => break,
                            Step::Head(head) => events.push(Event::Head(head.method, head.path)),
                            Step::Body(bytes) => match events.last_mut() {
                                Some(Event::Body(all)) => all.extend_from_slice(bytes),
                                _ => events.push(Event::Body(bytes.to_vec())),
                            },
                            Step::End => {
                                events.push(Event::End);
                                reader.next();
                            }
                        }
                    }
                    Err(error) => {
                        events.push(Event::Error(error));
                        return events;
                    }
                }
            }
        }
        events.push(Event::Rest(wire.len() - used));
        events
    }

    fn corpus() -> Vec<Vec<u8>> {
        let mut corpus: Vec<Vec<u8>> = [
            "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
            "\r\n\r\nPOST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhelloGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x\r\n world\r\n0\r\nA: b\r\n\r\n\
             POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx\r\nGET /c HTTP/1.0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\n\r\nnonsense\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhel",
            "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\nhel",
            "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloo\r\n",
            "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n",
            "\r\n\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n",
            " GET / HTTP/1.1\r\nHost: h\r\n\r\n",
            "\u{16}\u{3}\u{1}",
        ]
        .iter()
        .map(|s| s.as_bytes().to_vec())
        .collect();
        corpus.push(format!("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", "x".repeat(99)).into_bytes());
        corpus.push(format!("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", "x".repeat(100)).into_bytes());
        corpus.push(format!("GET / HTTP/1.1\r\nHost: h\r\nX: {}\r\n\r\n", "x".repeat(568)).into_bytes());
        corpus.push(format!("GET / HTTP/1.1\r\nHost: h\r\nX: {}\r\n\r\n", "x".repeat(569)).into_bytes());
        corpus
    }

    #[test]
    fn any_split_of_the_bytes_gives_the_same_events() {
        let mut random = 1u64;
        for wire in corpus() {
            let whole = events(&wire, &[]);
            for cut in 0..=wire.len() {
                assert_eq!(
                    events(&wire, &[cut]),
                    whole,
                    "cut at {cut}: {:?}",
                    String::from_utf8_lossy(&wire)
                );
            }
            let each: Vec<usize> = (0..=wire.len()).collect();
            assert_eq!(
                events(&wire, &each),
                whole,
                "byte by byte: {:?}",
                String::from_utf8_lossy(&wire)
            );
            for _ in 0..200 {
                let cuts: Vec<usize> = (0..wire.len())
                    .filter(|_| {
                        random = random
                            .wrapping_mul(6364136223846793005)
                            .wrapping_add(1442695040888963407);
                        random >> 61 == 0
                    })
                    .collect();
                assert_eq!(events(&wire, &cuts), whole, "cut at {cuts:?}");
            }
        }
    }

    #[test]
    fn pipelined_requests_come_apart() {
        let seen = events(&corpus()[2], &[]);
        let head = |m: &str, p: &str| Event::Head(m.into(), p.into());
        assert_eq!(
            seen,
            [
                head("POST", "/a"),
                Event::Body(b"hello world".into()),
                Event::End,
                head("POST", "/b"),
                Event::Body(b"x".into()),
                Event::End,
                head("GET", "/c"),
                Event::End,
                Event::Rest(0),
            ]
        );
    }

    #[test]
    fn a_head_may_be_as_long_as_the_limit_and_no_longer() {
        // DEV-LIM-3
        let last = |wire: &[u8]| events(wire, &[]).last().cloned();
        let corpus = corpus();
        let [target_ok, target_long, head_ok, head_long] = &corpus[corpus.len() - 4..] else {
            panic!()
        };
        assert_eq!(
            (last(target_ok), last(head_ok)),
            (Some(Event::Rest(0)), Some(Event::Rest(0)))
        );
        assert_eq!((head_ok.len(), head_long.len()), (600, 601));
        assert_eq!(
            last(target_long),
            Some(Event::Error(RequestError::TargetTooLong { limit: 100 }))
        );
        assert_eq!(
            last(head_long),
            Some(Event::Error(RequestError::HeadTooLarge { limit: 600 }))
        );
    }

    #[test]
    fn what_cannot_become_a_request_is_refused_at_once() {
        let mut reader = RequestReader::new(Limits::default());
        assert_eq!(
            reader.advance(b"\x16\x03\x01\x02"),
            Err(RequestError::Syntax),
            "a TLS hello"
        );
        let mut reader = RequestReader::new(Limits::default());
        assert_eq!(
            reader.advance(&[b'x'; 40]),
            Err(RequestError::Syntax),
            "no method is that long"
        );
        let mut reader = RequestReader::new(Limits::default());
        let target = [b"GET /", &[b'x'; 8192][..]].concat();
        assert_eq!(
            reader.advance(&target),
            Err(RequestError::TargetTooLong { limit: 8192 }),
            "its end need not come"
        );
    }

    #[test]
    fn phases_follow_the_bytes() {
        let mut reader = RequestReader::new(Limits::default());
        let wire = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx";
        assert_eq!(reader.phase(), Phase::Idle);
        assert_eq!(reader.advance(b"\r\n"), Ok((2, Step::NeedMore)));
        assert_eq!(reader.phase(), Phase::Idle, "an empty line is no request");
        reader.advance(&wire[..1]).unwrap();
        assert_eq!(reader.phase(), Phase::Head);
        let (n, _) = reader.advance(wire).unwrap();
        assert_eq!(reader.phase(), Phase::Body);
        assert_eq!(reader.advance(&wire[n..]), Ok((1, Step::Body(b"x"))));
        assert_eq!(reader.advance(b""), Ok((0, Step::End)));
        assert_eq!(reader.phase(), Phase::Done);
        reader.next();
        assert_eq!(reader.phase(), Phase::Idle);
    }

    #[test]
    fn a_head_that_comes_byte_by_byte_is_searched_once() {
        let mut search = Search::default();
        let limits = Limits::default();
        let head = vec![b'x'; 20_000];
        let line = [b"GET / HTTP/1.1\r\nX: ", &head[..]].concat();
        for have in 1..line.len() {
            search.find_end(&line[..have], &limits).unwrap();
            assert_eq!(search.from, have, "the next search begins here");
        }
    }
}
