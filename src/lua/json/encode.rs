//! `json.encode(value [, {invalid_utf8 = "replace"}])` → the text, or nil and what cannot be encoded, with its path.

use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use mlua::{Function, Lua, Result, ffi};

use super::call;
use super::scratch::{self, Claim};
use super::walk::{self, Walk};

pub(super) fn function(lua: &Lua) -> Result<Function> {
    scratch::function(lua, encode, "__jsontype")
}

/// Upvalues: the scratch, the key of marks.
unsafe extern "C-unwind" fn encode(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: a raw C function that owns nothing; what the walk owns is dropped before anything can raise again.
    unsafe {
        let replace = match options(state) {
            Ok(replace) => replace,
            Err(sentence) => return call::raise(state, sentence),
        };
        ffi::lua_settop(state, 1);
        let claim = Claim::new(state, 1);
        // Nothing may allocate between this and the walk: LuaJIT's collector shrinks a stack without regard to what a C
        // function has asked for, and then pushing allocates, and can raise.
        ffi::luaL_checkstack(state, walk::SLOTS, c"a value to encode".as_ptr());
        ffi::lua_pushvalue(state, 1);
        let scratch = claim.scratch();
        let walked = catch_unwind(AssertUnwindSafe(|| {
            let mut walk = Walk {
                state,
                out: &mut scratch.out,
                mark: ffi::lua_upvalueindex(2),
                replace,
            };
            walk.document().map_err(|fault| fault.sentence())
        }));
        match walked {
            Ok(Ok(())) => {
                ffi::lua_pushlstring(state, scratch.out.as_ptr().cast(), scratch.out.len());
                claim.release();
                return 1;
            }
            Ok(Err(sentence)) => scratch.message = sentence,
            Err(panic) => {
                // Dropped here: what comes next may raise.
                drop(panic);
                scratch.message = call::BUG.into();
            }
        }
        call::refuse(state, claim)
    }
}

/// Whether invalid UTF-8 is replaced.
unsafe fn options(state: *mut ffi::lua_State) -> std::result::Result<bool, &'static CStr> {
    // SAFETY: called at the beginning of a C function; owns nothing.
    unsafe {
        match ffi::lua_type(state, 2) {
            ffi::LUA_TNONE | ffi::LUA_TNIL => return Ok(false),
            ffi::LUA_TTABLE => {}
            _ => return Err(c"the options of json.encode must be a table"),
        }
        ffi::lua_pushnil(state);
        let mut replace = false;
        while ffi::lua_next(state, 2) != 0 {
            let (key, value) = (call::string(state, -2), call::string(state, -1));
            match (key, value) {
                (Some(b"invalid_utf8"), Some(b"replace")) => replace = true,
                (Some(b"invalid_utf8"), Some(b"error")) => {}
                (Some(b"invalid_utf8"), _) => return Err(c"invalid_utf8 must be \"error\" or \"replace\""),
                _ => return Err(c"json.encode has one option, invalid_utf8"),
            }
            ffi::lua_pop(state, 1);
        }
        Ok(replace)
    }
}
