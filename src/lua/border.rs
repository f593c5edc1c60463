//! Where errors cross into Lua, in one place.
//!
//! An mlua function that fails raises a userdata. Lua programs expect a string with the place of their own mistake, so each of
//! our functions is called through a few lines of Lua that raise just that.

use mlua::{Function, IntoLuaMulti, Lua, MultiValue, Result, Value, ffi};

/// Makes functions whose errors are strings with the caller's position. They return two values at the most.
#[derive(Clone)]
pub(crate) struct Border {
    wrap: Function,
}

/// What mlua keeps of a Lua state is gone when finalizers run that are older than this library, as the state closes: calling
/// into it would read freed memory. A sentinel, younger than that and so finalized before it, closes the border.
const WRAP: &str = r#"
local state, error = {open = true}, error
local function wrap(native)
  return function(...)
    if not state.open then error("this Lua state is being closed", 2) end
    local ok, first, second = native(...)
    if ok then return first, second end
    error(first, 2)
  end
end
return wrap, function() state.open = false end, function(sentinel) state.sentinel = sentinel end
"#;

impl Border {
    pub(crate) fn new(lua: &Lua) -> Result<Self> {
        let (wrap, close, keep): (Function, Function, Function) = lua.load(WRAP).set_name("=moonport").call(())?;
        // SAFETY: the closure owns nothing; everything it makes is on the stack at once.
        let sentinel: Value = unsafe {
            lua.exec_raw(close, |state| {
                ffi::lua_newuserdata(state, 0);
                ffi::lua_createtable(state, 0, 1);
                ffi::lua_pushvalue(state, 1);
                ffi::lua_setfield(state, -2, c"__gc".as_ptr());
                ffi::lua_setmetatable(state, -2);
                ffi::lua_replace(state, 1);
            })?
        };
        keep.call::<()>(sentinel)?;
        Ok(Self { wrap })
    }

    /// Lets Lua call `f`; an error of `f` is raised as its sentence, at the place of the call.
    pub(crate) fn function<R: IntoLuaMulti>(
        &self,
        lua: &Lua,
        f: impl Fn(&Lua, Args) -> Result<R> + 'static,
    ) -> Result<Function> {
        let native = lua.create_function(move |lua, values: MultiValue| match f(lua, Args(values)) {
            Ok(result) => {
                let mut values = result.into_lua_multi(lua)?;
                values.push_front(Value::Boolean(true));
                Ok(values)
            }
            Err(error) => (false, sentence(&error)).into_lua_multi(lua),
        })?;
        self.wrap.call(native)
    }
}

/// An error as a sentence for people: no stack traceback.
pub(crate) fn sentence(error: &mlua::Error) -> String {
    let text = error.to_string();
    let text = text.split("\nstack traceback:").next().unwrap_or_default();
    text.strip_prefix("runtime error: ").unwrap_or(text).to_owned()
}

/// An error that says what was wrong and what to do.
pub(crate) fn wrong(sentence: impl Into<String>) -> mlua::Error {
    mlua::Error::runtime(sentence.into())
}

/// The arguments of a call, taken one after the other.
pub(crate) struct Args(MultiValue);

impl Args {
    /// The next argument; nil when there is none.
    pub(crate) fn next(&mut self) -> Value {
        self.0.pop_front().unwrap_or(Value::Nil)
    }

    /// The next argument as text.
    pub(crate) fn text(&mut self, what: &str) -> Result<String> {
        match self.next() {
            Value::String(s) => match s.to_str() {
                Ok(s) => Ok(s.to_owned()),
                Err(_) => Err(wrong(format!("{what} must be UTF-8"))),
            },
            other => Err(expected(what, "a string", &other)),
        }
    }

    /// The next argument as bytes.
    pub(crate) fn bytes(&mut self, what: &str) -> Result<mlua::LuaString> {
        match self.next() {
            Value::String(s) => Ok(s),
            other => Err(expected(what, "a string", &other)),
        }
    }

    /// The next argument as a function.
    pub(crate) fn function(&mut self, what: &str) -> Result<Function> {
        match self.next() {
            Value::Function(f) => Ok(f),
            other => Err(expected(what, "a function", &other)),
        }
    }

    /// The next argument as a number.
    pub(crate) fn number(&mut self, what: &str) -> Result<f64> {
        let value = self.next();
        as_number(what, &value)
    }
}

/// A Lua number of either kind, as a double.
pub(crate) fn as_number(what: &str, value: &Value) -> Result<f64> {
    match value {
        Value::Integer(i) => Ok(*i as f64),
        Value::Number(n) => Ok(*n),
        other => Err(expected(what, "a number", other)),
    }
}

/// "`what` must be `wanted`, not …".
pub(crate) fn expected(what: &str, wanted: &str, got: &Value) -> mlua::Error {
    wrong(format!("{what} must be {wanted}, not {}", got.type_name()))
}
