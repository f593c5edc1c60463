//! Buffers that are used again, owned by a userdata so that a Lua error cannot lose them.

use std::ffi::c_int;

use mlua::{Function, Lua, Result, ffi};

use crate::json::Tape;

/// What one call of decode or encode works in.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) tape: Tape,
    pub(super) out: Vec<u8>,
    /// What went wrong, in words.
    pub(super) message: String,
    /// Somebody is using it: a finalizer that runs while we push may call JSON again.
    busy: bool,
}

/// What is kept from one call to the next at the most.
const KEEP: usize = 64 * 1024;

impl Scratch {
    /// Ends the use of it.
    pub(super) fn release(&mut self) {
        self.busy = false;
        self.tape.shrink();
        self.out.clear();
        self.out.shrink_to(KEEP);
        self.message = String::new();
    }
}

/// The userdata is one pointer: null until there is a scratch.
type Slot = *mut Scratch;

/// Claims the scratch in upvalue `upvalue`, leaves its userdata on the stack (one slot), which keeps it alive, and returns it.
///
/// If it is busy, by a call that this one is inside of or by one that an error ended, the closure gets a new one, and the old
/// one is left to whoever has it on the stack, or to the collector.
///
/// # Safety
/// Called in a C function whose upvalue `upvalue` was made by [`function`]; the stack has three free slots. May raise.
pub(super) unsafe fn claim<'a>(state: *mut ffi::lua_State, upvalue: c_int) -> &'a mut Scratch {
    // SAFETY: by contract. Between making the box and storing it in the userdata nothing can raise.
    unsafe {
        let upvalue = ffi::lua_upvalueindex(upvalue);
        ffi::lua_pushvalue(state, upvalue);
        let mut slot = ffi::lua_touserdata(state, -1).cast::<Slot>();
        if !(*slot).is_null() && (**slot).busy {
            let fresh = ffi::lua_newuserdata(state, size_of::<Slot>()).cast::<Slot>();
            *fresh = std::ptr::null_mut();
            ffi::lua_getmetatable(state, -2);
            ffi::lua_setmetatable(state, -2);
            ffi::lua_pushvalue(state, -1);
            ffi::lua_replace(state, upvalue);
            ffi::lua_replace(state, -2);
            slot = fresh;
        }
        if (*slot).is_null() {
            *slot = Box::into_raw(Box::default());
        }
        let scratch = &mut **slot;
        scratch.busy = true;
        scratch
    }
}

unsafe extern "C-unwind" fn collect(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: only userdata made below have this finalizer, and nothing else can reach it.
    unsafe {
        let slot = ffi::lua_touserdata(state, 1).cast::<Slot>();
        if !slot.is_null() && !(*slot).is_null() {
            drop(Box::from_raw(std::mem::replace(&mut *slot, std::ptr::null_mut())));
        }
    }
    0
}

/// Makes a C function whose first upvalue is a scratch and whose others are `upvalues`, in order.
pub(super) fn function(lua: &Lua, body: ffi::lua_CFunction, upvalues: impl mlua::IntoLuaMulti) -> Result<Function> {
    let upvalues = upvalues.into_lua_multi(lua)?;
    let count = upvalues.len() as c_int;
    // SAFETY: the closure owns nothing; everything it makes is on the stack at once. The finalizer is set before there is
    // anything to finalize.
    unsafe {
        lua.exec_raw(upvalues, |state| {
            let slot = ffi::lua_newuserdata(state, size_of::<Slot>()).cast::<Slot>();
            *slot = std::ptr::null_mut();
            ffi::lua_createtable(state, 0, 2);
            ffi::lua_pushcclosure(state, collect, 0);
            ffi::lua_setfield(state, -2, c"__gc".as_ptr());
            ffi::lua_pushboolean(state, 0);
            ffi::lua_setfield(state, -2, c"__metatable".as_ptr());
            ffi::lua_setmetatable(state, -2);
            ffi::lua_insert(state, 1);
            ffi::lua_pushcclosure(state, body, count + 1);
        })
    }
}
