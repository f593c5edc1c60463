//! The engine of one Lua state: its queue, its IO thread while something listens, and its dispatch.
//!
//! It owns everything of ours that belongs to the state. Handlers and `on_close` functions belong to the Lua objects they were
//! given to (as user values, so that the collector sees them); the engine finds those objects through weak tables.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mlua::{AnyUserData, Function, Lua, Result, Table, Value};

use super::border::wrong;
use super::exchange::LuaExchange;
use super::options::Budget;
use super::server;
use crate::bridge::{CloseReason, Command, Exchange, ExchangeId, Inbound, Inbox, Outbox, Signal, spawn_io_thread};
use crate::io::Reactor;

/// How long the Lua thread waits for the IO thread to say that a site is closed. That thread never blocks, so this is only
/// there to make a bug a late answer and not a frozen program.
const CLOSE_PATIENCE: Duration = Duration::from_secs(2);

pub(crate) struct Engine {
    signal: Arc<Signal>,
    inbox: Arc<Inbox>,
    thread: RefCell<Option<IoThread>>,
    /// What dispatch has taken from the inbox and not run yet.
    backlog: RefCell<VecDeque<Inbound>>,
    dispatching: Cell<bool>,
    /// The clock that Lua sees starts here.
    epoch: Instant,
    /// When a sleeping call wants its dispatch.
    due: Cell<Option<Instant>>,
    sites: Cell<usize>,
    /// Site → server, weak.
    servers: Table,
    /// Exchange id → exchange, weak.
    exchanges: Table,
    /// Functions to run at the end of a dispatch, in the order they came.
    hooks: RefCell<Vec<(usize, Function)>>,
    next_hook: Cell<usize>,
}

/// The running IO thread and how many servers it serves.
struct IoThread {
    outbox: Arc<Outbox>,
    handle: JoinHandle<()>,
    listening: usize,
}

impl Engine {
    pub(crate) fn new(lua: &Lua) -> Result<Rc<Self>> {
        let signal = Arc::new(Signal::new().map_err(|e| wrong(format!("no wake-up descriptor: {e}")))?);
        Ok(Rc::new(Self {
            inbox: Arc::new(Inbox::new(signal.clone())),
            signal,
            thread: RefCell::default(),
            backlog: RefCell::default(),
            dispatching: Cell::new(false),
            epoch: Instant::now(),
            due: Cell::new(None),
            sites: Cell::new(0),
            servers: weak_values(lua)?,
            exchanges: weak_values(lua)?,
            hooks: RefCell::default(),
            next_hook: Cell::new(0),
        }))
    }

    pub(crate) fn signal(&self) -> &Arc<Signal> {
        &self.signal
    }

    /// Exchanges that no handler has begun with.
    pub(crate) fn waiting(&self) -> usize {
        self.inbox.waiting()
    }

    /// Seconds since this engine was made, of a clock that never goes back.
    pub(crate) fn now(&self) -> f64 {
        self.epoch.elapsed().as_secs_f64()
    }

    /// Sleeps until a dispatch has something to do, at most for `timeout`. See [`Signal::wait`].
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> bool {
        let due = self.due.get().map(|due| due.saturating_duration_since(Instant::now()));
        let ready = self.signal.wait([timeout, due].into_iter().flatten().min());
        // The IO thread raises the signal at a due time, but there may be none, and this is earlier.
        if !ready && self.is_due() {
            self.signal.raise();
        }
        self.signal.is_raised()
    }

    /// Makes dispatch run its hooks at `seconds` of [`now`](Self::now), and the descriptor readable then. The earliest counts.
    pub(crate) fn wake_at(&self, seconds: f64) {
        let at = self.epoch + Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX / 4);
        if self.due.get().is_some_and(|due| due <= at) {
            return;
        }
        self.due.set(Some(at));
        if self.is_due() {
            self.signal.raise();
        } else {
            self.send(Command::Alarm(at));
        }
    }

    fn is_due(&self) -> bool {
        self.due.get().is_some_and(|due| due <= Instant::now())
    }

    /// Runs `hook` at the end of every dispatch that had something to do. Returns the number to take it back with.
    pub(crate) fn add_hook(&self, hook: Function) -> usize {
        let number = self.next_hook.get();
        self.next_hook.set(number + 1);
        self.hooks.borrow_mut().push((number, hook));
        number
    }

    pub(crate) fn remove_hook(&self, number: usize) {
        self.hooks.borrow_mut().retain(|(n, _)| *n != number);
    }

    pub(crate) fn is_dispatching(&self) -> bool {
        self.dispatching.get()
    }

    /// Runs the handlers of what waits, within `budget`. Returns how many exchanges were handled and how many are left.
    ///
    /// # Errors
    /// When called from inside a handler or a hook: the outer dispatch is in the middle of its work.
    pub(crate) fn dispatch(self: &Rc<Self>, lua: &Lua, budget: &Budget) -> Result<(usize, usize)> {
        if !self.signal.is_raised() {
            return Ok((0, 0));
        }
        if self.dispatching.replace(true) {
            return Err(wrong(
                "dispatch was called from inside dispatch: a handler or a hook must not pump its own server",
            ));
        }
        let _done = Reset(&self.dispatching);
        self.signal.lower();
        self.inbox.take(&mut self.backlog.borrow_mut());
        let handled = self.run_backlog(lua, budget);
        if self.is_due() {
            self.due.set(None);
        }
        self.run_hooks();
        let left = self.backlog.borrow().len();
        if left > 0 {
            self.signal.raise();
        }
        Ok((handled?, left))
    }

    fn run_backlog(self: &Rc<Self>, lua: &Lua, budget: &Budget) -> Result<usize> {
        let deadline = budget.time.map(|time| Instant::now() + time);
        let at_entry = self.backlog.borrow().len();
        let mut handled = 0;
        for _ in 0..at_entry {
            let spent = budget.calls.is_some_and(|most| handled >= most)
                || handled > 0 && deadline.is_some_and(|d| Instant::now() >= d);
            if spent {
                break;
            }
            let Some(next) = self.backlog.borrow_mut().pop_front() else {
                break;
            };
            match next {
                Inbound::Exchange(exchange) => handled += usize::from(self.handle(lua, exchange)?),
                Inbound::Closed(id, reason) => self.tell_closed(lua, id, reason)?,
            }
        }
        Ok(handled)
    }

    /// Runs the handler of one exchange. False if the IO thread has taken it back, or its server is gone.
    fn handle(self: &Rc<Self>, lua: &Lua, exchange: Box<Exchange>) -> Result<bool> {
        if !exchange.ticket.pick(Instant::now()) {
            return Ok(false);
        }
        self.inbox.count_out();
        let Some(server) = self.servers.raw_get::<Option<AnyUserData>>(exchange.site)? else {
            return Ok(false);
        };
        let (id, handler) = (exchange.id, exchange.handler);
        let object = lua.create_userdata(LuaExchange::new(self.clone(), exchange))?;
        self.exchanges.raw_set(id.number(), &object)?;
        let outcome = server::handler(&server, handler)?.call::<Value>(&object);
        if let Err(error) = LuaExchange::finish(&object, outcome) {
            server::report(&server, &error);
        }
        Ok(true)
    }

    fn tell_closed(&self, lua: &Lua, id: ExchangeId, reason: CloseReason) -> Result<()> {
        let Some(object) = self.exchanges.raw_get::<Option<AnyUserData>>(id.number())? else {
            return Ok(());
        };
        self.exchanges.raw_set(id.number(), mlua::Nil)?;
        LuaExchange::tell_closed(lua, &object, reason, report_to_stderr)
    }

    /// The exchange was answered: nobody asks for it by its id any more.
    pub(crate) fn forget(&self, id: ExchangeId) {
        // It fails only for want of memory, and then the weak table lets go of it anyway.
        let _ = self.exchanges.raw_set(id.number(), mlua::Nil);
    }

    fn run_hooks(&self) {
        // A hook may take itself or others back.
        let hooks: Vec<Function> = self.hooks.borrow().iter().map(|(_, hook)| hook.clone()).collect();
        for hook in hooks {
            if let Err(error) = hook.call::<()>(()) {
                report_to_stderr(&error);
            }
        }
    }

    /// Gives the IO thread something to do; nobody minds if there is none, since then nothing is open.
    pub(crate) fn send(&self, command: Command) {
        if let Some(thread) = &*self.thread.borrow() {
            thread.outbox.send(command);
        }
    }

    /// A number for a new site.
    pub(crate) fn new_site(&self) -> usize {
        self.sites.set(self.sites.get() + 1);
        self.sites.get()
    }

    /// A server begins to listen: `serve` is carried out by the IO thread, which is started if this is the first.
    pub(crate) fn begin(&self, site: usize, server: &AnyUserData, serve: Command) -> Result<()> {
        self.servers.raw_set(site, server)?;
        let mut thread = self.thread.borrow_mut();
        if thread.is_none() {
            let started = self
                .start()
                .map_err(|e| wrong(format!("the IO thread cannot be started: {e}")))?;
            if let Some(due) = self.due.get() {
                started.outbox.send(Command::Alarm(due));
            }
            *thread = Some(started);
        }
        if let Some(thread) = &mut *thread {
            thread.listening += 1;
            thread.outbox.send(serve);
        }
        Ok(())
    }

    fn start(&self) -> io::Result<IoThread> {
        let reactor = Reactor::new(self.inbox.clone(), self.signal.clone())?;
        let outbox = reactor.outbox();
        let handle = spawn_io_thread(move || reactor.run())?;
        Ok(IoThread {
            outbox,
            handle,
            listening: 0,
        })
    }

    /// A server is done: its port is free when this returns, and its last exchanges are in the inbox as closed. The thread ends
    /// with the last one. Calls no Lua, so that finalizers can use it.
    pub(crate) fn end(&self, site: usize) {
        let (done, closed) = mpsc::channel();
        self.send(Command::Close(site, done));
        let _ = closed.recv_timeout(CLOSE_PATIENCE);
        let mut thread = self.thread.borrow_mut();
        if let Some(running) = &mut *thread {
            running.listening -= 1;
            if running.listening == 0
                && let Some(last) = thread.take()
            {
                last.join();
            }
        }
    }
}

impl IoThread {
    fn join(self) {
        self.outbox.send(Command::Exit);
        // It can only have panicked, and then it said so on stderr.
        let _ = self.handle.join();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

/// Takes a flag down again, however the scope is left.
struct Reset<'a>(&'a Cell<bool>);

impl Drop for Reset<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// Where an error goes that has no better place: one of our own callbacks must never take the host's loop down.
pub(crate) fn report_to_stderr(error: &mlua::Error) {
    eprintln!("moonport: {error}");
}

fn weak_values(lua: &Lua) -> Result<Table> {
    let (table, meta) = (lua.create_table()?, lua.create_table()?);
    meta.raw_set("__mode", "v")?;
    table.set_metatable(Some(meta))?;
    Ok(table)
}
