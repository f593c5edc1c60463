//! Who may ask: Host, Origin and bearer token, checked in this order as soon as a head is read, and the preflight requests
//! with which browsers ask on behalf of their pages.
//!
//! The Host check is what stops DNS rebinding: a page may have its own name point to 127.0.0.1, but not send another name. The
//! Origin check stops every other foreign page. Neither stops a program of this machine; the token does.

use subtle::ConstantTimeEq;

use super::target::split_port;
use super::{Head, Response};

/// What a guard checks; see [`Guard::new`].
#[derive(Clone, Default, Debug)]
pub struct GuardOptions {
    /// Names and IP literals that may be asked for. One without a port is good for every port, since rebinding is about
    /// names; `name:8080` is good for that one. `None` checks nothing.
    pub hosts: Option<Vec<String>>,
    /// Origins that pages may have, as browsers write them: `http://localhost:5173`, or `http://localhost:*` for every port.
    /// A request without Origin passes. `None` checks nothing.
    pub origins: Option<Vec<String>>,
    /// The bearer token that every request but a preflight must have.
    pub token: Option<Vec<u8>>,
    /// Fields of our answers that pages may read.
    pub expose_headers: Vec<String>,
}

/// Why a guard cannot be made.
#[derive(thiserror::Error, Debug, PartialEq, Eq)]
pub enum GuardError {
    /// Not a host.
    #[error(
        "{0:?} is not a host: write a name or an IP address, with a port if only that one is meant, such as localhost or [::1]:8080"
    )]
    Host(String),
    /// Not an origin.
    #[error(
        "{0:?} is not an origin: write it as browsers do, such as http://localhost:5173, or http://localhost:* for every port"
    )]
    Origin(String),
    /// Not a token that a client could send.
    #[error("a token must not be empty, and have no blanks or control characters")]
    Token,
    /// Not a field name.
    #[error("{0:?} is not the name of a header field")]
    Header(String),
}

/// Checks heads.
#[derive(Clone, Default, Debug)]
pub struct Guard {
    hosts: Option<Vec<Pattern>>,
    origins: Option<Vec<(String, Pattern)>>,
    token: Option<Vec<u8>>,
    expose: String,
}

/// A host, and its port if that matters.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Pattern {
    host: String,
    port: Port,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Port {
    Any,
    /// As written; none for the scheme's own.
    Is(Option<String>),
}

/// What a guard says of a head.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on; whatever is answered gets these fields.
    Pass {
        /// For the page that asked, if one did.
        cors: Vec<(&'static str, Vec<u8>)>,
    },
    /// Answer this, and look no further.
    Answer {
        /// The answer.
        response: Response,
        /// As in `Pass`.
        cors: Vec<(&'static str, Vec<u8>)>,
        /// What it is about.
        kind: Refusal,
    },
}

/// What an answer of the guard is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A foreign Host.
    Host,
    /// A foreign Origin.
    Origin,
    /// A missing or wrong token.
    Token,
    /// No refusal: the answer to a preflight.
    Preflight,
}

type Cors = Vec<(&'static str, Vec<u8>)>;

impl Guard {
    /// Makes a guard.
    ///
    /// # Errors
    /// Names the entry that is wrong.
    pub fn new(options: GuardOptions) -> Result<Self, GuardError> {
        let hosts = options
            .hosts
            .map(|hosts| hosts.iter().map(|h| host_pattern(h)).collect())
            .transpose()?;
        let origins = options
            .origins
            .map(|origins| origins.iter().map(|o| origin_pattern(o)).collect())
            .transpose()?;
        if options
            .token
            .as_ref()
            .is_some_and(|t| t.is_empty() || !t.iter().all(u8::is_ascii_graphic))
        {
            return Err(GuardError::Token);
        }
        if let Some(bad) = options
            .expose_headers
            .iter()
            .find(|name| !is_field_name(name.as_bytes()))
        {
            return Err(GuardError::Header(bad.clone()));
        }
        Ok(Self {
            hosts,
            origins,
            token: options.token,
            expose: options.expose_headers.join(", "),
        })
    }

    /// Checks a head. `methods` is what its path takes, for a preflight.
    pub fn check(&self, head: &Head, methods: &str) -> Verdict {
        let refuse = |response, kind| Verdict::Answer {
            response,
            cors: Cors::new(),
            kind,
        };
        if let Some(host) = self.foreign_host(head) {
            let sentence = format!("The host {host:?} is not one that this server answers for.");
            return refuse(Response::text(403, &sentence), Refusal::Host);
        }
        let cors = match self.origin(head) {
            Ok(None) => Cors::new(),
            Ok(Some(origin)) => self.cors(origin),
            Err(()) => {
                return refuse(
                    Response::text(403, "Pages of this origin may not use this server."),
                    Refusal::Origin,
                );
            }
        };
        if let Some(preflight) = preflight(head, methods)
            && !cors.is_empty()
        {
            return Verdict::Answer {
                response: preflight,
                cors,
                kind: Refusal::Preflight,
            };
        }
        match self.challenge(head) {
            None => Verdict::Pass { cors },
            Some(challenge) => {
                let response =
                    Response::text(401, "A bearer token is needed.").with_header("WWW-Authenticate", challenge);
                Verdict::Answer {
                    response,
                    cors,
                    kind: Refusal::Token,
                }
            }
        }
    }

    /// The host that was asked for, if it is none of ours. HTTP/1.0 may ask for none; no browser speaks that.
    fn foreign_host<'a>(&self, head: &'a Head) -> Option<&'a str> {
        let (hosts, asked) = (self.hosts.as_ref()?, head.authority.as_deref()?);
        let (host, port) = split_port(asked);
        let known = hosts.iter().any(|h| h.matches(host, port.filter(|p| !p.is_empty())));
        (!known).then_some(asked)
    }

    /// The origin that asks, if one does and is allowed.
    fn origin<'a>(&self, head: &'a Head) -> Result<Option<&'a [u8]>, ()> {
        let Some(allowed) = &self.origins else { return Ok(None) };
        let mut fields = head.headers.get_all("origin");
        match (fields.next(), fields.next()) {
            (None, _) => Ok(None),
            (Some(origin), None) => {
                let text = std::str::from_utf8(origin).map_err(|_| ())?;
                let (scheme, host, port) = split_origin(text).ok_or(())?;
                let known = allowed
                    .iter()
                    .any(|(s, pattern)| s.eq_ignore_ascii_case(scheme) && pattern.matches(host, port));
                if known { Ok(Some(origin)) } else { Err(()) }
            }
            _ => Err(()),
        }
    }

    fn cors(&self, origin: &[u8]) -> Cors {
        let mut cors = vec![
            ("Access-Control-Allow-Origin", origin.to_vec()),
            ("Vary", b"Origin".to_vec()),
        ];
        if !self.expose.is_empty() {
            cors.push(("Access-Control-Expose-Headers", self.expose.clone().into_bytes()));
        }
        cors
    }

    /// What to ask for when the token is missing or wrong (RFC 6750, 3); `None` if it is right, or not needed.
    fn challenge(&self, head: &Head) -> Option<&'static str> {
        let token = self.token.as_deref()?;
        let mut fields = head.headers.get_all("authorization");
        match (fields.next(), fields.next()) {
            (None, _) => Some("Bearer"),
            (Some(field), None) if bearer(field).is_some_and(|sent| bool::from(sent.ct_eq(token))) => None,
            _ => Some("Bearer error=\"invalid_token\""),
        }
    }
}

impl Pattern {
    fn matches(&self, host: &str, port: Option<&str>) -> bool {
        let port_ok = match &self.port {
            Port::Any => true,
            Port::Is(wanted) => wanted.as_deref() == port,
        };
        port_ok && self.host.eq_ignore_ascii_case(host)
    }
}

fn host_pattern(text: &str) -> Result<Pattern, GuardError> {
    // An IPv6 address is meant even without its brackets.
    let bracketed = match text.parse::<std::net::Ipv6Addr>() {
        Ok(_) => format!("[{text}]"),
        Err(_) => text.to_owned(),
    };
    if !super::target::is_authority(&bracketed) {
        return Err(GuardError::Host(text.to_owned()));
    }
    let (host, port) = split_port(&bracketed);
    let port = port.map_or(Port::Any, |p| Port::Is(Some(p.to_owned())));
    Ok(Pattern {
        host: host.to_owned(),
        port,
    })
}

fn origin_pattern(text: &str) -> Result<(String, Pattern), GuardError> {
    let any_port = text.strip_suffix(":*");
    let wrong = || GuardError::Origin(text.to_owned());
    let (scheme, host, port) = split_origin(any_port.unwrap_or(text)).ok_or_else(wrong)?;
    let port = match any_port {
        Some(_) if port.is_some() => return Err(wrong()),
        Some(_) => Port::Any,
        None => Port::Is(port.map(str::to_owned)),
    };
    Ok((
        scheme.to_owned(),
        Pattern {
            host: host.to_owned(),
            port,
        },
    ))
}

/// Scheme, host and port of a serialised origin (RFC 6454, 6.2); `None` for "null" and whatever else is none.
fn split_origin(text: &str) -> Option<(&str, &str, Option<&str>)> {
    let (scheme, authority) = text.split_once("://")?;
    let scheme_ok = !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    let (host, port) = split_port(authority);
    (scheme_ok && super::target::is_authority(authority) && port != Some("")).then_some((scheme, host, port))
}

/// The token of an Authorization field, if its scheme is Bearer.
fn bearer(field: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = field.split_at_checked(6)?;
    (scheme.eq_ignore_ascii_case(b"bearer") && rest.first() == Some(&b' ')).then(|| rest.trim_ascii_start())
}

/// The answer to a browser that asks whether a page may send what it wants to (Fetch, CORS-preflight fetch). The fields it
/// names are allowed as they are: what a page may send is decided by its origin.
fn preflight(head: &Head, methods: &str) -> Option<Response> {
    head.headers.get("access-control-request-method")?;
    if head.method != "OPTIONS" {
        return None;
    }
    let mut response = Response::text(204, "")
        .with_header("Access-Control-Allow-Methods", methods)
        .with_header("Access-Control-Max-Age", "600");
    let wanted = head.headers.get("access-control-request-headers").unwrap_or_default();
    let names = wanted.split(|b| *b == b',').map(<[u8]>::trim_ascii);
    if !wanted.is_empty() && names.clone().all(is_field_name) {
        response = response.with_header("Access-Control-Allow-Headers", wanted);
    }
    Some(response)
}

fn is_field_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Limits;

    fn list(items: &[&str]) -> Option<Vec<String>> {
        Some(items.iter().map(|s| s.to_string()).collect())
    }

    fn guard(token: Option<&str>) -> Guard {
        Guard::new(GuardOptions {
            hosts: list(&["localhost", "127.0.0.1", "::1", "proxy.example:8443"]),
            origins: list(&["http://localhost:*", "http://[::1]:*", "https://app.example"]),
            token: token.map(|t| t.as_bytes().to_vec()),
            expose_headers: vec!["Mcp-Session-Id".into()],
        })
        .unwrap()
    }

    fn head(method: &str, fields: &str) -> Head {
        Head::parse(
            format!("{method} /mcp HTTP/1.1\r\n{fields}\r\n").as_bytes(),
            &Limits::default(),
        )
        .unwrap()
    }

    /// The status that a guard answers, or 0 if it lets pass.
    fn status(guard: &Guard, method: &str, fields: &str) -> u16 {
        match guard.check(&head(method, fields), "POST") {
            Verdict::Pass { .. } => 0,
            Verdict::Answer { response, .. } => response.status(),
        }
    }

    #[test]
    fn hosts_are_names_not_ports() {
        for (host, expected) in [
            ("localhost", 0),
            ("LocalHost:8080", 0),
            ("localhost:", 0),
            ("127.0.0.1:1", 0),
            ("[::1]:9", 0),
            ("proxy.example:8443", 0),
            ("proxy.example", 403),
            ("proxy.example:1", 403),
            ("evil.example", 403),
            ("localhost.evil.example", 403),
            ("127.0.0.1.evil.example:80", 403),
        ] {
            assert_eq!(
                status(&guard(None), "POST", &format!("Host: {host}\r\n")),
                expected,
                "{host}"
            );
        }
        let absolute = Head::parse(
            b"POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n",
            &Limits::default(),
        );
        assert!(matches!(
            guard(None).check(&absolute.unwrap(), ""),
            Verdict::Answer {
                kind: Refusal::Host,
                ..
            }
        ));
        let old = Head::parse(b"POST /mcp HTTP/1.0\r\n\r\n", &Limits::default()).unwrap();
        assert!(
            matches!(guard(None).check(&old, ""), Verdict::Pass { .. }),
            "HTTP/1.0 has no Host"
        );
    }

    #[test]
    fn foreign_pages_are_refused() {
        // DEV-SEC-1, 2, 3, 6
        for (fields, expected) in [
            ("", 0),
            ("Origin: http://localhost\r\n", 0),
            ("Origin: http://localhost:5173\r\n", 0),
            ("Origin: http://[::1]:1\r\n", 0),
            ("Origin: https://app.example\r\n", 0),
            ("Origin: https://app.example:444\r\n", 403),
            ("Origin: http://app.example\r\n", 403),
            ("Origin: https://localhost\r\n", 403),
            ("Origin: https://evil.example\r\n", 403),
            ("Origin: http://localhost.evil.example\r\n", 403),
            ("Origin: http://localhost:80@evil.example\r\n", 403),
            ("Origin: http://localhost/\r\n", 403),
            ("Origin: null\r\n", 403),
            ("Origin:\r\n", 403),
            ("Origin: http://localhost http://evil.example\r\n", 403),
            ("Origin: http://localhost\r\nOrigin: http://localhost\r\n", 403),
        ] {
            assert_eq!(
                status(&guard(None), "POST", &format!("Host: localhost\r\n{fields}")),
                expected,
                "{fields}"
            );
        }
        let rebound = "Host: evil.example:80\r\nOrigin: http://evil.example:80\r\n";
        assert_eq!(status(&guard(None), "POST", rebound), 403);
    }

    #[test]
    fn the_token_is_asked_for_and_compared() {
        // DEV-SEC-4
        for (fields, challenge) in [
            ("", Some("Bearer")),
            ("Authorization: Bearer secret\r\n", None),
            ("Authorization: bearer  secret \r\n", None),
            (
                "Authorization: Bearer secre\r\n",
                Some("Bearer error=\"invalid_token\""),
            ),
            (
                "Authorization: Bearer secrets\r\n",
                Some("Bearer error=\"invalid_token\""),
            ),
            ("Authorization: Bearer\r\n", Some("Bearer error=\"invalid_token\"")),
            (
                "Authorization: Bearersecret\r\n",
                Some("Bearer error=\"invalid_token\""),
            ),
            ("Authorization: secret\r\n", Some("Bearer error=\"invalid_token\"")),
            (
                "Authorization: Basic secret\r\n",
                Some("Bearer error=\"invalid_token\""),
            ),
            (
                "Authorization: Bearer secret\r\nAuthorization: Bearer secret\r\n",
                Some("Bearer error=\"invalid_token\""),
            ),
        ] {
            let verdict = guard(Some("secret")).check(&head("DELETE", &format!("Host: localhost\r\n{fields}")), "");
            let expected = match challenge {
                None => Verdict::Pass { cors: vec![] },
                Some(challenge) => Verdict::Answer {
                    response: Response::text(401, "A bearer token is needed.")
                        .with_header("WWW-Authenticate", challenge),
                    cors: vec![],
                    kind: Refusal::Token,
                },
            };
            assert_eq!(verdict, expected, "{fields}");
        }
        let foreign = "Host: localhost\r\nOrigin: http://evil.example\r\nAuthorization: Bearer secret\r\n";
        assert_eq!(
            status(&guard(Some("secret")), "POST", foreign),
            403,
            "the origin comes first"
        );
    }

    #[test]
    fn browsers_may_ask_before_they_send() {
        // DEV-URL-2
        let wanted = "authorization, content-type, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name";
        let fields = |origin: &str| {
            format!(
                "Host: localhost\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\n\
                 Access-Control-Request-Headers: {wanted}\r\n"
            )
        };
        let cors: Cors = vec![
            ("Access-Control-Allow-Origin", b"http://localhost:5173".to_vec()),
            ("Vary", b"Origin".to_vec()),
            ("Access-Control-Expose-Headers", b"Mcp-Session-Id".to_vec()),
        ];
        let verdict =
            guard(Some("secret")).check(&head("OPTIONS", &fields("http://localhost:5173")), "POST, GET, DELETE");
        let response = Response::text(204, "")
            .with_header("Access-Control-Allow-Methods", "POST, GET, DELETE")
            .with_header("Access-Control-Max-Age", "600")
            .with_header("Access-Control-Allow-Headers", wanted);
        assert_eq!(
            verdict,
            Verdict::Answer {
                response,
                cors: cors.clone(),
                kind: Refusal::Preflight
            }
        );
        assert_eq!(status(&guard(None), "OPTIONS", &fields("http://evil.example")), 403);
        // What it sends then gets the same fields, a refusal too.
        let real = head("POST", "Host: localhost\r\nOrigin: http://localhost:5173\r\n");
        assert_eq!(guard(None).check(&real, ""), Verdict::Pass { cors: cors.clone() });
        let Verdict::Answer { cors: on_401, .. } = guard(Some("secret")).check(&real, "") else {
            panic!()
        };
        assert_eq!(on_401, cors);
    }

    #[test]
    fn a_preflight_without_origin_is_an_ordinary_request() {
        let fields = "Host: localhost\r\nAccess-Control-Request-Method: POST\r\n";
        assert_eq!(status(&guard(Some("secret")), "OPTIONS", fields), 401);
        assert_eq!(status(&guard(None), "OPTIONS", fields), 0);
    }

    #[test]
    fn a_guard_that_checks_nothing_lets_everything_pass() {
        let foreign = "Host: evil.example\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n";
        assert_eq!(status(&Guard::default(), "OPTIONS", foreign), 0);
    }

    #[test]
    fn entries_that_are_none_are_named() {
        let error = |options: GuardOptions| Guard::new(options).map(|_| ()).unwrap_err();
        let base = GuardOptions::default;
        for host in ["", "http://localhost", "a b", "host:port", "*", "*.example"] {
            assert_eq!(
                error(GuardOptions {
                    hosts: list(&[host]),
                    ..base()
                }),
                GuardError::Host(host.into())
            );
        }
        for origin in [
            "",
            "localhost",
            "null",
            "http://localhost/",
            "http://*",
            "http://a:1:*",
            "*",
        ] {
            assert_eq!(
                error(GuardOptions {
                    origins: list(&[origin]),
                    ..base()
                }),
                GuardError::Origin(origin.into())
            );
        }
        for token in ["", "a b", "a\n"] {
            assert_eq!(
                error(GuardOptions {
                    token: Some(token.into()),
                    ..base()
                }),
                GuardError::Token
            );
        }
        assert_eq!(
            error(GuardOptions {
                expose_headers: vec!["a b".into()],
                ..base()
            }),
            GuardError::Header("a b".into())
        );
    }
}
