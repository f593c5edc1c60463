//! `json.decode(text)` → the value, or nil and what is wrong with the text.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mlua::{Function, Lua, Result, ffi};

use super::marks::Marks;
use super::push::{self, Places};
use super::scratch::{self, Scratch};

pub(super) fn function(lua: &Lua, marks: &Marks) -> Result<Function> {
    scratch::function(lua, decode, (&marks.array, &marks.object, &marks.null, &marks.integer))
}

/// Upvalues: the scratch, then the marks.
unsafe extern "C-unwind" fn decode(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: a raw C function that owns nothing. The text is argument 1 and stays there, so the bytes stay where they are;
    // the scratch belongs to a userdata on the stack.
    unsafe {
        if ffi::lua_type(state, 1) != ffi::LUA_TSTRING {
            return super::encode::raise(state, c"json.decode takes a string");
        }
        ffi::lua_settop(state, 1);
        let mut length = 0;
        let bytes = ffi::lua_tolstring(state, 1, &mut length);
        let text = std::slice::from_raw_parts(bytes.cast::<u8>(), length);
        let scratch = scratch::claim(state, 1);
        if !parse(text, scratch) {
            ffi::lua_pushnil(state);
            ffi::lua_pushlstring(state, scratch.message.as_ptr().cast(), scratch.message.len());
            scratch.release();
            return 2;
        }
        let [array, object, null, integer] = [2, 3, 4, 5].map(ffi::lua_upvalueindex);
        push::document(
            state,
            text,
            &scratch.tape,
            &Places {
                array,
                object,
                null,
                integer,
            },
        );
        scratch.release();
    }
    1
}

/// False when the text is no JSON; the message says why. Calls no Lua.
fn parse(text: &[u8], scratch: &mut Scratch) -> bool {
    let parsed = catch_unwind(AssertUnwindSafe(|| match scratch.tape.parse(text) {
        Ok(()) => true,
        Err(error) => {
            scratch.message = error.to_string();
            false
        }
    }));
    parsed.unwrap_or(false)
}
