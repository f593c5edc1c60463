//! What a browser must be told before it lets a page of another origin use us (Fetch, HTTP-CORS protocol).

use crate::http::syntax::{is_token, trim_blanks};
use crate::http::{Head, Response};

/// Fields for whatever is answered to a page; none if no page asks.
pub(super) type Cors = Vec<(&'static str, Vec<u8>)>;

/// How many seconds a browser may remember the answer to a preflight. Chromium takes no more than two hours; an allowed
/// origin that is taken off the list is refused at its next request all the same.
const MAX_AGE: &str = "600";

/// For a page of an allowed origin: that origin and never `*`, so that no other page may use what a cache kept.
pub(super) fn fields(origin: &[u8], expose: &str) -> Cors {
    let mut fields = vec![
        ("Access-Control-Allow-Origin", origin.to_vec()),
        ("Vary", b"Origin".to_vec()),
    ];
    if !expose.is_empty() {
        fields.push(("Access-Control-Expose-Headers", expose.into()));
    }
    fields
}

/// Whether a browser asks on behalf of a page.
pub(super) fn is_preflight(head: &Head) -> bool {
    head.method == "OPTIONS" && head.headers.get("access-control-request-method").is_some()
}

/// Lets a page of an allowed origin send what it wants to: the fields that it names, and the methods that its path
/// takes.
pub(super) fn preflight(head: &Head, methods: &str) -> Response {
    let wanted = head.headers.get("access-control-request-headers").unwrap_or_default();
    let mut response = Response::text(204, "").with_header("Access-Control-Max-Age", MAX_AGE);
    if !methods.is_empty() {
        response = response.with_header("Access-Control-Allow-Methods", methods);
    }
    if wanted.split(|b| *b == b',').map(trim_blanks).all(is_token) {
        response = response.with_header("Access-Control-Allow-Headers", wanted);
    }
    response
}
