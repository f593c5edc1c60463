//! A Lua value, from the stack to text.
//!
//! Tables are read raw: `__index`, `__pairs` and `__len` are not asked. Without a mark, a table whose keys are 1 to n is an array
//! and one whose keys are strings an object, which an empty one is too; any other is an error, and so is a table that its mark
//! contradicts.

use std::ffi::c_int;

use mlua::ffi;

use super::fault::{Fault, quoted};
use super::{call, integer};
use crate::json::{MAX_DEPTH, MAX_TEXT, write};

/// What the walk pushes at the most: a level leaves a key and a value, and looking at a table takes its metatable and a mark.
pub(super) const SLOTS: c_int = (MAX_DEPTH * 2 + 20) as c_int;

/// One encoding. Every Lua call it makes is one that cannot raise: no conversion, no metamethod, nothing that allocates.
pub(super) struct Walk<'a> {
    pub(super) state: *mut ffi::lua_State,
    pub(super) out: &'a mut Vec<u8>,
    /// Where the key of marks is: a string at hand, so that asking for it makes none.
    pub(super) mark: c_int,
    /// Whether U+FFFD replaces what is no UTF-8.
    pub(super) replace: bool,
}

type Walked = Result<(), Box<Fault>>;

/// What a metatable says of its value.
enum Mark {
    None,
    Array,
    Object,
    Null,
    Raw,
    Integer,
}

impl Walk<'_> {
    /// Writes the value at the top of the stack as a whole text.
    pub(super) fn document(&mut self) -> Walked {
        self.value(0)?;
        // Numbers and escapes are not counted on the way.
        self.put(b"")
    }

    /// Writes the value at the top of the stack, and leaves it there.
    fn value(&mut self, depth: usize) -> Walked {
        // SAFETY: the value is there; asking for its type does not convert it.
        match unsafe { ffi::lua_type(self.state, -1) } {
            ffi::LUA_TNIL => self.put(b"null"),
            ffi::LUA_TBOOLEAN => {
                // SAFETY: as above.
                let truth = unsafe { ffi::lua_toboolean(self.state, -1) } != 0;
                self.put(if truth { b"true" } else { b"false" })
            }
            ffi::LUA_TNUMBER => self.number(),
            ffi::LUA_TSTRING => {
                // SAFETY: the string stays at the top meanwhile.
                let text = unsafe { call::string(self.state, -1) }.unwrap_or_default();
                self.string(text)
            }
            ffi::LUA_TTABLE => self.table(depth),
            ffi::LUA_TUSERDATA => self.userdata(),
            ffi::LUA_TFUNCTION => Err(Fault::new("a function cannot be JSON")),
            ffi::LUA_TTHREAD => Err(Fault::new("a coroutine cannot be JSON")),
            ffi::LUA_TLIGHTUSERDATA => Err(Fault::new("a light userdata cannot be JSON (null is json.null)")),
            _ => Err(Fault::new("a cdata cannot be JSON")),
        }
    }

    fn put(&mut self, text: &[u8]) -> Walked {
        self.room(text)?;
        self.out.extend_from_slice(text);
        Ok(())
    }

    fn room(&self, text: &[u8]) -> Walked {
        if self.out.len() + text.len() > MAX_TEXT {
            return Err(Fault::new(format!("the text would be longer than {MAX_TEXT} bytes")));
        }
        Ok(())
    }

    fn number(&mut self) -> Walked {
        #[cfg(feature = "lua54")]
        // SAFETY: the value is a number.
        unsafe {
            if ffi::lua_isinteger(self.state, -1) != 0 {
                write::integer(self.out, ffi::lua_tointeger(self.state, -1));
                return Ok(());
            }
        }
        // SAFETY: the value is a number.
        let value = unsafe { ffi::lua_tonumber(self.state, -1) };
        match value {
            _ if value.is_nan() => Err(Fault::new("NaN cannot be JSON")),
            _ if value.is_infinite() => Err(Fault::new("infinity cannot be JSON")),
            _ if cfg!(feature = "lua54") => {
                write::float(self.out, value);
                Ok(())
            }
            _ => {
                write::double(self.out, value);
                Ok(())
            }
        }
    }

    fn string(&mut self, text: &[u8]) -> Walked {
        self.room(text)?;
        write::string(self.out, text, self.replace)
            .map_err(|_| Fault::new("a string that is not valid UTF-8 (for bytes, base64 is the way)"))
    }

    fn userdata(&mut self) -> Walked {
        if let Mark::Integer = self.mark() {
            // SAFETY: the metatable says so.
            if let Some(integer) = unsafe { integer::read(self.state, -1) } {
                integer.write(self.out);
                return Ok(());
            }
        }
        Err(Fault::new("a userdata cannot be JSON"))
    }

    fn table(&mut self, depth: usize) -> Walked {
        let mark = self.mark();
        match mark {
            Mark::Null => return self.put(b"null"),
            Mark::Raw => return self.raw(),
            _ if depth < MAX_DEPTH => {}
            _ => {
                return Err(Fault::new(format!(
                    "nested deeper than {MAX_DEPTH} levels, or a table that holds itself"
                )));
            }
        }
        if !self.first() {
            return self.put(if let Mark::Array = mark { b"[]" } else { b"{}" });
        }
        match mark {
            Mark::Array => self.items(depth),
            Mark::Object => self.members(depth),
            _ if self.key_number().is_some() => self.items(depth),
            _ => self.members(depth),
        }
    }

    /// What the metatable of the value at the top says.
    fn mark(&mut self) -> Mark {
        // SAFETY: two free slots; the stack is left as it was.
        unsafe {
            if ffi::lua_getmetatable(self.state, -1) == 0 {
                return Mark::None;
            }
            let mark = match ffi::lua_type(self.state, -1) {
                ffi::LUA_TTABLE => {
                    ffi::lua_pushvalue(self.state, self.mark);
                    ffi::lua_rawget(self.state, -2);
                    let mark = match call::string(self.state, -1) {
                        Some(b"array") => Mark::Array,
                        Some(b"object") => Mark::Object,
                        Some(b"null") => Mark::Null,
                        Some(b"raw") => Mark::Raw,
                        Some(b"integer") => Mark::Integer,
                        _ => Mark::None,
                    };
                    ffi::lua_pop(self.state, 1);
                    mark
                }
                _ => Mark::None,
            };
            ffi::lua_pop(self.state, 1);
            mark
        }
    }

    fn raw(&mut self) -> Walked {
        // SAFETY: one free slot; the stack is left as it was, and the string stays in its table.
        let text = unsafe {
            ffi::lua_rawgeti(self.state, -1, 1);
            let text = call::string(self.state, -1);
            ffi::lua_pop(self.state, 1);
            text
        };
        match text {
            Some(text) => self.put(text),
            None => Err(Fault::new("a raw value without text (json.raw makes them)")),
        }
    }

    /// Pushes the first key of the table at the top and its value; false and neither if it is empty.
    fn first(&mut self) -> bool {
        // SAFETY: two free slots a level; `lua_next` from nil cannot raise.
        unsafe {
            ffi::lua_pushnil(self.state);
            ffi::lua_next(self.state, -2) != 0
        }
    }

    /// Puts the next key and its value in the place of those at the top; false and neither at the end.
    fn next(&mut self) -> bool {
        // SAFETY: the key is the one that `lua_next` gave, and nothing has run that could change the table: it cannot raise.
        unsafe {
            ffi::lua_pop(self.state, 1);
            ffi::lua_next(self.state, -2) != 0
        }
    }

    /// The items of an array in one pass, as long as their keys come in order; they do unless some live in the table's hash
    /// part. The first key and its value are at the top.
    fn items(&mut self, depth: usize) -> Walked {
        self.put(b"[")?;
        let mut count = 0;
        loop {
            if self.key_number() != Some((count + 1) as f64) {
                return self.items_out_of_order(depth, count);
            }
            count += 1;
            self.item(depth, count)?;
            if !self.next() {
                return self.put(b"]");
            }
        }
    }

    /// Writes the value at the top, item `i`.
    fn item(&mut self, depth: usize, i: usize) -> Walked {
        if i > 1 {
            self.put(b",")?;
        }
        self.value(depth + 1).map_err(|fault| fault.in_item(i))
    }

    /// The key below the value at the top, if it is a number.
    fn key_number(&self) -> Option<f64> {
        // SAFETY: key and value are there; the key is only read if it is a number.
        unsafe { (ffi::lua_type(self.state, -2) == ffi::LUA_TNUMBER).then(|| ffi::lua_tonumber(self.state, -2)) }
    }

    /// The rest of an array whose keys come in any order from now on; `written` items are written, and the next key and its
    /// value are at the top. Counts first: nothing is written twice, at no level.
    fn items_out_of_order(&mut self, depth: usize, written: usize) -> Walked {
        let (mut count, mut largest) = (written, 0f64);
        loop {
            match self.key_number() {
                Some(n) if n >= 1.0 && n.fract() == 0.0 => largest = largest.max(n),
                _ => return Err(self.odd_key()),
            }
            count += 1;
            if !self.next() {
                break;
            }
        }
        if largest != count as f64 {
            let what = format!("a list with holes ({count} items, the last at {largest}); fill them with json.null");
            return Err(Fault::new(what));
        }
        for i in written + 1..=count {
            // SAFETY: a free slot a level.
            unsafe { ffi::lua_rawgeti(self.state, -1, i as ffi::lua_Integer) };
            self.item(depth, i)?;
            // SAFETY: it pops what was pushed.
            unsafe { ffi::lua_pop(self.state, 1) };
        }
        self.put(b"]")
    }

    /// The key below the value at the top does not go with those before it.
    fn odd_key(&self) -> Box<Fault> {
        // SAFETY: key and value are there.
        let (text, kind) = unsafe { (call::string(self.state, -2), ffi::lua_type(self.state, -2)) };
        match (text, self.key_number()) {
            (Some(text), _) => Fault::odd_key(&format!("{} beside others", quoted(text))),
            (_, Some(n)) => Fault::odd_key(&n.to_string()),
            _ if kind == ffi::LUA_TBOOLEAN => Fault::odd_key("true or false"),
            _ => Fault::odd_key("of another type than string or number"),
        }
    }

    /// The members of an object. The first key and its value are at the top.
    fn members(&mut self, depth: usize) -> Walked {
        let mut before = b"{";
        loop {
            // SAFETY: the key stays on the stack as long as its bytes are used.
            let Some(key) = (unsafe { call::string(self.state, -2) }) else {
                return Err(self.odd_key());
            };
            self.put(before)?;
            before = b",";
            self.string(key).map_err(|fault| fault.in_member(key))?;
            self.put(b":")?;
            self.value(depth + 1).map_err(|fault| fault.in_member(key))?;
            if !self.next() {
                return self.put(b"}");
            }
        }
    }
}
