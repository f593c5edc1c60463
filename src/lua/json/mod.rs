//! The JSON bridge: a tape on to the Lua stack, a Lua value to text.
//!
//! | file | what |
//! |---|---|
//! | [`decode`], [`push`] | text to a tape, a tape on to the stack |
//! | [`encode`], [`walk`], [`fault`] | a value to text, or what is in the way and where |
//! | [`scratch`], [`call`] | what the two share: buffers, and how a raw C function reads, raises and refuses |
//! | [`marks`], [`integer`], [`api`] | what tables are in JSON, large integers, and the rest of the table `json` |
//!
//! The rule that everything here follows: **a Lua error must find no Rust frame that owns anything.** Whatever allocates in Lua
//! can raise, and a raise may unwind or jump. So parsing and walking, which own buffers, run inside `catch_unwind` and touch
//! Lua only with calls that cannot raise; pushing, which can, runs in raw C functions whose buffers belong to a userdata
//! ([`scratch`]) or to the caller.
//!
//! Marks are metatables with `__jsontype`: `"array"`, `"object"`, `"null"`, `"raw"`, and `"integer"` of userdata. They are
//! recognised by that field, whoever made them, so that Fennel can mark values without this library.

mod api;
mod call;
mod decode;
mod encode;
mod fault;
mod integer;
mod marks;
mod push;
mod scratch;
#[cfg(all(test, not(feature = "module")))]
mod tests;
mod walk;

use mlua::{IntoLua, Lua, MultiValue, Result, Table, Value, ffi};

use super::border::{Border, wrong};
use crate::json::Document;
use marks::Marks;

/// Makes the `json` table of this Lua state. Opened again, by a host that reloads everything, it keeps its marks: values that
/// were decoded before are still what they were.
pub(crate) fn open(lua: &Lua, border: &Border) -> Result<Table> {
    if lua.app_data_ref::<Marks>().is_none() {
        lua.set_app_data(Marks::new(lua, border)?);
    }
    let marks = lua.app_data_ref::<Marks>().ok_or_else(unopened)?;
    let json = lua.create_table()?;
    json.set("decode", decode::function(lua, &marks)?)?;
    json.set("encode", encode::function(lua)?)?;
    api::open(lua, border, &marks, &json)?;
    Ok(json)
}

fn unopened() -> mlua::Error {
    wrong("the JSON bridge was not opened in this Lua state")
}

/// Pushes a document that was parsed before: its value, or nil and what is wrong with it.
///
/// # Errors
/// Only for want of memory.
pub(crate) fn push_document(lua: &Lua, document: &Document) -> Result<MultiValue> {
    let tape = match document.tape() {
        Ok(tape) => tape,
        Err(error) => return Ok(MultiValue::from_iter([Value::Nil, error.to_string().into_lua(lua)?])),
    };
    let marks = lua.app_data_ref::<Marks>().ok_or_else(unopened)?;
    // SAFETY: the closure owns nothing, and runs in a protected call; text and tape outlive it. The marks are arguments 1 to 4.
    let value: Value = unsafe {
        lua.exec_raw((&marks.array, &marks.object, &marks.null, &marks.integer), |state| {
            push::document(
                state,
                document.text(),
                tape,
                &push::Places {
                    array: 1,
                    object: 2,
                    null: 3,
                    integer: 4,
                },
            );
            ffi::lua_replace(state, 1);
            ffi::lua_settop(state, 1);
        })?
    };
    Ok(MultiValue::from_iter([value]))
}
