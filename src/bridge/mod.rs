//! What crosses between the two threads, and nothing else does.
//!
//! ```text
//!   IO thread ── Inbox (exchanges, closed clients) ──> Lua thread
//!   IO thread <── Outbox (commands) ────────────────── Lua thread
//!             ── Signal (descriptor + flag) ─────────>
//! ```
//!
//! Both queues carry ids and owned bytes; neither side ever holds a reference into the other. The inbox is bounded by its
//! producer, which counts what waits ([`Inbox::waiting`]) and refuses past its limit; the outbox holds at most a few commands
//! for each exchange that the inbox delivered.

mod counters;
mod id;
mod inbox;
mod outbox;
mod signal;
mod site;
mod thread;
mod ticket;

pub(crate) use counters::{Counters, Refused};
pub(crate) use id::{ExchangeId, MAX_SLOTS};
pub(crate) use inbox::{Body, CloseReason, Exchange, Inbound, Inbox};
pub(crate) use outbox::{Command, Outbox};
pub(crate) use signal::Signal;
pub(crate) use site::{Found, Options, Routes, Site};
pub(crate) use thread::spawn_io_thread;
pub(crate) use ticket::Ticket;
