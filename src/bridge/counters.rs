//! What happened to one server since it began to listen. Written by the IO thread, read by `status()`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// Counts that only grow, but for the gauges, which follow what is open now.
pub(crate) struct Counters {
    /// Gauge: open connections.
    pub(crate) connections: Count,
    /// Gauge: exchanges handed over and not answered.
    pub(crate) open_exchanges: Count,
    pub(crate) requests: Count,
    pub(crate) bytes_in: Count,
    pub(crate) bytes_out: Count,
    /// Replies to exchanges whose client was gone.
    pub(crate) dropped_replies: Count,
    pub(crate) accept_errors: Count,
    /// Connections closed because our own code panicked on them.
    pub(crate) panics: Count,
    /// Draining has come to its end: nobody is owed an answer.
    drained: AtomicBool,
    refused: [Count; Refused::ALL.len()],
    /// By status, from 100.
    responses: [Count; 500],
}

/// One number.
#[derive(Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self, n: u64) {
        self.0.fetch_add(n, Relaxed);
    }

    pub(crate) fn sub(&self, n: u64) {
        self.0.fetch_sub(n, Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Why the IO thread answered by itself, or hung up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    Host,
    Origin,
    Token,
    NotFound,
    Method,
    Malformed,
    TooLarge,
    QueueFull,
    PickupTimeout,
    AnswerTimeout,
    Connections,
    Timeout,
}

impl Refused {
    /// Each with the key that `status().refused` has for it.
    pub(crate) const ALL: [(Self, &'static str); 12] = [
        (Self::Host, "host"),
        (Self::Origin, "origin"),
        (Self::Token, "token"),
        (Self::NotFound, "not_found"),
        (Self::Method, "method"),
        (Self::Malformed, "malformed"),
        (Self::TooLarge, "too_large"),
        (Self::QueueFull, "queue_full"),
        (Self::PickupTimeout, "pickup_timeout"),
        (Self::AnswerTimeout, "answer_timeout"),
        (Self::Connections, "connections"),
        (Self::Timeout, "timeout"),
    ];
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            connections: Count::default(),
            open_exchanges: Count::default(),
            requests: Count::default(),
            bytes_in: Count::default(),
            bytes_out: Count::default(),
            dropped_replies: Count::default(),
            accept_errors: Count::default(),
            panics: Count::default(),
            drained: AtomicBool::new(false),
            refused: Default::default(),
            responses: std::array::from_fn(|_| Count::default()),
        }
    }
}

impl Counters {
    pub(crate) fn set_drained(&self) {
        self.drained.store(true, Release);
    }

    pub(crate) fn drained(&self) -> bool {
        self.drained.load(Acquire)
    }

    pub(crate) fn refuse(&self, why: Refused) {
        self.refused[why as usize].add(1);
    }

    pub(crate) fn refused(&self, why: Refused) -> u64 {
        self.refused[why as usize].get()
    }

    pub(crate) fn respond(&self, status: u16) {
        if let Some(count) = self.responses.get(usize::from(status).wrapping_sub(100)) {
            count.add(1);
        }
    }

    /// The statuses that were sent at least once, with how often.
    pub(crate) fn responses(&self) -> impl Iterator<Item = (u16, u64)> {
        (100..)
            .zip(&self.responses)
            .map(|(status, count)| (status, count.get()))
            .filter(|(_, n)| *n > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_has_its_own_place() {
        let counters = Counters::default();
        for (i, (why, name)) in Refused::ALL.into_iter().enumerate() {
            assert_eq!(why as usize, i, "{name}");
            counters.refuse(why);
            assert_eq!(counters.refused(why), 1, "{name}");
        }
    }

    #[test]
    fn statuses_are_counted_and_junk_is_not() {
        let counters = Counters::default();
        for status in [200, 200, 404, 99, 600] {
            counters.respond(status);
        }
        assert_eq!(counters.responses().collect::<Vec<_>>(), [(200, 2), (404, 1)]);
    }
}
