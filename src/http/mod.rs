//! HTTP/1.1 for a server, as functions over bytes: no socket, no clock, no Lua, nothing of MCP.
//!
//! [`RequestReader`] turns the bytes of a connection into requests, [`Guard`] says who may ask, and [`Response`] turns
//! an answer into bytes. What two readers of the same bytes could understand differently is refused (RFC 9112, 11.2),
//! and every size has a bound in [`limits`].
//!
//! ```text
//!   ┌────────────────────────── next() ───────────────────────────┐
//!   ▼                                                             │
//! Idle ─ a byte ─> Head ─ Step::Head ─> Body ──── Step::End ───> Done
//!   │                │                  │  ▲ │                    ▲
//!   │                │                  │  └─┘ Step::Body         │
//!   └────────────────┴── RequestError ──┴─────────────────────────┘
//! ```
//!
//! After a [`RequestError`] there is no next request: it is answered with its status and `Connection: close`.
//!
//! Two requests on one connection, whose bytes come one at a time:
//!
//! ```
//! use moonport_core::http::{Framing, Limits, Phase, RequestReader, Step};
//!
//! let mut reader = RequestReader::new(Limits::default());
//! // What has come and is not consumed yet: the reader keeps nothing.
//! let mut input = Vec::new();
//! let mut feed = |reader: &mut RequestReader, wire: &[u8]| {
//!     let mut seen = String::new();
//!     for byte in wire {
//!         input.push(*byte);
//!         loop {
//!             let (used, step) = reader.advance(&input)?;
//!             match step {
//!                 Step::NeedMore => {
//!                     input.drain(..used);
//!                     break;
//!                 }
//!                 Step::Head(head) => seen += &format!("{} {} {:?} ", head.method, head.path, head.framing),
//!                 Step::Body(bytes) => seen += &String::from_utf8_lossy(bytes),
//!                 Step::End => seen += " end",
//!             }
//!             input.drain(..used);
//!         }
//!     }
//!     Ok::<_, moonport_core::http::RequestError>(seen)
//! };
//!
//! // An empty line may come before a request, and is none.
//! feed(&mut reader, b"\r\n")?;
//! assert_eq!(reader.phase(), Phase::Idle);
//! feed(&mut reader, b"POST /m%63p?a=b HTTP/1.1\r\nHost: localhost\r\n")?;
//! assert_eq!(reader.phase(), Phase::Head);
//! assert_eq!(feed(&mut reader, b"Content-Length: 5\r\n\r\n")?, "POST /mcp Length(5) ");
//! assert_eq!(reader.phase(), Phase::Body);
//! assert_eq!(feed(&mut reader, b"hello")?, "hello end");
//! assert_eq!(reader.phase(), Phase::Done);
//!
//! // Nothing of the next request is looked at before it is asked for.
//! reader.next();
//! assert_eq!(reader.phase(), Phase::Idle);
//! let chunked = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
//! assert_eq!(feed(&mut reader, chunked)?, "POST / Chunked hi end");
//!
//! // What is no request is refused at the byte that shows it.
//! reader.next();
//! let error = feed(&mut reader, b"GET / HTTP/1.1\nHost: localhost\n\n").unwrap_err();
//! assert_eq!((error.status(), reader.phase()), (400, Phase::Done));
//! # Ok::<(), moonport_core::http::RequestError>(())
//! ```

mod authority;
mod body;
mod error;
mod framing;
mod guard;
mod head;
mod headers;
pub mod limits;
mod request;
mod response;
mod scan;
mod syntax;
mod target;

#[cfg(test)]
mod tests;

pub use error::RequestError;
pub use framing::Framing;
pub use guard::{Guard, GuardError, GuardOptions, Refusal, Verdict};
pub use head::{Head, Version};
pub use headers::Headers;
pub use limits::Limits;
pub use request::{Phase, RequestReader, Step};
pub use response::{CONTINUE, Frame, Response, ResponseError};
