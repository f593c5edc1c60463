//! From the Lua thread to the IO thread: what it has to do next.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Release};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use mio::net::TcpListener;
use mio::{Registry, Token, Waker};

use super::{ExchangeId, Site};
use crate::http::Response;

/// One thing for the IO thread to do.
pub(crate) enum Command {
    /// Serve what connects to a bound listener.
    Serve(Box<Site>, TcpListener),
    /// Answer an exchange; dropped and counted if its connection is gone.
    Reply {
        site: usize,
        id: ExchangeId,
        response: Response,
    },
    /// Accept nothing more for this site, close its idle connections, and the others after their answer.
    Drain(usize),
    /// Close everything of this site at once, then say so on the channel.
    Close(usize, Sender<()>),
    /// Raise the signal at this time.
    Alarm(Instant),
    /// Return from the thread.
    Exit,
}

/// The queue that the IO thread empties, and the waker that gets it out of its poll.
pub(crate) struct Outbox {
    commands: Mutex<Vec<Command>>,
    /// Set from the first command until the IO thread takes them, so that a batch of replies wakes it once.
    pending: AtomicBool,
    waker: Waker,
}

impl Outbox {
    pub(crate) fn new(registry: &Registry, token: Token) -> io::Result<Self> {
        Ok(Self {
            commands: Mutex::default(),
            pending: AtomicBool::new(false),
            waker: Waker::new(registry, token)?,
        })
    }

    pub(crate) fn send(&self, command: Command) {
        self.commands
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(command);
        if !self.pending.swap(true, AcqRel) {
            // It fails only when the poll is gone, and with it everybody who would have listened.
            let _ = self.waker.wake();
        }
    }

    /// Takes all commands. The flag goes down first: a command that comes meanwhile wakes the thread again.
    pub(crate) fn take(&self) -> Vec<Command> {
        self.pending.store(false, Release);
        std::mem::take(&mut *self.commands.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
