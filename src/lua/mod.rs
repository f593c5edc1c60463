//! What Lua sees: thin bindings over the rest of the crate, and the only folder that names mlua.
//!
//! [`open`] makes the export table. What belongs to one Lua state lives in its engine; there are no statics.

mod border;
mod crypto;
mod dispatch;
mod engine;
mod exchange;
mod http_server;
mod json;
mod options;
mod response;
mod server;

use mlua::{Lua, Result, Table};

use border::Border;

/// The VM that this library was built for: the name of its folder under `build/`, and what `version.vm` says.
pub(crate) const VM: &str = if cfg!(feature = "lua51") {
    "lua51"
} else if cfg!(feature = "lua54") {
    "lua54"
} else {
    "luajit"
};

/// Where the export table of a Lua state is kept.
const EXPORTS: &str = "moonport";

/// Makes the table that `require` returns: `{http_server, json, uuid, crypto, version}`. A state that loads us again gets the
/// same table: there is one engine in it, and what was made by the one must be served by the other.
///
/// # Errors
/// Only when memory or descriptors run out.
pub fn open(lua: &Lua) -> Result<Table> {
    if let Some(exports) = lua.named_registry_value::<Option<Table>>(EXPORTS)? {
        return Ok(exports);
    }
    let border = Border::new(lua)?;
    let exports = lua.create_table()?;
    exports.set("http_server", http_server::open(lua, &border)?)?;
    exports.set("json", json::open(lua, &border)?)?;
    exports.set("uuid", crypto::open_uuid(lua, &border)?)?;
    exports.set("crypto", crypto::open(lua, &border)?)?;
    let version = lua.create_table()?;
    version.set("moonport", env!("CARGO_PKG_VERSION"))?;
    version.set("vm", VM)?;
    exports.set("version", version)?;
    lua.set_named_registry_value(EXPORTS, &exports)?;
    Ok(exports)
}
