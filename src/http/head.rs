//! A request head, taken apart and checked: what httparse takes, and more strictly what RFC 9112 lets nobody read in
//! two ways.

use std::fmt;

use super::authority::Authority;
use super::{Framing, Headers, Limits, RequestError, target};

/// The protocol version of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// HTTP/1.0: no chunked coding, and closed after the answer unless asked otherwise.
    Http10,
    /// HTTP/1.1.
    Http11,
}

/// One request head, complete, checked and owned.
#[derive(Clone, PartialEq, Eq)]
pub struct Head {
    /// As sent; methods are case-sensitive.
    pub method: String,
    /// The request target as sent.
    pub target: String,
    /// The path, percent-decoded once. One with dot segments or encoded slashes is kept as sent, so that it matches no
    /// route.
    pub path: String,
    /// The query's pairs, decoded, in order.
    pub query: Vec<(String, String)>,
    /// HTTP/1.0 or HTTP/1.1.
    pub version: Version,
    /// The header fields.
    pub headers: Headers,
    /// How the body is delimited.
    pub framing: Framing,
    /// The host that was asked for, with its port if one was given: that of an absolute-form target, else of the Host
    /// field. `None` only for HTTP/1.0.
    pub authority: Option<String>,
    /// Whether the client lets the connection be used again.
    pub keep_alive: bool,
    /// Whether the client waits for [`CONTINUE`](super::CONTINUE) before it sends the body.
    pub expect_continue: bool,
}

impl Head {
    /// Takes a whole head apart, from its request line to its empty line, as [`Scan`](super::scan::Scan) found it.
    pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<Self, RequestError> {
        let lines = memchr::memchr_iter(b'\n', bytes).count();
        let mut fields = vec![httparse::EMPTY_HEADER; lines];
        let mut request = httparse::Request::new(&mut fields);
        match request.parse(bytes) {
            Ok(httparse::Status::Complete(length)) if length == bytes.len() => {}
            Err(httparse::Error::Version) => return Err(RequestError::Version),
            _ => return Err(RequestError::Field),
        }
        let version = version(request.version)?;
        let (method, raw) = request.method.zip(request.path).ok_or(RequestError::RequestLine)?;
        let headers = Headers::from_fields(request.headers.iter().map(|field| (field.name, field.value)));
        let parsed = target::parse(method, raw)?;
        let host = host(&headers, version)?;
        let framing = Framing::of(&headers, version, limits.body)?;
        Ok(Self {
            keep_alive: keep_alive(&headers, version),
            expect_continue: expects_continue(&headers)? && version == Version::Http11 && framing.has_body(),
            authority: parsed.authority.or(host),
            method: method.to_owned(),
            target: raw.to_owned(),
            path: parsed.path,
            query: parsed.query,
            version,
            headers,
            framing,
        })
    }
}

/// Neither target nor values, which hold what no log should see: queries, tokens, session ids.
impl fmt::Debug for Head {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Head")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("version", &self.version)
            .field("headers", &self.headers)
            .field("framing", &self.framing)
            .finish_non_exhaustive()
    }
}

/// There is no HTTP/1.2, so what it would have us do cannot be known.
fn version(minor: Option<u8>) -> Result<Version, RequestError> {
    match minor {
        Some(0) => Ok(Version::Http10),
        Some(1) => Ok(Version::Http11),
        _ => Err(RequestError::Version),
    }
}

/// The one Host field, which HTTP/1.1 must have (RFC 9112, 3.2), even beside an absolute-form target.
fn host(headers: &Headers, version: Version) -> Result<Option<String>, RequestError> {
    let mut hosts = headers.get_all("host");
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => match std::str::from_utf8(host) {
            Ok(host) if Authority::parse(host).is_some() => Ok(Some(host.to_owned())),
            _ => Err(RequestError::Host),
        },
        (None, _) if version == Version::Http10 => Ok(None),
        _ => Err(RequestError::Host),
    }
}

/// Whether the connection may be used again (RFC 9112, 9.3).
fn keep_alive(headers: &Headers, version: Version) -> bool {
    let says = |option: &[u8]| headers.members("connection").any(|m| m.eq_ignore_ascii_case(option));
    !says(b"close") && (version == Version::Http11 || says(b"keep-alive"))
}

/// `100-continue` is the only expectation there is (RFC 9110, 10.1.1); HTTP/1.0 has none, and nor has a request without
/// a body.
fn expects_continue(headers: &Headers) -> Result<bool, RequestError> {
    let mut expected = headers.members("expect").peekable();
    let any = expected.peek().is_some();
    if expected.all(|e| e.eq_ignore_ascii_case(b"100-continue")) {
        Ok(any)
    } else {
        Err(RequestError::Expectation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Head, RequestError> {
        Head::parse(text.as_bytes(), &Limits::default())
    }

    #[test]
    fn a_head_comes_apart() {
        let head = parse("POST /a%20b?c=d HTTP/1.1\r\nHost: localhost:1\r\nX-Name:\t v w \r\n\r\n").unwrap();
        assert_eq!((head.method.as_str(), head.path.as_str()), ("POST", "/a b"));
        assert_eq!(head.target, "/a%20b?c=d");
        assert_eq!(head.query, [("c".to_owned(), "d".to_owned())]);
        assert_eq!(head.headers.get("x-name"), Some(&b"v w"[..]));
        assert_eq!((head.framing, head.version), (Framing::None, Version::Http11));
        assert_eq!((head.keep_alive, head.expect_continue), (true, false));
        assert_eq!(head.authority.as_deref(), Some("localhost:1"));
    }

    #[test]
    fn a_value_may_hold_other_bytes_than_ascii() {
        let head = Head::parse(b"GET / HTTP/1.1\r\nHost: h\r\nX: \xff\tb\r\n\r\n", &Limits::default()).unwrap();
        assert_eq!(head.headers.get("x"), Some(&b"\xff\tb"[..]));
    }

    #[test]
    fn versions_are_1_0_and_1_1() {
        for (version, expected) in [
            ("1.1", Ok(Version::Http11)),
            ("1.0", Ok(Version::Http10)),
            ("1.2", Err(RequestError::Version)),
            ("2.0", Err(RequestError::Version)),
            ("0.9", Err(RequestError::Version)),
        ] {
            let head = parse(&format!("GET / HTTP/{version}\r\nHost: h\r\n\r\n"));
            assert_eq!(head.map(|h| h.version), expected, "{version}");
        }
        assert_eq!(parse("PRI * HTTP/2.0\r\n\r\n"), Err(RequestError::Version));
    }

    #[test]
    fn there_is_one_host() {
        for (fields, authority) in [
            ("Host: localhost\r\n", Ok(Some("localhost"))),
            ("Host: [::1]:80\r\n", Ok(Some("[::1]:80"))),
            ("", Err(RequestError::Host)),
            ("Host:\r\n", Err(RequestError::Host)),
            ("Host: a\r\nHost: a\r\n", Err(RequestError::Host)),
            ("Host: a b\r\n", Err(RequestError::Host)),
            ("Host: a, b\r\n", Err(RequestError::Host)),
            ("Host: user@a\r\n", Err(RequestError::Host)),
            ("Host: http://a\r\n", Err(RequestError::Host)),
        ] {
            let head = parse(&format!("GET / HTTP/1.1\r\n{fields}\r\n"));
            assert_eq!(
                head.as_ref().map(|h| h.authority.as_deref()),
                authority.as_ref().copied(),
                "{fields}"
            );
        }
        assert_eq!(parse("GET / HTTP/1.0\r\n\r\n").unwrap().authority, None);
        assert_eq!(
            parse("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"),
            Err(RequestError::Host)
        );
    }

    #[test]
    fn the_host_of_an_absolute_target_wins() {
        let head = parse("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        assert_eq!(head.authority.as_deref(), Some("evil.example"));
        assert_eq!(parse("GET http://a/ HTTP/1.1\r\n\r\n"), Err(RequestError::Host));
    }

    #[test]
    fn the_connection_field_is_a_list() {
        for (version, fields, kept) in [
            ("1.1", "", true),
            ("1.1", "Connection: close\r\n", false),
            ("1.1", "Connection: upgrade, Close\r\n", false),
            ("1.1", "Connection: upgrade\r\nConnection: close\r\n", false),
            ("1.1", "Connection: closed\r\n", true),
            ("1.0", "", false),
            ("1.0", "Connection: Keep-Alive\r\n", true),
            ("1.0", "Connection: keep-alive, close\r\n", false),
        ] {
            let head = parse(&format!("GET / HTTP/{version}\r\nHost: h\r\n{fields}\r\n")).unwrap();
            assert_eq!(head.keep_alive, kept, "{version} {fields}");
        }
    }

    #[test]
    fn one_thing_may_be_expected() {
        for (version, fields, expected) in [
            ("1.1", "Expect: 100-Continue\r\nContent-Length: 1\r\n", Ok(true)),
            ("1.1", "Expect: 100-continue\r\n", Ok(false)), // there is nothing to wait for
            ("1.0", "Expect: 100-continue\r\nContent-Length: 1\r\n", Ok(false)),
            ("1.1", "Expect:\r\nContent-Length: 1\r\n", Ok(false)),
            ("1.1", "Expect: 100-continue, more\r\n", Err(RequestError::Expectation)),
            (
                "1.1",
                "Expect: the spanish inquisition\r\n",
                Err(RequestError::Expectation),
            ),
        ] {
            let head = parse(&format!("POST / HTTP/{version}\r\nHost: h\r\n{fields}\r\n"));
            assert_eq!(head.map(|h| h.expect_continue), expected, "{version} {fields}");
        }
    }

    #[test]
    fn a_log_sees_no_query_and_no_token() {
        let head = parse("GET /mcp?sessionId=42 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer secret\r\n\r\n").unwrap();
        let debug = format!("{head:?}");
        assert!(
            debug.contains("/mcp") && !debug.contains("42") && !debug.contains("secret"),
            "{debug}"
        );
    }
}
