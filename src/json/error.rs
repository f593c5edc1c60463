//! What is wrong with a text.

/// Why a text is not JSON that we take. An offset counts bytes from 0; it is the text's length where the text ends too early.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
pub enum JsonError {
    /// serde_json's own words.
    #[error("invalid JSON at byte {offset}: {reason}")]
    Syntax {
        /// The byte at which the parser gave up.
        offset: usize,
        /// What it expected or found.
        reason: String,
    },
    /// JSON is UTF-8 (RFC 8259, 8.1).
    #[error("invalid JSON at byte {offset}: not UTF-8")]
    NotUtf8 {
        /// The first byte that is none.
        offset: usize,
    },
    /// Longer than [`MAX_TEXT`](super::MAX_TEXT).
    #[error("a JSON text of {0} bytes is too long")]
    TooLong(usize),
}

impl JsonError {
    pub(super) fn from_serde(error: &serde_json::Error, text: &[u8]) -> Self {
        Self::Syntax {
            offset: if error.is_eof() {
                text.len()
            } else {
                offset(error, text)
            },
            reason: reason(error),
        }
    }
}

/// serde_json counts lines and columns, both from 1; the column of a newline is 0 of the line that it begins.
fn offset(error: &serde_json::Error, text: &[u8]) -> usize {
    let line_start = match error.line().saturating_sub(1) {
        0 => 0,
        newlines => memchr::memchr_iter(b'\n', text)
            .nth(newlines - 1)
            .map_or(text.len(), |at| at + 1),
    };
    (line_start + error.column()).saturating_sub(1).min(text.len())
}

/// The words without the place.
fn reason(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words
        .rsplit_once(" at line ")
        .map_or(words.as_str(), |(reason, _)| reason)
        .to_owned()
}
