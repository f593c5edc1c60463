//! The tape: a document as one row of nodes, in the order in which they are pushed.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::{JsonError, MAX_TEXT};

/// One value, or the beginning of a container; its members follow it, a key before each member of an object.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Node {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer below zero.
    Negative(i64),
    /// An integer from zero.
    Natural(u64),
    /// Any other number, and an integer that has no 64 bits: the nearest double, never infinite.
    Float(f64),
    /// A string without escapes: so many bytes of the text, from there.
    Plain {
        /// Offset in the text.
        at: u32,
        /// Bytes.
        len: u32,
    },
    /// A string that had escapes: so many bytes of [`Tape::unescaped`], from there.
    Unescaped {
        /// Offset in the unescaped strings.
        at: u32,
        /// Bytes.
        len: u32,
    },
    /// An array of so many values.
    Array(u32),
    /// An object of so many members.
    Object(u32),
}

/// A parsed document. Its buffers can be used again for the next one.
#[derive(Default, Debug)]
pub struct Tape {
    nodes: Vec<Node>,
    unescaped: Vec<u8>,
}

impl Tape {
    /// The nodes, in order; at least one after a successful parse.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The strings that could not be left in the text, one after another.
    pub fn unescaped(&self) -> &[u8] {
        &self.unescaped
    }

    /// Parses `text`, which must be one JSON value in UTF-8 (RFC 8259). What was on the tape before is gone.
    ///
    /// # Errors
    /// See [`JsonError`]; the tape is of no use then.
    pub fn parse(&mut self, text: &[u8]) -> Result<(), JsonError> {
        self.nodes.clear();
        self.unescaped.clear();
        if text.len() > MAX_TEXT {
            return Err(JsonError::TooLong(text.len()));
        }
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let value = Value {
            tape: self,
            base: text.as_ptr() as usize,
        };
        value
            .deserialize(&mut deserializer)
            .and_then(|()| deserializer.end())
            .map_err(|e| JsonError::from_serde(&e, text))
    }

    /// Gives memory back that an unusually large document took.
    pub fn shrink(&mut self) {
        const KEEP: usize = 64 * 1024;
        self.nodes.clear();
        self.nodes.shrink_to(KEEP / size_of::<Node>());
        self.unescaped.clear();
        self.unescaped.shrink_to(KEEP);
    }
}

/// Puts one value on the tape.
struct Value<'t> {
    tape: &'t mut Tape,
    /// Where the text begins in memory: a borrowed string's offset is its distance from there.
    base: usize,
}

impl Value<'_> {
    fn again(&mut self) -> Value<'_> {
        Value {
            tape: self.tape,
            base: self.base,
        }
    }

    fn put<E>(self, node: Node) -> Result<(), E> {
        self.tape.nodes.push(node);
        Ok(())
    }

    /// Puts a container whose size is known only after its members were put; `members` returns it.
    fn container<E>(
        mut self,
        kind: fn(u32) -> Node,
        members: impl FnOnce(&mut Value<'_>) -> Result<u32, E>,
    ) -> Result<(), E> {
        let place = self.tape.nodes.len();
        self.tape.nodes.push(kind(0));
        let count = members(&mut self)?;
        self.tape.nodes[place] = kind(count);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.put(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.put(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.put(u64::try_from(value).map_or(Node::Negative(value), Node::Natural))
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.put(Node::Natural(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        if value.is_finite() {
            self.put(Node::Float(value))
        } else {
            Err(E::custom("number out of range"))
        }
    }

    /// A string as it stands in the text.
    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<(), E> {
        // Both fit: the text is no longer than MAX_TEXT.
        let (at, len) = ((value.as_ptr() as usize - self.base) as u32, value.len() as u32);
        self.put(Node::Plain { at, len })
    }

    /// A string whose escapes had to be undone.
    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        // Unescaping makes nothing longer, so this fits as well.
        let (at, len) = (self.tape.unescaped.len() as u32, value.len() as u32);
        self.tape.unescaped.extend_from_slice(value.as_bytes());
        self.put(Node::Unescaped { at, len })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.container(Node::Array, |value| {
            let mut count = 0;
            while items.next_element_seed(value.again())?.is_some() {
                count += 1;
            }
            Ok(count)
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.container(Node::Object, |value| {
            let mut count = 0;
            while members.next_key_seed(value.again())?.is_some() {
                members.next_value_seed(value.again())?;
                count += 1;
            }
            Ok(count)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::MAX_DEPTH;
    use serde_json::{Map, Number, Value as Json};

    fn parse(text: &str) -> Result<Tape, JsonError> {
        let mut tape = Tape::default();
        tape.parse(text.as_bytes()).map(|()| tape)
    }

    /// What the tape means, as serde_json would have it.
    fn value(text: &str, tape: &Tape, at: &mut usize) -> Json {
        let node = tape.nodes()[*at];
        *at += 1;
        match node {
            Node::Null => Json::Null,
            Node::Bool(b) => Json::Bool(b),
            Node::Negative(i) => i.into(),
            Node::Natural(u) => u.into(),
            Node::Float(f) => Json::Number(Number::from_f64(f).unwrap()),
            Node::Plain { at, len } => text[at as usize..(at + len) as usize].into(),
            Node::Unescaped { at, len } => std::str::from_utf8(&tape.unescaped()[at as usize..(at + len) as usize])
                .unwrap()
                .into(),
            Node::Array(n) => (0..n).map(|_| value(text, tape, at)).collect::<Vec<_>>().into(),
            Node::Object(n) => {
                let mut map = Map::new();
                for _ in 0..n {
                    let Json::String(key) = value(text, tape, at) else {
                        panic!("a key that is no string")
                    };
                    let member = value(text, tape, at);
                    map.insert(key, member);
                }
                map.into()
            }
        }
    }

    const CORPUS: [&str; 22] = [
        "null",
        " true ",
        "-0",
        "-0.0",
        "9007199254740993",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775809",
        "1e3",
        "1.7976931348623157e308",
        "5e-324",
        "\"\"",
        r#""a\/b\u0041\u4e2d\b\f\n\r\t\"\\""#,
        r#""\ud83d\ude00 \uD834\uDD1E raw: 😀 é""#,
        "[]",
        "{}",
        r#"{"l":[],"o":{},"n":[[],{}]}"#,
        r#"{"a":1,"a":2}"#,
        r#"{"\u0061b":[1,-2,3.5,"x","\n",null,true,false,{"k":{}}]}"#,
        "\t\r\n [ 1 , 2 ]\n",
        r#"["a","\u0000"]"#,
    ];

    #[test]
    fn the_tape_means_what_serde_json_reads() {
        for text in CORPUS {
            let tape = parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            let mut at = 0;
            let ours = value(text, &tape, &mut at);
            assert_eq!(at, tape.nodes().len(), "{text}");
            assert_eq!(ours, serde_json::from_str::<Json>(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn every_document_that_is_cut_short_is_refused() {
        for text in CORPUS.iter().filter(|t| t.trim_end().ends_with(['}', ']', '"'])) {
            for end in (0..text.trim_end().len()).filter(|end| text.is_char_boundary(*end)) {
                assert!(parse(&text[..end]).is_err(), "{}", &text[..end]);
            }
        }
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        for (text, place) in [
            ("", 0),
            (" ", 0),
            ("{}{}", 2),
            ("{} x", 3),
            ("[1,]", 3),
            ("{\"a\":1,}", 7),
            ("nul", 2),
            ("NaN", 0),
            ("01", 1),
            ("[1.]", 3),
            ("1e400", 4),
            ("'a'", 0),
            ("\"a\nb\"", 2),
            ("\"\\ud83d\"", 7),
            ("\"\\x\"", 2),
            ("{\n\"a\":\n  tru }", 13),
            ("\u{feff}{}", 0),
            ("[\"é\",x]", 6),
        ] {
            match parse(text) {
                Err(JsonError::Syntax { offset, .. }) => assert!(offset.abs_diff(place) <= 1, "{text:?} at {offset}"),
                other => panic!("{text:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn text_that_is_not_utf_8_is_refused() {
        for text in [
            &b"\"\x80\""[..],
            b"\"\xff\xfe\"",
            b"{\"\xc3\":1}",
            b"\"\xed\xa0\x80\"",
            b"\xff",
        ] {
            assert!(Tape::default().parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn as_deep_as_the_limit_and_one_deeper() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let nested = |n: usize| format!("{}{}{}", open.repeat(n), "1", close.repeat(n));
            assert!(parse(&nested(MAX_DEPTH)).is_ok());
            assert!(parse(&nested(MAX_DEPTH + 1)).is_err());
            assert!(parse(&nested(100_000)).is_err());
        }
    }

    #[test]
    fn a_text_that_is_too_long_is_not_looked_at() {
        let text = vec![b' '; MAX_TEXT + 1];
        assert_eq!(Tape::default().parse(&text), Err(JsonError::TooLong(MAX_TEXT + 1)));
        // One byte less is looked at, and is no JSON.
        assert!(matches!(
            Tape::default().parse(&text[1..]),
            Err(JsonError::Syntax { .. })
        ));
    }
}
