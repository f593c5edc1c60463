//! The entries of a guard's lists: which hosts may be asked for, and which origins may ask.

use std::net::Ipv6Addr;

use super::GuardError;
use crate::http::authority::{Authority, same_host};

/// A host that may be asked for.
#[derive(Clone, Debug)]
pub(super) struct HostPattern {
    host: String,
    port: Port,
}

/// An origin that may ask.
#[derive(Clone, Debug)]
pub(super) struct OriginPattern {
    scheme: String,
    host: String,
    port: Port,
}

#[derive(Clone, Copy, Debug)]
enum Port {
    Any,
    /// `None` where a scheme of which we know no port is written without one.
    Is(Option<u16>),
}

impl HostPattern {
    /// A name or an IP address, with a port if only that one is meant. An IPv6 address is understood without its
    /// brackets too.
    pub(super) fn new(text: &str) -> Result<Self, GuardError> {
        let bracketed = match text.parse::<Ipv6Addr>() {
            Ok(_) => format!("[{text}]"),
            Err(_) => text.to_owned(),
        };
        match Authority::parse(&bracketed) {
            Some(Authority { host, port }) if !text.ends_with(':') || port.is_some() => Ok(Self {
                host: host.to_owned(),
                port: port.map_or(Port::Any, |port| Port::Is(Some(port))),
            }),
            _ => Err(GuardError::Host(text.to_owned())),
        }
    }

    /// Whether this is the host. Without a port, that of `http` is meant.
    pub(super) fn matches(&self, asked: Authority) -> bool {
        same_host(&self.host, asked.host) && self.port.matches(asked.port.or(default_port("http")))
    }
}

impl OriginPattern {
    /// An origin as browsers write it, or with `*` for its port.
    pub(super) fn new(text: &str) -> Result<Self, GuardError> {
        let any_port = text.strip_suffix(":*");
        match (split_origin(any_port.unwrap_or(text)), any_port) {
            (Some((scheme, asked)), None) => Ok(Self::of(scheme, asked.host, Port::Is(port_of(scheme, asked)))),
            (Some((scheme, asked)), Some(_)) if asked.port.is_none() => Ok(Self::of(scheme, asked.host, Port::Any)),
            _ => Err(GuardError::Origin(text.to_owned())),
        }
    }

    fn of(scheme: &str, host: &str, port: Port) -> Self {
        Self {
            scheme: scheme.to_owned(),
            host: host.to_owned(),
            port,
        }
    }

    /// Whether the value of an Origin field is this origin. `null`, nothing, or several never are.
    pub(super) fn matches(&self, origin: &[u8]) -> bool {
        let Some((scheme, asked)) = std::str::from_utf8(origin).ok().and_then(split_origin) else {
            return false;
        };
        self.scheme.eq_ignore_ascii_case(scheme)
            && same_host(&self.host, asked.host)
            && self.port.matches(port_of(scheme, asked))
    }
}

impl Port {
    fn matches(self, port: Option<u16>) -> bool {
        match self {
            Self::Any => true,
            Self::Is(wanted) => wanted == port,
        }
    }
}

/// Scheme and host of a serialised origin (RFC 6454, 6.2); `None` for `null` and whatever else is none.
fn split_origin(text: &str) -> Option<(&str, Authority<'_>)> {
    let (scheme, authority) = text.split_once("://")?;
    let scheme_ok = !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    let asked = Authority::parse(authority)?;
    (scheme_ok && !authority.ends_with(':')).then_some((scheme, asked))
}

/// The port that an origin means: browsers leave out the one that goes without saying.
fn port_of(scheme: &str, asked: Authority) -> Option<u16> {
    asked.port.or(default_port(scheme))
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme.to_ascii_lowercase().as_str() {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_not_ports() {
        for (entry, asked, expected) in [
            ("localhost", "localhost", true),
            ("localhost", "LocalHost:8080", true),
            ("localhost", "localhost:", true),
            ("localhost", "localhost.evil.example", false),
            ("localhost", "evil.localhost", false),
            ("127.0.0.1", "127.0.0.1:1", true),
            ("127.0.0.1", "127.0.0.1.evil.example:80", false),
            ("127.0.0.1", "127.1", false),
            ("[::1]", "[::1]:9", true),
            ("::1", "[0:0::1]:9", true),
            ("a.example:8443", "A.example:8443", true),
            ("a.example:8443", "a.example", false),
            ("a.example:8443", "a.example:1", false),
            ("a.example:80", "a.example", true),
            ("[::1]:80", "[::1]", true),
        ] {
            let pattern = HostPattern::new(entry).unwrap();
            assert_eq!(
                pattern.matches(Authority::parse(asked).unwrap()),
                expected,
                "{entry} {asked}"
            );
        }
    }

    #[test]
    fn origins_are_scheme_host_and_port() {
        for (entry, asked, expected) in [
            ("http://localhost:5173", "http://localhost:5173", true),
            ("http://localhost:5173", "http://localhost:5174", false),
            ("http://localhost:5173", "http://localhost", false),
            ("http://localhost", "http://localhost", true),
            ("http://localhost:80", "http://localhost", true),
            ("https://a.example", "https://a.example:443", true),
            ("https://a.example", "https://a.example:444", false),
            ("https://a.example", "http://a.example", false),
            ("http://localhost:*", "http://localhost", true),
            ("http://localhost:*", "http://localhost:1", true),
            ("http://localhost:*", "https://localhost:1", false),
            ("http://[::1]:*", "http://[::1]:1", true),
            ("vscode-webview://panel", "vscode-webview://panel", true),
            ("vscode-webview://panel", "vscode-webview://other", false),
            ("http://localhost:*", "http://localhost.evil.example", false),
            ("http://localhost:*", "http://localhost:80@evil.example", false),
            ("http://localhost:*", "http://localhost/", false),
            ("http://localhost:*", "http://localhost:", false),
            ("http://localhost:*", "http://localhost http://evil.example", false),
            ("http://localhost:*", "null", false),
            ("http://localhost:*", "", false),
        ] {
            let pattern = OriginPattern::new(entry).unwrap();
            assert_eq!(pattern.matches(asked.as_bytes()), expected, "{entry} {asked}");
        }
        assert!(
            !OriginPattern::new("http://localhost")
                .unwrap()
                .matches(b"http://localhost\xff")
        );
    }

    #[test]
    fn entries_that_are_none_are_named() {
        for host in [
            "",
            "http://localhost",
            "a b",
            "host:port",
            "host:",
            "*",
            "*.example",
            "host:*",
        ] {
            assert_eq!(HostPattern::new(host).unwrap_err(), GuardError::Host(host.into()));
        }
        for origin in [
            "",
            "localhost",
            "null",
            "http://localhost/",
            "http://localhost:",
            "http://*",
            "http://a:1:*",
            "*",
            "://a",
        ] {
            assert_eq!(
                OriginPattern::new(origin).unwrap_err(),
                GuardError::Origin(origin.into())
            );
        }
    }
}
