//! The number that stands for one exchange on both sides.

use std::fmt;

/// Names one exchange of one engine: the connection's slot and a serial number, so that a reply that comes too late finds a
/// slot with another serial and is dropped, never another client's connection.
///
/// It fits a Lua number exactly: 16 bits of slot, 37 of serial, which at a million exchanges a second lasts for 38 hours and
/// at any honest rate for the life of the process; it then starts again at 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ExchangeId(u64);

const SLOT_BITS: u32 = 16;
const SERIAL_MASK: u64 = (1 << 37) - 1;

/// The slots an id can name, and so the most connections that one engine can hold.
pub(crate) const MAX_SLOTS: usize = 1 << SLOT_BITS;

impl ExchangeId {
    /// The id of exchange number `serial` on the connection in `slot`.
    pub(crate) fn new(slot: usize, serial: u64) -> Self {
        debug_assert!(slot < MAX_SLOTS);
        Self(((serial & SERIAL_MASK) << SLOT_BITS) | slot as u64)
    }

    pub(crate) fn slot(self) -> usize {
        (self.0 as usize) & (MAX_SLOTS - 1)
    }

    /// The number that Lua sees, below 2^53.
    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for ExchangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_exact_as_a_double() {
        let last = ExchangeId::new(MAX_SLOTS - 1, SERIAL_MASK).number();
        assert!(last < 1 << 53);
        assert_eq!(last as f64 as u64, last);
    }

    #[test]
    fn the_slot_comes_back_and_the_serial_tells_two_uses_apart() {
        let (a, b) = (ExchangeId::new(7, 1), ExchangeId::new(7, 2));
        assert_eq!((a.slot(), b.slot()), (7, 7));
        assert_ne!(a, b);
    }
}
