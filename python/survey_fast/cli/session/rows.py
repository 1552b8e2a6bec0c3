"""What an item is called by its field: ``lineItems[]`` is ``lineItems[0]`` in its first row.

1. Which row an item stands for is told by its import. Where none is known, or the field is in no
   list, the item is called by its target as it is.
2. Indices that the brackets of a target have no place for stand behind it, as in ``total#2``.
3. A name that is a target as it stands means every item about it, and never a row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from survey_fast.canon import Json
from survey_fast.cli.nearest import nearest
from survey_fast.imports.path_indices import Indices, proposal_rows
from survey_fast.review.decisions import Item, candidates_of, item_name
from survey_fast.review.display import EXTRACTION_KEY

__all__ = ["Rows", "is_by_row", "name_items", "row_name"]

_ROW: Final = re.compile(r"\[[0-9]{1,16}\]|#[0-9.]+$")
_LIST: Final = "[]"


def row_name(target: str, indices: Indices | None) -> str:
    """The name of a field in one row."""
    if not indices:
        return target
    parts = target.split(_LIST)
    if len(parts) != len(indices) + 1:
        return f"{target}#{'.'.join(map(str, indices))}"
    named = (f"{part}[{index}]" for part, index in zip(parts, indices, strict=False))
    return f"{''.join(named)}{parts[-1]}"


class Rows:
    """The items of a queue by field and row.

    Args:
        items: the items, each with a name, a target and candidates.
        record: the record of the import that they come from, if one is known.
    """

    def __init__(self, items: Sequence[Item], record: bytes | None) -> None:
        self._of_target: dict[str, list[Item]] = {}
        for item in items:
            self._of_target.setdefault(item["spec"]["target"], []).append(item)
        is_listed = any(_LIST in target for target in self._of_target)
        are_told_apart = is_listed or len(self._of_target) < len(items)
        self._indices: Mapping[str, Indices] = {}
        if record is not None and are_told_apart:
            self._indices = _indices_of(items, record)
        self._of_row: dict[str, list[Item]] = {}
        for item in items:
            if item_name(item) in self._indices:
                self._of_row.setdefault(self.field(item), []).append(item)

    def indices(self, item: Item) -> Indices | None:
        """Where an item stands in the lists of its field, if it stands in one."""
        return self._indices.get(item_name(item))

    def field(self, item: Item) -> str:
        """The name of an item by its field."""
        return row_name(item["spec"]["target"], self.indices(item))

    def about(self, field: str) -> Sequence[Item]:
        """The items that a field, or a row of one, names; in queue order."""
        return self._of_target[field] if field in self._of_target else self._of_row.get(field, [])

    def near(self, field: str) -> list[str]:
        """Names that a mistyped ``field`` may have meant, the nearest first."""
        target = re.sub(r"\[[0-9]*\]", _LIST, field)
        rows = self._of_target.get(target, ())
        if len(rows) == 1:
            return [self.field(rows[0])]
        if rows:
            return list(dict.fromkeys(self.field(one) for one in (rows[0], rows[-1])))
        return nearest(target, self._of_target)


def is_by_row(request: Json) -> bool:
    """Whether a request for a decision names its item by a row, as far as the name shows."""
    field = request.get("field") if isinstance(request, dict) and "item" not in request else None
    return isinstance(field, str) and _ROW.search(field) is not None


def name_items(requests: Sequence[Json], rows: Rows) -> list[Json]:
    """The requests, those by a row of one item with that item's name instead.

    Any other stays as it is: who decides knows fields, and says what is wrong with a name.
    """
    return [_named(request, rows) for request in requests]


def _named(request: Json, rows: Rows) -> Json:
    if not isinstance(request, dict) or not is_by_row(request):
        return request
    about = rows.about(str(request["field"]))
    if len(about) != 1:
        return request
    rest = {name: part for name, part in request.items() if name != "field"}
    return {"item": item_name(about[0]), **rest}


def _indices_of(items: Sequence[Item], record: bytes) -> dict[str, Indices]:
    known = proposal_rows(record)
    found = {}
    for item in items:
        index = _proposal(item, known.import_name)
        if index is None or not 0 <= index < len(known.indices):
            continue
        indices = known.indices[index]
        if indices is not None:
            found[item_name(item)] = indices
    return found


def _proposal(item: Item, import_name: str) -> int | None:
    """The first proposal that an item stands for, when it comes from this import."""
    for candidate in candidates_of(item):
        producer = candidate.get("producer")
        binding = producer.get(EXTRACTION_KEY) if isinstance(producer, Mapping) else None
        if isinstance(binding, Mapping) and binding.get("importName") == import_name:
            index = binding.get("proposalIndex")
            return index if type(index) is int else None
    return None
