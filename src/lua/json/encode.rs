//! `json.encode(value [, {invalid_utf8 = "replace"}])` → the text, or nil and what cannot be encoded, with its path.
//!
//! Tables are read raw: `__index`, `__pairs` and `__len` are not asked.

use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use mlua::{Function, Lua, Result, ffi};

use super::integer;
use super::marks::Marks;
use super::scratch;
use crate::json::{MAX_DEPTH, MAX_TEXT, write};

pub(super) fn function(lua: &Lua, marks: &Marks) -> Result<Function> {
    scratch::function(lua, encode, (&marks.integer, "__jsontype"))
}

/// What the walk may push: a level leaves a key and a value, and looking at a table takes a metatable and its mark.
const SLOTS: c_int = (MAX_DEPTH * 3 + 20) as c_int;

/// Upvalues: the scratch, the metatable of integers, the key of marks.
unsafe extern "C-unwind" fn encode(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: a raw C function that owns nothing; what the walk owns is dropped before anything can raise again.
    unsafe {
        let replace = match options(state) {
            Ok(replace) => replace,
            Err(sentence) => return raise(state, sentence),
        };
        ffi::lua_settop(state, 1);
        ffi::luaL_checkstack(state, SLOTS, c"a value to encode".as_ptr());
        let scratch = scratch::claim(state, 1);
        ffi::lua_pushvalue(state, 1);
        let [integer, mark] = [2, 3].map(ffi::lua_upvalueindex);
        let walked = catch_unwind(AssertUnwindSafe(|| {
            let mut walk = Walk {
                state,
                out: &mut scratch.out,
                integer,
                mark,
                replace,
            };
            walk.value(0).map_err(|fault| fault.sentence())
        }));
        match walked {
            Ok(Ok(())) => {
                ffi::lua_pushlstring(state, scratch.out.as_ptr().cast(), scratch.out.len());
                scratch.release();
                return 1;
            }
            Ok(Err(sentence)) => scratch.message = sentence,
            Err(panic) => {
                // Dropped here: what is pushed below may raise.
                drop(panic);
                scratch.message = "the encoder failed; this is a bug in moonport".into();
            }
        }
        ffi::lua_pushnil(state);
        ffi::lua_pushlstring(state, scratch.message.as_ptr().cast(), scratch.message.len());
        scratch.release();
    }
    2
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
            let (key, value) = (text_at(state, -2), text_at(state, -1));
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

/// Raises a sentence with the place of the call.
pub(super) unsafe fn raise(state: *mut ffi::lua_State, sentence: &'static CStr) -> c_int {
    // SAFETY: owns nothing.
    unsafe {
        ffi::luaL_where(state, 1);
        ffi::lua_pushstring(state, sentence.as_ptr());
        ffi::lua_concat(state, 2);
        ffi::lua_error(state)
    }
}

/// The bytes of the string at `index`; none for a number, which reading would change.
unsafe fn text_at<'a>(state: *mut ffi::lua_State, index: c_int) -> Option<&'a [u8]> {
    // SAFETY: the string is on the stack, and stays there while the caller looks at it.
    unsafe {
        if ffi::lua_type(state, index) != ffi::LUA_TSTRING {
            return None;
        }
        let mut length = 0;
        let bytes = ffi::lua_tolstring(state, index, &mut length);
        Some(std::slice::from_raw_parts(bytes.cast(), length))
    }
}

/// One encoding. Every Lua call it makes is one that cannot raise: no conversion, no metamethod, nothing that allocates.
struct Walk<'a> {
    state: *mut ffi::lua_State,
    out: &'a mut Vec<u8>,
    integer: c_int,
    mark: c_int,
    replace: bool,
}

/// What a metatable says of its table.
enum Mark {
    None,
    Array,
    Object,
    Null,
    Raw,
}

/// What cannot be encoded, and where; made on the way out of the walk.
struct Fault {
    what: String,
    /// From the innermost outwards.
    path: Vec<String>,
}

/// Steps of a path that are shown at either end of a long one.
const SHOWN: usize = 6;

type Walked = std::result::Result<(), Box<Fault>>;

fn fault(what: impl Into<String>) -> Walked {
    Err(Box::new(Fault {
        what: what.into(),
        path: Vec::new(),
    }))
}

impl Fault {
    /// `result.content[2].data: a function cannot be JSON`
    fn sentence(&self) -> String {
        let mut sentence = String::new();
        let steps = self.path.len();
        for (i, step) in self.path.iter().rev().enumerate() {
            match i {
                _ if i < SHOWN || i + SHOWN >= steps => sentence.push_str(step),
                SHOWN => sentence.push('…'),
                _ => {}
            }
        }
        let path = sentence.trim_start_matches('.').to_owned();
        if path.is_empty() {
            self.what.clone()
        } else {
            format!("{path}: {}", self.what)
        }
    }
}

/// A step of a path: `.key`, or `["odd key"]`.
fn step(key: &[u8]) -> String {
    let plain = !key.is_empty()
        && key
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'-');
    let key = String::from_utf8_lossy(key);
    let short: String = key.chars().take(60).collect();
    if plain {
        format!(".{short}")
    } else {
        format!("[{short:?}]")
    }
}

impl Walk<'_> {
    /// Writes the value at the top of the stack, and leaves it there.
    fn value(&mut self, depth: usize) -> Walked {
        // SAFETY: the value is there, and none of these converts it.
        match unsafe { ffi::lua_type(self.state, -1) } {
            ffi::LUA_TNIL => self.put(b"null"),
            ffi::LUA_TBOOLEAN => {
                // SAFETY: as above.
                let truth = unsafe { ffi::lua_toboolean(self.state, -1) } != 0;
                self.put(if truth { b"true" } else { b"false" })
            }
            ffi::LUA_TNUMBER => self.number(),
            ffi::LUA_TSTRING => self.string(-1),
            ffi::LUA_TTABLE if depth < MAX_DEPTH => self.table(depth),
            ffi::LUA_TTABLE => fault(format!(
                "nested deeper than {MAX_DEPTH} levels, or a table that holds itself"
            )),
            ffi::LUA_TUSERDATA => {
                // SAFETY: there are free slots.
                match unsafe { integer::at_top(self.state, self.integer) } {
                    Some(integer) => {
                        integer.write(self.out);
                        Ok(())
                    }
                    None => fault("a userdata cannot be JSON"),
                }
            }
            ffi::LUA_TFUNCTION => fault("a function cannot be JSON"),
            ffi::LUA_TTHREAD => fault("a coroutine cannot be JSON"),
            ffi::LUA_TLIGHTUSERDATA => fault("a light userdata cannot be JSON (null is json.null)"),
            _ => fault("a value of this type cannot be JSON"),
        }
    }

    fn put(&mut self, text: &[u8]) -> Walked {
        if self.out.len() + text.len() > MAX_TEXT {
            return fault(format!("the text would be longer than {MAX_TEXT} bytes"));
        }
        self.out.extend_from_slice(text);
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
            _ if value.is_nan() => fault("NaN cannot be JSON"),
            _ if value.is_infinite() => fault("infinity cannot be JSON"),
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

    fn string(&mut self, index: c_int) -> Walked {
        // SAFETY: the string stays on the stack meanwhile.
        let text = unsafe { text_at(self.state, index) }.unwrap_or_default();
        if self.out.len() + text.len() > MAX_TEXT {
            return fault(format!("the text would be longer than {MAX_TEXT} bytes"));
        }
        write::string(self.out, text, self.replace)
            .or_else(|_| fault("a string that is not valid UTF-8 (for bytes, base64 is the way)"))
    }

    fn table(&mut self, depth: usize) -> Walked {
        match self.mark() {
            Mark::Null => self.put(b"null"),
            Mark::Raw => self.raw(),
            Mark::Array => self.array(depth),
            Mark::Object => self.members(depth),
            Mark::None if self.first_key_is_a_number() => self.array(depth),
            Mark::None => self.members(depth),
        }
    }

    /// What the metatable of the table at the top says. The key's string is an upvalue, so that asking makes none.
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
                    let mark = match text_at(self.state, -1) {
                        Some(b"array") => Mark::Array,
                        Some(b"object") => Mark::Object,
                        Some(b"null") => Mark::Null,
                        Some(b"raw") => Mark::Raw,
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
            let text = text_at(self.state, -1);
            ffi::lua_pop(self.state, 1);
            text
        };
        match text {
            Some(text) => self.put(text),
            None => fault("a raw value without text (json.raw makes them)"),
        }
    }

    fn first_key_is_a_number(&mut self) -> bool {
        // SAFETY: two free slots; `lua_next` from nil cannot raise; the stack is left as it was.
        unsafe {
            ffi::lua_pushnil(self.state);
            if ffi::lua_next(self.state, -2) == 0 {
                return false;
            }
            let number = ffi::lua_type(self.state, -2) == ffi::LUA_TNUMBER;
            ffi::lua_pop(self.state, 2);
            number
        }
    }

    /// An array in one pass, as long as its keys come in order; they do unless some live in the table's hash part.
    fn array(&mut self, depth: usize) -> Walked {
        let start = self.out.len();
        self.put(b"[")?;
        // SAFETY: two slots a level; the key that `lua_next` is given is the one that it gave.
        unsafe {
            ffi::lua_pushnil(self.state);
            let mut count = 0;
            while ffi::lua_next(self.state, -2) != 0 {
                count += 1;
                if self.key_number() != Some(count as f64) {
                    ffi::lua_pop(self.state, 2);
                    self.out.truncate(start);
                    return self.array_out_of_order(depth);
                }
                if count > 1 {
                    self.put(b",")?;
                }
                self.value(depth + 1)
                    .map_err(|fault| Self::within(fault, format!("[{count}]")))?;
                ffi::lua_pop(self.state, 1);
            }
        }
        self.put(b"]")
    }

    /// The key below the value at the top, if it is a number.
    fn key_number(&self) -> Option<f64> {
        // SAFETY: key and value are there; the key is only read if it is a number.
        unsafe { (ffi::lua_type(self.state, -2) == ffi::LUA_TNUMBER).then(|| ffi::lua_tonumber(self.state, -2)) }
    }

    /// An array whose keys come in any order: they are counted first.
    fn array_out_of_order(&mut self, depth: usize) -> Walked {
        let count = self.count_items()?;
        self.put(b"[")?;
        for i in 1..=count {
            if i > 1 {
                self.put(b",")?;
            }
            // SAFETY: a free slot a level.
            unsafe {
                ffi::lua_rawgeti(self.state, -1, i as ffi::lua_Integer);
                self.value(depth + 1)
                    .map_err(|fault| Self::within(fault, format!("[{i}]")))?;
                ffi::lua_pop(self.state, 1);
            }
        }
        self.put(b"]")
    }

    /// How many items the table at the top has, if its keys are 1 to that number.
    fn count_items(&mut self) -> std::result::Result<usize, Box<Fault>> {
        let (mut count, mut largest) = (0usize, 0f64);
        // SAFETY: two free slots; on every way out the pair is popped, or the walk ends.
        unsafe {
            ffi::lua_pushnil(self.state);
            while ffi::lua_next(self.state, -2) != 0 {
                match self.key_number() {
                    Some(n) if n >= 1.0 && n.fract() == 0.0 => largest = largest.max(n),
                    Some(n) => return Err(Self::odd_key(&n.to_string())),
                    None => return Err(self.odd_key_at_top()),
                }
                count += 1;
                ffi::lua_pop(self.state, 1);
            }
        }
        if largest == count as f64 {
            return Ok(count);
        }
        let what = format!("a list with holes ({count} items, the last at {largest}); fill them with json.null");
        Err(Box::new(Fault { what, path: Vec::new() }))
    }

    fn odd_key(key: &str) -> Box<Fault> {
        let what =
            format!("a table with the key {key} is neither a list (keys 1 to n) nor an object (keys that are strings)");
        Box::new(Fault { what, path: Vec::new() })
    }

    fn odd_key_at_top(&self) -> Box<Fault> {
        // SAFETY: key and value are there.
        unsafe {
            match text_at(self.state, -2) {
                Some(text) => Self::odd_key(&format!("{:?} beside others", String::from_utf8_lossy(text))),
                None => Self::odd_key(match ffi::lua_type(self.state, -2) {
                    ffi::LUA_TBOOLEAN => "true or false",
                    _ => "of another type than string or number",
                }),
            }
        }
    }

    fn members(&mut self, depth: usize) -> Walked {
        self.put(b"{")?;
        // SAFETY: as in `array`.
        unsafe {
            ffi::lua_pushnil(self.state);
            let mut first = true;
            while ffi::lua_next(self.state, -2) != 0 {
                let Some(key) = text_at(self.state, -2) else {
                    return Err(match self.key_number() {
                        Some(n) => Self::odd_key(&format!("{n} beside others")),
                        None => self.odd_key_at_top(),
                    });
                };
                if !std::mem::replace(&mut first, false) {
                    self.put(b",")?;
                }
                self.string(-2).map_err(|fault| Self::within(fault, step(key)))?;
                self.put(b":")?;
                self.value(depth + 1).map_err(|fault| Self::within(fault, step(key)))?;
                ffi::lua_pop(self.state, 1);
            }
        }
        self.put(b"}")
    }

    fn within(mut fault: Box<Fault>, step: String) -> Box<Fault> {
        fault.path.push(step);
        fault
    }
}
