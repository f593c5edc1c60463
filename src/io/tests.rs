//! The IO thread over real sockets, with a test in the place of the Lua thread. Every wait is for an event; the long timeouts
//! only keep a failing test from hanging.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mio::net::TcpListener;
use socket2::SockRef;

use super::Reactor;
use crate::bridge::{
    Body, CloseReason, Command, Counters, Exchange, ExchangeId, Inbound, Inbox, Options, Outbox, Refused, Routes,
    Signal, Site, spawn_io_thread,
};
use crate::http::{Guard, GuardOptions, Response};

const PATIENCE: Duration = Duration::from_secs(10);
const SITE: usize = 1;

/// An engine without Lua.
struct Host {
    inbox: Arc<Inbox>,
    outbox: Arc<Outbox>,
    signal: Arc<Signal>,
    counters: Arc<Counters>,
    address: SocketAddr,
    backlog: VecDeque<Inbound>,
    thread: Option<JoinHandle<()>>,
}

impl Host {
    fn start(options: Options) -> Self {
        Self::guarded(options, Guard::default())
    }

    /// Serves POST and DELETE at /mcp, and GET at /page.
    fn guarded(options: Options, guard: Guard) -> Self {
        let signal = Arc::new(Signal::new().unwrap());
        let inbox = Arc::new(Inbox::new(signal.clone()));
        let reactor = Reactor::new(inbox.clone(), signal.clone()).unwrap();
        let outbox = reactor.outbox();
        let thread = spawn_io_thread(move || reactor.run()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let mut routes = Routes::default();
        assert!(routes.add(Some("POST"), "/mcp", 1));
        assert!(routes.add(Some("DELETE"), "/mcp", 2));
        assert!(routes.add(Some("GET"), "/page", 3));
        let counters = Arc::new(Counters::default());
        let site = Site {
            id: SITE,
            options,
            guard,
            routes,
            counters: counters.clone(),
        };
        outbox.send(Command::Serve(Box::new(site), listener));
        Self {
            inbox,
            outbox,
            signal,
            counters,
            address,
            backlog: VecDeque::new(),
            thread: Some(thread),
        }
    }

    fn client(&self) -> Client {
        Client(
            TcpStream::connect(self.address)
                .map(|s| s.set_read_timeout(Some(PATIENCE)).map(|()| s))
                .unwrap()
                .unwrap(),
        )
    }

    /// The next thing that the IO thread hands over.
    fn next(&mut self) -> Inbound {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(next) = self.backlog.pop_front() {
                return next;
            }
            assert!(
                self.signal.wait(Some(until - Instant::now())),
                "nothing was handed over"
            );
            self.signal.lower();
            self.inbox.take(&mut self.backlog);
        }
    }

    /// The next exchange, picked up.
    fn exchange(&mut self) -> Exchange {
        match self.next() {
            Inbound::Exchange(exchange) => {
                assert!(exchange.ticket.pick(Instant::now()));
                self.inbox.count_out();
                *exchange
            }
            Inbound::Closed(id, reason) => panic!("exchange {id} was closed instead: {reason:?}"),
        }
    }

    fn closed(&mut self) -> (ExchangeId, CloseReason) {
        match self.next() {
            Inbound::Closed(id, reason) => (id, reason),
            Inbound::Exchange(exchange) => panic!("exchange {} came instead", exchange.id),
        }
    }

    fn reply(&self, id: ExchangeId, body: &str) {
        let response = Response::new(200, vec![], body.as_bytes().to_vec()).unwrap();
        self.outbox.send(Command::Reply {
            site: SITE,
            id,
            response,
        });
    }

    /// Answers the next exchange with its own body.
    fn echo(&mut self) {
        let exchange = self.exchange();
        let body = text(&exchange);
        self.reply(exchange.id, &body);
    }

    fn close(&self) {
        let (done, closed) = mpsc::channel();
        self.outbox.send(Command::Close(SITE, done));
        closed.recv_timeout(PATIENCE).unwrap();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.outbox.send(Command::Exit);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn text(exchange: &Exchange) -> String {
    let bytes = match &exchange.body {
        Body::Bytes(bytes) => bytes.as_slice(),
        Body::Json(document) => document.text(),
    };
    String::from_utf8(bytes.to_vec()).unwrap()
}

struct Client(TcpStream);

impl Client {
    fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.0.write_all(bytes.as_ref()).unwrap();
        self
    }

    /// The head of a response, in lower case.
    fn head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            assert_eq!(
                self.0.read(&mut byte).expect("no answer"),
                1,
                "closed after {:?}",
                String::from_utf8_lossy(&head)
            );
            head.push(byte[0]);
        }
        String::from_utf8(head).unwrap().to_ascii_lowercase()
    }

    /// One response: its head and its body.
    fn response(&mut self) -> (String, String) {
        let head = self.head();
        let length = head
            .lines()
            .find_map(|l| l.strip_prefix("content-length: "))
            .map_or(0, |n| n.parse().unwrap());
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        (head, String::from_utf8(body).unwrap())
    }

    fn status(&mut self) -> u16 {
        self.response().0[9..12].parse().unwrap()
    }

    /// True when the server has ended the connection in order.
    fn is_closed(&mut self) -> bool {
        matches!(self.0.read(&mut [0; 64]), Ok(0))
    }

    /// Ends the connection so that the server sees a reset.
    fn reset(self) {
        SockRef::from(&self.0).set_linger(Some(Duration::ZERO)).unwrap();
    }
}

fn post(body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn a_request_is_handed_over_and_answered() {
    let mut host = Host::start(Options::default());
    let mut client = host.client();
    client.send(post("hello"));
    let exchange = host.exchange();
    assert_eq!(
        (exchange.site, exchange.handler, text(&exchange)),
        (SITE, 1, "hello".into())
    );
    assert_eq!(exchange.remote, client.0.local_addr().unwrap());
    host.reply(exchange.id, "hi");
    let (head, body) = client.response();
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    assert_eq!(body, "hi");
}

#[test]
fn fifty_requests_of_changing_size_stay_in_order_on_one_connection() {
    // DEV-HTTP-3: one and a half requests a write.
    let mut host = Host::start(Options::default());
    let mut client = host.client();
    let bodies: Vec<String> = (0..50).map(|i| "x".repeat([1, 9000, 70_000, 3][i % 4] + i)).collect();
    let wire: String = bodies.iter().map(|b| post(b)).collect();
    let mut sender = client.0.try_clone().unwrap();
    let step = wire.len() * 3 / 100;
    let writer = std::thread::spawn(move || wire.as_bytes().chunks(step).for_each(|c| sender.write_all(c).unwrap()));
    for body in &bodies {
        host.echo();
        assert_eq!(client.response().1, *body);
    }
    writer.join().unwrap();
    assert_eq!(host.counters.connections.get(), 1);
}

#[test]
fn a_client_that_ended_its_side_still_gets_its_answers() {
    // DEV-HTTP-2, the last part; with a second request pipelined.
    let mut host = Host::start(Options::default());
    let mut client = host.client();
    client.send(post("one") + &post("two"));
    client.0.shutdown(Shutdown::Write).unwrap();
    let first = host.exchange();
    assert_eq!(host.closed(), (first.id, CloseReason::Fin));
    host.reply(first.id, "1");
    let second = host.exchange();
    assert_eq!(host.closed(), (second.id, CloseReason::Fin));
    host.reply(second.id, "2");
    assert_eq!((client.response().1, client.response().1), ("1".into(), "2".into()));
    assert!(client.is_closed());
}

#[test]
fn a_reset_is_told_once_and_a_late_reply_is_dropped() {
    let mut host = Host::start(Options::default());
    let mut client = host.client();
    client.send(post("x"));
    let exchange = host.exchange();
    client.reset();
    assert_eq!(host.closed(), (exchange.id, CloseReason::Reset));
    host.reply(exchange.id, "too late");
    // The next exchange may have the same slot, and must not get that answer.
    let mut other = host.client();
    other.send(post("y"));
    let next = host.exchange();
    assert_ne!(next.id, exchange.id);
    host.reply(exchange.id, "much too late");
    host.reply(next.id, "right");
    assert_eq!(other.response().1, "right");
    assert_eq!(host.counters.dropped_replies.get(), 2);
}

#[test]
fn what_the_io_thread_knows_it_answers_while_the_program_is_busy() {
    // DEV-CON-2, as far as HTTP goes: nobody takes anything from the inbox here.
    let origins = Some(vec!["http://localhost:*".to_owned()]);
    let hosts = Some(vec!["localhost".to_owned()]);
    let guard = GuardOptions {
        hosts,
        origins,
        token: Some(b"secret".to_vec()),
        expose_headers: vec![],
    };
    let mut options = Options::default();
    options.limits.body = 100;
    let host = Host::guarded(options, Guard::new(guard).unwrap());
    host.client().send(post("a request that waits"));
    let ok = "Host: localhost\r\nAuthorization: Bearer secret\r\n";
    for (request, status, part) in [
        (format!("GET /other HTTP/1.1\r\n{ok}\r\n"), 404, ""),
        (
            format!("GET /mcp HTTP/1.1\r\n{ok}\r\n"),
            405,
            "allow: post, delete, options\r\n",
        ),
        (format!("HEAD /mcp HTTP/1.1\r\n{ok}\r\n"), 405, "connection"),
        (
            format!("OPTIONS /mcp HTTP/1.1\r\n{ok}\r\n"),
            204,
            "allow: post, delete, options\r\n",
        ),
        ("GET /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n".into(), 403, ""),
        (
            "GET /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n".into(),
            403,
            "",
        ),
        (
            "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n".into(),
            401,
            "www-authenticate: bearer",
        ),
        (
            format!("POST /mcp HTTP/1.1\r\n{ok}Content-Length: 101\r\n\r\n"),
            413,
            "connection: close",
        ),
        ("nonsense\r\n\r\n".into(), 400, "connection: close"),
    ] {
        let mut client = host.client();
        client.send(&request);
        let (head, _) = if request.starts_with("HEAD") {
            (client.head(), String::new())
        } else {
            client.response()
        };
        assert_eq!(&head[9..12], status.to_string(), "{request}");
        assert!(head.contains(part) || part == "connection", "{request} {head}");
    }
    for (why, n) in [
        (Refused::NotFound, 1),
        (Refused::Method, 2),
        (Refused::Host, 1),
        (Refused::Origin, 1),
        (Refused::Token, 1 + 1),
        (Refused::TooLarge, 1),
        (Refused::Malformed, 1),
    ] {
        assert_eq!(host.counters.refused(why), n, "{why:?}");
    }
}

#[test]
fn a_refused_upload_is_read_away_so_that_the_client_sees_why() {
    // DEV-LIM-2: the body is sent in full before the answer is read.
    let host = Host::start(Options::default());
    for extra in [1, 64 << 20] {
        let length = (4 << 20) + extra;
        let mut client = host.client();
        client.send(format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
        ));
        client.send(vec![b'x'; length]);
        let (head, _) = client.response();
        assert!(
            head.starts_with("http/1.1 413 ") && head.contains("connection: close"),
            "{head}"
        );
        assert!(client.is_closed());
    }
    let mut client = host.client();
    client.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    for _ in 0..5 {
        client.send("100000\r\n").send(vec![b'x'; 1 << 20]).send("\r\n");
    }
    assert_eq!(client.status(), 413);
    assert!(client.is_closed());
}

#[test]
fn a_body_is_asked_for_when_the_client_waits_to_be_asked() {
    let mut host = Host::start(Options::default());
    let mut client = host.client();
    client.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(client.head(), "http/1.1 100 continue\r\n\r\n");
    client.send("hello");
    host.echo();
    assert_eq!(client.response().1, "hello");
    // Refused before it sends anything.
    client.send("POST /no HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(client.status(), 404);
}

#[test]
fn the_client_says_when_the_connection_ends() {
    let mut host = Host::start(Options::default());
    for (version, fields, closes) in [
        ("1.1", "", false),
        ("1.1", "Connection: close\r\n", true),
        ("1.0", "", true),
        ("1.0", "Connection: keep-alive\r\n", false),
    ] {
        let mut client = host.client();
        client.send(format!(
            "POST /mcp HTTP/{version}\r\nHost: localhost\r\n{fields}Content-Length: 1\r\n\r\nx"
        ));
        host.echo();
        let (head, _) = client.response();
        assert_eq!(head.contains("connection: close"), closes, "{version} {fields} {head}");
        if closes {
            assert!(client.is_closed(), "{version} {fields}");
        } else {
            client.send(post("again"));
            host.echo();
            assert_eq!(client.response().1, "again");
        }
    }
}

#[test]
fn an_answer_larger_than_the_socket_takes_arrives_whole() {
    let mut host = Host::start(Options::default());
    let mut client = host.client();
    client.send(post("x"));
    let body: String = (0..2_000_000).map(|i| char::from(b'a' + (i % 26) as u8)).collect();
    let exchange = host.exchange();
    host.reply(exchange.id, &body);
    assert!(client.response().1 == body);
}

#[test]
fn slow_clients_are_told_and_let_go() {
    // DEV-LIM-1; the dribbling head is one byte short of its end all the time.
    let tick = Duration::from_millis(150);
    let options = Options {
        head_timeout: tick,
        body_timeout: tick,
        idle_timeout: tick,
        ..Options::default()
    };
    let mut host = Host::start(options);
    let mut silent = host.client();
    assert!(silent.is_closed(), "a connection that says nothing");
    let mut dribbling = host.client();
    let mut bytes = dribbling.0.try_clone().unwrap();
    let dribble = std::thread::spawn(move || {
        bytes.write_all(b"GET /").unwrap();
        while bytes.write_all(b"x").is_ok() {
            std::thread::park_timeout(Duration::from_millis(5));
        }
    });
    assert_eq!(dribbling.status(), 408, "dribbling does not extend the time for a head");
    let mut halfway = host.client();
    halfway.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nhalf");
    assert_eq!(halfway.status(), 408, "a body that stops");
    let mut idle = host.client();
    idle.send(post("x"));
    host.echo();
    assert_eq!(idle.status(), 200);
    assert!(idle.is_closed(), "a kept-alive connection that stays idle");
    dribbling.0.shutdown(Shutdown::Both).unwrap();
    dribble.join().unwrap();
}

#[test]
fn a_program_that_does_not_dispatch_is_answered_for() {
    let options = Options {
        pickup_timeout: Duration::from_millis(50),
        ..Options::default()
    };
    let mut host = Host::start(options);
    let mut client = host.client();
    client.send(post("x"));
    let (head, _) = client.response();
    assert!(
        head.starts_with("http/1.1 503 ") && head.contains("retry-after: 1\r\n"),
        "{head}"
    );
    assert_eq!(host.inbox.waiting(), 0);
    // The dispatch that comes after all finds an exchange that it must not run.
    let Inbound::Exchange(exchange) = host.next() else {
        panic!("no exchange")
    };
    assert!(!exchange.ticket.pick(Instant::now()));
    assert_eq!(host.counters.refused(Refused::PickupTimeout), 1);
}

#[test]
fn a_handler_that_does_not_answer_is_answered_for() {
    let tick = Duration::from_millis(50);
    let options = Options {
        pickup_timeout: tick,
        answer_timeout: tick,
        ..Options::default()
    };
    let mut host = Host::start(options);
    let mut client = host.client();
    client.send(post("x"));
    let exchange = host.exchange();
    assert_eq!(client.status(), 504);
    assert_eq!(host.closed(), (exchange.id, CloseReason::Timeout));
    host.reply(exchange.id, "late");
    client.send(post("y"));
    let next = host.exchange();
    host.reply(next.id, "right");
    assert_eq!(client.response().1, "right", "the late answer must not come here");
}

#[test]
fn the_waiting_queue_has_an_end() {
    let mut host = Host::start(Options {
        max_waiting: 2,
        ..Options::default()
    });
    let mut clients: Vec<Client> = (0..3).map(|_| host.client()).collect();
    for client in &mut clients[..2] {
        client.send(post("x"));
    }
    let (first, second) = (host.next(), host.next());
    assert_eq!(host.inbox.waiting(), 2);
    clients[2].send(post("one too many"));
    assert_eq!(clients[2].status(), 503);
    assert_eq!(host.counters.refused(Refused::QueueFull), 1);
    host.backlog.extend([first, second]);
    host.echo();
    clients[2].send(post("now"));
    host.echo();
    host.echo();
    assert_eq!(clients[2].response().1, "now");
}

#[test]
fn the_longest_idle_connection_makes_room() {
    let mut host = Host::start(Options {
        max_connections: 2,
        ..Options::default()
    });
    let mut idle = host.client();
    idle.send(post("x"));
    host.echo();
    assert_eq!(idle.status(), 200);
    let mut busy = host.client();
    busy.send(post("y"));
    let held = host.exchange();
    let mut third = host.client();
    third.send(post("z"));
    host.echo();
    assert_eq!(third.response().1, "z");
    assert!(idle.is_closed());
    third.send(post("held too"));
    let also_held = host.exchange();
    let mut fourth = host.client();
    assert_eq!(fourth.status(), 503, "nobody is idle now");
    host.reply(held.id, "y");
    host.reply(also_held.id, "z");
    assert_eq!((busy.response().1, third.response().1), ("y".into(), "z".into()));
}

#[test]
fn a_flood_of_pipelined_requests_is_not_read_ahead_without_end() {
    let mut host = Host::start(Options::default());
    let mut client = host.client();
    client.send(post("x"));
    let exchange = host.exchange();
    client.0.set_nonblocking(true).unwrap();
    let wire = post(&"y".repeat(1000)).repeat(1000);
    let mut sent = 0;
    while let Ok(n) = client.0.write(wire.as_bytes()) {
        sent += n;
        assert!(sent < 64 << 20, "the server takes everything");
    }
    let before = host.counters.bytes_in.get();
    assert!(before < 1 << 20, "{before} bytes were read ahead");
    drop(client);
    host.reply(exchange.id, "nobody");
}

#[test]
fn closing_a_site_ends_everything_and_says_so() {
    let mut host = Host::start(Options::default());
    let (mut picked, mut waiting, mut uploading) = (host.client(), host.client(), host.client());
    picked.send(post("x"));
    let exchange = host.exchange();
    waiting.send(post("y"));
    let unpicked = host.next();
    uploading.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nhalf");
    host.close();
    assert_eq!(host.closed(), (exchange.id, CloseReason::Stopped));
    let Inbound::Exchange(unpicked) = unpicked else {
        panic!("no exchange")
    };
    assert!(!unpicked.ticket.pick(Instant::now()), "it would be handled for nobody");
    assert!(picked.is_closed() && waiting.is_closed());
    assert!(matches!(uploading.0.read(&mut [0; 8]), Ok(0) | Err(_)));
    assert!(TcpStream::connect(host.address).is_err(), "the port is still open");
    assert_eq!(
        (
            host.inbox.waiting(),
            host.counters.connections.get(),
            host.counters.open_exchanges.get()
        ),
        (0, 0, 0)
    );
}

#[test]
fn draining_lets_the_last_exchange_finish() {
    let mut host = Host::start(Options::default());
    let (mut idle, mut busy) = (host.client(), host.client());
    idle.send(post("x"));
    host.echo();
    assert_eq!(idle.status(), 200);
    busy.send(post("y"));
    let exchange = host.exchange();
    host.outbox.send(Command::Drain(SITE));
    assert!(idle.is_closed());
    assert!(!host.counters.drained());
    host.reply(exchange.id, "last");
    let (head, body) = busy.response();
    assert!(head.contains("connection: close") && body == "last", "{head}");
    assert!(host.signal.wait(Some(PATIENCE)));
    assert!(host.counters.drained());
    assert!(TcpStream::connect(host.address).is_err());
}

#[test]
fn an_alarm_raises_the_signal() {
    let host = Host::start(Options::default());
    host.outbox
        .send(Command::Alarm(Instant::now() + Duration::from_millis(5)));
    assert!(host.signal.wait(Some(PATIENCE)));
}
