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
        // All of it at once is quicker than one string after the other.
        let utf8 = std::str::from_utf8(text).map_err(|error| JsonError::NotUtf8 {
            offset: error.valid_up_to(),
        })?;
        let mut deserializer = serde_json::Deserializer::from_str(utf8);
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
            (" ", 1),
            ("{}{}", 2),
            ("{} x", 3),
            ("[1,]", 3),
            ("{\"a\":1,}", 7),
            ("nul", 3),
            ("nulx", 3),
            ("NaN", 0),
            ("01", 1),
            ("[1.]", 3),
            ("[1e400]", 5),
            ("'a'", 0),
            ("\"a\nb\"", 2),
            ("[\n\"\n\"]", 3),
            ("\"\\ud83d\"", 7),
            ("\"\\udc00\"", 6),
            ("\"\\x\"", 2),
            ("{\n\"a\":\n  tru }", 12),
            ("[\n\n  1,\n\n  x", 11),
            ("\u{feff}{}", 0),
            ("[\"é\",x]", 6),
            ("[\"😀\n", 6),
            ("{\"é\":\n\"é\",\n\"é\" 1}", 18),
            ("[1", 2),
            ("\"a", 2),
        ] {
            let error = parse(text).expect_err(text);
            assert!(
                matches!(error, JsonError::Syntax { offset, .. } if offset == place),
                "{text:?}: {error}"
            );
        }
        assert_eq!(
            parse("[1 2]").expect_err("no comma").to_string(),
            "invalid JSON at byte 3: expected `,` or `]`"
        );
    }

    #[test]
    fn text_that_is_not_utf_8_is_refused_with_its_place() {
        for (text, offset) in [
            (&b"\"\x80\""[..], 1),
            (b"\"\xff\xfe\"", 1),
            (b"[1,\n{\"\xc3\":1}", 6),
            (b"\"\xed\xa0\x80\"", 1),
            (b"[\"abc\", \"d\xc3\xa9\xe2\x82\"]", 12),
            (b"\xff", 0),
            (b"\"\x80", 1),
            (b"{} \x80", 3),
        ] {
            let error = Tape::default().parse(text).expect_err("not UTF-8");
            assert_eq!(error, JsonError::NotUtf8 { offset }, "{text:?}");
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
        let text = vec![0; MAX_TEXT + 1];
        assert_eq!(Tape::default().parse(&text), Err(JsonError::TooLong(MAX_TEXT + 1)));
        let looked_at = Tape::default().parse(&text[1..]);
        assert!(matches!(looked_at, Err(JsonError::Syntax { offset: 0, .. })));
    }

    #[test]
    fn a_fraction_is_the_nearest_double() {
        // What parsers that multiply by a power of ten get wrong by a bit or more.
        for text in [
            "0.1",
            "2.2250738585072011e-308",
            "9007199254740993.0",
            "1.7976931348623157e308",
            "4.9406564584124654e-324",
            "2.4703282292062328e-324",
            "1e23",
            "8.41e21",
            "5e-324",
            "9.5e-6",
            "1.35631519832986e-9",
            "36893488147419103233",
            "123456789012345678901234567890.123456789e-5",
            "0.500000000000000166533453693773481063544750213623046875",
        ] {
            let tape = parse(text).unwrap();
            assert_eq!(tape.nodes(), [Node::Float(text.parse().unwrap())], "{text}");
        }
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        for _ in 0..20_000 {
            let text = format!(
                "{}.{}e{}",
                random.below(1000),
                random.next(),
                random.below(620) as i64 - 310
            );
            let nearest: f64 = text.parse().unwrap();
            match parse(&text) {
                Ok(tape) => assert_eq!(tape.nodes(), [Node::Float(nearest)], "{text}"),
                Err(error) => assert!(nearest.is_infinite(), "{text}: {error}"),
            }
        }
    }

    /// A row of numbers that is the same in each run (xorshift).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }

        fn below(&mut self, end: u64) -> u64 {
            self.next() % end
        }

        fn json(&mut self, out: &mut String, depth: u32) {
            const PIECES: [&str; 12] = [
                "a",
                "é",
                "😀",
                "\\n",
                "\\u00e9",
                "\\ud83d\\ude00",
                "\\/",
                "\\\"",
                " ",
                "\u{7f}",
                "key",
                "\\u0000",
            ];
            match self.below(if depth == 0 { 7 } else { 9 }) {
                0 => out.push_str("null"),
                1 => out.push_str("true"),
                2 => *out += &(self.next() as i64).to_string(),
                3 => *out += &self.next().to_string(),
                4 => *out += &format!("-{}.5e{}", self.below(99), self.below(9)),
                5 | 6 => {
                    out.push('"');
                    for _ in 0..self.below(5) {
                        out.push_str(PIECES[self.below(12) as usize]);
                    }
                    out.push('"');
                }
                kind => {
                    out.push_str(if kind == 7 { "[" } else { "{ " });
                    for i in 0..self.below(5) {
                        if i > 0 {
                            out.push_str(",\n");
                        }
                        if kind == 8 {
                            // Some keys come twice.
                            *out += &format!("\"k{}\" : ", self.below(4));
                        }
                        self.json(out, depth - 1);
                    }
                    out.push_str(if kind == 7 { "]" } else { " }" });
                }
            }
        }
    }

    #[test]
    fn random_documents_mean_what_serde_json_reads_and_cut_or_changed_ones_never_panic() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut tape = Tape::default();
        for _ in 0..300 {
            let mut text = String::new();
            random.json(&mut text, 6);
            tape.parse(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
            let mut at = 0;
            let ours = value(&text, &tape, &mut at);
            assert_eq!(ours, serde_json::from_str::<Json>(&text).unwrap(), "{text}");
            for _ in 0..20 {
                let mut bytes = text.clone().into_bytes();
                let place = random.below(bytes.len() as u64) as usize;
                match random.below(3) {
                    0 => bytes.truncate(place),
                    1 => bytes[place] = random.next() as u8,
                    _ => drop(bytes.remove(place)),
                }
                let ours = tape.parse(&bytes);
                let theirs = serde_json::from_slice::<Json>(&bytes);
                assert_eq!(ours.is_ok(), theirs.is_ok(), "{}", String::from_utf8_lossy(&bytes));
                if let Err(JsonError::Syntax { offset, .. } | JsonError::NotUtf8 { offset }) = ours {
                    assert!(offset <= bytes.len());
                }
            }
        }
    }
}
