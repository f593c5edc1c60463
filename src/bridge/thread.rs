//! Starting the IO thread so that the host's signals stay the host's.

use std::io;
use std::mem::MaybeUninit;
use std::thread::{Builder, JoinHandle};

/// Starts `run` on a thread of its own that never takes a signal: a SIGINT delivered there would leave the host's thread
/// asleep in its wait, and a SIGPIPE would end the program.
pub(crate) fn spawn_io_thread(run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let before = block_signals();
    // A new thread inherits the mask, so there is no moment in which it could take one.
    let thread = Builder::new().name("moonport-io".into()).spawn(run);
    restore_signals(&before);
    thread
}

fn block_signals() -> libc::sigset_t {
    let mut all = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: `sigfillset` initialises `all`, `pthread_sigmask` initialises `before`; neither can fail with these arguments.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        before.assume_init()
    }
}

fn restore_signals(before: &libc::sigset_t) {
    // SAFETY: `before` is a mask that this thread had.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, std::ptr::null_mut()) };
}
