//! What happens when Lua has no memory left, at every single allocation, and what finalizers may do in the middle of a push:
//! always a Lua error, never an abort, and no Rust allocation is lost.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::{CStr, CString, c_void};

use mlua::{Lua, ffi};

use crate::json::Document;
use crate::lua::border::Border;

thread_local! {
    /// Rust allocations of this thread that were not freed.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, counted for each thread, so that tests that run beside this one do not matter.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count(change: isize) {
    let _ = LIVE.try_with(|live| live.set(live.get() + change));
}

// SAFETY: it only counts what the system's allocator does.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1);
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1);
        // SAFETY: the caller's contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-1);
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(block, layout) }
    }
}

/// How a shortage goes on after its first refusal.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Shortage {
    /// There is memory again: Lua 5.4 collects garbage and asks once more.
    Passes,
    /// There is none.
    Lasts,
}

/// What Lua may allocate.
struct Ration {
    left: Cell<usize>,
    shortage: Cell<Shortage>,
    refused: Cell<usize>,
}

const PLENTY: usize = usize::MAX;

unsafe extern "C" fn allocate(ration: *mut c_void, block: *mut c_void, old: usize, new: usize) -> *mut c_void {
    // SAFETY: the ration outlives the state; blocks come from `realloc` alone.
    unsafe {
        let ration = &*ration.cast::<Ration>();
        if new == 0 {
            libc::free(block);
            return std::ptr::null_mut();
        }
        // A block that only shrinks is never refused: no VM expects that. For a new one, `old` is its kind.
        if (block.is_null() || new > old) && ration.left.get() != PLENTY {
            if ration.left.get() == 0 {
                ration.refused.set(ration.refused.get() + 1);
                if ration.shortage.get() == Shortage::Passes {
                    ration.left.set(PLENTY);
                }
                return std::ptr::null_mut();
            }
            ration.left.set(ration.left.get() - 1);
        }
        libc::realloc(block, new)
    }
}

/// A Lua state on rations, with `json` and `push(text)`, which does what `exchange:json()` does. The function that it runs is
/// at index 1 of its stack.
struct Rationed {
    state: *mut ffi::lua_State,
    ration: Box<Ration>,
}

impl Rationed {
    /// `before` runs before the bridge is opened, `chunk` then, and returns the function.
    fn new(before: &str, chunk: &str) -> Self {
        let ration = Box::new(Ration {
            left: Cell::new(PLENTY),
            shortage: Cell::new(Shortage::Lasts),
            refused: Cell::new(0),
        });
        // SAFETY: the state is new, and ends before its ration does. There is memory for all this.
        unsafe {
            let state = ffi::lua_newstate(allocate, std::ptr::from_ref(&*ration).cast_mut().cast());
            assert!(!state.is_null(), "this VM takes no allocator of ours");
            ffi::luaL_openlibs(state);
            let lua = Lua::get_or_init_from_ptr(state);
            lua.load(before).exec().expect("what comes before");
            let border = Border::new(lua).expect("a border");
            let json = super::super::open(lua, &border).expect("the bridge");
            lua.globals().set("json", json).expect("a global");
            let push = lua.create_function(|lua, text: mlua::LuaString| {
                super::super::push_document(lua, &Document::parse(text.as_bytes().to_vec()))
            });
            lua.globals().set("push", push.expect("push")).expect("a global");
            ffi::lua_settop(state, 0);
            let chunk = CString::new(chunk).expect("a chunk");
            let loaded = ffi::luaL_loadstring(state, chunk.as_ptr());
            assert!(loaded == 0 && ffi::lua_pcall(state, 0, 1, 0) == 0, "{}", message(state));
            Self { state, ration }
        }
    }

    /// Runs the function; false if it raised.
    fn run(&self, left: usize, shortage: Shortage) -> bool {
        self.ration.refused.set(0);
        self.ration.shortage.set(shortage);
        // SAFETY: the function is at 1; what it returns or raises is popped.
        unsafe {
            ffi::lua_pushvalue(self.state, 1);
            self.ration.left.set(left);
            let status = ffi::lua_pcall(self.state, 0, 0, 0);
            self.ration.left.set(PLENTY);
            let ran = status == 0;
            assert!(ran || left != PLENTY, "{}", message(self.state));
            ffi::lua_settop(self.state, 1);
            ran
        }
    }

    /// Rust allocations that live when Lua's garbage is gone.
    fn live(&self) -> isize {
        for _ in 0..3 {
            // SAFETY: nothing is on the stack that could be needed.
            unsafe { ffi::lua_gc(self.state, ffi::LUA_GCCOLLECT, 0) };
        }
        LIVE.get()
    }
}

impl Drop for Rationed {
    fn drop(&mut self) {
        // SAFETY: closed once, and not used any more.
        unsafe { ffi::lua_close(self.state) }
    }
}

unsafe fn message(state: *mut ffi::lua_State) -> String {
    // SAFETY: a C string or null.
    unsafe {
        let words = ffi::lua_tostring(state, -1);
        if words.is_null() {
            "an error without words".into()
        } else {
            CStr::from_ptr(words).to_string_lossy().into_owned()
        }
    }
}

const TEXT: &str =
    r#"local text = '{"a":["b\\n",1.5,{},[],null,18446744073709551615],"c":{"d":"e","f":[{"g":"\\u0041"}]}}'"#;

/// Refuses each allocation that the chunk's function makes, in turn.
fn starve(chunk: &str) -> usize {
    let before = LIVE.get();
    let mut failures = 0;
    {
        let lua = Rationed::new("", &format!("{TEXT}\n{chunk}"));
        for _ in 0..3 {
            lua.run(PLENTY, Shortage::Lasts);
        }
        let whole = lua.live();
        for shortage in [Shortage::Lasts, Shortage::Passes] {
            for left in 0.. {
                let ran = lua.run(left, shortage);
                if lua.ration.refused.get() == 0 {
                    assert!(ran);
                    break;
                }
                failures += usize::from(!ran);
                // It works on as if nothing had been.
                lua.run(PLENTY, Shortage::Lasts);
                let live = lua.live();
                assert_eq!(live, whole, "{chunk}: allocation {left} refused ({shortage:?})");
            }
        }
    }
    assert_eq!(LIVE.get(), before, "{chunk}: closing the state");
    failures
}

#[test]
fn decoding_survives_every_refused_allocation() {
    assert!(starve("return function() assert(json.decode(text)) end") > 20);
    assert!(starve("return function() assert(not json.decode('[1,')) end") > 0);
}

#[test]
fn encoding_survives_every_refused_allocation() {
    assert!(starve("local value = json.decode(text) return function() assert(json.encode(value)) end") > 0);
    assert!(starve("return function() assert(not json.encode({{x = print}})) end") > 2);
    // A new coroutine has a small stack, which must grow.
    starve(
        "local value = json.decode(text)
         return function() assert(coroutine.wrap(function() return json.encode(value) end)()) end",
    );
    starve("return function() assert(coroutine.wrap(function() return json.decode(text) end)()) end");
}

#[test]
fn pushing_a_document_survives_every_refused_allocation() {
    assert!(starve("return function() assert(push(text)) end") > 20);
    assert!(starve("return function() assert(not push('[1,')) end") > 0);
}

#[test]
fn marks_survive_every_refused_allocation() {
    starve("return function() json.array() json.object({}) end");
    starve("return function() assert(json.raw('[1]')) end");
    starve("return function() assert(tostring(json.integer('9007199254740993')) == '9007199254740993') end");
}

/// Garbage whose finalizer calls JSON in every way and leaves such garbage behind, so that each cycle of the collector, which
/// is told never to pause, runs it.
const FINALIZERS: &str = r#"
    local garbage
    local waiting = 0
    local function finalizer()
      waiting = waiting - 1
      if inside then hits = hits + 1 end
      local value = json.decode('["x","\\n",{"y":18446744073709551615}]')
      assert(json.encode(value) == '["x","\\n",{"y":18446744073709551615}]')
      -- Not when the state closes: what goes through mlua is gone by then.
      if inside then assert(push('["\\t"]')[1] == "\t") end
      garbage()
      if raise and inside then error("from a finalizer") end
    end
    function garbage()
      if waiting == 3 then return end
      waiting = waiting + 1
      if newproxy then
        getmetatable(newproxy(true)).__gc = finalizer
      else
        setmetatable({}, {__gc = finalizer})
      end
    end
    inside, hits, raised, raise = false, 0, 0, false
    collectgarbage("setpause", 0)
    collectgarbage("setstepmul", 100000)
    local item = '{"a":["b\\n",1,{}],"c":"d","e":18446744073709551615}'
    local text = "[" .. (item .. ","):rep(20) .. item .. "]"
    local function call(f, x)
      inside = true
      local ok, result = pcall(f, x)
      inside = false
      if not ok then
        raised = raised + 1
        assert(tostring(result):find("from a finalizer", 1, true), result)
      end
      return ok and result
    end
    return function()
      for _ = 1, 3 do garbage() end
      for _, decode in ipairs({json.decode, push}) do
        local value = call(decode, text)
        local back = value and call(json.encode, value)
        if back then
          local again = json.decode(back)
          assert(#again == 21)
          for i = 1, #again do
            local one = again[i]
            assert(one.a[1] == "b\n" and one.a[2] == 1 and one.c == "d" and tostring(one.e) == "18446744073709551615")
          end
        end
      end
    end
"#;

fn global(lua: &Rationed, name: &CStr) -> f64 {
    // SAFETY: it reads a global that is a number.
    unsafe {
        ffi::lua_getglobal(lua.state, name.as_ptr());
        let value = ffi::lua_tonumber(lua.state, -1);
        ffi::lua_settop(lua.state, 1);
        value
    }
}

#[test]
fn a_finalizer_that_uses_json_spoils_nothing() {
    let lua = Rationed::new("", FINALIZERS);
    for _ in 0..10 {
        lua.run(PLENTY, Shortage::Lasts);
    }
    let hits = global(&lua, c"hits");
    assert!(
        hits > 100.0,
        "the finalizer ran only {hits} times in the middle of a call"
    );
}

#[test]
fn a_finalizer_that_raises_loses_nothing() {
    let before = LIVE.get();
    {
        // LuaJIT of 2022 crashes when a finalizer raises out of the collector as compiled code ends, whoever called.
        let lua = Rationed::new("if jit then jit.off() end", FINALIZERS);
        let rounds = || (0..10).for_each(|_| assert!(lua.run(PLENTY, Shortage::Lasts)));
        rounds();
        let whole = lua.live();
        // SAFETY: it sets a global.
        unsafe {
            ffi::lua_pushboolean(lua.state, 1);
            ffi::lua_setglobal(lua.state, c"raise".as_ptr());
        }
        rounds();
        // Lua 5.4 makes warnings of such errors; the others raise them out of whatever allocates.
        let raised = global(&lua, c"raised");
        assert!(
            cfg!(feature = "lua54") || raised > 2.0,
            "only {raised} errors came through"
        );
        // SAFETY: as above.
        unsafe {
            ffi::lua_pushboolean(lua.state, 0);
            ffi::lua_setglobal(lua.state, c"raise".as_ptr());
        }
        rounds();
        assert_eq!(lua.live(), whole);
    }
    assert_eq!(LIVE.get(), before, "closing the state");
}

#[test]
fn finalizers_that_run_when_the_state_closes_may_use_json_and_leave_nothing() {
    let before = LIVE.get();
    // Made before the bridge, so finalized after its buffers were.
    let first = "
            local function finalizer()
          assert(json.decode('[\"\\\\n\"]')[1] == '\\n')
          assert(json.encode({1}) == '[1]')
        end
        if newproxy then
          last = newproxy(true)
          getmetatable(last).__gc = finalizer
        else
          last = setmetatable({}, {__gc = finalizer})
        end";
    drop(Rationed::new(first, "return function() end"));
    assert_eq!(LIVE.get(), before);
}

#[test]
fn a_leak_would_be_seen() {
    let before = LIVE.get();
    let lost = Box::leak(Box::new(1));
    assert_eq!(LIVE.get(), before + 1);
    // SAFETY: it came from a box.
    drop(unsafe { Box::from_raw(lost) });
    assert_eq!(LIVE.get(), before);
}
