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
    fn clear(&mut self) {
        self.busy = false;
        self.tape.shrink();
        self.out.clear();
        self.out.shrink_to(KEEP);
        self.message = String::new();
    }
}

/// What the userdata holds.
struct Slot {
    /// Null until it is needed.
    scratch: *mut Scratch,
    /// The collector was here. Finalizers that run later, when the state is closed, can still call JSON.
    collected: bool,
}

/// A scratch that is in use, until [`release`](Claim::release). It has no destructor, for a Lua error would skip it: its
/// userdata stays busy then, is never claimed again and ends with the collector.
#[derive(Clone, Copy)]
pub(super) struct Claim {
    slot: *mut Slot,
}

impl Claim {
    /// Claims the scratch in upvalue `upvalue` and leaves its userdata, which keeps it alive, on the stack (one slot).
    ///
    /// If it is busy, because of a call that this one is inside of or one that an error ended, the closure gets a new one.
    ///
    /// # Safety
    /// Called in a C function whose upvalue `upvalue` was made by [`function`]; the stack has three free slots. May raise.
    pub(super) unsafe fn new(state: *mut ffi::lua_State, upvalue: c_int) -> Self {
        // SAFETY: by contract. Between making the box and storing it in the userdata nothing can raise.
        unsafe {
            let upvalue = ffi::lua_upvalueindex(upvalue);
            ffi::lua_pushvalue(state, upvalue);
            let mut slot = ffi::lua_touserdata(state, -1).cast::<Slot>();
            if (*slot).scratch.as_ref().is_some_and(|scratch| scratch.busy) {
                slot = push_slot(state);
                ffi::lua_getmetatable(state, -2);
                ffi::lua_setmetatable(state, -2);
                ffi::lua_pushvalue(state, -1);
                ffi::lua_replace(state, upvalue);
                ffi::lua_replace(state, -2);
            }
            if (*slot).scratch.is_null() {
                (*slot).scratch = Box::into_raw(Box::default());
            }
            (*(*slot).scratch).busy = true;
            Self { slot }
        }
    }

    /// The scratch itself.
    ///
    /// # Safety
    /// Not after `release`, and one reference at a time.
    pub(super) unsafe fn scratch<'a>(self) -> &'a mut Scratch {
        // SAFETY: by contract: the userdata is on the stack, and a busy scratch has one user.
        unsafe { &mut *(*self.slot).scratch }
    }

    /// Ends the use of it.
    ///
    /// # Safety
    /// Its userdata is still on the stack; no reference to the scratch is used any more.
    pub(super) unsafe fn release(self) {
        // SAFETY: by contract.
        unsafe {
            if (*self.slot).collected {
                free(self.slot);
            } else {
                (*(*self.slot).scratch).clear();
            }
        }
    }
}

/// Pushes a userdata with nothing in it.
unsafe fn push_slot(state: *mut ffi::lua_State) -> *mut Slot {
    // SAFETY: the userdata is as large as what is written to it.
    unsafe {
        let slot = ffi::lua_newuserdata(state, size_of::<Slot>()).cast::<Slot>();
        slot.write(Slot {
            scratch: std::ptr::null_mut(),
            collected: false,
        });
        slot
    }
}

unsafe fn free(slot: *mut Slot) {
    // SAFETY: the pointer is null or came from `Box::into_raw`, and is forgotten here.
    unsafe {
        let scratch = std::mem::replace(&mut (*slot).scratch, std::ptr::null_mut());
        if !scratch.is_null() {
            drop(Box::from_raw(scratch));
        }
    }
}

unsafe extern "C-unwind" fn collect(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: only our userdata have this finalizer, and their metatable is hidden from Lua.
    unsafe {
        let slot = ffi::lua_touserdata(state, 1).cast::<Slot>();
        if !slot.is_null() {
            (*slot).collected = true;
            free(slot);
        }
    }
    0
}

/// Makes a C function whose first upvalue is a scratch and whose others are `upvalues`, in order.
pub(super) fn function(lua: &Lua, body: ffi::lua_CFunction, upvalues: impl mlua::IntoLuaMulti) -> Result<Function> {
    let upvalues = upvalues.into_lua_multi(lua)?;
    let count = upvalues.len() as c_int;
    // SAFETY: the closure owns nothing; everything it makes is on the stack at once. There is nothing to finalize before the
    // finalizer is set.
    unsafe {
        lua.exec_raw(upvalues, |state| {
            push_slot(state);
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
