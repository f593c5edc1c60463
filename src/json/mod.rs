//! JSON without Lua: text to a flat [`Tape`], and values to text.
//!
//! The IO thread makes the tape of a request's body ([`Document`]), so that the Lua thread only has to push it. The parser is
//! serde_json's; what is ours is the tape, which says how large every container is before its first member, and which keeps
//! every digit of an integer.

mod document;
mod error;
mod tape;
pub mod write;

pub use document::Document;
pub use error::JsonError;
pub use tape::{Node, Tape};

/// How deep arrays and objects may be nested. serde_json's own bound, which keeps its recursion and ours within any thread's
/// stack; what is encoded has the same, so that what comes in can go out.
pub const MAX_DEPTH: usize = 127;

/// The longest text that is parsed or written. Positions on the tape have 32 bits, and past this it is not a message any more.
pub const MAX_TEXT: usize = 256 * 1024 * 1024;
