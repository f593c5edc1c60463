//! A request head, checked: what httparse takes and more strictly what RFC 9112 lets nobody read in two ways.

use super::target::{self, is_authority};
use super::{Limits, RequestError};

/// The protocol version of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// HTTP/1.0: no chunked coding, and closed after the answer unless asked otherwise.
    Http10,
    /// HTTP/1.1.
    Http11,
}

/// How the body of a request is delimited (RFC 9112, 6.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framing {
    /// There is none.
    None,
    /// So many bytes.
    Length(usize),
    /// Chunks until one of size 0, then trailers.
    Chunked,
}

/// The header fields of a request, in order, their names in lower case.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Headers(Vec<(String, Vec<u8>)>);

impl Headers {
    /// The value of the first field of this (lower-case) name, without surrounding blanks.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// The values of all fields of this (lower-case) name.
    pub fn get_all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.iter().filter(move |(n, _)| *n == name).map(|(_, value)| value)
    }

    /// All fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// The members of a list-valued field over all its lines, without blanks and empty ones (RFC 9110, 5.6.1).
    fn members<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.get_all(name)
            .flat_map(|v| v.split(|b| *b == b','))
            .map(<[u8]>::trim_ascii)
            .filter(|m| !m.is_empty())
    }
}

/// One request head, complete, checked and owned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// As sent; methods are case-sensitive.
    pub method: String,
    /// The request target as sent.
    pub target: String,
    /// The path, percent-decoded once. See [`target`](super::target) for what is never decoded.
    pub path: String,
    /// The query's pairs, decoded, in order.
    pub query: Vec<(String, String)>,
    /// HTTP/1.0 or HTTP/1.1.
    pub version: Version,
    /// The header fields.
    pub headers: Headers,
    /// How the body is delimited.
    pub framing: Framing,
    /// The host that was asked for, with its port if one was given: that of an absolute-form target, else of the Host field.
    /// `None` only for HTTP/1.0.
    pub authority: Option<String>,
    /// Whether the client lets the connection be used again.
    pub keep_alive: bool,
    /// Whether the client waits for `100 Continue` before it sends the body.
    pub expect_continue: bool,
}

impl Head {
    /// Parses a whole head, its last empty line included.
    pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<Self, RequestError> {
        refuse_bare_line_ends(bytes)?;
        let mut fields = vec![httparse::EMPTY_HEADER; limits.headers];
        let mut request = httparse::Request::new(&mut fields);
        match request.parse(bytes) {
            Ok(httparse::Status::Complete(_)) => {}
            Ok(httparse::Status::Partial) => return Err(RequestError::Syntax),
            Err(httparse::Error::TooManyHeaders) => return Err(RequestError::TooManyHeaders),
            Err(httparse::Error::Version) => return Err(RequestError::Version),
            Err(_) => return Err(RequestError::Syntax),
        }
        let version = match request.version {
            Some(0) => Version::Http10,
            Some(1) => Version::Http11,
            _ => return Err(RequestError::Version),
        };
        let (Some(method), Some(raw)) = (request.method, request.path) else {
            return Err(RequestError::Syntax);
        };
        let headers = Headers(request.headers.iter().map(field).collect::<Result<_, _>>()?);
        let parsed = target::parse(method, raw)?;
        let host = host(&headers, version)?;
        Ok(Self {
            framing: framing(&headers, version, limits)?,
            keep_alive: keep_alive(&headers, version),
            expect_continue: expect_continue(&headers, version)?,
            authority: parsed.authority.or(host),
            method: method.to_owned(),
            target: raw.to_owned(),
            path: parsed.path,
            query: parsed.query,
            version,
            headers,
        })
    }
}

/// Every line ends in CRLF, and neither byte stands alone: a parser that takes one for a line end would see other fields than
/// we do (RFC 9112, 2.2). Folded lines are refused too (5.2).
fn refuse_bare_line_ends(bytes: &[u8]) -> Result<(), RequestError> {
    let mut previous = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        let next = bytes.get(i + 1).copied();
        match byte {
            b'\n' if previous != b'\r' => return Err(RequestError::LineEnd),
            b'\r' if next != Some(b'\n') => return Err(RequestError::LineEnd),
            b'\n' if matches!(next, Some(b' ' | b'\t')) => return Err(RequestError::FoldedLine),
            0 => return Err(RequestError::Syntax),
            _ => previous = byte,
        }
    }
    Ok(())
}

fn field(header: &httparse::Header) -> Result<(String, Vec<u8>), RequestError> {
    let value = header.value.trim_ascii();
    if header.name.is_empty() || value.iter().any(|b| matches!(b, 0..=8 | 10..=31 | 127)) {
        return Err(RequestError::Syntax);
    }
    Ok((header.name.to_ascii_lowercase(), value.to_owned()))
}

/// The one Host field, which HTTP/1.1 must have (RFC 9112, 3.2).
fn host(headers: &Headers, version: Version) -> Result<Option<String>, RequestError> {
    let mut hosts = headers.get_all("host");
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => match std::str::from_utf8(host) {
            Ok(host) if is_authority(host) => Ok(Some(host.to_owned())),
            _ => Err(RequestError::Host),
        },
        (None, _) if version == Version::Http10 => Ok(None),
        _ => Err(RequestError::Host),
    }
}

/// RFC 9112, 6.3, without the parts that let two readers disagree: both lengths, several lengths, codings beside chunked.
fn framing(headers: &Headers, version: Version, limits: &Limits) -> Result<Framing, RequestError> {
    let codings: Vec<&[u8]> = headers.get_all("transfer-encoding").collect();
    let lengths: Vec<&[u8]> = headers.get_all("content-length").collect();
    match (codings.as_slice(), lengths.as_slice()) {
        ([], []) => Ok(Framing::None),
        ([], [length]) => Ok(match content_length(length, limits)? {
            0 => Framing::None,
            n => Framing::Length(n),
        }),
        ([], _) => Err(RequestError::ContentLength),
        (_, [_, ..]) => Err(RequestError::BothLengths),
        _ if version == Version::Http10 => Err(RequestError::ChunkedInHttp10),
        ([coding], []) if coding.eq_ignore_ascii_case(b"chunked") => Ok(Framing::Chunked),
        _ => Err(RequestError::TransferCoding),
    }
}

/// Digits and nothing else: no sign, no list, no blank. More than fits is too large, not malformed.
fn content_length(value: &[u8], limits: &Limits) -> Result<usize, RequestError> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(RequestError::ContentLength);
    }
    let length = std::str::from_utf8(value)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(usize::MAX);
    if length > limits.body {
        Err(RequestError::BodyTooLarge { limit: limits.body })
    } else {
        Ok(length)
    }
}

fn keep_alive(headers: &Headers, version: Version) -> bool {
    let says = |option: &[u8]| headers.members("connection").any(|m| m.eq_ignore_ascii_case(option));
    !says(b"close") && (version == Version::Http11 || says(b"keep-alive"))
}

/// `100-continue` is the only expectation there is (RFC 9110, 10.1.1); HTTP/1.0 has none.
fn expect_continue(headers: &Headers, version: Version) -> Result<bool, RequestError> {
    let mut expected = headers.members("expect").peekable();
    let any = expected.peek().is_some();
    if !expected.all(|e| e.eq_ignore_ascii_case(b"100-continue")) {
        return Err(RequestError::Expectation);
    }
    Ok(any && version == Version::Http11)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Head, RequestError> {
        Head::parse(text.as_bytes(), &Limits::default())
    }

    fn with_fields(fields: &str) -> Result<Head, RequestError> {
        parse(&format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n"))
    }

    #[test]
    fn a_head_comes_apart() {
        let head =
            parse("POST /a%20b?c=d HTTP/1.1\r\nHost: localhost:1\r\nX-Name:\t v w \r\nx-name: 2\r\n\r\n").unwrap();
        assert_eq!(
            (head.method.as_str(), head.path.as_str(), head.target.as_str()),
            ("POST", "/a b", "/a%20b?c=d")
        );
        assert_eq!(head.query, [("c".to_owned(), "d".to_owned())]);
        assert_eq!(head.headers.get_all("x-name").collect::<Vec<_>>(), [&b"v w"[..], b"2"]);
        assert_eq!(
            (head.framing, head.keep_alive, head.expect_continue),
            (Framing::None, true, false)
        );
        assert_eq!(head.authority.as_deref(), Some("localhost:1"));
    }

    #[test]
    fn lengths_that_two_readers_could_read_differently_are_refused() {
        // DEV-HTTP-5
        let too_large = RequestError::BodyTooLarge {
            limit: Limits::default().body,
        };
        for (fields, framing) in [
            ("Content-Length: 5\r\n", Ok(Framing::Length(5))),
            ("Content-Length: 0\r\n", Ok(Framing::None)),
            ("Content-Length: 007\r\n", Ok(Framing::Length(7))),
            (
                "Content-Length: 46\r\nContent-Length: 0\r\n",
                Err(RequestError::ContentLength),
            ),
            (
                "Content-Length: 5\r\nContent-Length: 5\r\n",
                Err(RequestError::ContentLength),
            ),
            ("Content-Length: 5, 6\r\n", Err(RequestError::ContentLength)),
            ("Content-Length: 5, 5\r\n", Err(RequestError::ContentLength)),
            ("Content-Length: +5\r\n", Err(RequestError::ContentLength)),
            ("Content-Length: 0x5\r\n", Err(RequestError::ContentLength)),
            ("Content-Length: -1\r\n", Err(RequestError::ContentLength)),
            ("Content-Length: 5 5\r\n", Err(RequestError::ContentLength)),
            ("Content-Length:\r\n", Err(RequestError::ContentLength)),
            ("Content-Length: 1234567890123456789012345\r\n", Err(too_large.clone())),
            ("Content-Length: 4194304\r\n", Ok(Framing::Length(4_194_304))),
            ("Content-Length: 4194305\r\n", Err(too_large)),
        ] {
            assert_eq!(with_fields(fields).map(|h| h.framing), framing, "{fields}");
        }
    }

    #[test]
    fn codings_other_than_chunked_are_refused() {
        // DEV-HTTP-9, and both lengths at once.
        for (fields, framing) in [
            ("Transfer-Encoding: chunked\r\n", Ok(Framing::Chunked)),
            ("Transfer-Encoding: Chunked\r\n", Ok(Framing::Chunked)),
            (
                "Transfer-Encoding: gzip, chunked\r\n",
                Err(RequestError::TransferCoding),
            ),
            ("Transfer-Encoding: identity\r\n", Err(RequestError::TransferCoding)),
            (
                "Transfer-Encoding: chunked, chunked\r\n",
                Err(RequestError::TransferCoding),
            ),
            ("Transfer-Encoding: xchunked\r\n", Err(RequestError::TransferCoding)),
            ("Transfer-Encoding:\r\n", Err(RequestError::TransferCoding)),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                Err(RequestError::TransferCoding),
            ),
            (
                "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                Err(RequestError::BothLengths),
            ),
            (
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                Err(RequestError::BothLengths),
            ),
        ] {
            assert_eq!(with_fields(fields).map(|h| h.framing), framing, "{fields}");
        }
        assert_eq!(
            parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
            Err(RequestError::ChunkedInHttp10) // DEV-HTTP-4
        );
    }

    #[test]
    fn heads_that_hide_something_are_refused() {
        // DEV-HTTP-6, 7, 8 and more ways to smuggle.
        for fields in [
            "Content-Length : 5\r\n",
            "Content-Length 5\r\n",
            "X-A\t: b\r\n",
            "X-A: b\rContent-Length: 10\r\n",
            "X-A: b\nContent-Length: 10\r\n",
            "X-A: b\r\n c\r\n",
            "X-A: b\r\n\tc\r\n",
            "X-A: b\0c\r\n",
            "X-\0A: b\r\n",
            "X-A: b\x01c\r\n",
            "X-A: b\x7fc\r\n",
            "X-\u{e9}: b\r\n",
            "X A: b\r\n",
            ": b\r\n",
            "X(A): b\r\n",
        ] {
            assert!(with_fields(fields).is_err(), "{fields:?}");
        }
        for head in [
            "POST /mcp HTTP/1.1\r\n Host: localhost\r\n\r\n",
            "POST /mcp HTTP/1.1\nHost: localhost\n\n",
            "POST  /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "POST /mcp  HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "POST /mcp\r\nHost: localhost\r\n\r\n",
            "POST /m\u{e9} HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "PO ST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ] {
            assert!(parse(head).is_err(), "{head:?}");
        }
    }

    #[test]
    fn a_value_may_hold_other_bytes_than_ascii() {
        let head = Head::parse(b"GET / HTTP/1.1\r\nHost: h\r\nX: \xff\tb\r\n\r\n", &Limits::default()).unwrap();
        assert_eq!(head.headers.get("x"), Some(&b"\xff\tb"[..]));
    }

    #[test]
    fn versions_are_1_0_and_1_1() {
        for (line, version) in [
            ("GET / HTTP/1.1", Some(Version::Http11)),
            ("GET / HTTP/1.0", Some(Version::Http10)),
            ("GET / HTTP/1.2", None),
            ("GET / HTTP/2.0", None),
            ("GET / HTTP/0.9", None),
            ("PRI * HTTP/2.0", None),
        ] {
            let head = parse(&format!("{line}\r\nHost: h\r\n\r\n"));
            assert_eq!(head.as_ref().ok().map(|h| h.version), version, "{line} {head:?}");
        }
        assert_eq!(parse("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), Err(RequestError::Version));
    }

    #[test]
    fn there_is_one_host() {
        for (fields, authority) in [
            ("Host: localhost\r\n", Ok(Some("localhost"))),
            ("Host: [::1]:80\r\n", Ok(Some("[::1]:80"))),
            ("", Err(())),
            ("Host:\r\n", Err(())),
            ("Host: a\r\nHost: a\r\n", Err(())),
            ("Host: a b\r\n", Err(())),
            ("Host: a, b\r\n", Err(())),
            ("Host: user@a\r\n", Err(())),
            ("Host: http://a\r\n", Err(())),
        ] {
            let head = parse(&format!("GET / HTTP/1.1\r\n{fields}\r\n"));
            assert_eq!(
                head.as_ref().map(|h| h.authority.as_deref()).map_err(|_| ()),
                authority,
                "{fields}"
            );
        }
        let absolute = parse("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        assert_eq!(absolute.authority.as_deref(), Some("evil.example"), "the target wins");
        assert_eq!(parse("GET / HTTP/1.0\r\n\r\n").unwrap().authority, None);
    }

    #[test]
    fn the_connection_field_is_a_list() {
        for (version, field, kept) in [
            ("1.1", "", true),
            ("1.1", "Connection: close\r\n", false),
            ("1.1", "Connection: upgrade, Close\r\n", false),
            ("1.1", "Connection: upgrade\r\nConnection: close\r\n", false),
            ("1.1", "Connection: closed\r\n", true),
            ("1.0", "", false),
            ("1.0", "Connection: Keep-Alive\r\n", true),
            ("1.0", "Connection: keep-alive, close\r\n", false),
        ] {
            let head = parse(&format!("GET / HTTP/{version}\r\nHost: h\r\n{field}\r\n")).unwrap();
            assert_eq!(head.keep_alive, kept, "{version} {field}");
        }
    }

    #[test]
    fn one_thing_may_be_expected() {
        assert!(with_fields("Expect: 100-Continue\r\n").unwrap().expect_continue);
        assert_eq!(
            with_fields("Expect: the spanish inquisition\r\n"),
            Err(RequestError::Expectation)
        );
        assert!(
            !parse("GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n")
                .unwrap()
                .expect_continue
        );
    }

    #[test]
    fn as_many_fields_as_the_limit_and_one_more() {
        let head = |n: usize| format!("GET / HTTP/1.1\r\nHost: h\r\n{}\r\n", "X: y\r\n".repeat(n - 1));
        assert!(parse(&head(128)).is_ok());
        assert_eq!(parse(&head(129)), Err(RequestError::TooManyHeaders));
    }
}
