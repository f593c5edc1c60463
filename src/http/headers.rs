//! The header fields of a request.

use std::fmt;

use super::syntax::trim_blanks;

/// The header fields of a request, in order, their names in lower case and their values without surrounding blanks.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, Vec<u8>)>);

impl Headers {
    /// The value of the first field of this (lower-case) name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// The values of all fields of this (lower-case) name.
    pub fn get_all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.iter().filter(move |(n, _)| *n == name).map(|(_, value)| value)
    }

    /// All fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// The members of a list-valued field over all its lines, without blanks and empty ones (RFC 9110, 5.6.1).
    pub(super) fn members<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.get_all(name)
            .flat_map(|value| value.split(|b| *b == b','))
            .map(trim_blanks)
            .filter(|member| !member.is_empty())
    }

    /// Fields as they were sent.
    pub(super) fn from_fields<'a>(fields: impl Iterator<Item = (&'a str, &'a [u8])>) -> Self {
        Self(
            fields
                .map(|(name, value)| (name.to_ascii_lowercase(), trim_blanks(value).to_vec()))
                .collect(),
        )
    }
}

/// Names alone: values are tokens, cookies and session ids, which no log should see.
impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers() -> Headers {
        let fields: [(&str, &[u8]); 4] = [
            ("X-Name", b"\t v w "),
            ("Connection", b"a, ,B"),
            ("x-name", b"\xff"),
            ("connection", b"c"),
        ];
        Headers::from_fields(fields.into_iter())
    }

    #[test]
    fn names_are_found_whatever_their_case_and_values_are_trimmed() {
        let headers = headers();
        assert_eq!(headers.get("x-name"), Some(&b"v w"[..]));
        assert_eq!(headers.get_all("x-name").collect::<Vec<_>>(), [&b"v w"[..], b"\xff"]);
        assert_eq!(headers.get("x-other"), None);
        assert_eq!(headers.iter().count(), 4);
    }

    #[test]
    fn a_list_goes_over_all_its_lines() {
        assert_eq!(headers().members("connection").collect::<Vec<_>>(), [b"a", b"B", b"c"]);
    }

    #[test]
    fn a_log_sees_names_and_no_values() {
        let secret = Headers::from_fields([("Authorization", &b"Bearer secret"[..])].into_iter());
        assert_eq!(format!("{secret:?}"), r#"["authorization"]"#);
    }
}
