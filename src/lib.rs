//! `moonport_core`: the native half of moonport.
//!
//! An HTTP server whose sockets live on a thread of their own, and a JSON bridge between text and the Lua stack. It knows
//! HTTP, JSON and threads; it knows nothing of MCP, which is Fennel. Lua sees what [`lua::open`] exports, nothing else.

#[cfg(any(
    all(feature = "luajit", feature = "lua51"),
    all(feature = "luajit", feature = "lua54"),
    all(feature = "lua51", feature = "lua54"),
))]
compile_error!("choose one VM: luajit, lua51 or lua54 (the default is luajit: --no-default-features turns it off)");

mod bridge;
pub mod http;
mod io;
pub mod json;
pub mod lua;

/// `luaopen_moonport_core`: what a VM calls when it loads the library.
#[cfg(feature = "module")]
#[mlua::lua_module]
fn moonport_core(lua: &mlua::Lua) -> mlua::Result<mlua::Table> {
    lua::open(lua)
}
