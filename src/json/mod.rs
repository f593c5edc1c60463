//! stub
#![allow(missing_docs)]
pub struct Document(Vec<u8>);
impl Document {
    pub fn parse(b: Vec<u8>) -> Self {
        Self(b)
    }
    pub fn text(&self) -> &[u8] {
        &self.0
    }
}
