//! The metatables that say what a table is, and the tables that are values of their own.

use std::ffi::c_int;

use mlua::{Lua, Result, Table, ffi};

use super::integer;
use crate::lua::border::{Border, wrong};

/// One set for each Lua state.
pub(super) struct Marks {
    /// The metatable of arrays.
    pub(super) array: Table,
    /// The metatable of objects.
    pub(super) object: Table,
    /// `null`: the one table that decoding puts in its place.
    pub(super) null: Table,
    /// The metatable of integers that the VM's numbers cannot hold.
    pub(super) integer: Table,
    /// The metatable of text that is already JSON.
    pub(super) raw: Table,
}

impl Marks {
    pub(super) fn new(lua: &Lua, border: &Border) -> Result<Self> {
        let null = lua.create_table()?;
        let meta = mark(lua, "null")?;
        // SAFETY: a raw C function that owns nothing.
        meta.raw_set("__tostring", unsafe { lua.create_c_function(null_to_string)? })?;
        let fixed = border.function(lua, |_, _| -> Result<()> { Err(wrong("json.null cannot be changed")) })?;
        meta.raw_set("__newindex", fixed)?;
        null.set_metatable(Some(meta))?;
        Ok(Self {
            array: mark(lua, "array")?,
            object: mark(lua, "object")?,
            null,
            integer: integer::metatable(lua, mark(lua, "integer")?)?,
            raw: mark(lua, "raw")?,
        })
    }
}

unsafe extern "C-unwind" fn null_to_string(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: owns nothing; there is a free slot.
    unsafe { ffi::lua_pushstring(state, c"null".as_ptr()) };
    1
}

fn mark(lua: &Lua, kind: &str) -> Result<Table> {
    let meta = lua.create_table()?;
    meta.raw_set("__jsontype", kind)?;
    Ok(meta)
}
