//! `moonport_core`: the native half of moonport.
//!
//! An HTTP server whose sockets live on a thread of their own, and a JSON bridge between text and the Lua stack. It knows
//! HTTP, JSON and threads; it knows nothing of MCP, which is Fennel. Lua sees what [`lua`] exports, nothing else.

#[cfg(any(
    all(feature = "luajit", feature = "lua51"),
    all(feature = "luajit", feature = "lua54"),
    all(feature = "lua51", feature = "lua54"),
))]
compile_error!("choose one VM: luajit, lua51 or lua54 (the default is luajit: --no-default-features turns it off)");

pub mod http;
pub mod json;
