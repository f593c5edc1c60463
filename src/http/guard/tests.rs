//! A guard as requests meet it: in its order, by their heads.

use super::*;
use crate::http::Limits;

const WRONG: &str = "Bearer error=\"invalid_token\"";

fn list(items: &[&str]) -> Option<Vec<String>> {
    Some(items.iter().map(|s| s.to_string()).collect())
}

fn guard(token: Option<&str>) -> Guard {
    Guard::new(GuardOptions {
        hosts: list(&["localhost", "127.0.0.1", "::1"]),
        origins: list(&["http://localhost:*", "https://app.example"]),
        token: token.map(|t| t.as_bytes().to_vec()),
        expose_headers: vec!["Mcp-Session-Id".into()],
    })
    .unwrap()
}

fn parse(text: &str) -> Head {
    Head::parse(text.as_bytes(), &Limits::default()).unwrap()
}

fn head(method: &str, fields: &str) -> Head {
    parse(&format!("{method} /mcp HTTP/1.1\r\n{fields}\r\n"))
}

/// What a guard answers and why, or nothing if it lets pass.
fn answer(guard: &Guard, head: &Head) -> Option<(u16, Refusal)> {
    match guard.check(head, "POST") {
        Verdict::Pass { .. } => None,
        Verdict::Answer { response, kind, .. } => Some((response.status(), kind)),
    }
}

/// An answer as it is written, CORS fields included.
fn written(verdict: &Verdict) -> String {
    let Verdict::Answer { response, cors, .. } = verdict else {
        panic!("{verdict:?}")
    };
    let mut out = Vec::new();
    let frame = crate::http::Frame {
        version: crate::http::Version::Http11,
        head_only: false,
        close: false,
        date: "D",
        extra: cors,
    };
    response.encode(&frame, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn a_page_that_had_its_name_point_here_is_refused() {
    // DEV-SEC-3
    let foreign = Some((403, Refusal::Host));
    for (fields, expected) in [
        ("Host: localhost:8080\r\n", None),
        ("Host: evil.example:8080\r\n", foreign),
        ("Host: evil.example:80\r\nOrigin: http://evil.example:80\r\n", foreign),
    ] {
        assert_eq!(answer(&guard(None), &head("POST", fields)), expected, "{fields}");
    }
    let verdict = guard(None).check(&head("POST", "Host: evil.example:8080\r\n"), "");
    let text = written(&verdict);
    assert!(
        text.contains("\"evil.example:8080\"") && text.contains("allowed-hosts"),
        "{text}"
    );
}

#[test]
fn the_host_of_an_absolute_target_is_the_one_that_counts() {
    let asked = |target: &str, host: &str| {
        answer(
            &guard(None),
            &parse(&format!("POST {target} HTTP/1.1\r\nHost: {host}\r\n\r\n")),
        )
    };
    assert_eq!(asked("http://127.0.0.1:1/mcp", "localhost"), None);
    assert_eq!(
        asked("http://evil.example/mcp", "localhost"),
        Some((403, Refusal::Host))
    );
}

#[test]
fn http_1_0_may_have_no_host_but_no_foreign_one() {
    let old = |fields: &str| answer(&guard(None), &parse(&format!("POST /mcp HTTP/1.0\r\n{fields}\r\n")));
    assert_eq!(old(""), None);
    assert_eq!(old("Host: evil.example\r\n"), Some((403, Refusal::Host)));
}

#[test]
fn a_foreign_page_cannot_drive_the_server() {
    // DEV-SEC-1, DEV-SEC-2, DEV-SEC-6
    let foreign = Some((403, Refusal::Origin));
    for (fields, expected) in [
        ("", None),
        ("Origin: http://localhost\r\n", None),
        ("Origin: http://localhost:5173\r\n", None),
        ("Origin: https://app.example\r\n", None),
        ("Origin: https://evil.example\r\n", foreign),
        ("Origin: null\r\n", foreign),
        ("Origin:\r\n", foreign),
        ("Origin: *\r\n", foreign),
        ("Origin: http://localhost\r\nOrigin: http://localhost\r\n", foreign),
        ("Origin: http://localhost, http://localhost\r\n", foreign),
    ] {
        for method in ["POST", "GET", "DELETE", "OPTIONS"] {
            let head = head(method, &format!("Host: localhost\r\n{fields}"));
            assert_eq!(answer(&guard(None), &head), expected, "{method} {fields}");
        }
    }
}

#[test]
fn a_missing_or_wrong_token_gets_a_challenge() {
    // DEV-SEC-4
    for (fields, challenge) in [
        ("", Some("Bearer")),
        ("Authorization: Bearer secret\r\n", None),
        ("Authorization: bearer  secret \r\n", None),
        ("Authorization: Bearer secre\r\n", Some(WRONG)),
        ("Authorization: Bearer secrets\r\n", Some(WRONG)),
        ("Authorization: Bearer SECRET\r\n", Some(WRONG)),
        ("Authorization: Bearer\r\n", Some(WRONG)),
        ("Authorization:\r\n", Some(WRONG)),
        ("Authorization: Bearersecret\r\n", Some(WRONG)),
        ("Authorization: Bearer\tsecret\r\n", Some(WRONG)),
        ("Authorization: Bearer secret, Bearer secret\r\n", Some(WRONG)),
        ("Authorization: secret\r\n", Some(WRONG)),
        ("Authorization: Basic secret\r\n", Some(WRONG)),
        (
            "Authorization: Bearer secret\r\nAuthorization: Bearer secret\r\n",
            Some(WRONG),
        ),
    ] {
        for method in ["POST", "GET", "DELETE", "OPTIONS"] {
            let verdict = guard(Some("secret")).check(&head(method, &format!("Host: localhost\r\n{fields}")), "");
            match challenge {
                None => assert_eq!(verdict, Verdict::Pass { cors: vec![] }, "{fields}"),
                Some(challenge) => {
                    let text = written(&verdict);
                    assert!(text.starts_with("HTTP/1.1 401 Unauthorized\r\n"), "{fields} {text}");
                    assert!(
                        text.contains(&format!("\r\nWWW-Authenticate: {challenge}\r\n")),
                        "{fields} {text}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_token_in_the_query_is_no_token() {
    // DEV-SEC-4
    let head = parse("POST /mcp?token=secret HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(answer(&guard(Some("secret")), &head), Some((401, Refusal::Token)));
}

#[test]
fn the_right_token_opens_nothing_to_a_foreign_host_or_page() {
    let guard = guard(Some("secret"));
    let token = "Authorization: Bearer secret\r\n";
    for (fields, kind) in [
        ("Host: evil.example\r\n", Refusal::Host),
        ("Host: localhost\r\nOrigin: http://evil.example\r\n", Refusal::Origin),
        ("Host: evil.example\r\nOrigin: http://evil.example\r\n", Refusal::Host),
    ] {
        assert_eq!(
            answer(&guard, &head("POST", &format!("{fields}{token}"))),
            Some((403, kind))
        );
    }
}

#[test]
fn a_browser_may_ask_before_it_sends() {
    // DEV-URL-2
    let wanted = "authorization, content-type, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name";
    let ask = |origin: &str, wanted: &str| {
        let fields = format!(
            "Host: localhost\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\n\
             Access-Control-Request-Headers: {wanted}\r\n"
        );
        guard(Some("secret")).check(&head("OPTIONS", &fields), "POST, GET, DELETE")
    };
    assert_eq!(
        written(&ask("http://localhost:5173", wanted)),
        format!(
            "HTTP/1.1 204 No Content\r\nDate: D\r\nAccess-Control-Max-Age: 600\r\n\
             Access-Control-Allow-Methods: POST, GET, DELETE\r\nAccess-Control-Allow-Headers: {wanted}\r\n\
             Access-Control-Allow-Origin: http://localhost:5173\r\nVary: Origin\r\n\
             Access-Control-Expose-Headers: Mcp-Session-Id\r\n\r\n"
        )
    );
    assert!(written(&ask("http://evil.example", wanted)).starts_with("HTTP/1.1 403 "));
    for odd in ["", "a b", "a,,b", "a;q=1"] {
        assert!(
            !written(&ask("http://localhost", odd)).contains("Allow-Headers"),
            "{odd}"
        );
    }
}

#[test]
fn a_page_may_read_what_is_answered_to_it_refusals_too() {
    // DEV-URL-2
    let real = head("POST", "Host: localhost\r\nOrigin: http://localhost:5173\r\n");
    let cors: Cors = vec![
        ("Access-Control-Allow-Origin", b"http://localhost:5173".to_vec()),
        ("Vary", b"Origin".to_vec()),
        ("Access-Control-Expose-Headers", b"Mcp-Session-Id".to_vec()),
    ];
    assert_eq!(guard(None).check(&real, ""), Verdict::Pass { cors: cors.clone() });
    let Verdict::Answer { cors: on_401, .. } = guard(Some("secret")).check(&real, "") else {
        panic!()
    };
    assert_eq!(on_401, cors);
}

#[test]
fn a_foreign_page_may_not_even_read_why() {
    let Verdict::Answer { cors, .. } =
        guard(None).check(&head("POST", "Host: localhost\r\nOrigin: http://evil.example\r\n"), "")
    else {
        panic!()
    };
    assert_eq!(cors, vec![]);
}

#[test]
fn a_preflight_needs_an_origin_and_a_method() {
    let token = Some((401, Refusal::Token));
    let guard = guard(Some("secret"));
    for (method, fields, expected) in [
        ("OPTIONS", "Access-Control-Request-Method: POST\r\n", token),
        ("OPTIONS", "Origin: http://localhost\r\n", token),
        (
            "POST",
            "Origin: http://localhost\r\nAccess-Control-Request-Method: POST\r\n",
            token,
        ),
        (
            "OPTIONS",
            "Origin: http://localhost\r\nAccess-Control-Request-Method: POST\r\n",
            Some((204, Refusal::Preflight)),
        ),
    ] {
        let head = head(method, &format!("Host: localhost\r\n{fields}"));
        assert_eq!(answer(&guard, &head), expected, "{method} {fields}");
    }
}

#[test]
fn a_preflight_for_no_path_names_no_methods() {
    let fields = "Host: localhost\r\nOrigin: http://localhost\r\nAccess-Control-Request-Method: POST\r\n";
    let text = written(&guard(None).check(&head("OPTIONS", fields), ""));
    assert!(
        text.starts_with("HTTP/1.1 204 ") && !text.contains("Allow-Methods"),
        "{text}"
    );
}

#[test]
fn a_guard_that_checks_nothing_lets_everything_pass() {
    let foreign = "Host: evil.example\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n";
    assert_eq!(answer(&Guard::default(), &head("OPTIONS", foreign)), None);
}

#[test]
fn an_empty_list_lets_nobody_pass() {
    let nobody = Guard::new(GuardOptions {
        hosts: Some(vec![]),
        ..GuardOptions::default()
    });
    assert_eq!(
        answer(&nobody.unwrap(), &head("POST", "Host: localhost\r\n")),
        Some((403, Refusal::Host))
    );
}

#[test]
fn options_that_are_none_are_named() {
    let error = |options: GuardOptions| Guard::new(options).map(|_| ()).unwrap_err();
    let base = GuardOptions::default;
    let options = [
        (
            GuardOptions {
                hosts: list(&["localhost", "a b"]),
                ..base()
            },
            GuardError::Host("a b".into()),
        ),
        (
            GuardOptions {
                origins: list(&["null"]),
                ..base()
            },
            GuardError::Origin("null".into()),
        ),
        (
            GuardOptions {
                expose_headers: vec!["a b".into()],
                ..base()
            },
            GuardError::Header("a b".into()),
        ),
    ];
    for (options, expected) in options {
        assert_eq!(error(options), expected);
    }
    for token in ["", "a b", "a\n", "caf\u{e9}"] {
        let options = GuardOptions {
            token: Some(token.into()),
            ..base()
        };
        assert_eq!(error(options), GuardError::Token, "{token:?}");
    }
}

#[test]
fn a_log_never_sees_the_token() {
    let options = GuardOptions {
        token: Some(b"secret".to_vec()),
        ..GuardOptions::default()
    };
    let debug = format!("{options:?} {:?}", Guard::new(options.clone()).unwrap());
    let numbers = format!("{:?}", b"secret");
    assert!(!debug.contains("secret") && !debug.contains(&numbers), "{debug}");
}
