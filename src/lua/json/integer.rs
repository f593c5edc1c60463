//! Integers that the VM's own numbers cannot hold: a userdata of plain bytes, so that nothing needs to be dropped.

use std::ffi::c_int;
use std::io::Write;

use mlua::{Function, Lua, Result, Table, ffi};

use super::call;
use crate::json::write;

/// An integer from -2^63 to 2^64-1. Any 16 bytes are one, so that reading a stranger's userdata does no harm.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Integer {
    /// The two's complement of a negative one, the value of another.
    bits: u64,
    /// 1 for a negative one, else 0.
    negative: u64,
}

impl Integer {
    pub(super) fn signed(value: i64) -> Self {
        Self {
            bits: value as u64,
            negative: u64::from(value < 0),
        }
    }

    pub(super) fn natural(value: u64) -> Self {
        Self {
            bits: value,
            negative: 0,
        }
    }

    /// Digits, and a minus before them or not.
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text.parse::<i64>() {
            _ if text.starts_with('+') => None,
            Ok(value) => Some(Self::signed(value)),
            Err(_) => text.parse::<u64>().ok().map(Self::natural),
        }
    }

    pub(super) fn write(self, out: &mut Vec<u8>) {
        match self.negative {
            0 => write::natural(out, self.bits),
            _ => write::integer(out, self.bits as i64),
        }
    }

    /// The text without an allocation, which a Lua error could lose: a buffer and how much of it there is.
    fn digits(self) -> ([u8; 20], usize) {
        let mut buffer = [0; 20];
        let mut rest = &mut buffer[..];
        // The longest, -2^63 and 2^64-1, have 20 characters.
        let _ = match self.negative {
            0 => write!(rest, "{}", self.bits),
            _ => write!(rest, "{}", self.bits as i64),
        };
        let length = 20 - rest.len();
        (buffer, length)
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

/// The integer at `index`; none if the userdata there has another size. Does not raise.
///
/// # Safety
/// There is a userdata whose metatable says that it is an integer.
pub(super) unsafe fn read(state: *mut ffi::lua_State, index: c_int) -> Option<Integer> {
    // SAFETY: the size is checked, and any bytes of that size are an integer.
    unsafe {
        let fits = ffi::lua_rawlen(state, index) == size_of::<Integer>();
        fits.then(|| ffi::lua_touserdata(state, index).cast::<Integer>().read_unaligned())
    }
}

unsafe extern "C-unwind" fn to_string(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: this frame owns nothing.
    unsafe {
        let Some(integer) = argument(state, 1) else { return 0 };
        let (digits, length) = integer.digits();
        ffi::lua_pushlstring(state, digits.as_ptr().cast(), length);
    }
    1
}

unsafe extern "C-unwind" fn equal(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: this frame owns nothing.
    unsafe {
        let integer = argument(state, 1);
        let same = integer.is_some() && integer == argument(state, 2);
        ffi::lua_pushboolean(state, c_int::from(same));
    }
    1
}

/// The integer that is an argument; Lua code can call the metamethods with anything.
unsafe fn argument(state: *mut ffi::lua_State, index: c_int) -> Option<Integer> {
    // SAFETY: a C function has LUA_MINSTACK free slots.
    unsafe {
        if ffi::lua_type(state, index) != ffi::LUA_TUSERDATA || ffi::lua_getmetatable(state, index) == 0 {
            return None;
        }
        ffi::lua_pushstring(state, c"__jsontype".as_ptr());
        ffi::lua_rawget(state, -2);
        let ours = call::string(state, -1) == Some(b"integer");
        ffi::lua_pop(state, 2);
        ours.then(|| read(state, index)).flatten()
    }
}

/// Makes a function from digits to an integer, or nil if that is no integer of ours.
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
