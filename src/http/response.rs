//! An answer: checked when it is made, written when it is known how its request wants it.

use super::Version;
use super::syntax::{is_token, is_value_byte};

/// What a client is told that waits before it sends its body (RFC 9110, 15.2.1).
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A status, header fields and a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

/// Why a response cannot be sent.
#[derive(thiserror::Error, Debug, PartialEq, Eq)]
pub enum ResponseError {
    /// Not a final status.
    #[error("the status of a response must be from 200 to 599, not {0}")]
    Status(u16),
    /// Not a token (RFC 9110, 5.6.2).
    #[error("{0:?} is not the name of a header field")]
    Name(String),
    /// It would end the field, or the head.
    #[error("the value of the header {0} must not hold line breaks, NUL or other control characters")]
    Value(String),
    /// It follows from the body and the connection.
    #[error("the header {0} is set by the server itself")]
    Reserved(String),
    /// 204, 205 and 304 have none.
    #[error("a response with status {0} has no body")]
    Body(u16),
}

/// How the answer must be written.
#[derive(Debug)]
pub struct Frame<'a> {
    /// That of the request.
    pub version: Version,
    /// The request was HEAD: the fields of the answer without its body.
    pub head_only: bool,
    /// The connection ends with this answer.
    pub close: bool,
    /// The Date field (RFC 9110, 6.6.1).
    pub date: &'a str,
    /// Fields that the answer gets from its request, such as CORS.
    pub extra: &'a [(&'static str, Vec<u8>)],
}

/// Bytes to set aside for a head: more than most need.
const HEAD_GUESS: usize = 256;

/// What the server itself says.
const RESERVED: [&str; 5] = [
    "content-length",
    "transfer-encoding",
    "connection",
    "date",
    "keep-alive",
];

impl Response {
    /// Checks and makes a response.
    ///
    /// # Errors
    /// Names what is wrong; see [`ResponseError`].
    pub fn new(status: u16, headers: Vec<(String, Vec<u8>)>, body: Vec<u8>) -> Result<Self, ResponseError> {
        if !(200..600).contains(&status) {
            return Err(ResponseError::Status(status));
        }
        if matches!(status, 204 | 205 | 304) && !body.is_empty() {
            return Err(ResponseError::Body(status));
        }
        for (name, value) in &headers {
            check_field(name, value)?;
        }
        Ok(Self { status, headers, body })
    }

    /// A sentence of our own; no body at all if it is empty.
    pub fn text(status: u16, sentence: &str) -> Self {
        let response = Self {
            status,
            headers: Vec::new(),
            body: sentence.as_bytes().to_vec(),
        };
        match sentence {
            "" => response,
            _ => response.with_header("Content-Type", "text/plain; charset=utf-8"),
        }
    }

    /// Adds a field that we know to be right. Were it not, what would break the head is left out of its value.
    pub fn with_header(mut self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        let mut value = value.into();
        value.retain(|b| is_value_byte(*b));
        self.headers.push((name.into(), value));
        self
    }

    /// The status code.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Writes the response to the end of `out`.
    pub fn encode(&self, frame: &Frame, out: &mut Vec<u8>) {
        out.reserve(HEAD_GUESS + self.body.len());
        self.encode_head(frame, out);
        if !frame.head_only {
            out.extend_from_slice(&self.body);
        }
    }

    fn encode_head(&self, frame: &Frame, out: &mut Vec<u8>) {
        let mut line = |parts: &[&[u8]]| {
            parts.iter().for_each(|part| out.extend_from_slice(part));
            out.extend_from_slice(b"\r\n");
        };
        // The version is ours, not that of the request (RFC 9110, 2.5).
        let status = self.status.to_string();
        line(&[b"HTTP/1.1 ", status.as_bytes(), b" ", reason(self.status).as_bytes()]);
        line(&[b"Date: ", frame.date.as_bytes()]);
        for (name, value) in &self.headers {
            line(&[name.as_bytes(), b": ", value]);
        }
        for (name, value) in frame.extra {
            line(&[name.as_bytes(), b": ", value]);
        }
        // These two never have a body, so a length would be that of another response (RFC 9110, 8.6).
        if !matches!(self.status, 204 | 304) {
            line(&[b"Content-Length: ", self.body.len().to_string().as_bytes()]);
        }
        if frame.close {
            line(&[b"Connection: close"]);
        } else if frame.version == Version::Http10 {
            line(&[b"Connection: keep-alive"]);
        }
        line(&[]);
    }
}

fn check_field(name: &str, value: &[u8]) -> Result<(), ResponseError> {
    if !is_token(name.as_bytes()) {
        return Err(ResponseError::Name(name.to_owned()));
    }
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
        return Err(ResponseError::Reserved(name.to_owned()));
    }
    if !value.iter().copied().all(is_value_byte) {
        return Err(ResponseError::Value(name.to_owned()));
    }
    Ok(())
}

/// The phrase that people read; clients ignore it (RFC 9110, 15.1).
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame {
        version: Version::Http11,
        head_only: false,
        close: false,
        date: "D",
        extra: &[],
    };

    fn encode(response: &Response, frame: &Frame) -> String {
        let mut out = Vec::new();
        response.encode(frame, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn answers_are_written_as_their_requests_want_them() {
        let ok = Response::new(200, vec![("X-A".into(), b"b".into())], b"hi".into()).unwrap();
        let start = "HTTP/1.1 200 OK\r\nDate: D\r\nX-A: b\r\n";
        assert_eq!(encode(&ok, &FRAME), format!("{start}Content-Length: 2\r\n\r\nhi"));
        assert_eq!(
            encode(
                &ok,
                &Frame {
                    head_only: true,
                    ..FRAME
                }
            ),
            format!("{start}Content-Length: 2\r\n\r\n")
        );
        assert_eq!(
            encode(&ok, &Frame { close: true, ..FRAME }),
            format!("{start}Content-Length: 2\r\nConnection: close\r\n\r\nhi")
        );
        let old = Frame {
            version: Version::Http10,
            ..FRAME
        };
        assert_eq!(
            encode(&ok, &old),
            format!("{start}Content-Length: 2\r\nConnection: keep-alive\r\n\r\nhi")
        );
        let extra = Frame {
            extra: &[("Vary", Vec::new())],
            ..FRAME
        };
        assert_eq!(
            encode(&ok, &extra),
            format!("{start}Vary: \r\nContent-Length: 2\r\n\r\nhi")
        );
    }

    #[test]
    fn an_empty_answer_says_that_it_is_empty_unless_it_must_not() {
        // DEV-RPC-5: 202 with a length of 0 and no type.
        assert_eq!(
            encode(&Response::text(202, ""), &FRAME),
            "HTTP/1.1 202 Accepted\r\nDate: D\r\nContent-Length: 0\r\n\r\n"
        );
        assert_eq!(
            encode(&Response::text(204, ""), &FRAME),
            "HTTP/1.1 204 No Content\r\nDate: D\r\n\r\n"
        );
    }

    #[test]
    fn no_value_of_ours_can_end_the_head() {
        let text = encode(&Response::text(405, "").with_header("Allow", "GET\r\nX: y\0"), &FRAME);
        assert!(text.contains("\r\nAllow: GETX: y\r\nContent-Length: 0\r\n"), "{text}");
    }

    #[test]
    fn a_status_without_a_name_is_written_without_one() {
        let response = Response::new(299, vec![], vec![]).unwrap();
        assert!(encode(&response, &FRAME).starts_with("HTTP/1.1 299 \r\n"));
    }

    #[test]
    fn several_answers_go_into_one_buffer() {
        let mut out = b"before".to_vec();
        Response::text(204, "").encode(&FRAME, &mut out);
        assert_eq!(out, b"beforeHTTP/1.1 204 No Content\r\nDate: D\r\n\r\n");
    }

    #[test]
    fn a_sentence_is_plain_text() {
        let text = encode(&Response::text(404, "No.").with_header("Allow", "GET"), &FRAME);
        assert!(
            text.contains("\r\nContent-Type: text/plain; charset=utf-8\r\nAllow: GET\r\n")
                && text.ends_with("\r\n\r\nNo."),
            "{text}"
        );
    }

    #[test]
    fn what_would_break_the_answer_is_refused() {
        let field = |name: &str, value: &str| Response::new(200, vec![(name.into(), value.into())], vec![]).map(|_| ());
        assert_eq!(field("X-A", "b\tc \u{e9}"), Ok(()));
        for name in ["", "a b", "a:", "a\r\nb", "\u{e9}"] {
            assert_eq!(field(name, "v"), Err(ResponseError::Name(name.into())));
        }
        for value in ["a\r\nX: y", "a\rb", "a\nb", "a\0b", "\u{7f}"] {
            assert_eq!(field("X", value), Err(ResponseError::Value("X".into())), "{value:?}");
        }
        for name in [
            "Content-Length",
            "transfer-encoding",
            "Connection",
            "DATE",
            "Keep-Alive",
        ] {
            assert_eq!(field(name, "1"), Err(ResponseError::Reserved(name.into())));
        }
        for status in [0, 100, 199, 600] {
            assert_eq!(
                Response::new(status, vec![], vec![]),
                Err(ResponseError::Status(status))
            );
        }
        for status in [204, 205, 304] {
            assert_eq!(
                Response::new(status, vec![], b"x".into()),
                Err(ResponseError::Body(status))
            );
            assert!(Response::new(status, vec![], vec![]).is_ok());
        }
    }
}
