//! Who may ask: Host, Origin and bearer token, checked in this order as soon as a head is read, and the preflight
//! requests with which browsers ask on behalf of their pages.
//!
//! The Host check is what stops DNS rebinding: a page may have its own name point to 127.0.0.1, but not send another
//! name. The Origin check stops every other foreign page. Neither stops a program of this machine; the token does.

mod cors;
mod pattern;
mod token;

#[cfg(test)]
mod tests;

use std::fmt;

use self::cors::Cors;
use self::pattern::{HostPattern, OriginPattern};
use self::token::Token;
use super::authority::Authority;
use super::syntax::is_token;
use super::{Head, Response};

/// What a guard checks; see [`Guard::new`].
#[derive(Clone, Default)]
pub struct GuardOptions {
    /// Names and IP literals that may be asked for. One without a port is good for every port, since rebinding is about
    /// names; `name:8080` is good for that one. `None` checks nothing.
    pub hosts: Option<Vec<String>>,
    /// Origins that pages may have, as browsers write them: `http://localhost:5173`, or `http://localhost:*` for every
    /// port. A request without Origin passes: it comes from no page. `None` checks nothing.
    pub origins: Option<Vec<String>>,
    /// The bearer token that every request but a preflight must have.
    pub token: Option<Vec<u8>>,
    /// Fields of our answers that pages may read.
    pub expose_headers: Vec<String>,
}

/// All but the token.
impl fmt::Debug for GuardOptions {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("GuardOptions")
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .field("expose_headers", &self.expose_headers)
            .finish_non_exhaustive()
    }
}

/// Why a guard cannot be made.
#[derive(thiserror::Error, Debug, PartialEq, Eq)]
pub enum GuardError {
    /// Not a host.
    #[error(
        "{0:?} is not a host: write a name or an IP address, with a port if only that one is meant, \
         such as localhost or [::1]:8080"
    )]
    Host(String),
    /// Not an origin.
    #[error(
        "{0:?} is not an origin: write it as browsers do, such as http://localhost:5173, \
         or http://localhost:* for every port"
    )]
    Origin(String),
    /// Not a token that a client could send.
    #[error("a token must not be empty, and have no blanks or control characters")]
    Token,
    /// Not a field name.
    #[error("{0:?} is not the name of a header field")]
    Header(String),
}

/// Checks heads. The default one checks nothing.
#[derive(Clone, Default, Debug)]
pub struct Guard {
    hosts: Option<Vec<HostPattern>>,
    origins: Option<Vec<OriginPattern>>,
    token: Option<Token>,
    /// The value of Access-Control-Expose-Headers.
    expose: String,
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

impl Guard {
    /// Makes a guard.
    ///
    /// # Errors
    /// Names the entry that is wrong.
    pub fn new(options: GuardOptions) -> Result<Self, GuardError> {
        let bad_name = options.expose_headers.iter().find(|name| !is_token(name.as_bytes()));
        if let Some(name) = bad_name {
            return Err(GuardError::Header(name.clone()));
        }
        Ok(Self {
            hosts: each(options.hosts, HostPattern::new)?,
            origins: each(options.origins, OriginPattern::new)?,
            token: options.token.map(Token::new).transpose()?,
            expose: options.expose_headers.join(", "),
        })
    }

    /// Checks a head. `methods` is what its path takes, such as `POST, DELETE`, and empty if there is no such path.
    pub fn check(&self, head: &Head, methods: &str) -> Verdict {
        if let Some(host) = self.foreign_host(head) {
            return foreign_host(host);
        }
        let cors = match self.origin(head) {
            Ok(None) => Cors::new(),
            Ok(Some(origin)) => cors::fields(origin, &self.expose),
            Err(Foreign) => return foreign_origin(),
        };
        // Without CORS fields no page asks, and it is an ordinary OPTIONS request.
        if !cors.is_empty() && cors::is_preflight(head) {
            return Verdict::Answer {
                response: cors::preflight(head, methods),
                cors,
                kind: Refusal::Preflight,
            };
        }
        match self.token.as_ref().map_or(Ok(()), |token| token.check(head)) {
            Ok(()) => Verdict::Pass { cors },
            Err(response) => Verdict::Answer {
                response,
                cors,
                kind: Refusal::Token,
            },
        }
    }

    /// The host that was asked for, if it is none of ours. HTTP/1.0 may ask for none; no browser speaks that.
    fn foreign_host<'a>(&self, head: &'a Head) -> Option<&'a str> {
        let (hosts, asked) = (self.hosts.as_ref()?, head.authority.as_deref()?);
        let known = Authority::parse(asked).is_some_and(|asked| hosts.iter().any(|host| host.matches(asked)));
        (!known).then_some(asked)
    }

    /// The origin that asks, if one does and is allowed. Never compared to Host: after rebinding both come from the
    /// attacker.
    fn origin<'a>(&self, head: &'a Head) -> Result<Option<&'a [u8]>, Foreign> {
        let Some(allowed) = &self.origins else { return Ok(None) };
        let mut fields = head.headers.get_all("origin");
        match (fields.next(), fields.next()) {
            (None, _) => Ok(None),
            (Some(origin), None) if allowed.iter().any(|pattern| pattern.matches(origin)) => Ok(Some(origin)),
            _ => Err(Foreign),
        }
    }
}

/// An origin that is not on the list, or is none at all.
struct Foreign;

fn each<T>(
    texts: Option<Vec<String>>,
    parse: impl Fn(&str) -> Result<T, GuardError>,
) -> Result<Option<Vec<T>>, GuardError> {
    texts
        .map(|texts| texts.iter().map(|text| parse(text)).collect())
        .transpose()
}

fn foreign_host(host: &str) -> Verdict {
    let sentence =
        format!("This server does not answer for the host {host:?}. If it should, add that to allowed-hosts.");
    refusal(&sentence, Refusal::Host)
}

fn foreign_origin() -> Verdict {
    let sentence = "Pages of this origin may not use this server. If they should, add it to allowed-origins.";
    refusal(sentence, Refusal::Origin)
}

/// Without CORS fields: a foreign page does not get to read why.
fn refusal(sentence: &str, kind: Refusal) -> Verdict {
    Verdict::Answer {
        response: Response::text(403, sentence),
        cors: Cors::new(),
        kind,
    }
}
