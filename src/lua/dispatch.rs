//! The door to dispatch. A frame loop goes through it all the time and mostly for nothing, so it looks at the signal first:
//! one atomic load in a raw C function, and only if there is something to do the way into mlua.

use std::ffi::c_int;
use std::sync::Arc;

use mlua::{Function, Lua, Result, ffi};

use crate::bridge::Signal;

/// What the userdata holds: the signal, counted, or null once the collector was there. Finalizers that are older than the
/// library run after that as the state closes, and may still call dispatch.
type Slot = *const Signal;

/// Makes `dispatch` of what does the work when there is some: `slow(options)` → handled, left.
pub(super) fn function(lua: &Lua, signal: &Arc<Signal>, slow: Function) -> Result<Function> {
    // SAFETY: the closure owns nothing; the count is taken when nothing can raise any more and the userdata has its finalizer.
    unsafe {
        lua.exec_raw(slow, |state| {
            let slot = ffi::lua_newuserdata(state, size_of::<Slot>()).cast::<Slot>();
            slot.write(std::ptr::null());
            ffi::lua_createtable(state, 0, 2);
            ffi::lua_pushcclosure(state, collect, 0);
            ffi::lua_setfield(state, -2, c"__gc".as_ptr());
            ffi::lua_pushboolean(state, 0);
            ffi::lua_setfield(state, -2, c"__metatable".as_ptr());
            ffi::lua_setmetatable(state, -2);
            slot.write(Arc::into_raw(Arc::clone(signal)));
            ffi::lua_insert(state, 1);
            ffi::lua_pushcclosure(state, dispatch, 2);
        })
    }
}

unsafe extern "C-unwind" fn collect(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: only the userdata made above has this finalizer, and its metatable is hidden from Lua.
    unsafe {
        let slot = ffi::lua_touserdata(state, 1).cast::<Slot>();
        if !slot.is_null() && !(*slot).is_null() {
            drop(Arc::from_raw(slot.replace(std::ptr::null())));
        }
    }
    0
}

/// Upvalues: the userdata, and the dispatch that does the work.
unsafe extern "C-unwind" fn dispatch(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: see `function` for the upvalues; this frame owns nothing that an error could jump over.
    unsafe {
        let slot = ffi::lua_touserdata(state, ffi::lua_upvalueindex(1)).cast::<Slot>();
        if !(*slot).as_ref().is_some_and(Signal::is_raised) {
            ffi::lua_pushinteger(state, 0);
            ffi::lua_pushinteger(state, 0);
            return 2;
        }
        let arguments = ffi::lua_gettop(state);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
        ffi::lua_insert(state, 1);
        ffi::lua_call(state, arguments, 2);
    }
    2
}
