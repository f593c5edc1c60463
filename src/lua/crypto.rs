//! Small things that must not be made by hand: unguessable bytes, ids, comparison without a clock to read, base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mlua::{Lua, Result, Table};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::border::{Border, wrong};

/// The most random bytes one call gives: keys and ids are far shorter, and a typing error must not fill memory.
const MAX_RANDOM: f64 = 65536.0;

/// `uuid.v4()`: a random id such as `"2b1e…"`, from the system's generator.
pub(crate) fn open_uuid(lua: &Lua, border: &Border) -> Result<Table> {
    let uuid = lua.create_table()?;
    uuid.set("v4", border.function(lua, |_, _| Ok(Uuid::new_v4().to_string()))?)?;
    Ok(uuid)
}

/// `crypto.random(n)`, `crypto.equal(a, b)`, `crypto.base64(bytes)`.
pub(crate) fn open(lua: &Lua, border: &Border) -> Result<Table> {
    let crypto = lua.create_table()?;
    crypto.set(
        "random",
        border.function(lua, |lua, mut args| {
            let n = args.number("the number of bytes")?;
            if !(0.0..=MAX_RANDOM).contains(&n) || n.fract() != 0.0 {
                return Err(wrong(format!(
                    "the number of bytes must be a whole number from 0 to {MAX_RANDOM}"
                )));
            }
            let mut bytes = vec![0; n as usize];
            getrandom::fill(&mut bytes).map_err(|e| wrong(format!("the system gives no random bytes: {e}")))?;
            lua.create_string(bytes)
        })?,
    )?;
    crypto.set(
        "equal",
        border.function(lua, |_, mut args| {
            let (a, b) = (args.bytes("the first value")?, args.bytes("the second value")?);
            Ok(bool::from(a.as_bytes().ct_eq(&b.as_bytes())))
        })?,
    )?;
    crypto.set(
        "base64",
        border.function(lua, |_, mut args| {
            Ok(STANDARD.encode(args.bytes("the value")?.as_bytes()))
        })?,
    )?;
    Ok(crypto)
}
