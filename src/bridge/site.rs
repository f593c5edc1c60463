//! One server, as the IO thread gets it: everything that may be decided without asking Lua.

use std::sync::Arc;
use std::time::Duration;

use super::Counters;
use crate::http::{Guard, Limits};

/// What a server was made of. Fixed from the moment it listens.
pub(crate) struct Site {
    /// The number that exchanges and commands name it by; unique in its engine.
    pub(crate) id: usize,
    pub(crate) options: Options,
    pub(crate) guard: Guard,
    pub(crate) routes: Routes,
    pub(crate) counters: Arc<Counters>,
}

/// The bounds of one server; every one has its reason.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) limits: Limits,
    /// They share the host's descriptors, of which a process often has 1,024.
    pub(crate) max_connections: usize,
    /// Exchanges that no handler has begun with: more than a frame or two can serve is better refused early.
    pub(crate) max_waiting: usize,
    /// From the first byte of a head (or of a connection) to its end, however it dribbles.
    pub(crate) head_timeout: Duration,
    /// For each further piece of a body; see [`Options::BODY_PIECE`].
    pub(crate) body_timeout: Duration,
    /// Between two requests of one connection: as long as browsers and proxies keep theirs.
    pub(crate) idle_timeout: Duration,
    /// Until some dispatch picks the exchange up. Longer than any honest pause of a frame loop, shorter than what clients wait.
    pub(crate) pickup_timeout: Duration,
    /// From then until it is answered: the longest that common HTTP clients wait for a silent response.
    pub(crate) answer_timeout: Duration,
}

impl Options {
    /// What counts as progress of a body: a client that sends less than this in `body_timeout` holds a connection, not a
    /// conversation.
    pub(crate) const BODY_PIECE: usize = 16 * 1024;
    /// How long a client may refuse to take any byte of its answer.
    pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
    /// How long what a refused client still sends is read away, so that its kernel lets it see the refusal (RFC 9112, 9.6).
    pub(crate) const LINGER: Duration = Duration::from_secs(5);
    /// What `Retry-After` tells a client that came while the program was busy.
    pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(1);
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            max_connections: 256,
            max_waiting: 256,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(75),
            pickup_timeout: Duration::from_secs(20),
            answer_timeout: Duration::from_secs(300),
        }
    }
}

/// Which handler serves which method on which path. Paths are compared whole, after decoding.
#[derive(Clone, Default, Debug)]
pub(crate) struct Routes(Vec<Route>);

#[derive(Clone, Debug)]
struct Route {
    path: String,
    /// `None` serves every method.
    method: Option<&'static str>,
    handler: usize,
}

/// What a method and a path lead to.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Found {
    Handler(usize),
    /// The path is there, the method is not: 405.
    OtherMethods,
    /// 404.
    Nothing,
}

impl Routes {
    /// Adds a route; false if this method has one on this path already.
    pub(crate) fn add(&mut self, method: Option<&'static str>, path: &str, handler: usize) -> bool {
        let taken = self.0.iter().any(|r| r.path == path && r.method == method);
        if !taken {
            self.0.push(Route {
                path: path.into(),
                method,
                handler,
            });
        }
        !taken
    }

    /// Finds the handler. HEAD is served by the handler for GET (RFC 9110, 9.3.2); a route for every method comes last.
    pub(crate) fn find(&self, method: &str, path: &str) -> Found {
        let wanted = if method == "HEAD" { "GET" } else { method };
        let at_path = || self.0.iter().filter(|r| r.path == path);
        match at_path()
            .find(|r| r.method == Some(wanted))
            .or_else(|| at_path().find(|r| r.method.is_none()))
        {
            Some(route) => Found::Handler(route.handler),
            None if at_path().next().is_some() => Found::OtherMethods,
            None => Found::Nothing,
        }
    }

    /// The value of `Allow` for a path; empty when there is no such path.
    pub(crate) fn allow(&self, path: &str) -> String {
        let mut methods = Vec::new();
        for route in self.0.iter().filter(|r| r.path == path) {
            match route.method {
                Some("GET") => methods.extend(["GET", "HEAD"]),
                Some(method) => methods.push(method),
                None => methods.extend(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
            }
        }
        if !methods.is_empty() {
            methods.push("OPTIONS");
        }
        let mut seen = Vec::new();
        methods.retain(|m| {
            !seen.contains(m) && {
                seen.push(m);
                true
            }
        });
        methods.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes() -> Routes {
        let mut routes = Routes::default();
        assert!(routes.add(Some("POST"), "/mcp", 0));
        assert!(routes.add(Some("DELETE"), "/mcp", 1));
        assert!(routes.add(Some("GET"), "/page", 2));
        assert!(routes.add(None, "/all", 3));
        routes
    }

    #[test]
    fn a_method_and_a_path_find_their_handler() {
        for (method, path, found) in [
            ("POST", "/mcp", Found::Handler(0)),
            ("DELETE", "/mcp", Found::Handler(1)),
            ("GET", "/mcp", Found::OtherMethods),
            ("post", "/mcp", Found::OtherMethods),
            ("POST", "/mcp/", Found::Nothing),
            ("POST", "//mcp", Found::Nothing),
            ("HEAD", "/page", Found::Handler(2)),
            ("HEAD", "/mcp", Found::OtherMethods),
            ("PURGE", "/all", Found::Handler(3)),
        ] {
            assert_eq!(routes().find(method, path), found, "{method} {path}");
        }
    }

    #[test]
    fn allow_lists_what_the_path_takes() {
        for (path, allow) in [
            ("/mcp", "POST, DELETE, OPTIONS"),
            ("/page", "GET, HEAD, OPTIONS"),
            ("/all", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
            ("/none", ""),
        ] {
            assert_eq!(routes().allow(path), allow);
        }
    }

    #[test]
    fn a_route_cannot_be_taken_twice() {
        let mut routes = routes();
        assert!(!routes.add(Some("POST"), "/mcp", 9));
        assert!(
            routes.add(Some("GET"), "/all", 9),
            "a method beside the route for every method"
        );
        assert_eq!(routes.find("GET", "/all"), Found::Handler(9));
    }
}
