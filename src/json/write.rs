//! Values to JSON text, at the end of a buffer.

/// Why a string cannot be written.
#[derive(thiserror::Error, Clone, Copy, PartialEq, Eq, Debug)]
#[error("a string is not valid UTF-8")]
pub struct InvalidUtf8;

/// Writes a string with its quotes. Only what must be escaped is (RFC 8259, 7).
///
/// # Errors
/// [`InvalidUtf8`], with nothing written, unless `replace` is set: then U+FFFD stands for what is invalid.
pub fn string(out: &mut Vec<u8>, bytes: &[u8], replace: bool) -> Result<(), InvalidUtf8> {
    match std::str::from_utf8(bytes) {
        Ok(_) => escaped(out, bytes),
        Err(_) if replace => escaped(out, String::from_utf8_lossy(bytes).as_bytes()),
        Err(_) => return Err(InvalidUtf8),
    }
    Ok(())
}

fn escaped(out: &mut Vec<u8>, text: &[u8]) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text;
    while let Some(at) = rest.iter().position(|b| ESCAPE[usize::from(*b)] != 0) {
        out.extend_from_slice(&rest[..at]);
        let byte = rest[at];
        match ESCAPE[usize::from(byte)] {
            b'u' => {
                let digit = |n: u8| b"0123456789abcdef"[usize::from(n & 15)];
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
            }
            letter => out.extend_from_slice(&[b'\\', letter]),
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// What comes after the backslash; 0 for a byte that stands for itself.
const ESCAPE: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = b'u';
        control += 1;
    }
    table[0x08] = b'b';
    table[b'\t' as usize] = b't';
    table[b'\n' as usize] = b'n';
    table[0x0c] = b'f';
    table[b'\r' as usize] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};

/// Writes an integer.
pub fn integer(out: &mut Vec<u8>, value: i64) {
    put(out, &value);
}

/// Writes an integer from zero.
pub fn natural(out: &mut Vec<u8>, value: u64) {
    put(out, &value);
}

/// Writes a double with the fewest digits that read back to it. Infinity and NaN have no JSON; the caller has refused them.
pub fn float(out: &mut Vec<u8>, value: f64) {
    put(out, &value);
}

/// Writes a number of a VM that has only doubles: a whole one looks like the integer it is meant to be, down to the last digit.
pub fn double(out: &mut Vec<u8>, value: f64) {
    const TWO_63: f64 = 9_223_372_036_854_775_808.0;
    let whole = value.fract() == 0.0 && !(value == 0.0 && value.is_sign_negative());
    if whole && (-TWO_63..TWO_63).contains(&value) {
        integer(out, value as i64);
    } else if whole && (TWO_63..2.0 * TWO_63).contains(&value) {
        natural(out, value as u64);
    } else {
        float(out, value);
    }
}

fn put(out: &mut Vec<u8>, value: &impl serde::Serialize) {
    // Writing to a vector does not fail, and neither does a number.
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings_read_back() {
        let all: String = (0..0x300u32)
            .filter_map(char::from_u32)
            .chain(['\u{2028}', '😀'])
            .collect();
        let text = written(|out| string(out, all.as_bytes(), false).unwrap());
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), all);
        assert_eq!(
            written(|out| string(out, b"a\"\\\n\x00\x1f/\x7f", false).unwrap()),
            r#""a\"\\\n\u0000\u001f/"#.to_owned() + "\u{7f}\""
        );
    }

    #[test]
    fn invalid_utf_8_is_refused_or_replaced() {
        for bytes in [&b"\x80"[..], b"\xff\xfe", b"a\xc3", b"\xed\xa0\x80"] {
            let mut out = Vec::new();
            assert_eq!(string(&mut out, bytes, false), Err(InvalidUtf8));
            assert!(out.is_empty(), "half a string was written");
            assert!(written(|out| string(out, bytes, true).unwrap()).contains('\u{fffd}'));
        }
    }

    #[test]
    fn doubles_that_are_whole_look_like_integers() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0.0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (9_007_199_254_740_992.0, "9007199254740992"),
            (1_152_921_504_606_846_976.0, "1152921504606846976"),
            (-9_223_372_036_854_775_808.0, "-9223372036854775808"),
            (9_223_372_036_854_775_808.0, "9223372036854775808"),
            (18_446_744_073_709_549_568.0, "18446744073709549568"),
            (0.1, "0.1"),
            (1e-7, "1e-7"),
        ] {
            assert_eq!(written(|out| double(out, value)), text);
            assert_eq!(text.parse::<f64>().unwrap(), value);
        }
        assert_eq!(written(|out| double(out, 1e300)).parse(), Ok(1e300));
    }

    #[test]
    fn floats_read_back() {
        for value in [1e300, 5e-324, f64::MAX, 1.0, 0.1 + 0.2, 1e16, -2.5e-10] {
            let text = written(|out| float(out, value));
            assert_eq!(serde_json::from_str::<f64>(&text).unwrap(), value, "{text}");
        }
    }
}
