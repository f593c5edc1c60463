//! The parts of `json` that are called now and then: marks, raw text, large integers.

use mlua::{Function, Lua, Result, Table, Value};

use super::integer;
use super::marks::Marks;
use crate::json::Tape;
use crate::lua::border::{Args, Border, expected, wrong};

/// Adds `null`, `array`, `object`, `raw`, `integer`, `array_mt` and `object_mt`.
pub(super) fn open(lua: &Lua, border: &Border, marks: &Marks, json: &Table) -> Result<()> {
    json.set("null", &marks.null)?;
    json.set("array_mt", &marks.array)?;
    json.set("object_mt", &marks.object)?;
    for (name, mark) in [("array", &marks.array), ("object", &marks.object)] {
        let mark = mark.clone();
        json.set(
            name,
            border.function(lua, move |lua, args| marked(lua, name, &mark, args))?,
        )?;
    }
    let raw = marks.raw.clone();
    json.set("raw", border.function(lua, move |lua, args| raw_text(lua, &raw, args))?)?;
    let make = integer::constructor(lua, &marks.integer)?;
    json.set(
        "integer",
        border.function(lua, move |_, args| large_integer(&make, args))?,
    )
}

/// `json.array(t)`, `json.object(t)`: the same table, marked; without one, a new table.
fn marked(lua: &Lua, name: &str, mark: &Table, mut args: Args) -> Result<Table> {
    let table = match args.next() {
        Value::Nil => lua.create_table()?,
        Value::Table(table) => table,
        other => return Err(expected(&format!("what json.{name} is given"), "a table", &other)),
    };
    // The mark may change from one to the other; what has a meaning of its own keeps it, json.null above all.
    let marked = |meta: Table| match meta.raw_get("__jsontype") {
        Ok(Value::String(kind)) => kind == "array" || kind == "object",
        _ => false,
    };
    if !table.metatable().is_none_or(marked) {
        return Err(wrong(format!(
            "json.{name} cannot mark a table that has a metatable of its own"
        )));
    }
    table.set_metatable(Some(mark.clone()))?;
    Ok(table)
}

/// `json.raw(text)`: a value that is encoded as it stands, or nil and why the text is no JSON.
fn raw_text(lua: &Lua, mark: &Table, mut args: Args) -> Result<(Option<Table>, Option<String>)> {
    let text = args.bytes("what json.raw is given")?;
    if let Err(error) = Tape::default().parse(&text.as_bytes()) {
        return Ok((None, Some(error.to_string())));
    }
    let table = lua.create_table()?;
    table.raw_set(1, text)?;
    table.set_metatable(Some(mark.clone()))?;
    Ok((Some(table), None))
}

/// `json.integer("9007199254740993")`: every digit is kept. Raises for what is no integer from -2^63 to 2^64-1.
fn large_integer(make: &Function, mut args: Args) -> Result<Value> {
    let value = args.next();
    let digits = match &value {
        Value::String(text) => text.to_string_lossy(),
        Value::Integer(_) => value.to_string()?,
        Value::Number(n) if n.fract() == 0.0 => format!("{n:.0}"),
        other => {
            return Err(expected(
                "what json.integer is given",
                "a string of digits or a whole number",
                other,
            ));
        }
    };
    match make.call(digits.as_str())? {
        Value::Nil => Err(wrong(format!("{digits:?} is not an integer from -2^63 to 2^64-1"))),
        integer => Ok(integer),
    }
}
