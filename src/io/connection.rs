//! One connection: what it read, what it still has to write, and which of four things it is doing.
//!
//! ```text
//!            head and body read            answered
//!  Reading ────────────────────> Waiting ────────────> Reading
//!     │ refused by the IO thread                          │ close after this answer
//!     └──────────────> (answer written) ──> Lingering ──> closed
//! ```
//!
//! Nothing is parsed while an answer is being written or awaited, so one exchange at a time is with the Lua thread, answers
//! come in the order of their requests, and a client that does not read its answers is not read from either.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::time::{Instant, SystemTime};

use mio::net::TcpStream;

use super::decide::{Cors, Decision, decide};
use crate::bridge::{Body, CloseReason, Exchange, ExchangeId, Inbound, Inbox, Options, Refused, Site, Ticket};
use crate::http::{CONTINUE, Frame, Framing, Head, Phase, RequestError, RequestReader, Response, Step, Version};
use crate::json::Document;

/// What is read from a socket at once.
pub(crate) const CHUNK: usize = 64 * 1024;
/// Chunks that one connection may read before the others get their turn.
const CHUNKS_A_TURN: usize = 16;
/// What is read ahead of a request that waits for its answer: enough to notice that the client is gone after a few pipelined
/// requests, not enough to be filled with.
const READ_AHEAD: usize = CHUNK;

/// What a connection needs of the world for one turn.
pub(crate) struct Context<'a> {
    pub(crate) site: &'a Site,
    pub(crate) draining: bool,
    pub(crate) inbox: &'a Inbox,
    pub(crate) batch: &'a mut VecDeque<Inbound>,
    pub(crate) scratch: &'a mut [u8; CHUNK],
    pub(crate) slot: usize,
    pub(crate) serial: &'a mut u64,
    pub(crate) now: Instant,
}

/// What becomes of a connection after a turn.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Keep,
    /// Its turn was long enough, and there is more to read.
    Again,
    Close(CloseReason),
}

/// What came of asking the socket.
enum Io {
    Done,
    Blocked,
    Eof,
    Broken,
}

pub(crate) struct Connection {
    socket: TcpStream,
    site: usize,
    remote: SocketAddr,
    reader: RequestReader,
    /// Read, and not yet understood.
    input: Vec<u8>,
    /// To be written, from `sent` on.
    output: Vec<u8>,
    sent: usize,
    stage: Stage,
    /// The client has ended its side.
    eof: bool,
    /// Nothing more is served once the output is written.
    last: bool,
    deadline: Instant,
    /// Body bytes since the deadline was moved.
    piece: usize,
}

enum Stage {
    /// Between requests or in one; a head that was accepted is kept here while its body comes.
    Reading(Option<Incoming>),
    Waiting(Waiting),
    Lingering,
}

/// A request whose body is being read.
struct Incoming {
    head: Box<Head>,
    handler: usize,
    cors: Cors,
    body: Vec<u8>,
}

/// An exchange that is with the Lua thread.
struct Waiting {
    id: ExchangeId,
    ticket: Ticket,
    manner: Manner,
    /// The Lua thread knows that the client is gone.
    told: bool,
}

/// What an answer must know of its request.
struct Manner {
    version: Version,
    head_only: bool,
    close: bool,
    cors: Cors,
}

impl Manner {
    fn of(head: &Head, cors: Cors) -> Self {
        Self {
            version: head.version,
            head_only: head.method == "HEAD",
            close: !head.keep_alive,
            cors,
        }
    }

    /// For a request that was not understood or not read to its end: nothing after it can be trusted.
    fn broken_off(incoming: Option<Incoming>) -> Self {
        let manner = match incoming {
            Some(incoming) => Self::of(&incoming.head, incoming.cors),
            None => Self {
                version: Version::Http11,
                head_only: false,
                close: true,
                cors: Cors::new(),
            },
        };
        Self { close: true, ..manner }
    }
}

impl Connection {
    pub(crate) fn new(socket: TcpStream, remote: SocketAddr, site: &Site, now: Instant) -> Self {
        Self {
            socket,
            site: site.id,
            remote,
            reader: RequestReader::new(site.options.limits.clone()),
            input: Vec::new(),
            output: Vec::new(),
            sent: 0,
            stage: Stage::Reading(None),
            eof: false,
            last: false,
            // A connection that says nothing is a head that does not come.
            deadline: now + site.options.head_timeout,
            piece: 0,
        }
    }

    pub(crate) fn site(&self) -> usize {
        self.site
    }

    pub(crate) fn socket(&mut self) -> &mut TcpStream {
        &mut self.socket
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Between two requests, with nothing to write: it can be closed without anybody losing anything.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.stage, Stage::Reading(None)) && self.reader.phase() == Phase::Idle && self.output.is_empty()
    }

    /// Somebody waits for an answer on it.
    pub(crate) fn owes(&self) -> bool {
        matches!(self.stage, Stage::Waiting(_)) || !self.output.is_empty()
    }

    /// Does all that can be done now: writes, understands, reads. Called whenever the socket or the Lua thread has news; the
    /// poll is edge-triggered, so it goes on until the socket says "later".
    pub(crate) fn turn(&mut self, cx: &mut Context) -> Fate {
        let mut chunks = 0;
        loop {
            match self.write(cx) {
                Io::Done => {}
                Io::Blocked => return Fate::Keep,
                Io::Eof | Io::Broken => return Fate::Close(CloseReason::Reset),
            }
            if self.last && !matches!(self.stage, Stage::Lingering) {
                self.linger(cx);
            }
            self.understand(cx);
            if !self.output.is_empty() {
                continue;
            }
            match self.stage {
                Stage::Waiting(_) if self.eof || self.input.len() >= READ_AHEAD => return Fate::Keep,
                _ if self.eof => return Fate::Close(CloseReason::Fin),
                _ => {}
            }
            if chunks == CHUNKS_A_TURN {
                return Fate::Again;
            }
            chunks += 1;
            match self.read(cx) {
                Io::Done => {}
                Io::Blocked => return Fate::Keep,
                Io::Eof => self.note_eof(cx),
                Io::Broken => return Fate::Close(CloseReason::Reset),
            }
        }
    }

    /// The Lua thread has answered. False if this connection does not wait for that answer any more.
    pub(crate) fn reply(&mut self, id: ExchangeId, response: &Response, cx: &mut Context) -> bool {
        match self.take_waiting(Some(id), cx) {
            Some(waiting) => {
                self.answer(response, waiting.manner, cx);
                true
            }
            None => false,
        }
    }

    /// The deadline has passed; [`turn`](Self::turn) follows unless it is to be closed.
    pub(crate) fn expire(&mut self, cx: &mut Context) -> Fate {
        let counters = &cx.site.counters;
        if !self.output.is_empty() {
            counters.refuse(Refused::Timeout);
            return Fate::Close(CloseReason::Timeout);
        }
        match &self.stage {
            Stage::Lingering => Fate::Close(CloseReason::Fin),
            Stage::Reading(_) if self.is_idle() => Fate::Close(CloseReason::Fin),
            Stage::Reading(_) => {
                counters.refuse(Refused::Timeout);
                let sentence = "The request did not arrive in time.";
                self.break_off(&Response::text(408, sentence), cx);
                Fate::Keep
            }
            Stage::Waiting(waiting) => {
                let (ticket, id, told) = (waiting.ticket.clone(), waiting.id, waiting.told);
                self.expire_waiting(ticket, id, told, cx);
                Fate::Keep
            }
        }
    }

    fn expire_waiting(&mut self, ticket: Ticket, id: ExchangeId, told: bool, cx: &mut Context) {
        let (response, refused) = match ticket.withdraw() {
            Ok(()) => {
                cx.inbox.count_out();
                (
                    busy("The program is not dispatching: nothing in it has asked for requests in a while."),
                    Refused::PickupTimeout,
                )
            }
            Err(picked) if picked + cx.site.options.answer_timeout > cx.now => {
                self.deadline = picked + cx.site.options.answer_timeout;
                return;
            }
            Err(_) => {
                if !told {
                    cx.batch.push_back(Inbound::Closed(id, CloseReason::Timeout));
                }
                (
                    Response::text(504, "The program did not answer in time."),
                    Refused::AnswerTimeout,
                )
            }
        };
        cx.site.counters.refuse(refused);
        if let Some(waiting) = self.take_waiting(Some(id), cx) {
            self.answer(&response, waiting.manner, cx);
        }
    }

    /// The connection is being closed: the Lua thread is told of an exchange that it has, and does not get one that it has not.
    pub(crate) fn closed(&mut self, reason: CloseReason, cx: &mut Context) {
        let Some(waiting) = self.take_waiting(None, cx) else {
            return;
        };
        if reason == CloseReason::Stopped && waiting.ticket.withdraw().is_ok() {
            cx.inbox.count_out();
        } else if !waiting.told {
            cx.batch.push_back(Inbound::Closed(waiting.id, reason));
        }
    }

    /// Ends the wait for an answer, for this exchange or for whichever it is.
    fn take_waiting(&mut self, id: Option<ExchangeId>, cx: &Context) -> Option<Waiting> {
        match std::mem::replace(&mut self.stage, Stage::Reading(None)) {
            Stage::Waiting(waiting) if id.is_none_or(|id| id == waiting.id) => {
                cx.site.counters.open_exchanges.sub(1);
                Some(waiting)
            }
            other => {
                self.stage = other;
                None
            }
        }
    }

    /// Parses what was read, until there is something to write, an exchange to wait for, or nothing left to understand.
    fn understand(&mut self, cx: &mut Context) {
        let mut used = 0;
        while self.output.is_empty() && !self.last {
            let Stage::Reading(incoming) = &mut self.stage else {
                break;
            };
            let idle_before = self.reader.phase() == Phase::Idle;
            match self.reader.advance(&self.input[used..]) {
                Ok((n, Step::NeedMore)) => {
                    used += n;
                    if idle_before && self.reader.phase() == Phase::Head {
                        self.deadline = cx.now + cx.site.options.head_timeout;
                    }
                    break;
                }
                Ok((n, Step::Head(head))) => {
                    used += n;
                    let more = used < self.input.len();
                    self.begin(head, more, cx);
                }
                Ok((n, Step::Body(bytes))) => {
                    used += n;
                    if let Some(incoming) = incoming {
                        incoming.body.extend_from_slice(bytes);
                    }
                    self.piece += bytes.len();
                    if self.piece >= Options::BODY_PIECE {
                        self.renew(cx);
                    }
                }
                Ok((n, Step::End)) => {
                    used += n;
                    self.hand_over(cx);
                }
                Err(error) => {
                    self.refuse(&error, cx);
                }
            }
        }
        self.input.drain(..used);
        if self.input.is_empty() {
            // An idle connection keeps no buffer.
            self.input = Vec::new();
        }
    }

    /// A head is complete: it is answered here, or its body is read.
    fn begin(&mut self, head: Box<Head>, more_came: bool, cx: &mut Context) {
        cx.site.counters.requests.add(1);
        match decide(cx.site, &head) {
            Decision::Handle { handler, cors } => {
                if head.expect_continue && head.framing != Framing::None && !more_came {
                    self.output.extend_from_slice(CONTINUE);
                }
                self.stage = Stage::Reading(Some(Incoming {
                    head,
                    handler,
                    cors,
                    body: Vec::new(),
                }));
                self.renew(cx);
            }
            Decision::Answer {
                response,
                cors,
                refused,
            } => {
                if let Some(why) = refused {
                    cx.site.counters.refuse(why);
                }
                let mut manner = Manner::of(&head, cors);
                // Reading a body only to throw it away would let anybody keep us busy.
                manner.close |= head.framing != Framing::None;
                self.answer(&response, manner, cx);
            }
        }
    }

    /// A request is complete: it goes to the Lua thread, unless too many wait there.
    fn hand_over(&mut self, cx: &mut Context) {
        let Stage::Reading(Some(incoming)) = std::mem::replace(&mut self.stage, Stage::Reading(None)) else {
            return;
        };
        let Incoming {
            head,
            handler,
            cors,
            body,
        } = incoming;
        let manner = Manner::of(&head, cors);
        if cx.inbox.waiting() >= cx.site.options.max_waiting {
            cx.site.counters.refuse(Refused::QueueFull);
            return self.answer(&busy("Too many requests are waiting for the program."), manner, cx);
        }
        *cx.serial += 1;
        let id = ExchangeId::new(cx.slot, *cx.serial);
        let ticket = Ticket::new(cx.now);
        let body = if is_json(&head) {
            Body::Json(Document::parse(body))
        } else {
            Body::Bytes(body)
        };
        cx.inbox.count_in();
        cx.site.counters.open_exchanges.add(1);
        cx.batch.push_back(Inbound::Exchange(Box::new(Exchange {
            id,
            site: self.site,
            handler,
            head: *head,
            body,
            remote: self.remote,
            ticket: ticket.clone(),
        })));
        self.stage = Stage::Waiting(Waiting {
            id,
            ticket,
            manner,
            told: false,
        });
        self.deadline = cx.now + cx.site.options.pickup_timeout;
        if self.eof {
            self.note_eof(cx);
        }
    }

    /// Answers what is not HTTP, or too much of it.
    fn refuse(&mut self, error: &RequestError, cx: &mut Context) {
        let status = error.status();
        cx.site.counters.refuse(if matches!(status, 413 | 414 | 431) {
            Refused::TooLarge
        } else {
            Refused::Malformed
        });
        self.break_off(&Response::text(status, &error.to_string()), cx);
    }

    /// Answers in the middle of a request; nothing after it is served.
    fn break_off(&mut self, response: &Response, cx: &mut Context) {
        let incoming = match &mut self.stage {
            Stage::Reading(incoming) => incoming.take(),
            _ => None,
        };
        self.answer(response, Manner::broken_off(incoming), cx);
    }

    fn answer(&mut self, response: &Response, manner: Manner, cx: &mut Context) {
        cx.site.counters.respond(response.status());
        self.last = manner.close || cx.draining;
        let date = httpdate::fmt_http_date(SystemTime::now());
        let frame = Frame {
            version: manner.version,
            head_only: manner.head_only,
            close: self.last,
            date: &date,
            extra: &manner.cors,
        };
        response.encode(&frame, &mut self.output);
        self.stage = Stage::Reading(None);
        self.reader.next();
        self.deadline = cx.now + Options::WRITE_TIMEOUT;
    }

    /// Sends the end, and reads away what still comes, so that the client gets to read its answer (RFC 9112, 9.6).
    fn linger(&mut self, cx: &Context) {
        // A connection that broke meanwhile shows at the next read.
        let _ = self.socket.shutdown(Shutdown::Write);
        self.stage = Stage::Lingering;
        self.input = Vec::new();
        self.deadline = cx.now + Options::LINGER;
    }

    fn note_eof(&mut self, cx: &mut Context) {
        self.eof = true;
        if let Stage::Waiting(waiting) = &mut self.stage
            && !std::mem::replace(&mut waiting.told, true)
        {
            cx.batch.push_back(Inbound::Closed(waiting.id, CloseReason::Fin));
        }
    }

    /// Moves the deadline after progress.
    fn renew(&mut self, cx: &Context) {
        let options = &cx.site.options;
        self.piece = 0;
        match &self.stage {
            Stage::Reading(Some(_)) => self.deadline = cx.now + options.body_timeout,
            Stage::Reading(None) => self.deadline = cx.now + options.idle_timeout,
            Stage::Waiting(_) | Stage::Lingering => {}
        }
    }

    fn write(&mut self, cx: &Context) -> Io {
        if self.output.is_empty() {
            return Io::Done;
        }
        while self.sent < self.output.len() {
            match self.socket.write(&self.output[self.sent..]) {
                Ok(0) => return Io::Broken,
                Ok(n) => {
                    self.sent += n;
                    cx.site.counters.bytes_out.add(n as u64);
                    self.deadline = cx.now + Options::WRITE_TIMEOUT;
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Io::Blocked,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Io::Broken,
            }
        }
        self.sent = 0;
        self.output.clear();
        self.output.shrink_to(CHUNK);
        self.renew(cx);
        Io::Done
    }

    fn read(&mut self, cx: &mut Context) -> Io {
        loop {
            match self.socket.read(&mut cx.scratch[..]) {
                Ok(0) => return Io::Eof,
                Ok(n) => {
                    cx.site.counters.bytes_in.add(n as u64);
                    if !matches!(self.stage, Stage::Lingering) {
                        self.input.extend_from_slice(&cx.scratch[..n]);
                    }
                    return Io::Done;
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Io::Blocked,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Io::Broken,
            }
        }
    }
}

/// A refusal that is about now, not about the request.
pub(crate) fn busy(sentence: &str) -> Response {
    Response::text(503, sentence).with_header("Retry-After", Options::RETRY_AFTER.as_secs().to_string())
}

/// Whether a body says that it is JSON (RFC 9110, 8.3; RFC 6839, 3.1).
fn is_json(head: &Head) -> bool {
    let Some(value) = head.headers.get("content-type") else {
        return false;
    };
    let essence = value.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
    essence.eq_ignore_ascii_case(b"application/json")
        || essence.len() > 5 && essence[essence.len() - 5..].eq_ignore_ascii_case(b"+json")
}
