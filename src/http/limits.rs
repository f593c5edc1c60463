//! How much of a request is taken: every bound is a named number with its reason.

/// The bounds that a server may set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request head, from its request line to its empty line. Past it: 431.
    pub head: usize,
    /// Header fields. Past it: 431.
    pub headers: usize,
    /// Bytes of a request target. Past it: 414.
    pub target: usize,
    /// Bytes of a body, without its framing. Past it: 413.
    pub body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Four times what browsers send with many cookies; servers commonly take 8 to 64 KiB.
            head: 32 * 1024,
            // Real clients send under 30.
            headers: 128,
            // RFC 9110, 4.1 asks for at least 8,000.
            target: 8 * 1024,
            // What the official MCP SDKs take.
            body: 4 * 1024 * 1024,
        }
    }
}

/// Bytes of a method. The longest registered one has 17, and no handler of ours has a longer one (RFC 9112, 3: 501
/// then).
pub const METHOD: usize = 32;

/// Bytes of a host: a DNS name has at most 253, and messages of ours repeat it.
pub const HOST: usize = 255;

/// Bytes of one chunk-size line, extensions and CRLF included: the size needs at most 16 digits, and nobody sends
/// extensions.
pub const CHUNK_LINE: usize = 256;

/// Bytes of the trailer section, which is read and thrown away (RFC 9112, 7.1.2).
pub const TRAILERS: usize = 4 * 1024;

/// Empty lines that may come before a request line: some clients end a body with one too many (RFC 9112, 2.2).
pub const EMPTY_LINES: usize = 4;

/// What the framing of a chunked body may cost beyond one byte of framing for each byte of content. A body in chunks of
/// one byte makes us read six bytes for each that counts; 16,000 such chunks in a row are more patience than any client
/// needs, and extensions and leading zeros are bounded by it too.
pub const CHUNK_OVERHEAD: usize = 64 * 1024;
