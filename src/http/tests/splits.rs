//! However the bytes are cut, they mean the same.

use super::*;
use crate::http::scan::Scan;

const LIMITS: Limits = Limits {
    head: 300,
    headers: 8,
    target: 100,
    body: 1000,
};

/// Good, bad, unfinished and pipelined requests, each bound at its limit and one past it; and the status that they are
/// refused with, or 0.
fn corpus() -> Vec<(String, u16)> {
    let post = |fields: &str, body: &str| format!("POST /a HTTP/1.1\r\nHost: h\r\n{fields}\r\n\r\n{body}");
    let chunked = |body: &str| post("Transfer-Encoding: chunked", body);
    let after = |lines: usize| format!("{}GET / HTTP/1.0\r\n\r\n", "\r\n".repeat(lines));
    let get = |target: usize, value: usize, fields: usize| {
        let (target, value, fields) = ("x".repeat(target - 1), "v".repeat(value), "A: b\r\n".repeat(fields - 2));
        format!("GET /{target} HTTP/1.1\r\nHost: h\r\nX: {value}\r\n{fields}\r\n")
    };
    let two = format!(
        "\r\n{}GET http://b/c?d=e HTTP/1.1\r\nHost: h\r\n\r\n",
        post("Content-Length: 5", "hello")
    );
    let three = format!(
        "{}{}\r\nGET /c HTTP/1.0\r\n\r\n",
        chunked("5\r\nhello\r\n6;x=\"y\"\r\n world\r\n00\r\nA: b\r\n\r\n"),
        post("Content-Length: 3", "\r\nx")
    );
    vec![
        (get(1, 1, 2), 0),
        (two, 0),
        (three, 0),
        (get(1, 1, 2) + "nonsense\r\n\r\n", 400),
        (post("Content-Length: 5", "hel"), 0),
        (post("Expect: 100-continue\r\nContent-Length: 2", "hi"), 0),
        (post("Content-Length: 1000", ""), 0),
        (post("Content-Length: 1001", "hel"), 413),
        (post("Content-Length: 5\r\nContent-Length: 6", "hello"), 400),
        (
            post("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
            400,
        ),
        (chunked("5\r\nhello\r"), 0),
        (chunked("5\r\nhelloo\r\n"), 400),
        (chunked("3e8\r\n"), 0),
        (chunked("3e9\r\n"), 413),
        (chunked("0\r\nA: b\r\n c\r\n\r\n"), 400),
        (chunked(&format!("1;{}\r\na\r\n0\r\n\r\n", "e".repeat(252))), 0),
        (chunked(&format!("1;{}\r\na\r\n0\r\n\r\n", "e".repeat(253))), 400),
        (after(4), 0),
        (after(5), 400),
        ("\rGET / HTTP/1.0\r\n\r\n".into(), 400),
        ("GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n".into(), 400),
        ("GET / HTTP/1.1\r\nHost: h\r\n\rX: y\r\n\r\n".into(), 400),
        ("GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n".into(), 400),
        (" GET / HTTP/1.1\r\nHost: h\r\n\r\n".into(), 400),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(), 505),
        ("\u{16}\u{3}\u{1}".into(), 400),
        (get(100, 1, 2), 0),
        (get(101, 1, 2), 414),
        (get(1, 1, 8), 0),
        (get(1, 1, 9), 431),
        (get(1, 268, 2), 0),
        (get(1, 269, 2), 431),
    ]
}

#[test]
fn the_corpus_is_as_good_and_as_bad_as_it_should_be() {
    for (wire, status) in corpus() {
        assert_eq!(served(&LIMITS, wire.as_bytes()).1, status, "{wire:?}");
    }
}

/// The same bytes cut in every two, one at a time, and in many random ways.
fn assert_cuts_do_not_matter(wire: &[u8], random: &mut Random) {
    let whole = events(&LIMITS, wire, &[]);
    let text = String::from_utf8_lossy(wire);
    for cut in 0..=wire.len() {
        assert_eq!(events(&LIMITS, wire, &[cut]), whole, "cut at {cut}: {text:?}");
    }
    let each: Vec<usize> = (0..=wire.len()).collect();
    assert_eq!(events(&LIMITS, wire, &each), whole, "byte by byte: {text:?}");
    for _ in 0..50 {
        let often = 1 + random.below(20);
        let cuts: Vec<usize> = (0..wire.len()).filter(|_| random.below(often) == 0).collect();
        assert_eq!(events(&LIMITS, wire, &cuts), whole, "cut at {cuts:?}: {text:?}");
    }
}

#[test]
fn any_split_of_the_bytes_gives_the_same_events() {
    let mut random = Random(1);
    for (wire, _) in corpus() {
        assert_cuts_do_not_matter(wire.as_bytes(), &mut random);
    }
}

/// Requests of the corpus, one after another, with some bytes changed, taken out, put in, or copied from elsewhere.
fn mutated(corpus: &[(String, u16)], random: &mut Random) -> Vec<u8> {
    let mut wire = Vec::new();
    for _ in 0..1 + random.below(3) {
        wire.extend_from_slice(corpus[random.below(corpus.len())].0.as_bytes());
    }
    let interesting = b"\r\n \t:;,0a\0\x7f\xff%/";
    for _ in 0..random.below(4) {
        let at = random.below(wire.len());
        match random.below(4) {
            0 => wire[at] = interesting[random.below(interesting.len())],
            1 => wire.insert(at, interesting[random.below(interesting.len())]),
            2 => drop(wire.remove(at)),
            _ => {
                let end = (at + random.below(20)).min(wire.len());
                let copy = wire[at..end].to_vec();
                let to = random.below(wire.len());
                wire.splice(to..to, copy);
            }
        }
    }
    wire
}

#[test]
fn any_split_of_broken_bytes_gives_the_same_events() {
    let (corpus, mut random) = (corpus(), Random(2));
    for _ in 0..3000 {
        let wire = mutated(&corpus, &mut random);
        let whole = events(&LIMITS, &wire, &[]);
        let often = 1 + random.below(30);
        let cuts: Vec<usize> = (0..wire.len()).filter(|_| random.below(often) == 0).collect();
        assert_eq!(
            events(&LIMITS, &wire, &cuts),
            whole,
            "cut at {cuts:?}: {:?}",
            String::from_utf8_lossy(&wire)
        );
    }
}

#[test]
fn what_the_scan_takes_for_a_head_httparse_takes_for_the_same() {
    let (corpus, mut random) = (corpus(), Random(3));
    let mut heads = 0;
    for _ in 0..20_000 {
        let wire = mutated(&corpus, &mut random);
        let Ok(Some(length)) = Scan::new().find_end(&wire, &LIMITS) else {
            continue;
        };
        heads += 1;
        let mut fields = [httparse::EMPTY_HEADER; LIMITS.headers];
        let parsed = httparse::Request::new(&mut fields).parse(&wire);
        assert!(
            matches!(parsed, Ok(httparse::Status::Complete(n)) if n == length)
                || parsed == Err(httparse::Error::Version),
            "{parsed:?} {:?}",
            String::from_utf8_lossy(&wire)
        );
    }
    assert!(heads > 5000, "most of them are heads: {heads}");
}

#[test]
fn a_request_that_comes_byte_by_byte_is_looked_at_once() {
    // Work is counted, not timed. Of a head nothing is consumed until it is whole, but the scan goes on where it was
    // (see its own test). Of a body everything that was looked at is consumed, so that it is never shown again.
    let limits = Limits::default();
    let wire = format!(
        "POST /{} HTTP/1.1\r\nHost: h\r\nX: {}\r\nTransfer-Encoding: chunked\r\n\r\n\
         5;{}\r\nhello\r\n0\r\nT: {}\r\n\r\n",
        "t".repeat(8000),
        "v".repeat(20_000),
        "e".repeat(200),
        "w".repeat(4000)
    );
    let mut reader = RequestReader::new(limits);
    let (mut used, mut calls) = (0, 0);
    for have in 1..=wire.len() {
        loop {
            calls += 1;
            let (n, step) = reader.advance(&wire.as_bytes()[used..have]).unwrap();
            used += n;
            if step == Step::NeedMore {
                break;
            }
        }
        if reader.phase() == Phase::Body {
            assert_eq!(used, have, "nothing of a body is held back");
        }
    }
    assert_eq!((reader.phase(), used), (Phase::Done, wire.len()));
    assert!(
        calls <= wire.len() + 7,
        "{calls} calls: one a byte, and one more an event"
    );
}
