//! What cannot be encoded, and where.

/// Made on the way out of the walk: each container adds its step.
pub(super) struct Fault {
    what: String,
    /// From the innermost outwards.
    path: Vec<String>,
}

/// Steps of a path that are shown at either end of a long one.
const SHOWN: usize = 6;

/// Characters of a key that are shown.
const KEY_SHOWN: usize = 60;

impl Fault {
    pub(super) fn new(what: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            what: what.into(),
            path: Vec::new(),
        })
    }

    /// A table that has `key`, and so is neither an array nor an object.
    pub(super) fn odd_key(key: &str) -> Box<Self> {
        Self::new(format!(
            "a table with the key {key} is neither a list (keys 1 to n) nor an object (keys that are strings)"
        ))
    }

    /// It is in the member `key`.
    pub(super) fn in_member(mut self: Box<Self>, key: &[u8]) -> Box<Self> {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        self.path.push(match key {
            [_, ..] if key.len() <= KEY_SHOWN && key.iter().all(plain) => {
                format!(".{}", String::from_utf8_lossy(key))
            }
            _ => format!("[{}]", quoted(key)),
        });
        self
    }

    /// It is in item `i`.
    pub(super) fn in_item(mut self: Box<Self>, i: usize) -> Box<Self> {
        self.path.push(format!("[{i}]"));
        self
    }

    /// `result.content[2].data: a function cannot be JSON`
    pub(super) fn sentence(&self) -> String {
        let mut path = String::new();
        for (i, step) in self.path.iter().rev().enumerate() {
            if i < SHOWN || i + SHOWN >= self.path.len() {
                path.push_str(step);
            } else if i == SHOWN {
                path.push('…');
            }
        }
        match path.strip_prefix('.').unwrap_or(&path) {
            "" => self.what.clone(),
            path => format!("{path}: {}", self.what),
        }
    }
}

/// A key in quotes, cut short if it is long.
pub(super) fn quoted(key: &[u8]) -> String {
    // A character has four bytes at the most.
    let start = String::from_utf8_lossy(&key[..key.len().min(4 * KEY_SHOWN)]);
    let shown: String = start.chars().take(KEY_SHOWN).collect();
    format!("{shown:?}{}", if shown.len() < key.len() { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_like_lua() {
        let fault = || Fault::new("no");
        assert_eq!(fault().sentence(), "no");
        assert_eq!(
            fault().in_member(b"data").in_item(2).in_member(b"result").sentence(),
            "result[2].data: no"
        );
        assert_eq!(
            fault().in_member(b"a b").in_member(b"").in_item(1).sentence(),
            r#"[1][""]["a b"]: no"#
        );
        assert_eq!(fault().in_member("é\n".as_bytes()).sentence(), r#"["é\n"]: no"#);
        assert_eq!(fault().in_member(b"\xff").sentence(), "[\"\u{fffd}\"]: no");
    }

    #[test]
    fn long_paths_and_keys_are_cut() {
        let deep = (0..127).fold(Fault::new("no"), |fault, _| fault.in_member(b"a"));
        assert_eq!(deep.sentence(), "a.a.a.a.a.a….a.a.a.a.a.a: no");
        let wide = Fault::new("no").in_member(&[b'x'; 1000]).sentence();
        assert_eq!(wide, format!("[\"{}\"…]: no", "x".repeat(60)));
        assert!(quoted("é".repeat(1000).as_bytes()).len() < 140);
    }
}
