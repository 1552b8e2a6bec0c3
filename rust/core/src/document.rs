//! An index over canonical text: where each value starts and ends.
//!
//! Every value of a canonical document *is* its canonical form, so a hash, a comparison or a
//! derived document needs a slice and never a second rendering.

use crate::error::{Checked, Code, Path, Refusal};
use crate::json;
use std::borrow::Cow;

/// The order of members in canonical text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// RFC 8785: by UTF-16 code unit. Everything we write.
    Jcs,
    /// Upstream's collation, to verify digests that upstream wrote.
    Collated,
    /// As the members stand in the text.
    AsStored,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    end: u32,
    /// Index of the node after this one and all it contains.
    next: u32,
}

/// Canonical text with its index.
#[derive(Debug)]
pub struct Document<'t> {
    text: &'t str,
    nodes: Vec<Node>,
}

impl<'t> Document<'t> {
    /// Indexes `text`, which must be the output of [`crate::canonical::canonical_bytes`].
    pub fn index(text: &'t [u8]) -> Checked<Self> {
        Self::index_to(text, usize::MAX)
    }

    /// Indexes containers down to `depth` (1 is the document itself); deeper ones are opaque.
    pub fn index_to(text: &'t [u8], depth: usize) -> Checked<Self> {
        if u32::try_from(text.len()).is_err() {
            return Err(Refusal::in_text(
                Code::JsonSize,
                0,
                "a text of 4 GiB and more is not indexed",
            ));
        }
        let text = std::str::from_utf8(text).map_err(|fault| {
            Refusal::in_text(
                Code::JsonEncoding,
                fault.valid_up_to(),
                "these bytes are not UTF-8",
            )
        })?;
        let mut indexer = Indexer {
            raw: text.as_bytes(),
            nodes: Vec::with_capacity(text.len() / 24 + 1),
        };
        let end = indexer.value(0, depth)?;
        if end != text.len() {
            return Err(json::unexpected(
                text.as_bytes(),
                end,
                "the end of the document",
            ));
        }
        Ok(Self {
            text,
            nodes: indexer.nodes,
        })
    }

    /// The whole document.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value {
            text: self.text,
            nodes: &self.nodes,
            at: 0,
        }
    }
}

/// The canonical texts of the members `names` of the object that is `text`'s document.
pub fn member_texts<'t>(text: &'t [u8], names: &[&str]) -> Checked<Vec<Option<&'t [u8]>>> {
    let document = Document::index_to(text, 1)?;
    let root = document.root();
    let find = |name: &&str| root.get(name).and_then(|value| text.get(value.range()));
    Ok(names.iter().map(find).collect())
}

struct Indexer<'t> {
    raw: &'t [u8],
    nodes: Vec<Node>,
}

impl Indexer<'_> {
    /// Indexes the value at `start` and returns the offset after it.
    fn value(&mut self, start: usize, depth: usize) -> Checked<usize> {
        let place = self.nodes.len();
        self.nodes.push(Node {
            start: narrow(start),
            end: 0,
            next: 0,
        });
        let end = match self.raw.get(start) {
            Some(b'{') if depth > 0 => self.object(start, depth - 1)?,
            Some(b'[') if depth > 0 => self.array(start, depth - 1)?,
            Some(b'{' | b'[') => json::skip_container(self.raw, start)?,
            Some(b'"') => json::string(self.raw, start)?.close + 1,
            Some(_) => json::skip_scalar(self.raw, start),
            None => return Err(json::unexpected(self.raw, start, "a value")),
        };
        let next = narrow(self.nodes.len());
        if let Some(node) = self.nodes.get_mut(place) {
            node.end = narrow(end);
            node.next = next;
        }
        Ok(end)
    }

    fn object(&mut self, open: usize, depth: usize) -> Checked<usize> {
        let mut at = open + 1;
        while self.raw.get(at) != Some(&b'}') {
            at = self.value(at, 0)?;
            at = self.value(at + 1, depth)?;
            at += usize::from(self.raw.get(at) == Some(&b','));
        }
        Ok(at + 1)
    }

    fn array(&mut self, open: usize, depth: usize) -> Checked<usize> {
        let mut at = open + 1;
        while self.raw.get(at) != Some(&b']') {
            at = self.value(at, depth)?;
            at += usize::from(self.raw.get(at) == Some(&b','));
        }
        Ok(at + 1)
    }
}

/// Offsets fit: `index_to` refuses longer texts.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// One value of an indexed document. Copying it copies two words and an index.
#[derive(Clone, Copy, Debug)]
pub struct Value<'d> {
    text: &'d str,
    nodes: &'d [Node],
    at: usize,
}

impl<'d> Value<'d> {
    fn node(self) -> Node {
        self.nodes.get(self.at).copied().unwrap_or(Node {
            start: 0,
            end: 0,
            next: 0,
        })
    }

    /// The canonical text of this value.
    #[must_use]
    pub fn text(self) -> &'d str {
        let node = self.node();
        self.text
            .get(node.start as usize..node.end as usize)
            .unwrap_or_default()
    }

    /// Byte range of this value in the canonical text.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        let node = self.node();
        node.start as usize..node.end as usize
    }

    /// What this value is.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.text().as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Boolean,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// The decoded string, if this is one.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'d, str>> {
        let text = self.text();
        let inner = text.strip_prefix('"')?.strip_suffix('"')?;
        Some(if inner.contains('\\') {
            Cow::Owned(json::decode(text.as_bytes(), 1, text.len() - 1))
        } else {
            Cow::Borrowed(inner)
        })
    }

    /// The number, if this is one.
    #[must_use]
    pub fn as_number(self) -> Option<f64> {
        (self.kind() == Kind::Number)
            .then(|| self.text().parse().ok())
            .flatten()
    }

    /// The boolean, if this is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.text() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Names and values of an object, in the order of the text; nothing for other kinds.
    pub fn members(self) -> impl Iterator<Item = (Cow<'d, str>, Value<'d>)> {
        let mut children = self.children(Kind::Object);
        std::iter::from_fn(move || {
            let name = children.next()?.as_str()?;
            Some((name, children.next()?))
        })
    }

    /// Elements of an array; nothing for other kinds.
    pub fn elements(self) -> impl Iterator<Item = Value<'d>> {
        self.children(Kind::Array)
    }

    /// The member `name` of an object.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Value<'d>> {
        self.members()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value)
    }

    /// Nested containers of this value, counting itself; 0 for a scalar.
    #[must_use]
    pub fn depth(self) -> usize {
        let inner = match self.kind() {
            Kind::Array => self.elements().map(Value::depth).max(),
            Kind::Object => self.members().map(|(_, value)| value.depth()).max(),
            Kind::Null | Kind::Boolean | Kind::Number | Kind::String => return 0,
        };
        inner.unwrap_or(0) + 1
    }

    /// Pointer to the first place at which two values differ; a member that one of them lacks is
    /// such a place.
    #[must_use]
    pub fn difference(self, other: Value<'_>, at: &Path<'_>) -> Option<String> {
        if self.text() == other.text() {
            return None;
        }
        match (self.kind(), other.kind()) {
            (Kind::Object, Kind::Object) => {
                let ours = self
                    .members()
                    .find_map(|(name, value)| match other.get(&name) {
                        Some(counterpart) => value.difference(counterpart, &at.name(&name)),
                        None => Some(at.name(&name).pointer()),
                    });
                ours.or_else(|| {
                    let mut theirs = other.members();
                    let lacking = theirs.find(|(name, _)| self.get(name).is_none());
                    lacking.map(|(name, _)| at.name(&name).pointer())
                })
            }
            (Kind::Array, Kind::Array) => {
                let mut pairs = self.elements().zip(other.elements()).enumerate();
                pairs
                    .find_map(|(index, (one, two))| one.difference(two, &at.index(index)))
                    .or_else(|| {
                        let shorter = self.elements().count().min(other.elements().count());
                        Some(at.index(shorter).pointer())
                    })
            }
            _ => Some(at.pointer()),
        }
    }

    fn children(self, kind: Kind) -> Children<'d> {
        let end = if self.kind() == kind {
            self.node().next as usize
        } else {
            self.at
        };
        Children {
            text: self.text,
            nodes: self.nodes,
            at: self.at + 1,
            end,
        }
    }
}

struct Children<'d> {
    text: &'d str,
    nodes: &'d [Node],
    at: usize,
    end: usize,
}

impl<'d> Iterator for Children<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        if self.at >= self.end {
            return None;
        }
        let value = Value {
            text: self.text,
            nodes: self.nodes,
            at: self.at,
        };
        self.at = value.node().next as usize;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_slices_of_the_text() {
        let text = br#"{"a":[1,{"b":"x\n"},[]],"c":null,"d\t":true}"#;
        let document = Document::index(text).unwrap();
        let root = document.root();
        assert_eq!(root.get("a").unwrap().text(), r#"[1,{"b":"x\n"},[]]"#);
        let elements: Vec<_> = root.get("a").unwrap().elements().map(Value::text).collect();
        assert_eq!(elements, ["1", r#"{"b":"x\n"}"#, "[]"]);
        assert_eq!(root.get("d\t").unwrap().as_bool(), Some(true));
        assert_eq!(root.get("c").unwrap().kind(), Kind::Null);
        assert_eq!(root.depth(), 3);
    }

    #[test]
    fn the_first_difference_is_pointed_at() {
        let difference = |one: &str, two: &str| {
            let (one, two) = (
                Document::index(one.as_bytes()).unwrap(),
                Document::index(two.as_bytes()).unwrap(),
            );
            one.root().difference(two.root(), &Path::Root)
        };
        assert_eq!(difference(r#"{"a":[1,2]}"#, r#"{"a":[1,2]}"#), None);
        assert_eq!(
            difference(r#"{"a":[1,2]}"#, r#"{"a":[1,3]}"#).unwrap(),
            "/a/1"
        );
        assert_eq!(
            difference(r#"{"a":[1]}"#, r#"{"a":[1,3]}"#).unwrap(),
            "/a/1"
        );
        assert_eq!(difference(r#"{"a":1}"#, r#"{"a":1,"b":2}"#).unwrap(), "/b");
        assert_eq!(difference(r#"{"a":1}"#, r#"{"a":"1"}"#).unwrap(), "/a");
    }

    #[test]
    fn deeper_containers_can_stay_opaque() {
        let text = br#"{"items":[{"a":{"b":["}"]}},2]}"#;
        let document = Document::index_to(text, 2).unwrap();
        let items: Vec<_> = document
            .root()
            .get("items")
            .unwrap()
            .elements()
            .map(Value::text)
            .collect();
        assert_eq!(items, [r#"{"a":{"b":["}"]}}"#, "2"]);
    }
}
