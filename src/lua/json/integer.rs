//! Integers that the VM's own numbers cannot hold: a userdata of plain bytes, so that nothing needs to be dropped.

use std::ffi::c_int;

use mlua::{Function, Lua, Result, Table, ffi};

/// An integer from -2^63 to 2^64-1.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Integer {
    /// The two's complement of a negative one, the value of another.
    bits: u64,
    negative: bool,
}

impl Integer {
    pub(super) fn negative(value: i64) -> Self {
        Self {
            bits: value as u64,
            negative: value < 0,
        }
    }

    pub(super) fn natural(value: u64) -> Self {
        Self {
            bits: value,
            negative: false,
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        match text.parse::<i64>() {
            Ok(value) => Some(Self::negative(value)),
            Err(_) => text.parse::<u64>().ok().map(Self::natural),
        }
    }

    pub(super) fn write(self, out: &mut Vec<u8>) {
        match self.negative {
            true => crate::json::write::integer(out, self.bits as i64),
            false => crate::json::write::natural(out, self.bits),
        }
    }
}

/// Completes the metatable: `tostring` gives the digits, equal integers are equal; they have no arithmetic.
pub(super) fn metatable(lua: &Lua, meta: Table) -> Result<Table> {
    // SAFETY: both are raw C functions that own nothing while they call Lua.
    unsafe {
        meta.raw_set("__tostring", lua.create_c_function(to_string)?)?;
        meta.raw_set("__eq", lua.create_c_function(equal)?)?;
    }
    meta.raw_set("__metatable", "json.integer")?;
    Ok(meta)
}

/// Pushes an integer; its metatable is at `metatable`.
///
/// # Safety
/// The stack has three free slots. May raise, for want of memory.
pub(super) unsafe fn push(state: *mut ffi::lua_State, value: Integer, metatable: c_int) {
    // SAFETY: by contract; the userdata is as large as what is written to it.
    unsafe {
        let place = ffi::lua_newuserdata(state, size_of::<Integer>()).cast::<Integer>();
        place.write(value);
        ffi::lua_pushvalue(state, metatable);
        ffi::lua_setmetatable(state, -2);
    }
}

/// The integer at the top of the stack, if it is one with the metatable at `metatable`. Does not raise.
///
/// # Safety
/// The stack has two free slots.
pub(super) unsafe fn at_top(state: *mut ffi::lua_State, metatable: c_int) -> Option<Integer> {
    // SAFETY: by contract; a userdata with our metatable holds an `Integer`.
    unsafe {
        if ffi::lua_type(state, -1) != ffi::LUA_TUSERDATA || ffi::lua_getmetatable(state, -1) == 0 {
            return None;
        }
        let ours = ffi::lua_rawequal(state, -1, metatable) != 0;
        ffi::lua_pop(state, 1);
        ours.then(|| *ffi::lua_touserdata(state, -1).cast::<Integer>())
    }
}

unsafe extern "C-unwind" fn to_string(state: *mut ffi::lua_State) -> c_int {
    /// The longest integer has 20 characters.
    struct Digits([u8; 24], usize);
    // SAFETY: this is only reachable through the metatable, but Lua code may still call it with anything.
    unsafe {
        let Some(integer) = argument(state, 1) else { return 0 };
        let digits = {
            let mut out = Vec::with_capacity(24);
            integer.write(&mut out);
            let mut digits = Digits([0; 24], out.len());
            digits.0[..out.len()].copy_from_slice(&out);
            digits
        };
        ffi::lua_pushlstring(state, digits.0.as_ptr().cast(), digits.1);
    }
    1
}

unsafe extern "C-unwind" fn equal(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let same = argument(state, 1).is_some() && argument(state, 1) == argument(state, 2);
        ffi::lua_pushboolean(state, c_int::from(same));
    }
    1
}

/// The integer that is an argument. Its metatable is hidden from Lua (`__metatable`), so a userdata of the right size whose
/// metatable says "integer" is ours.
unsafe fn argument(state: *mut ffi::lua_State, index: c_int) -> Option<Integer> {
    // SAFETY: a function called by Lua has LUA_MINSTACK free slots; type and size are checked before the read.
    unsafe {
        let fits = ffi::lua_type(state, index) == ffi::LUA_TUSERDATA
            && ffi::lua_rawlen(state, index) == size_of::<Integer>()
            && ffi::lua_getmetatable(state, index) != 0;
        if !fits {
            return None;
        }
        ffi::lua_pushstring(state, c"__jsontype".as_ptr());
        ffi::lua_rawget(state, -2);
        let ours = ffi::lua_type(state, -1) == ffi::LUA_TSTRING;
        ffi::lua_pop(state, 2);
        ours.then(|| *ffi::lua_touserdata(state, index).cast::<Integer>())
    }
}

/// `json.integer(text)` and what reads it back need the metatable at hand.
pub(super) fn constructor(lua: &Lua, metatable: &Table) -> Result<Function> {
    let metatable = metatable.clone();
    lua.create_function(move |lua, digits: String| {
        let Some(integer) = Integer::parse(&digits) else {
            return Ok(mlua::Value::Nil);
        };
        // SAFETY: the metatable is argument 1; the closure owns nothing.
        unsafe {
            lua.exec_raw(&metatable, |state| {
                push(state, integer, 1);
                ffi::lua_replace(state, 1);
            })
        }
    })
}
