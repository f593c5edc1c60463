//! The wake-up descriptor: how the Lua thread learns that a dispatch has something to do, and how it sleeps until then.

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Acquire, Ordering::Release};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A flag with a descriptor that is readable exactly as long as the flag is up.
///
/// The flag makes the question "is there anything?" one atomic load; the descriptor lets any event loop of a host wait for it,
/// level-triggered. A pair of sockets and not an eventfd, because every platform has one, Windows too.
#[derive(Debug)]
pub(crate) struct Signal {
    raised: AtomicBool,
    /// Held while flag and descriptor change, so that they change together: a byte left behind by a raise that overlapped a
    /// lowering would keep a host's event loop spinning.
    changing: Mutex<()>,
    reader: UnixStream,
    writer: UnixStream,
}

impl Signal {
    pub(crate) fn new() -> io::Result<Self> {
        let (reader, writer) = UnixStream::pair()?;
        reader.set_nonblocking(true)?;
        writer.set_nonblocking(true)?;
        Ok(Self {
            raised: AtomicBool::new(false),
            changing: Mutex::new(()),
            reader,
            writer,
        })
    }

    /// Whether there is something to do: one atomic load.
    #[inline]
    pub(crate) fn is_raised(&self) -> bool {
        self.raised.load(Acquire)
    }

    /// Makes the descriptor readable. Any thread; one atomic load when it is already up.
    pub(crate) fn raise(&self) {
        if self.is_raised() {
            return;
        }
        let _changing = self.lock();
        if !self.raised.swap(true, AcqRel) {
            // The pair holds at most this one byte, so it is never full, and both ends live as long as we do.
            let _ = (&self.writer).write(&[1]);
        }
    }

    /// Takes the flag down. The caller must look at its queue *after* this: whatever was put there before a `raise` that found
    /// the flag up is then seen, and whatever comes later raises it again.
    pub(crate) fn lower(&self) {
        let _changing = self.lock();
        let mut byte = [0];
        let _ = (&self.reader).read(&mut byte);
        self.raised.store(false, Release);
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        // Nothing in between can panic, and there is no data behind the lock to be left half changed.
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The descriptor to watch for reading.
    pub(crate) fn fd(&self) -> RawFd {
        self.reader.as_raw_fd()
    }

    /// Sleeps until the flag is up, for at most `timeout` (`None`: for ever). Returns whether it is up.
    ///
    /// A signal to the process (Ctrl-C) ends the sleep early: the host's own handler must get to run, and in Lua it runs only
    /// between instructions. So the caller may get `false` before its time is over.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> bool {
        // A far deadline that does not fit the clock is as good as none.
        let deadline = timeout.and_then(|t| Instant::now().checked_add(t));
        loop {
            if self.is_raised() {
                return true;
            }
            let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
            match poll_readable(self.fd(), left) {
                // Not at its end: the poll's longest time was shorter than ours.
                Ok(false) if left.is_none_or(|l| !l.is_zero()) => {}
                Ok(_) | Err(_) => return self.is_raised(),
            }
        }
    }
}

/// Waits in `poll(2)` until `fd` is readable. `Ok(false)` is the end of the time, an error is mostly EINTR.
fn poll_readable(fd: RawFd, timeout: Option<Duration>) -> io::Result<bool> {
    let mut poll = libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    };
    let ready = poll_once(&mut poll, timeout);
    if ready < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(ready > 0)
    }
}

/// `ppoll` where there is one: its time is in nanoseconds, so that a frame loop is not rounded to milliseconds.
#[cfg(target_os = "linux")]
fn poll_once(poll: &mut libc::pollfd, timeout: Option<Duration>) -> libc::c_int {
    let time = timeout.map(|t| libc::timespec {
        tv_sec: t.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: t.subsec_nanos().into(),
    });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: one valid pollfd, a valid or null time, and no signal mask to change.
    unsafe { libc::ppoll(poll, 1, time, std::ptr::null()) }
}

#[cfg(not(target_os = "linux"))]
fn poll_once(poll: &mut libc::pollfd, timeout: Option<Duration>) -> libc::c_int {
    // Rounded up: rounding down would spin through the last millisecond.
    let millis = timeout.map_or(-1, |t| {
        t.as_nanos().div_ceil(1_000_000).try_into().unwrap_or(libc::c_int::MAX)
    });
    // SAFETY: one valid pollfd.
    unsafe { libc::poll(poll, 1, millis) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn readable(signal: &Signal) -> bool {
        poll_readable(signal.fd(), Some(Duration::ZERO)).unwrap()
    }

    #[test]
    fn the_descriptor_follows_the_flag() {
        let signal = Signal::new().unwrap();
        assert!(!signal.is_raised() && !readable(&signal));
        signal.raise();
        signal.raise();
        assert!(signal.is_raised() && readable(&signal));
        assert!(readable(&signal), "level-triggered: still readable when asked again");
        signal.lower();
        assert!(!signal.is_raised() && !readable(&signal));
    }

    #[test]
    fn waiting_ends_at_its_time_when_nothing_comes() {
        let signal = Signal::new().unwrap();
        let start = Instant::now();
        assert!(!signal.wait(Some(Duration::from_millis(20))));
        assert!(start.elapsed() >= Duration::from_millis(20), "gave up early");
    }

    #[test]
    fn a_raise_from_another_thread_wakes_a_wait_without_end() {
        let signal = Arc::new(Signal::new().unwrap());
        let other = signal.clone();
        let thread = std::thread::spawn(move || other.raise());
        assert!(signal.wait(None));
        thread.join().unwrap();
    }

    #[test]
    fn flag_and_descriptor_agree_whatever_overlaps() {
        let signal = Arc::new(Signal::new().unwrap());
        let other = signal.clone();
        let thread = std::thread::spawn(move || (0..20_000).for_each(|_| other.raise()));
        while !thread.is_finished() {
            signal.lower();
        }
        thread.join().unwrap();
        assert_eq!(signal.is_raised(), readable(&signal));
        signal.lower();
        assert!(!signal.is_raised() && !readable(&signal), "a byte was left behind");
    }
}
