//! Why something is not a request that we take.

use super::limits::{CHUNK_LINE, EMPTY_LINES, METHOD, TRAILERS};

/// Each with the status that it is answered with. The connection is closed after it, since where the next request would
/// begin is anybody's guess. The sentences hold nothing that the client sent.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
pub enum RequestError {
    /// Not a method, a target and a version.
    #[error("This is not an HTTP request: a method, a target and a version with one blank between were expected.")]
    RequestLine,
    /// Nothing but line ends.
    #[error("A request line was expected, after at most {EMPTY_LINES} empty lines.")]
    EmptyLines,
    /// No method is that long (RFC 9112, 3).
    #[error("A method longer than {METHOD} bytes is not known here.")]
    MethodTooLong,
    /// Not HTTP/1.0 or HTTP/1.1.
    #[error("Only HTTP/1.1 and HTTP/1.0 are spoken here.")]
    Version,
    /// A CR or LF that is not half of a CRLF.
    #[error("Every line of a request must end with CR LF, and neither may stand alone.")]
    LineEnd,
    /// obs-fold, or a blank before the first field.
    #[error("No header field may begin with a blank: fields are not folded over several lines.")]
    FoldedLine,
    /// Not a name, a colon and a value.
    #[error(
        "A header field must be a name, a colon and a value, without a blank before the colon or a control character."
    )]
    Field,
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
    /// Where the body ends cannot be known (RFC 9112, 6.3).
    #[error("A Transfer-Encoding must end with chunked, and have it once.")]
    TransferEncoding,
    /// A coding that we do not know below a chunked one that we do.
    #[error("The only transfer coding known here is chunked.")]
    TransferCoding,
    /// A chunk that does not look like one.
    #[error("The chunked body is malformed.")]
    Chunk,
    /// A chunk-size line past its bound.
    #[error("A chunk-size line of the body is longer than {CHUNK_LINE} bytes.")]
    ChunkLine,
    /// More framing than content.
    #[error("The chunks of the body are too small for its size.")]
    TinyChunks,
    /// Trailers past their bound.
    #[error("The trailers of the body are longer than {TRAILERS} bytes.")]
    Trailers,
    /// Only `100-continue` is known.
    #[error("The only expectation known here is 100-continue.")]
    Expectation,
    /// Of a line that may still go on.
    #[error("The request target is longer than {limit} bytes.")]
    TargetTooLong {
        /// The bound in force.
        limit: usize,
    },
    /// Of a head that may still go on.
    #[error("The request head is longer than {limit} bytes.")]
    HeadTooLarge {
        /// The bound in force.
        limit: usize,
    },
    /// Of a head that may still go on.
    #[error("The request has more than {limit} header fields.")]
    TooManyHeaders {
        /// The bound in force.
        limit: usize,
    },
    /// As declared, or as it came.
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
            Self::HeadTooLarge { .. } | Self::TooManyHeaders { .. } => 431,
            Self::TransferCoding | Self::MethodTooLong => 501,
            Self::Version => 505,
            Self::RequestLine
            | Self::EmptyLines
            | Self::LineEnd
            | Self::FoldedLine
            | Self::Field
            | Self::Target
            | Self::Host
            | Self::ContentLength
            | Self::BothLengths
            | Self::ChunkedInHttp10
            | Self::TransferEncoding
            | Self::Chunk
            | Self::ChunkLine
            | Self::TinyChunks
            | Self::Trailers => 400,
        }
    }
}
