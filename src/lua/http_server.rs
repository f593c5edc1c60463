//! `http_server`: the functions of a state's engine, and [`new`](super::server::new).

use std::rc::Rc;

use mlua::{Function, Lua, Result, Table, Value};

use super::border::{Border, as_number};
use super::engine::Engine;
use super::{dispatch, exchange, options, server};

/// Makes the `http_server` table with an engine of its own for this Lua state.
pub(crate) fn open(lua: &Lua, border: &Border) -> Result<Table> {
    let engine = Engine::new(lua)?;
    let table = lua.create_table()?;
    // What a server answers to as well.
    for (name, function) in [
        ("now", now(lua, border, &engine)?),
        ("wake_at", wake_at(lua, border, &engine)?),
        ("on_dispatch", on_dispatch(lua, border, &engine)?),
    ] {
        table.set(name, function)?;
    }
    exchange::open(lua, border)?;
    server::open(lua, border, &table)?;
    table.set("dispatch", dispatch(lua, border, &engine)?)?;
    table.set("wait", wait(lua, border, &engine)?)?;
    table.set("fd", {
        let engine = engine.clone();
        border.function(lua, move |_, _| Ok(engine.signal().fd()))?
    })?;
    table.set("new", {
        let engine = engine.clone();
        border.function(lua, move |lua, mut args| server::new(lua, &engine, &args.next()))?
    })?;
    Ok(table)
}

fn now(lua: &Lua, border: &Border, engine: &Rc<Engine>) -> Result<Function> {
    let engine = engine.clone();
    border.function(lua, move |_, _| Ok(engine.now()))
}

fn wake_at(lua: &Lua, border: &Border, engine: &Rc<Engine>) -> Result<Function> {
    let engine = engine.clone();
    border.function(lua, move |_, mut args| {
        engine.wake_at(args.number("the time to wake at")?);
        Ok(())
    })
}

/// `on_dispatch(fn)` → a function that takes it back.
fn on_dispatch(lua: &Lua, border: &Border, engine: &Rc<Engine>) -> Result<Function> {
    let engine = engine.clone();
    let take_back = border.clone();
    border.function(lua, move |lua, mut args| {
        let number = engine.add_hook(args.function("what on_dispatch is given")?);
        let engine = engine.clone();
        take_back.function(lua, move |_, _| {
            engine.remove_hook(number);
            Ok(())
        })
    })
}

/// `wait(seconds)` → whether a dispatch has something to do; nil waits for ever.
fn wait(lua: &Lua, border: &Border, engine: &Rc<Engine>) -> Result<Function> {
    let engine = engine.clone();
    border.function(lua, move |_, mut args| {
        let timeout = match args.next() {
            Value::Nil => None,
            value => Some(options::duration(
                "the time to wait",
                as_number("the time to wait", &value)?,
            )?),
        };
        Ok(engine.wait(timeout))
    })
}

/// `dispatch{max_ms, max_calls}` → handlers run, exchanges left.
fn dispatch(lua: &Lua, border: &Border, engine: &Rc<Engine>) -> Result<Function> {
    let slow = {
        let engine = engine.clone();
        border.function(lua, move |lua, mut args| {
            let (handled, left) = engine.dispatch(lua, &options::budget(&args.next())?)?;
            Ok((handled as f64, left as f64))
        })?
    };
    dispatch::function(lua, engine.signal(), slow)
}
