//! The page layout of a PDF: ranges of the prepared text, and where on which page they stand.

use super::artifact::Artifact;
use super::coverage::check_range;
use super::shape::{
    array, closed, each, inconsistent, integer, invalid, number, one_of, optional, positive, string,
};
use crate::document::Value;
use crate::error::{Checked, Path};
use crate::limits;
use std::collections::{BTreeMap, BTreeSet};

const UNITS: [&str; 3] = ["points", "pixels", "normalized"];
const ROTATIONS: [&str; 4] = ["0", "90", "180", "270"];
const KINDS: [&str; 7] = [
    "heading",
    "paragraph",
    "list",
    "table",
    "table-cell",
    "figure",
    "other",
];

/// Width and height of a page.
type Size = (f64, f64);

struct Layout {
    pages: BTreeMap<usize, Size>,
    content_length: usize,
}

/// Reads `result.pdfLayout`.
pub(super) fn check(
    layout: Value<'_>,
    artifact: Option<&Artifact<'_>>,
    at: &Path<'_>,
) -> Checked<()> {
    let Some(artifact) = artifact else {
        return Err(inconsistent(
            at,
            "a page layout needs the preparedArtifact whose ranges it names",
        ));
    };
    let ([elements], [pages, tables]) = closed(layout, at, ["elements"], ["pages", "tables"])?;
    let pages = optional(pages, &at.name("pages"), check_pages)?.unwrap_or_default();
    let layout = Layout {
        pages,
        content_length: artifact.content_length,
    };
    entries(elements, &at.name("elements"), |element, at| {
        layout.check_element(element, at)
    })?;
    optional(tables, &at.name("tables"), |tables, at| {
        entries(tables, at, |table, at| layout.check_table(table, at))
    })?;
    Ok(())
}

/// Applies `check` to every element of an array that is not too long.
fn entries<'d>(
    value: Value<'d>,
    at: &Path<'_>,
    check: impl FnMut(Value<'d>, &Path<'_>) -> Checked<()>,
) -> Checked<()> {
    if array(value, at)?.count() > limits::LAYOUT_ENTRIES {
        return Err(invalid(
            at,
            format!("at most {} entries belong here", limits::LAYOUT_ENTRIES),
        ));
    }
    each(value, at, check)
}

fn check_pages(pages: Value<'_>, at: &Path<'_>) -> Checked<BTreeMap<usize, Size>> {
    let mut sizes = BTreeMap::new();
    entries(pages, at, |page, at| {
        let ([page_number, width, height, unit], [rotation]) = closed(
            page,
            at,
            ["pageNumber", "width", "height", "unit"],
            ["rotation"],
        )?;
        let page_number = positive(page_number, &at.name("pageNumber"))?;
        let size = (
            extent(width, &at.name("width"))?,
            extent(height, &at.name("height"))?,
        );
        one_of(unit, &at.name("unit"), &UNITS)?;
        if rotation.is_some_and(|rotation| !ROTATIONS.contains(&rotation.text())) {
            return Err(invalid(
                &at.name("rotation"),
                "a page is turned by 0, 90, 180 or 270",
            ));
        }
        if sizes.insert(page_number, size).is_some() {
            return Err(inconsistent(
                &at.name("pageNumber"),
                "another page has this number",
            ));
        }
        Ok(())
    })?;
    Ok(sizes)
}

/// A number above zero.
fn extent(value: Value<'_>, at: &Path<'_>) -> Checked<f64> {
    let extent = number(value, at)?;
    if extent > 0.0 {
        Ok(extent)
    } else {
        Err(invalid(at, "a number above zero belongs here"))
    }
}

/// A number from zero upwards.
fn offset(value: Value<'_>, at: &Path<'_>) -> Checked<f64> {
    let offset = number(value, at)?;
    if offset >= 0.0 {
        Ok(offset)
    } else {
        Err(invalid(at, "a number from zero upwards belongs here"))
    }
}

impl Layout {
    fn check_element(&self, element: Value<'_>, at: &Path<'_>) -> Checked<()> {
        let ([kind, page_number, range], [provider_type, bounds]) = closed(
            element,
            at,
            ["kind", "pageNumber", "range"],
            ["providerType", "bounds"],
        )?;
        one_of(kind, &at.name("kind"), &KINDS)?;
        let page = self.check_page_number(page_number, &at.name("pageNumber"))?;
        self.check_text_range(range, &at.name("range"))?;
        optional(provider_type, &at.name("providerType"), string)?;
        optional(bounds, &at.name("bounds"), |bounds, at| {
            check_bounds(bounds, page, at)
        })?;
        Ok(())
    }

    fn check_table(&self, table: Value<'_>, at: &Path<'_>) -> Checked<()> {
        let ([page_number, cells], [bounds]) =
            closed(table, at, ["pageNumber", "cells"], ["bounds"])?;
        let page = self.check_page_number(page_number, &at.name("pageNumber"))?;
        let mut taken = BTreeSet::new();
        entries(cells, &at.name("cells"), |cell, at| {
            if taken.insert(self.check_cell(cell, page, at)?) {
                return Ok(());
            }
            Err(inconsistent(
                at,
                "another cell of this table has the same row and column",
            ))
        })?;
        optional(bounds, &at.name("bounds"), |bounds, at| {
            check_bounds(bounds, page, at)
        })?;
        Ok(())
    }

    /// Gives row and column.
    fn check_cell(
        &self,
        cell: Value<'_>,
        page: Option<Size>,
        at: &Path<'_>,
    ) -> Checked<(usize, usize)> {
        let ([row, column, range], [row_span, column_span, bounds]) = closed(
            cell,
            at,
            ["rowIndex", "columnIndex", "range"],
            ["rowSpan", "columnSpan", "bounds"],
        )?;
        let row = integer(row, &at.name("rowIndex"))?;
        let column = integer(column, &at.name("columnIndex"))?;
        self.check_text_range(range, &at.name("range"))?;
        optional(row_span, &at.name("rowSpan"), positive)?;
        optional(column_span, &at.name("columnSpan"), positive)?;
        optional(bounds, &at.name("bounds"), |bounds, at| {
            check_bounds(bounds, page, at)
        })?;
        Ok((row, column))
    }

    /// The size of the page of that number; none where the layout declares no pages.
    fn check_page_number(&self, value: Value<'_>, at: &Path<'_>) -> Checked<Option<Size>> {
        let page = self.pages.get(&positive(value, at)?).copied();
        if page.is_none() && !self.pages.is_empty() {
            return Err(inconsistent(
                at,
                "the layout declares no page of this number",
            ));
        }
        Ok(page)
    }

    fn check_text_range(&self, range: Value<'_>, at: &Path<'_>) -> Checked<()> {
        let ([start, end], []) = closed(range, at, ["start", "end"], [])?;
        check_range(start, end, self.content_length, at).map(drop)
    }
}

fn check_bounds(bounds: Value<'_>, page: Option<Size>, at: &Path<'_>) -> Checked<()> {
    let ([x, y, width, height], []) = closed(bounds, at, ["x", "y", "width", "height"], [])?;
    let (x, y) = (offset(x, &at.name("x"))?, offset(y, &at.name("y"))?);
    let (width, height) = (
        extent(width, &at.name("width"))?,
        extent(height, &at.name("height"))?,
    );
    if page.is_some_and(|page| x + width > page.0 || y + height > page.1) {
        return Err(inconsistent(at, "these bounds reach beyond their page"));
    }
    Ok(())
}
