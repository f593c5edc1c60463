//! An exchange as its handler sees it: a request to read, and one answer to give, now or later.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{AnyUserData, Function, IntoLua, Lua, MultiValue, Result, Table, UserData, UserDataFields, Value};

use super::border::{Border, expected, wrong};
use super::engine::Engine;
use super::{json, response};
use crate::bridge::{Body, CloseReason, Command, Exchange};
use crate::http::{Response, Version};

/// Where the `__index` of all exchanges is kept.
const INDEX: &str = "moonport.exchange";

pub(crate) struct LuaExchange {
    engine: Rc<Engine>,
    exchange: Box<Exchange>,
    answered: Cell<bool>,
    closed: Cell<Option<CloseReason>>,
}

impl UserData for LuaExchange {
    fn add_fields<F: UserDataFields<Self>>(fields: &mut F) {
        fields.add_meta_field_with("__index", |lua| lua.named_registry_value::<Function>(INDEX));
        fields.add_meta_field("__name", "exchange");
    }
}

/// Methods are found first, then the parts of the request, which become Lua values only when they are asked for.
const LOOK_UP: &str = r#"
local methods, part = ...
return function(exchange, key)
  local method = methods[key]
  if method ~= nil then return method end
  return part(exchange, key)
end
"#;

/// Prepares the methods of exchanges in this Lua state.
pub(crate) fn open(lua: &Lua, border: &Border) -> Result<()> {
    let methods = lua.create_table()?;
    methods.set(
        "json",
        border.function(lua, |lua, mut args| with(args.next(), |e| e.json(lua)))?,
    )?;
    methods.set(
        "reply",
        border.function(lua, |lua, mut args| {
            let (exchange, answer) = (args.next(), args.next());
            let Value::Table(answer) = answer else {
                return Err(expected("a response", "a table", &answer));
            };
            let answer = response::response(&answer)?;
            with(exchange, |e| e.reply(lua, answer))
        })?,
    )?;
    methods.set(
        "on_close",
        border.function(lua, |lua, mut args| {
            let exchange = object(args.next())?;
            on_close(lua, &exchange, args.function("what on_close is given")?)
        })?,
    )?;
    let part = border.function(lua, |lua, mut args| {
        let exchange = args.next();
        let key = args.next();
        with(exchange, |e| e.part(lua, &key))
    })?;
    let index: Function = lua
        .load(LOOK_UP)
        .set_name("=moonport")
        .into_function()?
        .call((methods, part))?;
    lua.set_named_registry_value(INDEX, index)
}

fn object(value: Value) -> Result<AnyUserData> {
    match value {
        Value::UserData(object) if object.is::<LuaExchange>() => Ok(object),
        other => Err(wrong(format!(
            "this is a method of an exchange (call it with a colon), not of a {}",
            other.type_name()
        ))),
    }
}

fn with<R>(value: Value, work: impl FnOnce(&LuaExchange) -> Result<R>) -> Result<R> {
    let object = object(value)?;
    let exchange = object.borrow::<LuaExchange>()?;
    work(&exchange)
}

fn on_close(lua: &Lua, object: &AnyUserData, callback: Function) -> Result<()> {
    let callbacks = match object.user_value::<Option<Table>>()? {
        Some(list) => list,
        None => {
            let list = lua.create_table()?;
            object.set_user_value(&list)?;
            list
        }
    };
    callbacks.raw_push(callback)
}

impl LuaExchange {
    pub(crate) fn new(engine: Rc<Engine>, exchange: Box<Exchange>) -> Self {
        Self {
            engine,
            exchange,
            answered: Cell::new(false),
            closed: Cell::new(None),
        }
    }

    /// Answers with what the handler returned: a response table, or nil for "later". Anything else, and an error, is 500
    /// without a word about the inside; the error that comes back says what happened.
    pub(crate) fn finish(object: &AnyUserData, outcome: Result<Value>) -> Result<()> {
        let exchange = object.borrow::<Self>()?;
        let answer = match outcome {
            Ok(Value::Nil) => return Ok(()),
            Ok(Value::Table(table)) => response::response(&table),
            Ok(other) => Err(expected("what a handler returns", "a response table or nil", &other)),
            Err(error) => Err(error),
        };
        let result = match answer {
            Ok(answer) if !exchange.answered.get() => {
                exchange.answer(answer);
                return Ok(());
            }
            Ok(_) => Err(wrong(
                "a handler returned a response to an exchange that it had answered already",
            )),
            Err(error) => Err(error),
        };
        if !exchange.answered.get() {
            exchange.answer(Response::text(500, "The program failed to handle this request."));
        }
        result
    }

    /// Runs the exchange's `on_close` functions, unless it was answered meanwhile.
    pub(crate) fn tell_closed(
        lua: &Lua,
        object: &AnyUserData,
        reason: CloseReason,
        report: impl Fn(&mlua::Error),
    ) -> Result<()> {
        let name = {
            let exchange = object.borrow::<Self>()?;
            exchange.closed.set(Some(reason));
            if exchange.answered.get() {
                return Ok(());
            }
            reason.name().into_lua(lua)?
        };
        let Some(callbacks) = object.user_value::<Option<Table>>()? else {
            return Ok(());
        };
        for callback in callbacks.sequence_values::<Function>() {
            if let Err(error) = callback?.call::<()>(&name) {
                report(&error);
            }
        }
        Ok(())
    }

    /// `exchange:reply{…}` → true, or nil and the reason when the client is known to be gone.
    fn reply(&self, lua: &Lua, answer: Response) -> Result<MultiValue> {
        if self.answered.get() {
            return Err(wrong("this exchange was answered already"));
        }
        self.answer(answer);
        match self.closed.get() {
            // After a FIN the client may still read: a half-close looks the same.
            None | Some(CloseReason::Fin) => Ok(MultiValue::from_iter([Value::Boolean(true)])),
            Some(_) => Ok(MultiValue::from_iter([Value::Nil, "closed".into_lua(lua)?])),
        }
    }

    fn answer(&self, response: Response) {
        self.answered.set(true);
        let Exchange { id, site, .. } = *self.exchange;
        self.engine.send(Command::Reply { site, id, response });
        self.engine.forget(id);
    }

    /// `exchange:json()` → the body as a value, or nil and what is wrong with it.
    fn json(&self, lua: &Lua) -> Result<MultiValue> {
        match &self.exchange.body {
            Body::Json(document) => json::push_document(lua, document),
            Body::Bytes(_) => {
                let sentence = "the body was not declared as JSON (Content-Type)";
                Ok(MultiValue::from_iter([Value::Nil, sentence.into_lua(lua)?]))
            }
        }
    }

    /// A part of the request by name; nil for one that there is not.
    fn part(&self, lua: &Lua, key: &Value) -> Result<Value> {
        let Value::String(key) = key else { return Ok(Value::Nil) };
        let head = &self.exchange.head;
        match &*key.as_bytes() {
            b"method" => head.method.as_str().into_lua(lua),
            b"path" => head.path.as_str().into_lua(lua),
            b"target" => head.target.as_str().into_lua(lua),
            b"version" => (if head.version == Version::Http10 { "1.0" } else { "1.1" }).into_lua(lua),
            b"id" => (self.exchange.id.number() as f64).into_lua(lua),
            b"remote" => self.exchange.remote.to_string().into_lua(lua),
            b"query" => grouped(
                lua,
                head.query.iter().map(|(name, value)| (name.as_str(), value.as_bytes())),
            ),
            b"headers" => grouped(lua, head.headers.iter()),
            b"body" => match &self.exchange.body {
                Body::Json(document) => lua.create_string(document.text())?.into_lua(lua),
                Body::Bytes(bytes) => lua.create_string(bytes)?.into_lua(lua),
            },
            _ => Ok(Value::Nil),
        }
    }
}

impl Drop for LuaExchange {
    fn drop(&mut self) {
        if !self.answered.get() {
            let response = Response::text(500, "The program dropped this request without an answer.");
            let Exchange { id, site, .. } = *self.exchange;
            self.engine.send(Command::Reply { site, id, response });
        }
    }
}

/// Name → value, or a list of values where a name came more than once.
fn grouped<'a>(lua: &Lua, pairs: impl Iterator<Item = (&'a str, &'a [u8])>) -> Result<Value> {
    let mut groups: BTreeMap<&str, Vec<&[u8]>> = BTreeMap::new();
    for (name, value) in pairs {
        groups.entry(name).or_default().push(value);
    }
    let table = lua.create_table_with_capacity(0, groups.len())?;
    for (name, values) in groups {
        match values.as_slice() {
            [single] => table.raw_set(name, lua.create_string(single)?)?,
            several => {
                let strings: Result<Vec<_>> = several.iter().map(|v| lua.create_string(v)).collect();
                table.raw_set(name, strings?)?;
            }
        }
    }
    Ok(Value::Table(table))
}
