//! `host` or `host:port`: what a Host field, an absolute target, an origin and an entry of a guard's list have in
//! common.

use std::net::Ipv6Addr;

use super::limits::HOST;

/// A host that was checked, with its port if one was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Authority<'a> {
    /// A name, an IPv4 address, or an IPv6 address in its brackets.
    pub(super) host: &'a str,
    pub(super) port: Option<u16>,
}

impl<'a> Authority<'a> {
    /// Of the characters that RFC 3986 allows in a host only those are taken that real ones have: no user, no encoding,
    /// nothing that another reader could take apart differently. An empty port is none (RFC 3986, 3.2.3).
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (host, port) = split_port(text);
        let port = match port {
            None | Some("") => None,
            Some(digits) => Some(parse_port(digits)?),
        };
        (host.len() <= HOST && (is_name(host) || ipv6(host).is_some())).then_some(Self { host, port })
    }
}

/// Whether two hosts are one: names without regard to case, IPv6 addresses however they are written.
pub(super) fn same_host(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || ipv6(a).is_some_and(|address| ipv6(b) == Some(address))
}

/// A colon inside brackets belongs to the host.
fn split_port(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (text, None),
    }
}

/// Digits alone: the parser of the standard library takes a sign as well.
fn parse_port(digits: &str) -> Option<u16> {
    (digits.len() <= 5 && digits.bytes().all(|b| b.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}

fn is_name(host: &str) -> bool {
    !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
}

fn ipv6(host: &str) -> Option<Ipv6Addr> {
    host.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_maybe_a_port() {
        let longest = "a".repeat(HOST);
        let too_long = "a".repeat(HOST + 1);
        for (text, expected) in [
            ("localhost", Some(("localhost", None))),
            ("localhost:8080", Some(("localhost", Some(8080)))),
            ("localhost:", Some(("localhost", None))),
            ("127.0.0.1:65535", Some(("127.0.0.1", Some(65535)))),
            ("my_host-1.example", Some(("my_host-1.example", None))),
            ("[::1]:80", Some(("[::1]", Some(80)))),
            ("[::1]", Some(("[::1]", None))),
            ("[::ffff:127.0.0.1]", Some(("[::ffff:127.0.0.1]", None))),
            (longest.as_str(), Some((longest.as_str(), None))),
            (too_long.as_str(), None),
            ("", None),
            (":80", None),
            ("localhost:65536", None),
            ("localhost:000080", None),
            ("localhost:+80", None),
            ("localhost: 80", None),
            ("localhost:8080:1", None),
            ("::1", None),
            ("[::1", None),
            ("[::1]x", None),
            ("[::1]x:80", None),
            ("[::1%25eth0]", None),
            ("[zz]", None),
            ("[]", None),
            ("a b", None),
            ("a/b", None),
            ("a\\b", None),
            ("a,b", None),
            ("a%2eb", None),
            ("user@host", None),
            ("a\"b", None),
            ("caf\u{e9}", None),
        ] {
            let expected = expected.map(|(host, port)| Authority { host, port });
            assert_eq!(Authority::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn hosts_are_compared_as_what_they_mean() {
        for (a, b, same) in [
            ("LocalHost", "localhost", true),
            ("[::1]", "[0:0:0:0:0:0:0:1]", true),
            ("[2001:DB8::1]", "[2001:db8::1]", true),
            ("localhost", "localhost.", false),
            ("[::1]", "::1", false),
            ("127.0.0.1", "127.0.0.2", false),
        ] {
            assert_eq!(same_host(a, b), same, "{a} {b}");
        }
    }
}
