//! What the IO thread decides by itself as soon as a request's head is read, in the order of RFC 9110 and of MCP's own rules:
//! who asks (host, origin, token), then for what (path), then how (method).

use crate::bridge::{Found, Refused, Site};
use crate::http::{Head, Refusal, Response, Verdict};

/// Headers that go on to whatever answer the request gets.
pub(crate) type Cors = Vec<(&'static str, Vec<u8>)>;

/// What becomes of a request.
pub(crate) enum Decision {
    /// A handler of the program gets it.
    Handle { handler: usize, cors: Cors },
    /// It is answered here; counted as refused if that is what it is.
    Answer {
        response: Response,
        cors: Cors,
        refused: Option<Refused>,
    },
}

/// Decides without a byte of the body.
pub(crate) fn decide(site: &Site, head: &Head) -> Decision {
    let allow = site.routes.allow(&head.path);
    let cors = match site.guard.check(head, &allow) {
        Verdict::Pass { cors } => cors,
        Verdict::Answer { response, cors, kind } => {
            return Decision::Answer {
                response,
                cors,
                refused: reason(kind),
            };
        }
    };
    let (response, refused) = match site.routes.find(&head.method, &head.path) {
        Found::Handler(handler) => return Decision::Handle { handler, cors },
        Found::Nothing => (
            Response::text(404, "There is nothing at this path."),
            Some(Refused::NotFound),
        ),
        Found::OtherMethods if head.method == "OPTIONS" => (Response::text(204, ""), None),
        Found::OtherMethods => {
            let sentence = format!("{} is not served at this path; {allow} are.", head.method);
            (Response::text(405, &sentence), Some(Refused::Method))
        }
    };
    let response = if allow.is_empty() {
        response
    } else {
        response.with_header("Allow", allow)
    };
    Decision::Answer {
        response,
        cors,
        refused,
    }
}

fn reason(kind: Refusal) -> Option<Refused> {
    match kind {
        Refusal::Host => Some(Refused::Host),
        Refusal::Origin => Some(Refused::Origin),
        Refusal::Token => Some(Refused::Token),
        Refusal::Preflight => None,
    }
}
