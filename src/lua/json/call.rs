//! What the raw C functions of the bridge share. They own nothing while they call what may raise.

use std::ffi::{CStr, c_int};

use mlua::ffi;

use super::scratch::Claim;

/// What a caught panic becomes; the panic itself went to stderr.
pub(super) const BUG: &str = "the JSON bridge failed; this is a bug in moonport";

/// The bytes of the string at `index`; none for a number, which reading would change.
///
/// # Safety
/// The bytes are good as long as the string is on the stack, or in a table that is. Does not raise.
pub(super) unsafe fn string<'a>(state: *mut ffi::lua_State, index: c_int) -> Option<&'a [u8]> {
    // SAFETY: by contract; a string is not converted.
    unsafe {
        if ffi::lua_type(state, index) != ffi::LUA_TSTRING {
            return None;
        }
        let mut length = 0;
        let bytes = ffi::lua_tolstring(state, index, &mut length);
        Some(std::slice::from_raw_parts(bytes.cast(), length))
    }
}

/// Raises a sentence with the place of the call.
///
/// # Safety
/// No frame up to the protected call owns anything.
pub(super) unsafe fn raise(state: *mut ffi::lua_State, sentence: &'static CStr) -> c_int {
    // SAFETY: by contract.
    unsafe {
        ffi::luaL_where(state, 1);
        ffi::lua_pushstring(state, sentence.as_ptr());
        ffi::lua_concat(state, 2);
        ffi::lua_error(state)
    }
}

/// Returns nil and the message in the scratch, which it releases.
///
/// # Safety
/// As for [`raise`]; the stack has two free slots.
pub(super) unsafe fn refuse(state: *mut ffi::lua_State, claim: Claim) -> c_int {
    // SAFETY: by contract; the message stays in the scratch until Lua has its own copy.
    unsafe {
        let message = &claim.scratch().message;
        ffi::lua_pushnil(state);
        ffi::lua_pushlstring(state, message.as_ptr().cast(), message.len());
        claim.release();
    }
    2
}
