//! The outline of a queue: as much of its items as judging a history reads.
//!
//! One walk over the text of an item writes its outline and takes down what decisions are held
//! against: its name, and ids and roles of its candidates. An item of which these cannot be told
//! apart, or that is not shaped as decisions need it, makes the whole queue one that only a slower
//! reader may judge, who then says why.

use crate::json;
use crate::order;
use crate::walk::{Cursor, Walked};

/// What a candidate stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The value that holds today.
    Current,
    /// A value that was extracted.
    Proposed,
    /// Any other, or none.
    Other,
}

/// A candidate of an item.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// Its id, as canonical text spells it.
    pub(crate) id: Box<[u8]>,
    pub(crate) role: Role,
}

/// An item that decisions can be held against.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Its name, as canonical text spells it.
    name: Box<[u8]>,
    /// Whether its producer calls it resolved.
    pub(crate) is_resolved: bool,
    /// At least one, no two of one id.
    pub(crate) candidates: Vec<Candidate>,
}

/// Items of a queue, some or all.
#[derive(Debug, Default)]
pub(crate) struct Outlined {
    /// Their outlines, a comma after each.
    pub(crate) text: Vec<u8>,
    /// What decisions are held against; none when that cannot be told of every item.
    entries: Option<Vec<Entry>>,
}

impl Outlined {
    pub(crate) fn of(expected: usize) -> Self {
        Self {
            text: Vec::new(),
            entries: Some(Vec::with_capacity(expected)),
        }
    }

    /// Adds the item at the cursor and passes it. It ends there when that is no canonical text.
    pub(crate) fn push(&mut self, cursor: &mut Cursor<'_>) -> Walked<()> {
        let found = item(cursor, &mut self.text)?;
        self.text.push(b',');
        match (found, &mut self.entries) {
            (Some(entry), Some(entries)) => entries.push(entry),
            (None, _) => self.entries = None,
            (_, None) => {}
        }
        Ok(())
    }
}

/// The items of a queue by name.
#[derive(Debug)]
pub(crate) struct Table {
    entries: Vec<Entry>,
    /// Places of the entries, sorted by name.
    sorted: Vec<usize>,
}

impl Table {
    /// The table of all items in their order; none when two have one name.
    pub(crate) fn of(parts: impl IntoIterator<Item = Outlined>) -> Option<Self> {
        let mut entries = Vec::new();
        for part in parts {
            entries.extend(part.entries?);
        }
        let mut sorted: Vec<usize> = (0..entries.len()).collect();
        sorted.sort_unstable_by_key(|place| spelling(&entries, *place));
        let are_distinct = sorted.windows(2).all(|pair| match pair {
            [one, other] => spelling(&entries, *one) != spelling(&entries, *other),
            _ => true,
        });
        are_distinct.then_some(Self { entries, sorted })
    }

    /// The place of the item called `name`, as canonical text spells it.
    pub(crate) fn place(&self, name: &[u8]) -> Option<usize> {
        let spelled = |place: &usize| spelling(&self.entries, *place);
        let found = self.sorted.binary_search_by_key(&Some(name), spelled);
        self.sorted.get(found.ok()?).copied()
    }

    /// The item at a place.
    pub(crate) fn entry(&self, place: usize) -> Option<&Entry> {
        self.entries.get(place)
    }

    /// All items, in their order.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The names of the items, sorted by UTF-16 code unit.
    pub(crate) fn sorted_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.entries.iter().map(|one| decoded(&one.name)).collect();
        names.sort_unstable_by(|one, other| order::utf16(one.as_bytes(), other.as_bytes()));
        names
    }
}

fn spelling(entries: &[Entry], place: usize) -> Option<&[u8]> {
    entries.get(place).map(|entry| &*entry.name)
}

fn decoded(spelled: &[u8]) -> String {
    json::decode(spelled, 0, spelled.len())
}

/// Members of `spec` that an outline keeps, next to the candidates.
const ITEM: [&[u8]; 5] = [
    b"candidateSetStatus",
    b"editable",
    b"selectedCandidateId",
    b"target",
    b"valueDescriptor",
];

/// Writes `"name":`, behind a comma where it is not the first member.
fn put_name(out: &mut Vec<u8>, name: &[u8]) {
    put_comma(out);
    out.push(b'"');
    out.extend_from_slice(name);
    out.extend_from_slice(b"\":");
}

/// A text ends with an opening bracket nowhere but where its first member or element follows.
fn put_comma(out: &mut Vec<u8>) {
    if !matches!(out.last(), None | Some(b'{' | b'[')) {
        out.push(b',');
    }
}

/// Writes the value at the cursor as it is and passes it.
fn put_value<'t>(out: &mut Vec<u8>, cursor: &mut Cursor<'t>) -> Walked<&'t [u8]> {
    let text = cursor.value()?;
    out.extend_from_slice(text);
    Ok(text)
}

fn item(cursor: &mut Cursor<'_>, out: &mut Vec<u8>) -> Walked<Option<Entry>> {
    if !cursor.is_at(b'{') {
        put_value(out, cursor)?;
        return Ok(None);
    }
    let (mut name, mut held) = (None, None);
    out.push(b'{');
    cursor.members(|cursor, member| {
        match member {
            b"metadata" => {
                put_name(out, member);
                name = metadata(cursor, out)?;
            }
            b"spec" => {
                put_name(out, member);
                held = spec(cursor, out)?;
            }
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    out.push(b'}');
    let named = name.zip(held);
    Ok(named.map(|(name, (is_resolved, candidates))| Entry {
        name,
        is_resolved,
        candidates,
    }))
}

fn metadata(cursor: &mut Cursor<'_>, out: &mut Vec<u8>) -> Walked<Option<Box<[u8]>>> {
    if !cursor.is_at(b'{') {
        put_value(out, cursor)?;
        return Ok(None);
    }
    let mut found = None;
    out.push(b'{');
    cursor.members(|cursor, member| {
        if member == b"name" {
            put_name(out, member);
            found = spelled(put_value(out, cursor)?).map(Box::from);
            return Ok(());
        }
        cursor.skip()
    })?;
    out.push(b'}');
    Ok(found)
}

/// What stands between the quotes of a string; nothing for any other value.
fn spelled(value: &[u8]) -> Option<&[u8]> {
    value.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

type Held = (bool, Vec<Candidate>);

fn spec(cursor: &mut Cursor<'_>, out: &mut Vec<u8>) -> Walked<Option<Held>> {
    if !cursor.is_at(b'{') {
        put_value(out, cursor)?;
        return Ok(None);
    }
    let (mut is_resolved, mut is_shaped, mut has_target) = (false, true, false);
    let mut held = None;
    out.push(b'{');
    cursor.members(|cursor, member| {
        if member == b"candidates" {
            put_name(out, member);
            held = candidates(cursor, out)?;
            return Ok(());
        }
        if !ITEM.contains(&member) {
            return cursor.skip();
        }
        put_name(out, member);
        let value = put_value(out, cursor)?;
        match member {
            b"candidateSetStatus" => is_resolved = value == b"\"resolved\"",
            b"target" => has_target = value.starts_with(b"\""),
            b"valueDescriptor" => is_shaped = is_descriptor(value),
            _ => {}
        }
        Ok(())
    })?;
    out.push(b'}');
    Ok(held
        .filter(|_| is_shaped && has_target)
        .map(|candidates| (is_resolved, candidates)))
}

/// Whether a descriptor is an object whose words, where it has some, are strings.
fn is_descriptor(value: &[u8]) -> bool {
    if value == b"{}" || !value.starts_with(b"{") {
        return value == b"{}";
    }
    let mut are_words = true;
    Cursor::new(value)
        .members(|cursor, member| {
            if member == b"enumValues" {
                return cursor.elements(|cursor| {
                    are_words &= cursor.is_at(b'"');
                    cursor.skip()
                });
            }
            cursor.skip()
        })
        .is_ok_and(|()| are_words)
}

fn candidates(cursor: &mut Cursor<'_>, out: &mut Vec<u8>) -> Walked<Option<Vec<Candidate>>> {
    if !cursor.is_at(b'[') {
        put_value(out, cursor)?;
        return Ok(None);
    }
    let mut found = Some(Vec::new());
    out.push(b'[');
    cursor.elements(|cursor| {
        put_comma(out);
        match (candidate(cursor, out)?, &mut found) {
            (Some(one), Some(others)) => others.push(one),
            (None, _) => found = None,
            (_, None) => {}
        }
        Ok(())
    })?;
    out.push(b']');
    Ok(found.filter(|list| !list.is_empty() && are_distinct(list)))
}

fn are_distinct(candidates: &[Candidate]) -> bool {
    if let [_] = candidates {
        return true;
    }
    let mut ids: Vec<&[u8]> = candidates.iter().map(|one| &*one.id).collect();
    ids.sort_unstable();
    ids.windows(2).all(|pair| pair.first() != pair.last())
}

fn candidate(cursor: &mut Cursor<'_>, out: &mut Vec<u8>) -> Walked<Option<Candidate>> {
    if !cursor.is_at(b'{') {
        put_value(out, cursor)?;
        return Ok(None);
    }
    let (mut id, mut role, mut has_value) = (None, Some(Role::Other), false);
    out.push(b'{');
    cursor.members(|cursor, member| {
        if !matches!(member, b"id" | b"role" | b"value") {
            return cursor.skip();
        }
        put_name(out, member);
        let value = put_value(out, cursor)?;
        match member {
            b"id" => id = spelled(value).map(Box::from),
            b"role" => {
                role = spelled(value).map(|word| match word {
                    b"current" => Role::Current,
                    b"proposed" => Role::Proposed,
                    _ => Role::Other,
                });
            }
            _ => has_value = true,
        }
        Ok(())
    })?;
    out.push(b'}');
    let named = id.filter(|_| has_value).zip(role);
    Ok(named.map(|(id, role)| Candidate { id, role }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(items: &[&str]) -> Option<Table> {
        let mut outlined = Outlined::of(items.len());
        for item in items {
            let mut cursor = Cursor::new(item.as_bytes());
            outlined.push(&mut cursor).unwrap();
            assert!(cursor.is_done());
        }
        Table::of([outlined])
    }

    const ITEM: &str = r#"{"metadata":{"name":"i"},"spec":{"candidateSetStatus":"resolved","candidates":[{"id":"c","role":"proposed","value":1},{"id":"d","value":[]}],"target":"t","valueDescriptor":{"enumValues":["a"]}}}"#;

    #[test]
    fn what_decisions_are_held_against_is_taken_down() {
        let other = ITEM.replace(r#""name":"i""#, r#""name":"\"""#);
        let found = table(&[ITEM, &other]).unwrap();
        let entry = found.place(b"i").and_then(|place| found.entry(place));
        let entry = entry.unwrap();
        assert!(entry.is_resolved);
        let roles: Vec<_> = entry.candidates.iter().map(|one| one.role).collect();
        assert_eq!(roles, [Role::Proposed, Role::Other]);
        assert_eq!(found.sorted_names(), ["\"", "i"]);
        assert!(found.place(b"j").is_none());
    }

    #[test]
    fn names_are_sorted_by_code_unit() {
        let named = |name: &str| ITEM.replace(r#""name":"i""#, &format!("\"name\":\"{name}\""));
        let items = [
            named("\u{ffff}"),
            named("\u{1f600}"),
            named("b"),
            named("a"),
        ];
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        let sorted = table(&items).unwrap().sorted_names();
        assert_eq!(sorted, ["a", "b", "\u{1f600}", "\u{ffff}"]);
    }

    #[test]
    fn an_item_of_another_shape_leaves_no_table() {
        assert!(table(&[]).is_some());
        assert!(table(&[ITEM, ITEM]).is_none(), "one name twice");
        let changes = [
            (r#""name":"i""#, r#""name":1"#),
            (r#"{"name":"i"}"#, "[]"),
            (r#""id":"d""#, r#""id":"c""#),
            (r#""id":"d""#, r#""id":null"#),
            (r#""id":"d","#, ""),
            (r#","value":[]"#, ""),
            (r#""role":"proposed""#, r#""role":null"#),
            (r#"{"id":"d","value":[]}"#, "7"),
            (r#""target":"t""#, r#""target":7"#),
            (r#""target":"t","#, ""),
            (r#"{"enumValues":["a"]}"#, "[]"),
            (r#"["a"]"#, r#"["a",1]"#),
            (r#"["a"]"#, r#""a""#),
        ];
        for (from, to) in changes {
            assert!(ITEM.contains(from), "{from}");
            assert!(table(&[&ITEM.replace(from, to)]).is_none(), "{to}");
        }
        for text in ["3", "[]", "{}", r#"{"metadata":{"name":"i"},"spec":3}"#] {
            assert!(table(&[text]).is_none(), "{text}");
        }
        let none = r#"{"metadata":{"name":"i"},"spec":{"candidates":[],"target":"t"}}"#;
        assert!(table(&[none]).is_none());
    }
}
