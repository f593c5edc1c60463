//! A response table, `{status, headers, body}`, as a checked answer.

use mlua::{Result, Table, Value};

use super::border::{as_number, expected, wrong};
use crate::http::Response;

/// Reads `{status = 200, headers = {name = "value" | {"several", "values"}}, body = "bytes"}`. Status is 200 and the others
/// empty when they are missing.
///
/// # Errors
/// Names the field that is wrong, or the key that a response has not.
pub(crate) fn response(table: &Table) -> Result<Response> {
    let (mut status, mut headers, mut body) = (200, Vec::new(), Vec::new());
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair?;
        match key.to_string()?.as_str() {
            "status" => status = status_code(&value)?,
            "headers" => headers = header_lines(&value)?,
            "body" => match value {
                Value::String(s) => body = s.as_bytes().to_vec(),
                other => return Err(expected("the body of a response", "a string", &other)),
            },
            other => {
                return Err(wrong(format!(
                    "a response has status, headers and body, but no {other}"
                )));
            }
        }
    }
    Response::new(status, headers, body).map_err(|e| wrong(e.to_string()))
}

fn status_code(value: &Value) -> Result<u16> {
    let n = as_number("the status of a response", value)?;
    if n.fract() != 0.0 || !(0.0..1000.0).contains(&n) {
        return Err(wrong(format!(
            "the status of a response must be a whole number from 200 to 599, not {n}"
        )));
    }
    Ok(n as u16)
}

fn header_lines(value: &Value) -> Result<Vec<(String, Vec<u8>)>> {
    let Value::Table(table) = value else {
        return Err(expected("the headers of a response", "a table", value));
    };
    let mut lines = Vec::new();
    for pair in table.pairs::<Value, Value>() {
        let (name, value) = pair?;
        let name = match name {
            Value::String(s) => s.to_string_lossy(),
            other => return Err(expected("the name of a header", "a string", &other)),
        };
        match &value {
            Value::Table(values) => {
                for value in values.sequence_values::<Value>() {
                    lines.push((name.clone(), field_value(&name, &value?)?));
                }
            }
            single => lines.push((name.clone(), field_value(&name, single)?)),
        }
    }
    Ok(lines)
}

fn field_value(name: &str, value: &Value) -> Result<Vec<u8>> {
    match value {
        Value::String(s) => Ok(s.as_bytes().to_vec()),
        Value::Integer(_) | Value::Number(_) => Ok(value.to_string()?.into_bytes()),
        other => Err(expected(
            &format!("the header {name}"),
            "a string or a list of strings",
            other,
        )),
    }
}
