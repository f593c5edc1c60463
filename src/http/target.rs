//! The request target: which path and query it asks for, and of which host. The only place that decodes either.
//!
//! A path is decoded once and not normalised: what is not exactly a route is no route. An encoded slash or backslash
//! and a dot segment would mean different things to a proxy in front of us and to us, and a control character has no
//! business in a log, so a path with one is kept as it was sent, which no route matches.

use super::RequestError;
use super::authority::Authority;

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
    // A fragment is never sent, and nothing outside of ASCII is.
    if target.contains('#') || !target.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(RequestError::Target);
    }
    if target == "*" && method == "OPTIONS" {
        return Ok(Target {
            path: target.to_owned(),
            query: Vec::new(),
            authority: None,
        });
    }
    let (authority, rest) = split_authority(target)?;
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    Ok(Target {
        path: decode_path(path)?,
        query: decode_query(query),
        authority: authority.map(str::to_owned),
    })
}

/// The authority of an absolute-form target, and what comes after it. There is no TLS here, so `https` is not ours to
/// serve.
fn split_authority(target: &str) -> Result<(Option<&str>, &str), RequestError> {
    if target.starts_with('/') {
        return Ok((None, target));
    }
    let (scheme, rest) = target.split_once("://").ok_or(RequestError::Target)?;
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    if !scheme.eq_ignore_ascii_case("http") || Authority::parse(authority).is_none() {
        return Err(RequestError::Target);
    }
    Ok((Some(authority), path))
}

fn decode_path(path: &str) -> Result<String, RequestError> {
    let decoded = percent_decode(path).ok_or(RequestError::Target)?;
    let slashes = |text: &str| text.bytes().filter(|b| *b == b'/').count();
    let hidden_slash = slashes(&decoded) != slashes(path) || decoded.contains('\\');
    let dotted = decoded.split('/').any(|segment| segment == "." || segment == "..");
    Ok(if hidden_slash || dotted || decoded.contains(char::is_control) {
        path.to_owned()
    } else if decoded.is_empty() {
        // Only an absolute-form target may leave its path out (RFC 9110, 4.2.3).
        "/".to_owned()
    } else {
        decoded
    })
}

/// The pairs of a query, as forms write them: `+` is a blank, and what is not an encoding of text stands for itself
/// (WHATWG URL, application/x-www-form-urlencoded). Nothing is served by the query, so a stray `%` in it is no reason
/// to refuse a client.
fn decode_query(query: &str) -> Vec<(String, String)> {
    let decode = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode(&text).unwrap_or(text)
    };
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

/// Undoes percent-encoding, once. The result is UTF-8 without NUL, or none.
fn percent_decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => hex_digit(bytes.next()?)? * 16 + hex_digit(bytes.next()?)?,
            _ => byte,
        });
    }
    String::from_utf8(out).ok().filter(|text| !text.contains('\0'))
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
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
            ("/mcp", "/mcp"),
            ("/mcp?key=a%20b&x=1", "/mcp"),
            ("http://127.0.0.1:8080/mcp", "/mcp"),
            ("HTTP://localhost", "/"),
            ("http://localhost?x", "/"),
            ("/", "/"),
            ("/m%63p", "/mcp"),
            ("/%2563", "/%63"),
            ("/caf%C3%A9", "/café"),
            ("/mcp/", "/mcp/"),
            ("//mcp", "//mcp"),
            ("/a:b@c,d;e=f", "/a:b@c,d;e=f"),
        ] {
            assert_eq!(path(target).as_deref(), Some(expected), "{target}");
        }
    }

    #[test]
    fn a_path_that_hides_something_is_kept_as_sent() {
        for target in [
            "/mcp%2f..",
            "/x/../mcp",
            "/./mcp",
            "/mcp/.",
            "/%2e%2e/mcp",
            "/a/.%2E/mcp",
            "/x%2Fmcp",
            "/x%5cmcp",
            "/..\\mcp",
            "/%6dcp%2f",
            "/mcp%0a",
            "/%1b[2J",
            "/%c2%85",
        ] {
            assert_eq!(path(target).as_deref(), Some(target));
        }
    }

    #[test]
    fn targets_that_are_none_are_refused() {
        for target in [
            "",
            "mcp",
            "*",
            "?x",
            "/a#b",
            "/a?b#c",
            "/%",
            "/%4",
            "/%zz",
            "/%+1",
            "/%00",
            "/%ff",
            "/%c0%af",
            "/a b",
            "/a\tb",
            "/caf\u{e9}",
            "localhost:80",
            "https://localhost/mcp",
            "http:///mcp",
            "http:/mcp",
            "http://user@localhost/mcp",
            "http://localhost:port/mcp",
            "http://local%68ost/mcp",
            "http://a\\b/mcp",
        ] {
            assert_eq!(path(target), None, "{target}");
        }
    }

    #[test]
    fn the_star_is_for_options_alone() {
        assert_eq!(parse("OPTIONS", "*").map(|t| t.path), Ok("*".into()));
        assert_eq!(parse("OPTIONS", "*?a"), Err(RequestError::Target));
    }

    #[test]
    fn queries_come_apart() {
        let query = |target| parse("GET", target).map(|t| t.query);
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            query("/?a=1&a=2&b&=c&&d=%26+%2B&e=f=g?h/i"),
            Ok(vec![
                pair("a", "1"),
                pair("a", "2"),
                pair("b", ""),
                pair("", "c"),
                pair("d", "& +"),
                pair("e", "f=g?h/i"),
            ])
        );
        assert_eq!(query("/"), Ok(vec![]));
        assert_eq!(query("http://h?a=b"), Ok(vec![pair("a", "b")]));
    }

    #[test]
    fn a_stray_percent_in_a_query_stands_for_itself() {
        let decoded = decode_query("a=100%&b=%ff&c=%00&d=%zz");
        let values: Vec<&str> = decoded.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["100%", "%ff", "%00", "%zz"]);
    }
}
