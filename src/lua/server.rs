//! A server as Lua sees it: routes and a guard before it listens, exchanges after, one life.
//!
//! Its handlers are kept in its user value, where the collector sees them: a server that nobody can reach any more is
//! collected even if its handlers hold on to it, and stops.

use std::cell::{Cell, RefCell};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use mio::net::TcpListener;
use mlua::{AnyUserData, Function, Lua, Result, Table, UserData, UserDataFields, Value};

use super::border::{Args, Border, wrong};
use super::engine::{Engine, report_to_stderr};
use super::options::{self, Budget, NewOptions};
use crate::bridge::{Command, Counters, Options, Refused, Routes, Site};
use crate::http::Guard;

/// Where the methods of all servers are kept.
const METHODS: &str = "moonport.server";

pub(crate) struct LuaServer {
    engine: Rc<Engine>,
    options: Options,
    guard: RefCell<Guard>,
    routes: RefCell<Routes>,
    handlers: Cell<usize>,
    life: RefCell<Life>,
    counters: Arc<Counters>,
}

enum Life {
    New,
    Listening { site: usize, address: SocketAddr },
    Stopped,
}

impl UserData for LuaServer {
    fn add_fields<F: UserDataFields<Self>>(fields: &mut F) {
        fields.add_meta_field_with("__index", |lua| lua.named_registry_value::<Table>(METHODS));
        fields.add_meta_field("__name", "http_server");
    }
}

impl Drop for LuaServer {
    fn drop(&mut self) {
        if let Life::Listening { site, .. } = self.life.replace(Life::Stopped) {
            self.engine.end(site);
        }
    }
}

/// Prepares the methods of servers in this Lua state. `shared` are the functions of the engine that a server answers to as
/// well, so that who is handed a server needs nothing else.
pub(crate) fn open(lua: &Lua, border: &Border, shared: &Table) -> Result<()> {
    let methods = lua.create_table()?;
    for (name, method) in [
        ("get", Some("GET")),
        ("post", Some("POST")),
        ("delete", Some("DELETE")),
        ("route", None),
    ] {
        methods.set(
            name,
            border.function(lua, move |_, mut args| route(&object(args.next())?, method, args))?,
        )?;
    }
    methods.set(
        "guard",
        border.function(lua, |_, mut args| guard(&object(args.next())?, &args.next()))?,
    )?;
    methods.set(
        "listen",
        border.function(lua, |_, mut args| listen(&object(args.next())?, args))?,
    )?;
    methods.set(
        "stop",
        border.function(lua, |lua, mut args| stop(lua, &object(args.next())?, &args.next()))?,
    )?;
    methods.set(
        "status",
        border.function(lua, |lua, mut args| status(lua, &object(args.next())?))?,
    )?;
    let as_method: Function = lua
        .load("local f = ... return function(_, ...) return f(...) end")
        .into_function()?;
    for pair in shared.pairs::<String, Function>() {
        let (name, function) = pair?;
        methods.set(name, as_method.call::<Function>(function)?)?;
    }
    lua.set_named_registry_value(METHODS, methods)
}

/// `http_server.new(options)`.
pub(crate) fn new(lua: &Lua, engine: &Rc<Engine>, options: &Value) -> Result<AnyUserData> {
    let NewOptions { options, on_error } = options::server(options)?;
    let server = lua.create_userdata(LuaServer {
        engine: engine.clone(),
        options,
        guard: RefCell::default(),
        routes: RefCell::default(),
        handlers: Cell::new(0),
        life: RefCell::new(Life::New),
        counters: Arc::default(),
    })?;
    let kept = lua.create_table()?;
    kept.raw_set("on_error", on_error)?;
    server.set_user_value(kept)?;
    Ok(server)
}

/// The handler that a route of this server has.
pub(crate) fn handler(server: &AnyUserData, number: usize) -> Result<Function> {
    server.user_value::<Table>()?.raw_get(number)
}

/// Says what went wrong in a handler to the program that owns it.
pub(crate) fn report(server: &AnyUserData, error: &mlua::Error) {
    let on_error = server
        .user_value::<Table>()
        .and_then(|kept| kept.raw_get::<Option<Function>>("on_error"));
    match on_error {
        Ok(Some(report)) => {
            if let Err(second) = report.call::<()>(error.to_string()) {
                report_to_stderr(&second);
            }
        }
        _ => report_to_stderr(error),
    }
}

fn object(value: Value) -> Result<AnyUserData> {
    match value {
        Value::UserData(object) if object.is::<LuaServer>() => Ok(object),
        other => Err(wrong(format!(
            "this is a method of a server (call it with a colon), not of a {}",
            other.type_name()
        ))),
    }
}

/// What may only be done before `listen`: a route that comes later would race with requests.
fn before_listen(server: &LuaServer, what: &str) -> Result<()> {
    match *server.life.borrow() {
        Life::New => Ok(()),
        Life::Listening { .. } => Err(wrong(format!(
            "{what} must come before listen; this server is listening"
        ))),
        Life::Stopped => Err(wrong(format!(
            "{what} must come before listen; this server was stopped, make a new one"
        ))),
    }
}

fn route(object: &AnyUserData, method: Option<&'static str>, mut args: Args) -> Result<()> {
    let server = object.borrow::<LuaServer>()?;
    before_listen(&server, "a route")?;
    let path = args.text("the path of a route")?;
    let handler = args.function("the handler of a route")?;
    if !path.starts_with('/') || path.contains(['?', '#']) {
        return Err(wrong(format!(
            "the path of a route begins with a slash and has no query, not {path:?}"
        )));
    }
    let number = server.handlers.get() + 1;
    if !server.routes.borrow_mut().add(method, &path, number) {
        return Err(wrong(format!(
            "{} {path} has a handler already",
            method.unwrap_or("every method at")
        )));
    }
    object.user_value::<Table>()?.raw_set(number, handler)?;
    server.handlers.set(number);
    Ok(())
}

fn guard(object: &AnyUserData, options: &Value) -> Result<()> {
    let server = object.borrow::<LuaServer>()?;
    before_listen(&server, "the guard")?;
    server.guard.replace(options::guard(options)?);
    Ok(())
}

/// `server:listen(host, port)` → the port, or nil and why not.
fn listen(object: &AnyUserData, mut args: Args) -> Result<(Option<u16>, Option<String>)> {
    let server = object.borrow::<LuaServer>()?;
    before_listen(&server, "a second listen")?;
    let host = args.text("the host")?;
    let port = port(args.number("the port")?)?;
    match bind(&host, port) {
        Ok((listener, address)) => {
            let site = server.engine.new_site();
            let counters = server.counters.clone();
            let (guard, routes) = (server.guard.take(), server.routes.take());
            let options = server.options.clone();
            let serve = Command::Serve(
                Box::new(Site {
                    id: site,
                    options,
                    guard,
                    routes,
                    counters,
                }),
                listener,
            );
            server.engine.begin(site, object, serve)?;
            server.life.replace(Life::Listening { site, address });
            Ok((Some(address.port()), None))
        }
        Err(sentence) => Ok((None, Some(sentence))),
    }
}

fn port(number: f64) -> Result<u16> {
    if number.fract() != 0.0 || !(0.0..=65535.0).contains(&number) {
        return Err(wrong(format!(
            "the port must be a whole number from 0 to 65535, not {number}"
        )));
    }
    Ok(number as u16)
}

/// Binds, or says in a sentence why that cannot be done. No name is looked up but `localhost`: the program must not wait for a
/// name server.
fn bind(host: &str, port: u16) -> std::result::Result<(TcpListener, SocketAddr), String> {
    let ip = match host {
        "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
        _ => host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse()
            .map_err(|_| {
                format!("cannot listen on {host:?}: give an IP address such as 127.0.0.1 or ::1, or localhost")
            })?,
    };
    let wanted = SocketAddr::new(ip, port);
    let bound = TcpListener::bind(wanted).and_then(|listener| listener.local_addr().map(|address| (listener, address)));
    bound.map_err(|e| match e.kind() {
        std::io::ErrorKind::AddrInUse => {
            format!("{wanted} is in use: choose another port (0 picks a free one), or stop the program that has it")
        }
        std::io::ErrorKind::PermissionDenied => {
            format!("{wanted} may not be listened on: this program has no right to it, choose a port above 1023")
        }
        std::io::ErrorKind::AddrNotAvailable => format!("{wanted} is not an address of this machine"),
        _ => format!("cannot listen on {wanted}: {e}"),
    })
}

/// `server:stop{drain = seconds}`: idempotent; when it returns the port is free and every `on_close` has run.
fn stop(lua: &Lua, object: &AnyUserData, options: &Value) -> Result<()> {
    let drain = options::drain(options)?;
    let (engine, site) = {
        let server = object.borrow::<LuaServer>()?;
        match server.life.replace(Life::Stopped) {
            Life::Listening { site, .. } => (server.engine.clone(), site),
            Life::New | Life::Stopped => return Ok(()),
        }
    };
    engine.send(Command::Drain(site));
    let counters = object.borrow::<LuaServer>()?.counters.clone();
    if !engine.is_dispatching() {
        let until = Instant::now() + drain;
        loop {
            engine.dispatch(lua, &Budget::default())?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || counters.drained() {
                break;
            }
            engine.wait(Some(left));
        }
    }
    engine.end(site);
    if !engine.is_dispatching() {
        engine.dispatch(lua, &Budget::default())?;
    }
    Ok(())
}

fn status(lua: &Lua, object: &AnyUserData) -> Result<Table> {
    let server = object.borrow::<LuaServer>()?;
    let counters = &server.counters;
    let table = lua.create_table()?;
    table.set("running", matches!(*server.life.borrow(), Life::Listening { .. }))?;
    if let Life::Listening { address, .. } = &*server.life.borrow() {
        table.set("host", address.ip().to_string())?;
        table.set("port", address.port())?;
    }
    for (name, count) in [
        ("connections", &counters.connections),
        ("open_exchanges", &counters.open_exchanges),
        ("requests", &counters.requests),
        ("bytes_in", &counters.bytes_in),
        ("bytes_out", &counters.bytes_out),
        ("dropped_replies", &counters.dropped_replies),
        ("accept_errors", &counters.accept_errors),
        ("panics", &counters.panics),
    ] {
        table.set(name, count.get() as f64)?;
    }
    table.set("waiting", server.engine.waiting() as f64)?;
    let refused = lua.create_table()?;
    for (why, name) in Refused::ALL {
        refused.set(name, counters.refused(why) as f64)?;
    }
    table.set("refused", refused)?;
    let responses = lua.create_table()?;
    for (status, n) in counters.responses() {
        responses.set(status, n as f64)?;
    }
    table.set("responses", responses)?;
    Ok(table)
}
