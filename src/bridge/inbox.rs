//! From the IO thread to the Lua thread: whole exchanges, and news of clients that went away.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use super::{ExchangeId, Signal, Ticket};
use crate::http::Head;
use crate::json::Document;

/// One request, read to its end, on its way to a handler.
pub(crate) struct Exchange {
    pub(crate) id: ExchangeId,
    /// Which server of this engine, and which of its handlers.
    pub(crate) site: usize,
    pub(crate) handler: usize,
    pub(crate) head: Head,
    pub(crate) body: Body,
    pub(crate) remote: SocketAddr,
    pub(crate) ticket: Ticket,
}

/// A request body: bytes, and for JSON their tape, so that the Lua thread pays for the push alone.
pub(crate) enum Body {
    Bytes(Vec<u8>),
    Json(Document),
}

/// Why no more can be said to a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CloseReason {
    /// It ended its side of the connection in order; it may still read (a half-close looks the same).
    Fin,
    /// The connection broke.
    Reset,
    /// It took too long to take its answer, or we took too long to make one.
    Timeout,
    /// The server was stopped.
    Stopped,
}

impl CloseReason {
    /// The word that Lua gets.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fin => "fin",
            Self::Reset => "reset",
            Self::Timeout => "timeout",
            Self::Stopped => "stopped",
        }
    }
}

/// One item of the inbox, in the order in which it happened.
pub(crate) enum Inbound {
    /// Boxed: a queue of pointers moves faster than a queue of heads.
    Exchange(Box<Exchange>),
    Closed(ExchangeId, CloseReason),
}

/// The queue that a dispatch empties.
pub(crate) struct Inbox {
    queue: Mutex<VecDeque<Inbound>>,
    signal: Arc<Signal>,
    /// Exchanges that no handler has begun with. The IO thread adds and refuses by it; whoever takes one out subtracts.
    waiting: AtomicUsize,
}

impl Inbox {
    pub(crate) fn new(signal: Arc<Signal>) -> Self {
        Self {
            queue: Mutex::default(),
            signal,
            waiting: AtomicUsize::new(0),
        }
    }

    /// Hands over everything that one poll brought, under one lock with one wake-up; `batch` is empty afterwards.
    pub(crate) fn hand_over(&self, batch: &mut VecDeque<Inbound>) {
        if batch.is_empty() {
            return;
        }
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).append(batch);
        self.signal.raise();
    }

    /// Moves what waits to the end of `backlog`.
    pub(crate) fn take(&self, backlog: &mut VecDeque<Inbound>) {
        backlog.append(&mut self.queue.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }

    /// An exchange begins to wait.
    pub(crate) fn count_in(&self) {
        self.waiting.fetch_add(1, Relaxed);
    }

    /// An exchange waits no more: picked up or withdrawn.
    pub(crate) fn count_out(&self) {
        self.waiting.fetch_sub(1, Relaxed);
    }
}
