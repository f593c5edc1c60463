//! HTTP/1.1 for a server, as functions over bytes: no socket, no clock, no Lua, nothing of MCP.
//!
//! [`RequestReader`] turns the bytes of a connection into requests, [`Guard`] says who may ask, and [`Response`] turns an
//! answer into bytes. What two readers of the same bytes could understand differently is refused (RFC 9112, 11.2), and every
//! size has a bound in [`limits`].
//!
//! ```text
//!   ┌────────────────────────── next() ──────────────────────────┐
//!   ▼                                                            │
//! Idle ── a byte ──> Head ── Step::Head ──> Body ── Step::End ──> Done
//!                      │                     │ └─ Step::Body ─┐
//!                      └── RequestError ─────┴──> (close)     └─ ↺
//! ```
//!
//! A connection that gets its bytes one at a time:
//!
//! ```
//! use moonport_core::http::{Limits, Phase, RequestReader, Step};
//!
//! let wire = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi";
//! let mut reader = RequestReader::new(Limits::default());
//! let (mut input, mut body, mut heads) = (Vec::new(), Vec::new(), 0);
//! for byte in wire {
//!     input.push(*byte);
//!     loop {
//!         let (used, step) = reader.advance(&input)?;
//!         let more = step != Step::NeedMore;
//!         match step {
//!             Step::NeedMore => {}
//!             Step::Head(head) => {
//!                 assert_eq!(head.path, "/mcp");
//!                 heads += 1;
//!             }
//!             Step::Body(bytes) => body.extend_from_slice(bytes),
//!             Step::End => assert_eq!(body, b"hi"),
//!         }
//!         input.drain(..used);
//!         if !more {
//!             break;
//!         }
//!     }
//! }
//! assert_eq!((heads, reader.phase()), (1, Phase::Done));
//! # Ok::<(), moonport_core::http::RequestError>(())
//! ```

mod body;
mod error;
mod guard;
mod head;
pub mod limits;
mod request;
mod response;
mod target;

pub use error::RequestError;
pub use guard::{Guard, GuardError, GuardOptions, Refusal, Verdict};
pub use head::{Framing, Head, Headers, Version};
pub use limits::Limits;
pub use request::{Phase, RequestReader, Step};
pub use response::{CONTINUE, Frame, Response, ResponseError};
