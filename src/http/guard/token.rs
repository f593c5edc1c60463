//! The bearer token (RFC 6750): one secret that every request must have, and what to answer if it has not.

use std::fmt;

use subtle::ConstantTimeEq;

use super::GuardError;
use crate::http::syntax::trim_blanks;
use crate::http::{Head, Response};

/// A secret. It is compared without telling by the time how much of it was right, and never shown.
#[derive(Clone)]
pub(super) struct Token(Vec<u8>);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// Any visible ASCII, though RFC 6750 has fewer characters: people choose tokens, and clients send what they are
    /// given.
    pub(super) fn new(secret: Vec<u8>) -> Result<Self, GuardError> {
        if secret.is_empty() || !secret.iter().all(u8::is_ascii_graphic) {
            return Err(GuardError::Token);
        }
        Ok(Self(secret))
    }

    /// Whether a request has the token, in the one place where it may be; else what to answer. That a token is missing
    /// and that it is wrong are told apart, since a client that has none must be told to get one (RFC 6750, 3.1).
    pub(super) fn check(&self, head: &Head) -> Result<(), Response> {
        let mut fields = head.headers.get_all("authorization");
        match (fields.next(), fields.next()) {
            (None, _) => Err(challenge("This server needs a bearer token.", "Bearer")),
            (Some(field), None) if bearer(field).is_some_and(|sent| self.is(sent)) => Ok(()),
            _ => Err(challenge(
                "This is not the bearer token of this server.",
                "Bearer error=\"invalid_token\"",
            )),
        }
    }

    /// How long the token is may be told by the time; what it is may not.
    fn is(&self, sent: &[u8]) -> bool {
        sent.ct_eq(&self.0).into()
    }
}

fn challenge(sentence: &str, challenge: &'static str) -> Response {
    Response::text(401, sentence).with_header("WWW-Authenticate", challenge)
}

/// The token of an Authorization field, if its scheme is Bearer.
fn bearer(field: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = field.split_at_checked(b"Bearer".len())?;
    (scheme.eq_ignore_ascii_case(b"Bearer") && rest.starts_with(b" ")).then(|| trim_blanks(rest))
}
