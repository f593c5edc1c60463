//! The request target: which path and query it asks for, and of which host. The only place that decodes either.
//!
//! A path is decoded once and not normalised: what is not exactly a route is no route. An encoded slash or a dot segment would
//! mean different things to a proxy in front of us and to us, so a path with one is kept as it was sent, which no route matches.

use super::RequestError;

/// What a request target says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) path: String,
    pub(super) query: Vec<(String, String)>,
    /// The authority of an absolute-form target, which overrides the Host field (RFC 9112, 3.2.2).
    pub(super) authority: Option<String>,
}

/// Takes a request target apart: origin-form, absolute-form, or `*` for OPTIONS (RFC 9112, 3.2).
///
/// # Errors
/// [`RequestError::Target`] for any other form, a fragment, an encoding that is none, or a NUL.
pub(super) fn parse(method: &str, target: &str) -> Result<Target, RequestError> {
    if target == "*" {
        return match method {
            "OPTIONS" => Ok(Target {
                path: "*".into(),
                query: Vec::new(),
                authority: None,
            }),
            _ => Err(RequestError::Target),
        };
    }
    let (authority, rest) = split_authority(target)?;
    if rest.contains('#') || !target.bytes().all(|b| (0x21..0x7f).contains(&b)) {
        return Err(RequestError::Target);
    }
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    Ok(Target {
        path: decode_path(path)?,
        query: decode_query(query),
        authority: authority.map(str::to_owned),
    })
}

fn split_authority(target: &str) -> Result<(Option<&str>, &str), RequestError> {
    if target.starts_with('/') {
        return Ok((None, target));
    }
    let scheme = target.get(..7).filter(|s| s.eq_ignore_ascii_case("http://"));
    let rest = scheme.and_then(|_| target.get(7..)).ok_or(RequestError::Target)?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match (is_authority(authority), path.starts_with('/')) {
        (true, true) => Ok((Some(authority), path)),
        (true, false) if path.is_empty() => Ok((Some(authority), "/")),
        _ => Err(RequestError::Target),
    }
}

/// Whether this is a host with an optional port. Of the characters that RFC 3986 allows in a name only those are taken that
/// hosts have: no user, no encoding, nothing that another parser could read differently.
pub(super) fn is_authority(text: &str) -> bool {
    let (host, port) = split_port(text);
    let host_ok = match host.strip_prefix('[') {
        Some(rest) => rest
            .strip_suffix(']')
            .is_some_and(|ip| ip.parse::<std::net::Ipv6Addr>().is_ok()),
        None => !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b)),
    };
    host_ok
        && port.is_none_or(|p| {
            p.is_empty() || p.len() <= 5 && p.bytes().all(|b| b.is_ascii_digit()) && p.parse::<u16>().is_ok()
        })
}

/// `host:port` in two; a colon inside brackets belongs to the host.
pub(super) fn split_port(text: &str) -> (&str, Option<&str>) {
    match text.rfind(':') {
        Some(at) if !text[at..].contains(']') => (&text[..at], Some(&text[at + 1..])),
        _ => (text, None),
    }
}

fn decode_path(path: &str) -> Result<String, RequestError> {
    let ambiguous = path.to_ascii_lowercase().contains("%2f") || path.contains('\\');
    let decoded = percent_decode(path.as_bytes())?;
    let dotted = decoded.split('/').any(|segment| segment == "." || segment == "..");
    Ok(if ambiguous || dotted { path.to_owned() } else { decoded })
}

/// The pairs of a query, as forms write them: `+` is a blank, and what is not an encoding stands for itself (WHATWG URL,
/// application/x-www-form-urlencoded).
fn decode_query(query: &str) -> Vec<(String, String)> {
    let decode = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode(text.as_bytes()).unwrap_or(text)
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(n, v)| (decode(n), decode(v)))
        .collect()
}

/// Undoes percent-encoding, once. The result is UTF-8 without NUL, or it is refused.
fn percent_decode(text: &[u8]) -> Result<String, RequestError> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        let decoded = if byte == b'%' {
            let mut digit = || {
                bytes
                    .next()
                    .and_then(|b| char::from(*b).to_digit(16))
                    .ok_or(RequestError::Target)
            };
            (digit()? * 16 + digit()?) as u8
        } else {
            byte
        };
        if decoded == 0 {
            return Err(RequestError::Target);
        }
        out.push(decoded);
    }
    String::from_utf8(out).map_err(|_| RequestError::Target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(target: &str) -> Option<String> {
        parse("POST", target).ok().map(|t| t.path)
    }

    #[test]
    fn paths_are_decoded_once_and_left_alone() {
        for (target, expected) in [
            ("/mcp", Some("/mcp")),
            ("/mcp?key=a%20b&x=1", Some("/mcp")),
            ("http://127.0.0.1:8080/mcp", Some("/mcp")),
            ("HTTP://localhost", Some("/")),
            ("/m%63p", Some("/mcp")),
            ("/%2563", Some("/%63")),
            ("/caf%C3%A9", Some("/café")),
            ("//mcp", Some("//mcp")),
            ("/mcp%2f..", Some("/mcp%2f..")),
            ("/x/../mcp", Some("/x/../mcp")),
            ("/%2e%2e/mcp", Some("/%2e%2e/mcp")),
            ("/x%2Fmcp", Some("/x%2Fmcp")),
            ("/..\\mcp", Some("/..\\mcp")),
            ("mcp", None),
            ("*", None),
            ("", None),
            ("/a#b", None),
            ("/%", None),
            ("/%4", None),
            ("/%zz", None),
            ("/%00", None),
            ("/%ff", None),
            ("/a b", None),
            ("/caf\u{e9}", None),
            ("https://localhost/mcp", None),
            ("http:///mcp", None),
            ("http://user@localhost/mcp", None),
            ("http://localhost:port/mcp", None),
            ("http://localhost?x", None),
        ] {
            assert_eq!(path(target).as_deref(), expected, "{target}");
        }
    }

    #[test]
    fn an_encoded_dot_segment_matches_no_route() {
        // Kept as sent: `/a/%2e%2e/mcp` is neither `/mcp` nor `/a/../mcp`.
        assert_eq!(path("/a/%2e%2e/mcp").as_deref(), Some("/a/%2e%2e/mcp"));
    }

    #[test]
    fn the_star_is_for_options() {
        assert_eq!(parse("OPTIONS", "*").map(|t| t.path), Ok("*".into()));
    }

    #[test]
    fn queries_come_apart() {
        let query = |target| parse("GET", target).map(|t| t.query);
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            query("/?a=1&a=2&b&=c&&d=%26+%2B"),
            Ok(vec![
                pair("a", "1"),
                pair("a", "2"),
                pair("b", ""),
                pair("", "c"),
                pair("d", "& +"),
            ])
        );
        assert_eq!(query("/"), Ok(vec![]));
        assert_eq!(query("/?a=%&b=%ff"), Ok(vec![pair("a", "%"), pair("b", "%ff")]));
    }

    #[test]
    fn an_authority_is_a_host_and_maybe_a_port() {
        for (text, ok) in [
            ("localhost", true),
            ("localhost:8080", true),
            ("localhost:", true),
            ("127.0.0.1:65535", true),
            ("[::1]:80", true),
            ("[::1]", true),
            ("", false),
            (":80", false),
            ("localhost:65536", false),
            ("localhost:+80", false),
            ("localhost:8080:1", false),
            ("::1", false),
            ("[::1", false),
            ("[zz]", false),
            ("a b", false),
            ("a/b", false),
            ("user@host", false),
            ("a\"b", false),
        ] {
            assert_eq!(is_authority(text), ok, "{text}");
        }
    }
}
