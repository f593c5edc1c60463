//! Who has an exchange: it waits, or the Lua thread picked it up, or the IO thread took it back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::AcqRel, Ordering::Acquire};
use std::time::{Duration, Instant};

/// Decides, once and for both threads, whether an exchange is handled by Lua or answered by the IO thread because no dispatch
/// came for it in time.
///
/// ```text
/// waiting ──pick──> picked at t
///         └─withdraw─> withdrawn
/// ```
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    state: Arc<AtomicU64>,
    made: Instant,
}

const WAITING: u64 = 0;
const WITHDRAWN: u64 = u64::MAX;

impl Ticket {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            state: Arc::new(AtomicU64::new(WAITING)),
            made: now,
        }
    }

    /// The Lua thread takes the exchange. False if it was withdrawn: then nobody must touch it.
    pub(crate) fn pick(&self, now: Instant) -> bool {
        // 0 means waiting, so the first nanosecond counts as 1.
        let at = (now.saturating_duration_since(self.made).as_nanos() as u64).clamp(1, WITHDRAWN - 1);
        self.state.compare_exchange(WAITING, at, AcqRel, Acquire).is_ok()
    }

    /// The IO thread takes the exchange back, or learns when it was picked up.
    pub(crate) fn withdraw(&self) -> Result<(), Instant> {
        match self.state.compare_exchange(WAITING, WITHDRAWN, AcqRel, Acquire) {
            Ok(_) => Ok(()),
            Err(at) => Err(self.made + Duration::from_nanos(if at == WITHDRAWN { 0 } else { at })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_side_gets_it() {
        let now = Instant::now();
        let (a, b) = (Ticket::new(now), Ticket::new(now));
        assert!(a.pick(now));
        assert!(!a.pick(now), "picked twice");
        assert_eq!(a.withdraw(), Err(now + Duration::from_nanos(1)));
        assert_eq!(b.withdraw(), Ok(()));
        assert!(!b.pick(now), "picked after it was withdrawn");
    }

    #[test]
    fn withdrawing_late_tells_when_it_was_picked() {
        let made = Instant::now();
        let ticket = Ticket::new(made);
        let picked = made + Duration::from_secs(3);
        assert!(ticket.pick(picked));
        assert_eq!(ticket.withdraw(), Err(picked));
    }
}
