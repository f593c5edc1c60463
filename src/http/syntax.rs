//! The bytes that HTTP allows where (RFC 9110, 5.5 and 5.6), and the shape of field lines (RFC 9112, 5).

use super::RequestError;

/// Whether a byte may stand in a token: a method, the name of a field.
pub(super) fn is_token_byte(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.')
        || matches!(byte, b'^'..=b'`' | b'|' | b'~')
}

/// Whether this is a token.
pub(super) fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().copied().all(is_token_byte)
}

/// Whether a byte may stand in the value of a field: no control character but the tab.
pub(super) fn is_value_byte(byte: u8) -> bool {
    matches!(byte, b'\t' | 0x20..=0x7e | 0x80..)
}

/// A value without the blanks and tabs around it, and nothing else taken away.
pub(super) fn trim_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// Where in a section of field lines a reader is: one for the fields of a head, and for trailers.
///
/// ```text
/// LineStart ─ name ─> Name ─ ":" ─> Value ─ CR ─> LineFeed ─ LF ─> LineStart
///     └─ CR ─> LastLineFeed ─ LF ─> End
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FieldPlace {
    LineStart,
    Name,
    Value,
    LineFeed,
    LastLineFeed,
    End,
}

impl FieldPlace {
    /// The place after one more byte.
    ///
    /// # Errors
    /// What another reader could take for other lines or other names than we would: folded lines, a CR or LF alone,
    /// blanks before the colon, control characters.
    pub(super) fn after(self, byte: u8) -> Result<Self, RequestError> {
        match (self, byte) {
            (Self::LineStart, b'\r') => Ok(Self::LastLineFeed),
            (Self::LineStart, b' ' | b'\t') => Err(RequestError::FoldedLine),
            (Self::LineStart | Self::Name, _) if is_token_byte(byte) => Ok(Self::Name),
            (Self::Name, b':') => Ok(Self::Value),
            (Self::Value, b'\r') => Ok(Self::LineFeed),
            (Self::Value, _) if is_value_byte(byte) => Ok(Self::Value),
            (Self::LineFeed, b'\n') => Ok(Self::LineStart),
            (Self::LastLineFeed, b'\n') => Ok(Self::End),
            (Self::LineFeed | Self::LastLineFeed, _) | (_, b'\n') => Err(RequestError::LineEnd),
            _ => Err(RequestError::Field),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_what_rfc_9110_says() {
        for (text, ok) in [
            ("Content-Type", true),
            ("!#$%&'*+-.^_`|~09azAZ", true),
            ("", false),
            ("a b", false),
            ("a:b", false),
            ("a(b)", false),
            ("\u{e9}", false),
            ("a\0", false),
            ("a/b", false),
            ("a,b", false),
            ("\"a\"", false),
            ("[a]", false),
            ("{a}", false),
            ("a\\", false),
            ("<a>", false),
            ("a@b", false),
            ("a=b", false),
            ("a?", false),
            ("a;b", false),
        ] {
            assert_eq!(is_token(text.as_bytes()), ok, "{text:?}");
        }
        let all = (0..=255).filter(|byte| is_token_byte(*byte)).count();
        assert_eq!(all, 10 + 2 * 26 + 15, "digits, letters, and fifteen others");
    }

    #[test]
    fn blanks_and_tabs_are_trimmed_and_nothing_else() {
        for (text, trimmed) in [
            (" \t a\tb \t", "a\tb"),
            ("a", "a"),
            (" ", ""),
            ("", ""),
            ("\u{b}a\u{c}", "\u{b}a\u{c}"),
        ] {
            assert_eq!(trim_blanks(text.as_bytes()), trimmed.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn field_lines_are_read_in_one_way_only() {
        let read = |text: &str| text.bytes().try_fold(FieldPlace::LineStart, FieldPlace::after);
        for (text, expected) in [
            ("\r\n", Ok(FieldPlace::End)),
            ("A: b\r\nC:\r\n\r\n", Ok(FieldPlace::End)),
            ("A: b\r\n", Ok(FieldPlace::LineStart)),
            ("A: \tb: \u{e9}", Ok(FieldPlace::Value)),
            (" A: b\r\n", Err(RequestError::FoldedLine)),
            ("A: b\r\n\tc\r\n", Err(RequestError::FoldedLine)),
            ("A : b\r\n", Err(RequestError::Field)),
            ("A b\r\n", Err(RequestError::Field)),
            ("A\r\n", Err(RequestError::Field)),
            (": b\r\n", Err(RequestError::Field)),
            ("A: b\0", Err(RequestError::Field)),
            ("A: b\u{7f}", Err(RequestError::Field)),
            ("A: b\rC", Err(RequestError::LineEnd)),
            ("A: b\n", Err(RequestError::LineEnd)),
            ("A: b\r\n\n", Err(RequestError::LineEnd)),
            ("\rA", Err(RequestError::LineEnd)),
            ("A\n", Err(RequestError::LineEnd)),
            ("\r\nA", Err(RequestError::Field)),
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }
}
