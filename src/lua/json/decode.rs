//! `json.decode(text)` → the value, or nil and what is wrong with the text.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mlua::{Function, Lua, Result, ffi};

use super::call;
use super::marks::Marks;
use super::push::{self, Places};
use super::scratch::{self, Claim, Scratch};

pub(super) fn function(lua: &Lua, marks: &Marks) -> Result<Function> {
    scratch::function(lua, decode, (&marks.array, &marks.object, &marks.null, &marks.integer))
}

/// Upvalues: the scratch, then the marks.
unsafe extern "C-unwind" fn decode(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: a raw C function that owns nothing. The text is argument 1 and stays there, so its bytes stay where they are;
    // the scratch belongs to a userdata on the stack.
    unsafe {
        ffi::lua_settop(state, 1);
        let Some(text) = call::string(state, 1) else {
            return call::raise(state, c"json.decode takes a string");
        };
        let claim = Claim::new(state, 1);
        if !parse(text, claim.scratch()) {
            return call::refuse(state, claim);
        }
        let [array, object, null, integer] = [2, 3, 4, 5].map(ffi::lua_upvalueindex);
        let places = Places {
            array,
            object,
            null,
            integer,
        };
        push::document(state, text, &claim.scratch().tape, &places);
        claim.release();
    }
    1
}

/// False when the text is no JSON; the message says why. Calls no Lua.
fn parse(text: &[u8], scratch: &mut Scratch) -> bool {
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        let parsed = scratch.tape.parse(text);
        parsed.map_err(|error| error.to_string())
    }));
    match parsed {
        Ok(Ok(())) => return true,
        Ok(Err(sentence)) => scratch.message = sentence,
        Err(_) => scratch.message = call::BUG.into(),
    }
    false
}
