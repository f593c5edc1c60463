//! A tape on to the Lua stack.

use std::ffi::c_int;

use mlua::ffi;

use super::integer::{self, Integer};
use crate::json::{MAX_DEPTH, Node, Tape};

/// Where the marks are: stack indices or upvalues.
pub(super) struct Places {
    pub(super) array: c_int,
    pub(super) object: c_int,
    pub(super) null: c_int,
    pub(super) integer: c_int,
}

/// What is pushed at the most: a level leaves a table and a key, and a new table takes its metatable.
const SLOTS: c_int = (MAX_DEPTH * 2 + 20) as c_int;

/// Pushes the value of a tape, one slot.
///
/// # Safety
/// `tape` is that of `text`. May raise, for want of memory or stack: neither this nor any caller's frame up to the protected
/// call may own anything, and text and tape must belong to something that outlives the raise.
pub(super) unsafe fn document(state: *mut ffi::lua_State, text: &[u8], tape: &Tape, places: &Places) {
    // SAFETY: by contract; the stack is made large enough for the deepest tape there is.
    unsafe {
        ffi::luaL_checkstack(state, SLOTS, c"a JSON document".as_ptr());
        let mut push = Push {
            state,
            text,
            unescaped: tape.unescaped(),
            nodes: tape.nodes(),
            at: 0,
            places,
        };
        push.value();
    }
}

/// A borrowed view of everything; it has no destructor.
struct Push<'a> {
    state: *mut ffi::lua_State,
    text: &'a [u8],
    unescaped: &'a [u8],
    nodes: &'a [Node],
    at: usize,
    places: &'a Places,
}

impl Push<'_> {
    unsafe fn value(&mut self) {
        let state = self.state;
        let Some(&node) = self.nodes.get(self.at) else {
            // A tape has what its containers say; this keeps the stack right all the same.
            // SAFETY: there is a free slot.
            return unsafe { ffi::lua_pushnil(state) };
        };
        self.at += 1;
        // SAFETY: `document` has made room; every branch pushes exactly one value.
        unsafe {
            match node {
                Node::Null => ffi::lua_pushvalue(state, self.places.null),
                Node::Bool(value) => ffi::lua_pushboolean(state, c_int::from(value)),
                Node::Float(value) => ffi::lua_pushnumber(state, value),
                Node::Negative(value) => self.integer(i128::from(value), Integer::signed(value)),
                Node::Natural(value) => self.integer(i128::from(value), Integer::natural(value)),
                Node::Plain { at, len } => self.string(self.text, at, len),
                Node::Unescaped { at, len } => self.string(self.unescaped, at, len),
                Node::Array(count) => self.array(count),
                Node::Object(count) => self.object(count),
            }
        }
    }

    /// As a number if the VM has one for it, else as a userdata.
    unsafe fn integer(&mut self, value: i128, exact: Integer) {
        // SAFETY: as in `value`.
        unsafe {
            if cfg!(feature = "lua54") {
                match i64::try_from(value) {
                    Ok(value) => ffi::lua_pushinteger(self.state, value as ffi::lua_Integer),
                    Err(_) => integer::push(self.state, exact, self.places.integer),
                }
            } else if value.unsigned_abs() <= 1 << 53 {
                ffi::lua_pushnumber(self.state, value as f64);
            } else {
                integer::push(self.state, exact, self.places.integer);
            }
        }
    }

    unsafe fn string(&mut self, from: &[u8], at: u32, len: u32) {
        let bytes = from.get(at as usize..at as usize + len as usize).unwrap_or_default();
        // SAFETY: as in `value`.
        unsafe { ffi::lua_pushlstring(self.state, bytes.as_ptr().cast(), bytes.len()) };
    }

    /// An array keeps its mark for life, so that one that loses its last item is still an array.
    unsafe fn array(&mut self, count: u32) {
        // SAFETY: as in `value`; a count fits, for each item took a byte of a text that is no longer than MAX_TEXT.
        unsafe {
            ffi::lua_createtable(self.state, count as c_int, 0);
            ffi::lua_pushvalue(self.state, self.places.array);
            ffi::lua_setmetatable(self.state, -2);
            for i in 1..=count {
                self.value();
                ffi::lua_rawseti(self.state, -2, i as ffi::lua_Integer);
            }
        }
    }

    /// An object needs a mark only as long as it is empty: its keys are strings.
    unsafe fn object(&mut self, count: u32) {
        // SAFETY: as in `array`; a key is a string, so that setting it cannot fail but for memory.
        unsafe {
            ffi::lua_createtable(self.state, 0, count as c_int);
            if count == 0 {
                ffi::lua_pushvalue(self.state, self.places.object);
                ffi::lua_setmetatable(self.state, -2);
            }
            for _ in 0..count {
                self.value();
                self.value();
                ffi::lua_rawset(self.state, -3);
            }
        }
    }
}
