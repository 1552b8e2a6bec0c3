//! The order in which an import stores a page layout, so that one layout has one identity.

use super::shape::{decimal, plain};
use crate::document::Value;

/// The canonical text of a validated layout in the order in which an import stores it, or none
/// where it stands in that order already.
///
/// Pages go by number; elements by range, page and kind; cells by row, column and start; tables
/// by page and then by the start of their first cell in that order. Equal entries keep their
/// places.
#[must_use]
pub fn normalized_layout(layout: Value<'_>) -> Option<String> {
    let mut text = String::with_capacity(layout.text().len());
    write_object(layout, &mut text, |name, member, out| match name {
        "pages" => write_sorted(member, out, |page| count(page, "pageNumber"), write_as_is),
        "elements" => write_sorted(member, out, element_key, write_as_is),
        "tables" => write_sorted(member, out, table_key, |table, out| {
            write_object(table, out, |name, member, out| match name {
                "cells" => write_sorted(member, out, cell_key, write_as_is),
                _ => write_as_is(member, out),
            });
        }),
        _ => write_as_is(member, out),
    });
    (text != layout.text()).then_some(text)
}

fn write_as_is(value: Value<'_>, out: &mut String) {
    out.push_str(value.text());
}

/// Writes an object of known members, whose names need no escapes.
fn write_object<'d>(
    object: Value<'d>,
    out: &mut String,
    write: impl Fn(&str, Value<'d>, &mut String),
) {
    out.push('{');
    for (index, (name, member)) in object.members().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push('"');
        out.push_str(&name);
        out.push_str("\":");
        write(&name, member, out);
    }
    out.push('}');
}

fn write_sorted<'d, K: Ord>(
    array: Value<'d>,
    out: &mut String,
    key: impl Fn(Value<'d>) -> K,
    write: impl Fn(Value<'d>, &mut String),
) {
    let mut entries: Vec<_> = array.elements().collect();
    entries.sort_by_cached_key(|entry| key(*entry));
    out.push('[');
    for (index, entry) in entries.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(entry, out);
    }
    out.push(']');
}

fn count(entry: Value<'_>, name: &str) -> usize {
    entry
        .get(name)
        .and_then(|value| decimal(value.text()))
        .unwrap_or_default()
}

fn element_key(element: Value<'_>) -> (usize, usize, usize, &str) {
    let kind = element.get("kind").and_then(plain).unwrap_or_default();
    let range = |name| element.get("range").map_or(0, |range| count(range, name));
    (
        range("start"),
        range("end"),
        count(element, "pageNumber"),
        kind,
    )
}

fn cell_key(cell: Value<'_>) -> (usize, usize, usize) {
    let start = cell.get("range").map_or(0, |range| count(range, "start"));
    (count(cell, "rowIndex"), count(cell, "columnIndex"), start)
}

fn table_key(table: Value<'_>) -> (usize, usize) {
    let first = table
        .get("cells")
        .and_then(|cells| cells.elements().map(cell_key).min());
    (
        count(table, "pageNumber"),
        first.map_or(0, |(_, _, start)| start),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn normalized(text: &str) -> Option<String> {
        let document = Document::index(text.as_bytes()).unwrap();
        normalized_layout(document.root())
    }

    fn element(start: usize, mark: &str) -> String {
        format!(
            r#"{{"kind":"list","pageNumber":1,"providerType":"{mark}","range":{{"end":9,"start":{start}}}}}"#
        )
    }

    fn table(cells: &[(usize, usize)]) -> String {
        let cell = |(row, start)| {
            format!(r#"{{"columnIndex":0,"range":{{"end":9,"start":{start}}},"rowIndex":{row}}}"#)
        };
        let cells: Vec<_> = cells.iter().copied().map(cell).collect();
        format!(r#"{{"cells":[{}],"pageNumber":1}}"#, cells.join(","))
    }

    #[test]
    fn entries_go_to_their_places_and_equal_ones_keep_theirs() {
        let layout = |elements: [String; 3], pages: &str, tables: [String; 3]| {
            format!(
                r#"{{"elements":[{}],"pages":[{pages}],"tables":[{}]}}"#,
                elements.join(","),
                tables.join(",")
            )
        };
        let given = layout(
            [element(1, "b"), element(1, "a"), element(0, "")],
            r#"{"pageNumber":10},{"pageNumber":9}"#,
            [table(&[(1, 0), (0, 5)]), table(&[(0, 4)]), table(&[])],
        );
        let stored = layout(
            [element(0, ""), element(1, "b"), element(1, "a")],
            r#"{"pageNumber":9},{"pageNumber":10}"#,
            [table(&[]), table(&[(0, 4)]), table(&[(0, 5), (1, 0)])],
        );
        assert_eq!(normalized(&given).as_deref(), Some(stored.as_str()));
        assert_eq!(normalized(&stored), None);
    }
}
