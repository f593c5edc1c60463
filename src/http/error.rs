//! Why something is not a request that we take.

use super::limits::EMPTY_LINES;

/// Each with the status that it is answered with; the connection is closed after it, since where the next request would begin
/// is anybody's guess.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
pub enum RequestError {
    /// Not a request line and header fields.
    #[error(
        "This is not an HTTP request: a request line and header fields were expected, after at most {EMPTY_LINES} empty lines."
    )]
    Syntax,
    /// A CR or LF that is not half of a CRLF.
    #[error("Every line of a request head must end with CR LF, and neither may stand alone.")]
    LineEnd,
    /// obs-fold.
    #[error("Header fields must not be folded over several lines.")]
    FoldedLine,
    /// Not HTTP/1.0 or HTTP/1.1.
    #[error("Only HTTP/1.1 and HTTP/1.0 are spoken here.")]
    Version,
    /// Not a target that is served.
    #[error("The request target is malformed: an absolute path with valid percent-encoding was expected.")]
    Target,
    /// Missing, repeated or not a host.
    #[error("Exactly one Host field with a valid host is needed.")]
    Host,
    /// Repeated, or not a number.
    #[error("The Content-Length must be one field with a decimal number.")]
    ContentLength,
    /// Which one counts would be anybody's guess.
    #[error("A request must not have both Content-Length and Transfer-Encoding.")]
    BothLengths,
    /// RFC 9112, 6.1.
    #[error("HTTP/1.0 has no Transfer-Encoding.")]
    ChunkedInHttp10,
    /// Anything but one `chunked`.
    #[error("The only transfer coding known here is chunked.")]
    TransferCoding,
    /// A chunk that does not look like one.
    #[error("The chunked body is malformed.")]
    Chunk,
    /// A chunk-size line or trailers past their bound.
    #[error("A line of the chunked body is too long.")]
    ChunkLine,
    /// More framing than content.
    #[error("The chunks of the body are too small for its size.")]
    TinyChunks,
    /// Only `100-continue` is known.
    #[error("The only expectation known here is 100-continue.")]
    Expectation,
    /// 414.
    #[error("The request target is longer than {limit} bytes.")]
    TargetTooLong {
        /// The bound in force.
        limit: usize,
    },
    /// 431.
    #[error("The request head is longer than {limit} bytes.")]
    HeadTooLarge {
        /// The bound in force.
        limit: usize,
    },
    /// 431.
    #[error("The request has too many header fields.")]
    TooManyHeaders,
    /// 413.
    #[error("The request body is larger than {limit} bytes.")]
    BodyTooLarge {
        /// The bound in force.
        limit: usize,
    },
}

impl RequestError {
    /// The status to answer with.
    pub fn status(&self) -> u16 {
        match self {
            Self::BodyTooLarge { .. } => 413,
            Self::TargetTooLong { .. } => 414,
            Self::Expectation => 417,
            Self::HeadTooLarge { .. } | Self::TooManyHeaders => 431,
            Self::TransferCoding => 501,
            Self::Version => 505,
            _ => 400,
        }
    }
}
