//! The IO thread: one poll, one loop, one state per connection.
//!
//! It owns every socket and never touches Lua. It keeps its promises while the Lua thread is busy: it accepts, reads, refuses
//! what is malformed, foreign, oversized or slow, and answers for a program that does not dispatch. Between events it sleeps;
//! with no deadline due there is no tick.

mod connection;
mod decide;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};
use slab::Slab;

use crate::bridge::{CloseReason, Command, ExchangeId, Inbound, Inbox, MAX_SLOTS, Outbox, Refused, Signal, Site};
use crate::http::{Frame, Response, Version};
use connection::{CHUNK, Connection, Context, Fate, busy};

const WAKER: Token = Token(0);
/// How long accepting pauses when the process has no descriptor left: the listener's edge is spent, so we have to come back.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A site's token is odd, a connection's even; the waker has 0.
fn site_token(id: usize) -> Token {
    Token(id * 2 + 1)
}

fn connection_token(slot: usize) -> Token {
    Token(slot * 2 + 2)
}

/// The loop and all it owns.
pub(crate) struct Reactor {
    poll: Poll,
    inbox: Arc<Inbox>,
    outbox: Arc<Outbox>,
    signal: Arc<Signal>,
    sites: BTreeMap<usize, Open>,
    connections: Slab<Connection>,
    /// What this turn of the loop brought for the Lua thread.
    batch: VecDeque<Inbound>,
    /// Connections that had more to read when their turn was over.
    again: Vec<usize>,
    /// When to raise the signal for a sleeping call.
    alarm: Option<Instant>,
    /// No deadline is earlier than this; it may be stale, then the look that follows corrects it.
    next_deadline: Option<Instant>,
    serial: u64,
    scratch: Box<[u8; CHUNK]>,
}

/// A site that is being served.
struct Open {
    site: Site,
    /// `None` while draining: nothing more is accepted, and connections end with their present exchange.
    listener: Option<TcpListener>,
    /// Accepting goes on at this time.
    accept_again: Option<Instant>,
}

impl Reactor {
    /// Makes the poll and the way to command it; [`run`](Self::run) is for the new thread.
    pub(crate) fn new(inbox: Arc<Inbox>, signal: Arc<Signal>) -> io::Result<Self> {
        let poll = Poll::new()?;
        let outbox = Arc::new(Outbox::new(poll.registry(), WAKER)?);
        Ok(Self {
            poll,
            inbox,
            outbox,
            signal,
            sites: BTreeMap::new(),
            connections: Slab::new(),
            batch: VecDeque::new(),
            again: Vec::new(),
            alarm: None,
            next_deadline: None,
            serial: 0,
            scratch: Box::new([0; CHUNK]),
        })
    }

    /// How the Lua thread reaches this loop.
    pub(crate) fn outbox(&self) -> Arc<Outbox> {
        self.outbox.clone()
    }

    /// Serves until [`Command::Exit`].
    pub(crate) fn run(mut self) {
        let mut events = Events::with_capacity(256);
        loop {
            if let Err(e) = self.poll.poll(&mut events, self.timeout())
                && e.kind() != ErrorKind::Interrupted
            {
                // There is no poll without its descriptor, and nobody closes that but us.
                return;
            }
            for slot in std::mem::take(&mut self.again) {
                self.turn(slot);
            }
            for event in &events {
                match event.token() {
                    WAKER => {}
                    Token(t) if t % 2 == 1 => self.accept(t / 2),
                    Token(t) => self.turn(t / 2 - 1),
                }
            }
            if self.obey() {
                return;
            }
            self.look_at_the_clock();
            self.inbox.hand_over(&mut self.batch);
            self.note_drained();
        }
    }

    /// How long the poll may sleep: not at all if somebody is in the middle of reading, for ever if nothing is due.
    fn timeout(&self) -> Option<Duration> {
        if !self.again.is_empty() {
            return Some(Duration::ZERO);
        }
        let due = [self.next_deadline, self.alarm].into_iter().flatten().min()?;
        Some(due.saturating_duration_since(Instant::now()))
    }

    /// Carries out what the Lua thread wants. True: return from the thread.
    fn obey(&mut self) -> bool {
        for command in self.outbox.take() {
            match command {
                Command::Serve(site, listener) => self.serve(*site, listener),
                Command::Reply { site, id, response } => self.reply(site, id, &response),
                Command::Drain(site) => self.drain(site),
                Command::Close(site, done) => {
                    self.close_site(site);
                    // Its last words must be in the inbox before the Lua thread looks there.
                    self.inbox.hand_over(&mut self.batch);
                    // Nobody listens when a finalizer did this: that one does not wait.
                    let _ = done.send(());
                }
                Command::Alarm(at) => self.alarm = Some(at),
                Command::Exit => return true,
            }
        }
        false
    }

    fn serve(&mut self, site: Site, mut listener: TcpListener) {
        let id = site.id;
        // It fails only when the kernel has no memory for one more watch; then nothing could be served at all.
        if self
            .poll
            .registry()
            .register(&mut listener, site_token(id), Interest::READABLE)
            .is_ok()
        {
            self.sites.insert(
                id,
                Open {
                    site,
                    listener: Some(listener),
                    accept_again: None,
                },
            );
            self.accept(id);
        }
    }

    fn reply(&mut self, site: usize, id: ExchangeId, response: &Response) {
        let answered = self.with(id.slot(), |connection, cx| connection.reply(id, response, cx));
        if answered == Some(true) {
            self.turn(id.slot());
        } else if let Some(open) = self.sites.get(&site) {
            open.site.counters.dropped_replies.add(1);
        }
    }

    fn accept(&mut self, id: usize) {
        loop {
            let Some(open) = self.sites.get_mut(&id) else { return };
            open.accept_again = None;
            let Some(listener) = &open.listener else { return };
            match listener.accept() {
                Ok((socket, remote)) => self.welcome(id, socket, remote),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                // The client was gone before we came; the next one may be there.
                Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => {}
                Err(_) => {
                    open.site.counters.accept_errors.add(1);
                    let at = Instant::now() + ACCEPT_PAUSE;
                    open.accept_again = Some(at);
                    self.expect(at);
                    return;
                }
            }
        }
    }

    /// Takes a new connection in, at the cost of the one that has been idle longest if there are too many.
    fn welcome(&mut self, id: usize, mut socket: TcpStream, remote: SocketAddr) {
        let Some(open) = self.sites.get(&id) else { return };
        let counters = open.site.counters.clone();
        let full = counters.connections.get() >= open.site.options.max_connections as u64
            || self.connections.len() >= MAX_SLOTS;
        if full && !self.close_longest_idle(id) {
            counters.refuse(Refused::Connections);
            return turn_away(&socket);
        }
        // Without this every answer waits for the client's delayed acknowledgement.
        let _ = socket.set_nodelay(true);
        let Some(open) = self.sites.get(&id) else { return };
        let entry = self.connections.vacant_entry();
        let slot = entry.key();
        let both = Interest::READABLE | Interest::WRITABLE;
        if self
            .poll
            .registry()
            .register(&mut socket, connection_token(slot), both)
            .is_err()
        {
            counters.accept_errors.add(1);
            return;
        }
        counters.connections.add(1);
        entry.insert(Connection::new(socket, remote, &open.site, Instant::now()));
        self.turn(slot);
    }

    /// False if no connection of this site is idle.
    fn close_longest_idle(&mut self, site: usize) -> bool {
        let idle = self.connections.iter().filter(|(_, c)| c.site() == site && c.is_idle());
        let longest = idle.min_by_key(|(_, c)| c.deadline()).map(|(slot, _)| slot);
        if let Some(slot) = longest {
            self.close(slot, CloseReason::Fin);
        }
        longest.is_some()
    }

    /// Gives a connection its turn, and does what came of it.
    fn turn(&mut self, slot: usize) {
        if let Some(fate) = self.with(slot, Connection::turn) {
            self.settle(slot, fate);
        }
    }

    fn settle(&mut self, slot: usize, fate: Fate) {
        match fate {
            Fate::Keep => {}
            Fate::Again => self.again.push(slot),
            Fate::Close(reason) => return self.close(slot, reason),
        }
        if let Some(connection) = self.connections.get(slot) {
            let deadline = connection.deadline();
            self.expect(deadline);
        }
    }

    /// Runs `work` on a connection; a panic in it costs that connection and nobody else. `None`: there is no such connection.
    fn with<R>(&mut self, slot: usize, work: impl FnOnce(&mut Connection, &mut Context) -> R) -> Option<R> {
        let connection = self.connections.get_mut(slot)?;
        let open = self.sites.get(&connection.site())?;
        let mut cx = Context {
            site: &open.site,
            draining: open.listener.is_none(),
            inbox: &self.inbox,
            batch: &mut self.batch,
            scratch: &mut self.scratch,
            slot,
            serial: &mut self.serial,
            now: Instant::now(),
        };
        match catch_unwind(AssertUnwindSafe(|| work(connection, &mut cx))) {
            Ok(result) => Some(result),
            Err(_) => {
                open.site.counters.panics.add(1);
                connection.closed(CloseReason::Reset, &mut cx);
                self.forget(slot);
                None
            }
        }
    }

    fn close(&mut self, slot: usize, reason: CloseReason) {
        self.with(slot, |connection, cx| connection.closed(reason, cx));
        self.forget(slot);
    }

    /// Closes the socket.
    fn forget(&mut self, slot: usize) {
        if let Some(mut connection) = self.connections.try_remove(slot) {
            let _ = self.poll.registry().deregister(connection.socket());
            if let Some(open) = self.sites.get(&connection.site()) {
                open.site.counters.connections.sub(1);
            }
        }
    }

    fn slots_of(&self, site: usize) -> Vec<usize> {
        self.connections
            .iter()
            .filter(|(_, c)| c.site() == site)
            .map(|(slot, _)| slot)
            .collect()
    }

    fn drain(&mut self, id: usize) {
        let Some(open) = self.sites.get_mut(&id) else { return };
        // Dropping it frees the port and refuses whoever comes.
        open.listener = None;
        open.accept_again = None;
        for slot in self.slots_of(id) {
            if self.connections.get(slot).is_some_and(Connection::is_idle) {
                self.close(slot, CloseReason::Stopped);
            }
        }
    }

    /// Wakes the `stop` that waits until nobody is owed an answer.
    fn note_drained(&self) {
        for (id, open) in self
            .sites
            .iter()
            .filter(|(_, open)| open.listener.is_none() && !open.site.counters.drained())
        {
            if !self.connections.iter().any(|(_, c)| c.site() == *id && c.owes()) {
                open.site.counters.set_drained();
                self.signal.raise();
            }
        }
    }

    fn close_site(&mut self, id: usize) {
        for slot in self.slots_of(id) {
            self.close(slot, CloseReason::Stopped);
        }
        self.sites.remove(&id);
    }

    fn expect(&mut self, deadline: Instant) {
        self.next_deadline = Some(self.next_deadline.map_or(deadline, |d| d.min(deadline)));
    }

    /// Does what is due, if anything can be.
    fn look_at_the_clock(&mut self) {
        let now = Instant::now();
        if self.alarm.is_some_and(|at| at <= now) {
            self.alarm = None;
            self.signal.raise();
        }
        if self.next_deadline.is_none_or(|at| at > now) {
            return;
        }
        self.next_deadline = None;
        let due: Vec<usize> = self
            .connections
            .iter()
            .filter(|(_, c)| c.deadline() <= now)
            .map(|(slot, _)| slot)
            .collect();
        for slot in due {
            match self.with(slot, Connection::expire) {
                Some(Fate::Close(reason)) => self.close(slot, reason),
                Some(_) => self.turn(slot),
                None => {}
            }
        }
        let paused: Vec<usize> = self
            .sites
            .iter()
            .filter(|(_, o)| o.accept_again.is_some_and(|at| at <= now))
            .map(|(id, _)| *id)
            .collect();
        for id in paused {
            self.accept(id);
        }
        let deadlines = self.connections.iter().map(|(_, c)| c.deadline());
        self.next_deadline = deadlines
            .chain(self.sites.values().filter_map(|o| o.accept_again))
            .min();
    }
}

/// Tells a client that there is no room, as well as can be done without keeping it.
fn turn_away(mut socket: &TcpStream) {
    let mut out = Vec::new();
    let date = httpdate::fmt_http_date(SystemTime::now());
    let frame = Frame {
        version: Version::Http11,
        head_only: false,
        close: true,
        date: &date,
        extra: &[],
    };
    busy("Too many connections are open.").encode(&frame, &mut out);
    let _ = socket.write(&out);
}
