//! `http_server.new{…}` and `server:guard{…}`: tables of options, in which a key that we do not know is an error.

use std::time::Duration;

use mlua::{Function, Result, Value};

use super::border::{as_number, expected, wrong};
use crate::bridge::{MAX_SLOTS, Options};
use crate::http::{Guard, GuardOptions};

/// The largest size that is taken for one: a larger one is a mistake, and would not fit what counts it.
const MAX_BYTES: usize = 1 << 30;
/// The longest timeout: a year is for ever.
const MAX_SECONDS: f64 = 365.0 * 86400.0;

/// What `http_server.new` was given.
pub(crate) struct NewOptions {
    pub(crate) options: Options,
    pub(crate) on_error: Option<Function>,
}

/// Reads the options of `http_server.new`; nil is none.
pub(crate) fn server(value: &Value) -> Result<NewOptions> {
    let mut new = NewOptions {
        options: Options::default(),
        on_error: None,
    };
    let o = &mut new.options;
    for_each(value, "http_server.new", |key, value| {
        match key {
            "max_head" => o.limits.head = count(key, &value, MAX_BYTES)?,
            "max_headers" => o.limits.headers = count(key, &value, 4096)?,
            "max_target" => o.limits.target = count(key, &value, MAX_BYTES)?,
            "max_body" => o.limits.body = count(key, &value, MAX_BYTES)?,
            "max_connections" => o.max_connections = count(key, &value, MAX_SLOTS)?,
            "max_waiting" => o.max_waiting = count(key, &value, MAX_SLOTS)?,
            "head_timeout" => o.head_timeout = seconds(key, &value)?,
            "body_timeout" => o.body_timeout = seconds(key, &value)?,
            "idle_timeout" => o.idle_timeout = seconds(key, &value)?,
            "pickup_timeout" => o.pickup_timeout = seconds(key, &value)?,
            "answer_timeout" => o.answer_timeout = seconds(key, &value)?,
            "on_error" => match value {
                Value::Function(f) => new.on_error = Some(f),
                other => return Err(expected(key, "a function", &other)),
            },
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(new)
}

/// Reads the options of `server:guard`.
pub(crate) fn guard(value: &Value) -> Result<Guard> {
    let mut options = GuardOptions::default();
    for_each(value, "server:guard", |key, value| {
        match key {
            "hosts" => options.hosts = Some(list(key, &value)?),
            "origins" => options.origins = Some(list(key, &value)?),
            "expose_headers" => options.expose_headers = list(key, &value)?,
            "token" => match value {
                Value::String(s) => options.token = Some(s.as_bytes().to_vec()),
                other => return Err(expected(key, "a string", &other)),
            },
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Guard::new(options).map_err(|e| wrong(e.to_string()))
}

/// The limits of a dispatch.
#[derive(Default)]
pub(crate) struct Budget {
    pub(crate) time: Option<Duration>,
    pub(crate) calls: Option<usize>,
}

/// Reads the options of `dispatch`; nil is no limit.
pub(crate) fn budget(value: &Value) -> Result<Budget> {
    let mut budget = Budget::default();
    for_each(value, "dispatch", |key, value| {
        match key {
            "max_ms" => budget.time = Some(duration(key, as_number(key, &value)? / 1000.0)?),
            "max_calls" => budget.calls = Some(count(key, &value, usize::MAX >> 12)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(budget)
}

/// Reads the options of `stop`; without any, nothing is waited for.
pub(crate) fn drain(value: &Value) -> Result<Duration> {
    let mut drain = Duration::ZERO;
    for_each(value, "stop", |key, value| {
        if key == "drain" {
            drain = duration(key, as_number(key, &value)?)?;
        }
        Ok(key == "drain")
    })?;
    Ok(drain)
}

/// A span of time that Lua gave in seconds.
pub(crate) fn duration(what: &str, seconds: f64) -> Result<Duration> {
    if !(0.0..=MAX_SECONDS).contains(&seconds) {
        return Err(wrong(format!("{what} must be from 0 seconds to a year, not {seconds}")));
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn for_each(value: &Value, whose: &str, mut take: impl FnMut(&str, Value) -> Result<bool>) -> Result<()> {
    let table = match value {
        Value::Nil => return Ok(()),
        Value::Table(t) => t,
        other => return Err(expected(&format!("the options of {whose}"), "a table", other)),
    };
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair?;
        let name = key.to_string()?;
        let known = matches!(key, Value::String(_)) && take(&name, value)?;
        if !known {
            return Err(wrong(format!("{whose} has no option {name}")));
        }
    }
    Ok(())
}

fn count(what: &str, value: &Value, most: usize) -> Result<usize> {
    let n = as_number(what, value)?;
    if n.fract() != 0.0 || n < 1.0 || n > most as f64 {
        return Err(wrong(format!(
            "{what} must be a whole number from 1 to {most}, not {n}"
        )));
    }
    Ok(n as usize)
}

fn seconds(what: &str, value: &Value) -> Result<Duration> {
    let time = duration(what, as_number(what, value)?)?;
    if time.is_zero() {
        Err(wrong(format!("{what} must be more than 0 seconds")))
    } else {
        Ok(time)
    }
}

fn list(what: &str, value: &Value) -> Result<Vec<String>> {
    let Value::Table(table) = value else {
        return Err(expected(what, "a list of strings", value));
    };
    let items: Result<Vec<String>> = table
        .sequence_values::<Value>()
        .map(|item| text(what, &item?))
        .collect();
    items
}

fn text(what: &str, value: &Value) -> Result<String> {
    match value {
        Value::String(s) => Ok(s.to_str()?.to_owned()),
        other => Err(expected(&format!("every entry of {what}"), "a string", other)),
    }
}
