//! What is wrong with a text.

/// Why a text is not JSON that we take. The offset counts bytes from 0.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
pub enum JsonError {
    /// serde_json's own words.
    #[error("invalid JSON at byte {offset}: {reason}")]
    Syntax {
        /// Where the parser stopped.
        offset: usize,
        /// What it expected or found.
        reason: String,
    },
    /// Longer than [`MAX_TEXT`](super::MAX_TEXT).
    #[error("a JSON text of {0} bytes is too long")]
    TooLong(usize),
}

impl JsonError {
    /// Makes one of serde_json's, which counts lines and columns.
    pub(super) fn from_serde(error: &serde_json::Error, text: &[u8]) -> Self {
        let before = error.line().saturating_sub(1);
        let line_start = if before == 0 {
            0
        } else {
            memchr::memchr_iter(b'\n', text)
                .nth(before - 1)
                .map_or(text.len(), |at| at + 1)
        };
        let offset = (line_start + error.column().saturating_sub(1)).min(text.len());
        let words = error.to_string();
        let reason = words
            .rsplit_once(" at line ")
            .map_or(words.as_str(), |(reason, _)| reason);
        Self::Syntax {
            offset,
            reason: reason.to_owned(),
        }
    }
}
