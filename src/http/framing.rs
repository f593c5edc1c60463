//! How long a body is, by the fields of its head (RFC 9112, 6.3), without the parts that let two readers disagree.

use super::{Headers, RequestError, Version};

/// How the body of a request is delimited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framing {
    /// There is none.
    None,
    /// So many bytes, at least one.
    Length(usize),
    /// Chunks until one of size 0, then trailers.
    Chunked,
}

impl Framing {
    /// Whether there is a body; a chunked one may still turn out to be empty.
    pub fn has_body(self) -> bool {
        self != Self::None
    }

    /// What the fields say, with at most `limit` bytes of body.
    ///
    /// # Errors
    /// Both lengths, several lengths, one that is not a plain number, and every coding but one `chunked`.
    pub(super) fn of(headers: &Headers, version: Version, limit: usize) -> Result<Self, RequestError> {
        let codings: Vec<&[u8]> = headers.get_all("transfer-encoding").collect();
        let lengths: Vec<&[u8]> = headers.get_all("content-length").collect();
        match (codings.as_slice(), lengths.as_slice()) {
            ([], []) => Ok(Self::None),
            ([], [length]) => content_length(length, limit),
            ([], _) => Err(RequestError::ContentLength),
            (_, [_, ..]) => Err(RequestError::BothLengths),
            _ if version == Version::Http10 => Err(RequestError::ChunkedInHttp10),
            ([coding], []) if is_chunked(coding) => Ok(Self::Chunked),
            _ => Err(refused_coding(headers)),
        }
    }
}

/// Digits and nothing else: no sign, no list, no blank. More than fits is too large, not malformed.
fn content_length(value: &[u8], limit: usize) -> Result<Framing, RequestError> {
    if value.is_empty() {
        return Err(RequestError::ContentLength);
    }
    let mut length = Some(0usize);
    for byte in value {
        if !byte.is_ascii_digit() {
            return Err(RequestError::ContentLength);
        }
        length = length
            .and_then(|n| n.checked_mul(10))
            .and_then(|n| n.checked_add(usize::from(byte - b'0')));
    }
    match length {
        Some(0) => Ok(Framing::None),
        Some(n) if n <= limit => Ok(Framing::Length(n)),
        _ => Err(RequestError::BodyTooLarge { limit }),
    }
}

fn is_chunked(coding: &[u8]) -> bool {
    coding.eq_ignore_ascii_case(b"chunked")
}

/// What ends with one `chunked` has an end that we could find under a coding that we do not know; all else has none,
/// and must be told apart (RFC 9112, 6.1 and 6.3).
fn refused_coding(headers: &Headers) -> RequestError {
    let codings: Vec<&[u8]> = headers.members("transfer-encoding").collect();
    match codings.as_slice() {
        [before @ .., last] if is_chunked(last) && !before.is_empty() && !before.iter().any(|c| is_chunked(c)) => {
            RequestError::TransferCoding
        }
        _ => RequestError::TransferEncoding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 4_194_304;

    fn framing(version: Version, fields: &[(&str, &str)]) -> Result<Framing, RequestError> {
        let headers = Headers::from_fields(fields.iter().map(|(name, value)| (*name, value.as_bytes())));
        Framing::of(&headers, version, LIMIT)
    }

    #[test]
    fn lengths_that_two_readers_could_read_differently_are_refused() {
        // DEV-HTTP-5
        for (values, expected) in [
            (&["5"][..], Ok(Framing::Length(5))),
            (&["0"], Ok(Framing::None)),
            (&["007"], Ok(Framing::Length(7))),
            (&["4194304"], Ok(Framing::Length(LIMIT))),
            (&["4194305"], Err(RequestError::BodyTooLarge { limit: LIMIT })),
            (
                &["1234567890123456789012345"],
                Err(RequestError::BodyTooLarge { limit: LIMIT }),
            ),
            (
                &["18446744073709551616"],
                Err(RequestError::BodyTooLarge { limit: LIMIT }),
            ),
            (&["1234567890123456789012345x"], Err(RequestError::ContentLength)),
            (&["46", "0"], Err(RequestError::ContentLength)),
            (&["5", "5"], Err(RequestError::ContentLength)),
            (&["5, 6"], Err(RequestError::ContentLength)),
            (&["5, 5"], Err(RequestError::ContentLength)),
            (&["5,"], Err(RequestError::ContentLength)),
            (&["+5"], Err(RequestError::ContentLength)),
            (&["-1"], Err(RequestError::ContentLength)),
            (&["-0"], Err(RequestError::ContentLength)),
            (&["0x5"], Err(RequestError::ContentLength)),
            (&["5 5"], Err(RequestError::ContentLength)),
            (&["5.0"], Err(RequestError::ContentLength)),
            (&["1e3"], Err(RequestError::ContentLength)),
            (&["1_000"], Err(RequestError::ContentLength)),
            (&["\u{665}"], Err(RequestError::ContentLength)), // an Arabic five
            (&[""], Err(RequestError::ContentLength)),
        ] {
            let fields: Vec<_> = values.iter().map(|value| ("Content-Length", *value)).collect();
            assert_eq!(framing(Version::Http11, &fields), expected, "{values:?}");
        }
    }

    #[test]
    fn codings_other_than_chunked_are_refused() {
        // DEV-HTTP-9
        for (values, expected) in [
            (&["chunked"][..], Ok(Framing::Chunked)),
            (&["Chunked"], Ok(Framing::Chunked)),
            (&["gzip, chunked"], Err(RequestError::TransferCoding)),
            (&["gzip", "chunked"], Err(RequestError::TransferCoding)),
            (&["gzip"], Err(RequestError::TransferEncoding)),
            (&["identity"], Err(RequestError::TransferEncoding)),
            (&["chunked, identity"], Err(RequestError::TransferEncoding)),
            (&["chunked, chunked"], Err(RequestError::TransferEncoding)),
            (&["chunked", "chunked"], Err(RequestError::TransferEncoding)),
            (&["chunked, gzip, chunked"], Err(RequestError::TransferEncoding)),
            (&["xchunked"], Err(RequestError::TransferEncoding)),
            (&["\"chunked\""], Err(RequestError::TransferEncoding)),
            (&["chunked;q=1"], Err(RequestError::TransferEncoding)),
            (&[",chunked"], Err(RequestError::TransferEncoding)),
            (&["chunked,"], Err(RequestError::TransferEncoding)),
            (&["\u{b}chunked"], Err(RequestError::TransferEncoding)),
            (&[""], Err(RequestError::TransferEncoding)),
        ] {
            let fields: Vec<_> = values.iter().map(|value| ("Transfer-Encoding", *value)).collect();
            assert_eq!(framing(Version::Http11, &fields), expected, "{values:?}");
        }
    }

    #[test]
    fn both_lengths_at_once_are_refused_in_either_order() {
        let (chunked, length) = (("Transfer-Encoding", "chunked"), ("Content-Length", "5"));
        for fields in [[chunked, length], [length, chunked]] {
            assert_eq!(framing(Version::Http11, &fields), Err(RequestError::BothLengths));
        }
        let odd = [("Transfer-Encoding", "xchunked"), ("Content-Length", "0")];
        assert_eq!(framing(Version::Http11, &odd), Err(RequestError::BothLengths));
    }

    #[test]
    fn a_chunked_body_has_no_place_in_http_1_0() {
        // DEV-HTTP-4
        let chunked = [("Transfer-Encoding", "chunked")];
        assert_eq!(framing(Version::Http10, &chunked), Err(RequestError::ChunkedInHttp10));
    }
}
