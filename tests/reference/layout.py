"""The layout of a PDF: pages, elements and tables over ranges of the prepared text.

1. Pages are judged first, because elements and tables refer to them; then elements, then tables.
2. Page numbers are unique. When any page is declared, an element or a table names a declared one.
3. A cell's row and column are unique inside its table; spans are not compared.
4. Bounds lie inside their page when that page is declared; a cell is on the page of its table.
5. Each array holds at most 10,000 entries.
6. Import re-sorts a layout, stably: pages by number; elements by range start, range end, page and
   kind; cells by row, column and range start; then tables by page and the start of the first cell.
"""

from __future__ import annotations

from tests.reference.outcome import check_range
from tests.reference.refusal import Json, join
from tests.reference.wire import (
    inconsistent,
    invalid,
    require_array,
    require_integer,
    require_members,
    require_number,
    require_word,
)

MOST_ENTRIES = 10_000
UNITS = ("points", "pixels", "normalized")
ROTATIONS = (0, 90, 180, 270)
KINDS = ("heading", "paragraph", "list", "table", "table-cell", "figure", "other")
Pages = dict[int, dict[str, Json]]


def check_layout(value: Json, pointer: str, artifact: dict[str, Json] | None) -> None:
    if artifact is None:
        raise inconsistent(pointer, "a layout needs a prepared artifact")
    layout = require_members(value, pointer, ("elements",), ("pages", "tables"))
    length = artifact["contentLength"]
    pages: Pages = {}
    for place, page in _entries(layout.get("pages", []), join(pointer, "pages")):
        number = _check_page(page, place)
        if number in pages:
            raise inconsistent(join(place, "pageNumber"), "the page is declared twice")
        pages[number] = page
    for place, element in _entries(layout["elements"], join(pointer, "elements")):
        _check_element(element, place, pages, length)
    for place, table in _entries(layout.get("tables", []), join(pointer, "tables")):
        _check_table(table, place, pages, length)


def _entries(value: Json, pointer: str) -> list[tuple[str, Json]]:
    entries = require_array(value, pointer)
    if len(entries) > MOST_ENTRIES:
        raise invalid(pointer, f"more than {MOST_ENTRIES} entries")
    return [(join(pointer, at), entry) for at, entry in enumerate(entries)]


def _check_page(value: Json, pointer: str) -> int:
    page = require_members(value, pointer, ("pageNumber", "width", "height", "unit"), ("rotation",))
    number = require_integer(page["pageNumber"], join(pointer, "pageNumber"), least=1)
    _require_size(page, "width", pointer)
    _require_size(page, "height", pointer)
    require_word(page["unit"], join(pointer, "unit"), UNITS)
    place = join(pointer, "rotation")
    if require_integer(page.get("rotation", 0), place) not in ROTATIONS:
        raise invalid(place, "not a quarter turn")
    return number


def _require_size(members: dict[str, Json], name: str, pointer: str) -> None:
    if require_number(members[name], join(pointer, name)) <= 0:
        raise invalid(join(pointer, name), "must be above 0")


def _require_position(members: dict[str, Json], name: str, pointer: str) -> None:
    if require_number(members[name], join(pointer, name)) < 0:
        raise invalid(join(pointer, name), "must not be below 0")


def _check_element(value: Json, pointer: str, pages: Pages, length: int) -> None:
    element = require_members(
        value, pointer, ("kind", "pageNumber", "range"), ("providerType", "bounds")
    )
    require_word(element["kind"], join(pointer, "kind"), KINDS)
    page = _check_page_number(element, pointer, pages)
    _check_text_range(element["range"], join(pointer, "range"), length)
    if not isinstance(element.get("providerType", ""), str):
        raise invalid(join(pointer, "providerType"), "must be text")
    if "bounds" in element:
        _check_bounds(element["bounds"], join(pointer, "bounds"), page)


def _check_page_number(
    members: dict[str, Json], pointer: str, pages: Pages
) -> dict[str, Json] | None:
    place = join(pointer, "pageNumber")
    number = require_integer(members["pageNumber"], place, least=1)
    if pages and number not in pages:
        raise inconsistent(place, "the page is not declared")
    return pages.get(number)


def _check_table(value: Json, pointer: str, pages: Pages, length: int) -> None:
    table = require_members(value, pointer, ("pageNumber", "cells"), ("bounds",))
    page = _check_page_number(table, pointer, pages)
    seen: set[tuple[int, int]] = set()
    for place, cell in _entries(table["cells"], join(pointer, "cells")):
        position = _check_cell(cell, place, page, length)
        if position in seen:
            raise inconsistent(place, "two cells at one row and column")
        seen.add(position)
    if "bounds" in table:
        _check_bounds(table["bounds"], join(pointer, "bounds"), page)


def _check_cell(
    value: Json, pointer: str, page: dict[str, Json] | None, length: int
) -> tuple[int, int]:
    cell = require_members(
        value,
        pointer,
        ("rowIndex", "columnIndex", "range"),
        ("rowSpan", "columnSpan", "bounds"),
    )
    row = require_integer(cell["rowIndex"], join(pointer, "rowIndex"))
    column = require_integer(cell["columnIndex"], join(pointer, "columnIndex"))
    _check_text_range(cell["range"], join(pointer, "range"), length)
    for name in ("rowSpan", "columnSpan"):
        if name in cell:
            require_integer(cell[name], join(pointer, name), least=1)
    if "bounds" in cell:
        _check_bounds(cell["bounds"], join(pointer, "bounds"), page)
    return row, column


def _check_text_range(value: Json, pointer: str, length: int) -> None:
    check_range(require_members(value, pointer, ("start", "end")), pointer, length)


def _check_bounds(value: Json, pointer: str, page: dict[str, Json] | None) -> None:
    bounds = require_members(value, pointer, ("x", "y", "width", "height"))
    _require_position(bounds, "x", pointer)
    _require_position(bounds, "y", pointer)
    _require_size(bounds, "width", pointer)
    _require_size(bounds, "height", pointer)
    if page is None:
        return
    across = float(bounds["x"]) + float(bounds["width"])
    down = float(bounds["y"]) + float(bounds["height"])
    if across > page["width"] or down > page["height"]:
        raise inconsistent(pointer, "the bounds leave the page")


def sorted_layout(layout: dict[str, Json]) -> dict[str, Json]:
    """Rule 6, for a layout that was checked."""
    result = dict(layout)
    if "pages" in layout:
        result["pages"] = sorted(layout["pages"], key=lambda page: page["pageNumber"])
    result["elements"] = sorted(
        layout["elements"],
        key=lambda element: (
            element["range"]["start"],
            element["range"]["end"],
            element["pageNumber"],
            element["kind"],
        ),
    )
    if "tables" in layout:
        tables = [{**table, "cells": _sorted_cells(table["cells"])} for table in layout["tables"]]
        result["tables"] = sorted(tables, key=_table_order)
    return result


def _sorted_cells(cells: list[Json]) -> list[Json]:
    return sorted(
        cells, key=lambda cell: (cell["rowIndex"], cell["columnIndex"], cell["range"]["start"])
    )


def _table_order(table: dict[str, Json]) -> tuple[int, int]:
    first = table["cells"][0]["range"]["start"] if table["cells"] else 0
    return table["pageNumber"], first
