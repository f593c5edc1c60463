//! A text and what it means, together: the tape points into the text.

use super::{JsonError, Tape};

/// An owned text with its tape, or with what is wrong with it. Made by one thread, pushed by another.
#[derive(Debug)]
pub struct Document {
    text: Vec<u8>,
    tape: Result<Tape, JsonError>,
}

impl Document {
    /// Parses `text`. It is kept even when it is no JSON.
    pub fn parse(text: Vec<u8>) -> Self {
        let mut tape = Tape::default();
        let parsed = tape.parse(&text);
        Self {
            text,
            tape: parsed.map(|()| tape),
        }
    }

    /// The text as it came.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// What it means.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn tape(&self) -> Result<&Tape, &JsonError> {
        self.tape.as_ref()
    }
}
