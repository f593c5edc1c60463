//! What went wrong for users of other servers, by the ids of the public reports.

use super::*;

/// A connection of a server with the usual limits.
fn usual(wire: &str) -> (Vec<String>, u16) {
    served(&Limits::default(), wire.as_bytes())
}

/// The status that a POST with these fields is refused with, or 0; nothing may have been run if it is.
fn refused(fields: &str) -> u16 {
    let (requests, status) = usual(&format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n{}",
        "x".repeat(46)
    ));
    assert!(status == 0 || requests.is_empty(), "{fields:?} ran {requests:?}");
    status
}

#[test]
fn a_chunked_body_neither_hangs_nor_comes_in_empty() {
    // DEV-HTTP-1
    let wire = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nping\r\n0\r\n\r\n";
    assert_eq!(usual(wire), (vec!["POST /mcp ping".into()], 0));
}

#[test]
fn a_request_in_pieces_is_the_same_request() {
    // DEV-HTTP-2; every other way to cut it is in `splits`.
    let wire = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nping";
    let limits = Limits::default();
    let whole = events(&limits, wire, &[]);
    let between = wire.len() - 4;
    assert_eq!(events(&limits, wire, &[between]), whole);
    assert_eq!(whole.last(), Some(&Event::Rest(0)), "a FIN after it changes nothing");
}

#[test]
fn leftovers_of_one_request_do_not_bleed_into_the_next() {
    // DEV-HTTP-3
    let body = |n: usize| "b".repeat((n * 37) % 101);
    let wire: String = (0..50)
        .map(|n| {
            let body = body(n);
            format!(
                "POST /{n} HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
        })
        .collect();
    let expected: Vec<String> = (0..50)
        .map(|n| format!("POST /{n} {}", body(n)).trim_end().to_owned())
        .collect();
    assert_eq!(usual(&wire), (expected, 0));
}

#[test]
fn an_http_1_0_client_is_answered_and_closed() {
    // DEV-HTTP-4
    let plain = b"POST /mcp HTTP/1.0\r\nContent-Length: 4\r\n\r\nping";
    let events = events(&Limits::default(), plain, &[]);
    assert!(matches!(&events[0], Event::Head(head) if !head.keep_alive && head.version == Version::Http10));
    assert_eq!(events[1..], [Event::Body(b"ping".into()), Event::End, Event::Rest(0)]);
    assert_eq!(
        usual("POST /mcp HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").1,
        400
    );
}

#[test]
fn a_second_length_does_not_turn_the_body_into_a_request() {
    // DEV-HTTP-5
    for (fields, status) in [
        ("Content-Length: 46\r\nContent-Length: 0\r\n", 400),
        ("Content-Length: 5, 6\r\n", 400),
        ("Content-Length: +5\r\n", 400),
        ("Content-Length: 0x5\r\n", 400),
        ("Content-Length: -1\r\n", 400),
        ("Content-Length: 5 5\r\n", 400),
        ("Content-Length: 1234567890123456789012345\r\n", 413),
        ("Content-Length: 46\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Content-Length: 46\r\n", 0),
    ] {
        assert_eq!(refused(fields), status, "{fields}");
    }
}

#[test]
fn blanks_around_a_name_are_no_separators() {
    // DEV-HTTP-6
    for fields in [
        "Content-Length : 5\r\n",
        "Content-Length 5\r\n",
        "X-A\t: b\r\n",
        "X A: b\r\n",
    ] {
        assert_eq!(refused(fields), 400, "{fields}");
    }
}

#[test]
fn a_bare_cr_or_lf_hides_no_length() {
    // DEV-HTTP-7
    for fields in [
        "X-A: b\rContent-Length: 10\r\n",
        "X-A: b\nContent-Length: 10\r\n",
        "X-A: b\0Content-Length: 10\r\n",
        "\rContent-Length: 10\r\n",
    ] {
        assert_eq!(refused(fields), 400, "{fields:?}");
    }
}

#[test]
fn folded_lines_are_refused_and_an_empty_line_before_a_request_is_not() {
    // DEV-HTTP-8
    for wire in [
        "GET / HTTP/1.1\r\n Host: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n b\r\n\r\n",
    ] {
        assert_eq!(usual(wire), (vec![], 400), "{wire:?}");
    }
    let served = (vec!["GET /".to_owned()], 0);
    assert_eq!(usual("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"), served);
}

#[test]
fn an_unknown_coding_is_not_read_as_no_body() {
    // DEV-HTTP-9
    for (fields, status) in [
        ("Transfer-Encoding: gzip, chunked\r\n", 501),
        ("Transfer-Encoding: identity\r\n", 400),
        ("Transfer-Encoding: chunked, chunked\r\n", 400),
        ("Transfer-Encoding: xchunked\r\n", 400),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 400),
    ] {
        assert_eq!(refused(fields), status, "{fields}");
    }
}

#[test]
fn a_smuggled_request_is_never_served() {
    // Issue 3: each of these has been a request to one reader and a body, or nothing, to another.
    let smuggled = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
    for before in [
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\u{b}chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-\u{c9}ncoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\n\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\nxx\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2;\nxx\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxxX\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\n\n",
        "GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n",
        "GET /\r\n\r\n",
    ] {
        let (requests, status) = usual(&format!("{before}{smuggled}"));
        assert_eq!(
            (requests, status / 100),
            (vec![], if status == 501 { 5 } else { 4 }),
            "{before:?}"
        );
    }
}

#[test]
fn an_address_with_a_query_or_a_host_is_still_the_address() {
    // DEV-URL-1
    let path = |target: &str| usual(&format!("POST {target} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n")).0;
    for target in [
        "/mcp?key=a%20b&x=1",
        "/mcp?sessionId=1&x=1",
        "http://127.0.0.1:8080/mcp",
    ] {
        assert_eq!(path(target), ["POST /mcp"], "{target}");
    }
    // These are no error; they are other paths.
    assert_eq!(path("//mcp"), ["POST //mcp"]);
    assert_eq!(path("/mcp%2f.."), ["POST /mcp%2f.."]);
}

#[test]
fn a_body_past_the_limit_is_refused_as_soon_as_that_is_known() {
    // DEV-LIM-2
    let limits = Limits {
        body: 10,
        ..Limits::default()
    };
    let status = |fields: &str, body: &str| {
        let wire = format!("POST / HTTP/1.1\r\nHost: h\r\n{fields}\r\n\r\n{body}");
        served(&limits, wire.as_bytes()).1
    };
    assert_eq!(status("Content-Length: 10", "0123456789"), 0);
    assert_eq!(status("Content-Length: 11", ""), 413);
    assert_eq!(status("Content-Length: 67108864", ""), 413);
    assert_eq!(
        status("Transfer-Encoding: chunked", "5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n"),
        0
    );
    assert_eq!(status("Transfer-Encoding: chunked", "5\r\n01234\r\n6\r\n"), 413);
}

#[test]
fn an_oversized_head_is_told_so_without_waiting_for_its_end() {
    // DEV-LIM-3
    let start = "GET / HTTP/1.1\r\nHost: h\r\n";
    assert_eq!(usual(&format!("{start}X: {}", "x".repeat(1 << 20))).1, 431);
    assert_eq!(usual(&format!("{start}Cookie: {}\r\n\r\n", "c".repeat(40_000))).1, 431);
    assert_eq!(usual(&format!("{start}{}", "A: b\r\n".repeat(128))).1, 431);
    assert_eq!(usual(&format!("GET /{}", "t".repeat(200_000))).1, 414);
}

#[test]
fn a_client_that_dribbles_or_stops_is_seen_to_be_in_the_middle() {
    // DEV-LIM-1: whoever keeps the clock asks for the phase; another byte does not make it another one.
    let mut reader = RequestReader::new(Limits::default());
    let wire = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n";
    assert_eq!(reader.phase(), Phase::Idle);
    for have in 1..wire.len() {
        assert_eq!(reader.advance(&wire[..have]), Ok((0, Step::NeedMore)));
        assert_eq!(reader.phase(), Phase::Head);
    }
    assert!(reader.advance(wire).is_ok());
    assert_eq!(reader.advance(b"half"), Ok((4, Step::Body(b"half"))));
    assert_eq!(reader.advance(b""), Ok((0, Step::NeedMore)));
    assert_eq!(reader.phase(), Phase::Body);
}
