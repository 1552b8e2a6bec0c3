"""Five ways to tamper with a stored queue, and which check sees each of them.

Every edit is made the way a careful forger would make it: the rest of the queue stays consistent,
and where the story says so the binding is taken again, by the very function that takes the
genuine one. The import record is never touched.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from survey_fast.attest import (
    bind_review_queue,
    validate_review_queue_against_extraction_import,
    validate_review_queue_binding,
)
from survey_fast.canon import document_bytes
from survey_fast.cli.demo_scale import Scale
from survey_fast.cli.import_summary import PRODUCER_KEY
from survey_fast.cli.output import Output, quoted

__all__ = ["Outcome", "run_tampers", "tell_tampers"]

Item: TypeAlias = dict[str, Any]
Items: TypeAlias = list[Item]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One forgery: what was done, and the codes each check gave."""

    name: str
    title: str
    changed: str
    binding_codes: list[str]
    import_codes: list[str]

    @property
    def is_refused(self) -> bool:
        """Whether any check saw it."""
        return bool(self.binding_codes or self.import_codes)

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        codes = [*self.binding_codes, *self.import_codes]
        seen_by = {"binding": self.binding_codes, "import": self.import_codes}
        return {
            "tamper": self.name,
            "changed": self.changed,
            "refused": self.is_refused,
            "code": codes[0] if codes else None,
            "seenBy": [check for check, found in seen_by.items() if found],
            "bindingCodes": self.binding_codes,
            "importCodes": self.import_codes,
        }


@dataclass(frozen=True, slots=True)
class Tamper:
    """A forgery: an edit of the items that tells what it changed, and whether it binds anew."""

    name: str
    title: str
    edit: Callable[[Items], str]
    rebinds: bool = False


def run_tampers(scale: Scale) -> list[Outcome]:
    """Commit all five, each on a copy of the genuine queue."""
    genuine = json.loads(scale.snapshot)
    return [_commit(tamper, genuine, scale) for tamper in _TAMPERS]


def _commit(tamper: Tamper, genuine: dict[str, Any], scale: Scale) -> Outcome:
    items = list(genuine["items"])
    changed = tamper.edit(items)
    edited = document_bytes({**genuine, "items": items})
    binding = scale.binding
    if tamper.rebinds:
        binding = bind_review_queue(
            edited,
            session_name=scale.session_name,
            bound_at=binding["spec"]["boundAt"],
            limits=scale.caps,
        )
    against_binding = validate_review_queue_binding(
        binding, edited, session_name=scale.session_name, limits=scale.caps
    )
    against_import = validate_review_queue_against_extraction_import(
        edited, scale.imported, limits=scale.caps
    )
    return Outcome(
        name=tamper.name,
        title=tamper.title,
        changed=changed,
        binding_codes=list(dict.fromkeys(issue.code for issue in against_binding)),
        import_codes=list(dict.fromkeys(issue.code for issue in against_import)),
    )


def _middle_number(items: Items) -> int:
    """Place of an item in the middle of the queue that has one number to decide."""
    for place in range(len(items) // 2, len(items)):
        candidates = items[place]["spec"]["candidates"]
        if len(candidates) == 1 and items[place]["spec"]["valueDescriptor"]["type"] == "number":
            return place
    message = "every register of contracts has amounts"
    raise AssertionError(message)


def _edit_value(items: Items) -> str:
    place = _middle_number(items)
    item = items[place] = deepcopy(items[place])
    candidate = item["spec"]["candidates"][0]
    before = candidate["value"]
    candidate["value"] = before + 10_000
    spelled, instead = f"{before:,}", f"{before + 10_000:,}"
    locator = candidate["locator"]
    locator["excerpt"] = locator["excerpt"].replace(spelled, instead)
    return f"{item['spec']['target']}: {spelled} became {instead}, in the quotation as well"


def _remove(items: Items) -> str:
    place = _middle_number(items)
    removed = items.pop(place)
    return f"{removed['spec']['target']} was taken out; {len(items):,} others are untouched"


def _add(items: Items) -> str:
    added = deepcopy(items[_middle_number(items)])
    field = "contracts.99999.annualFee"
    added["metadata"]["name"] = "extraction-envelope.0badc0de0badc0de0bad"
    added["spec"]["target"] = field
    candidate = added["spec"]["candidates"][0]
    candidate["id"] = "extraction-envelope.0badc0de0badc0de0bad.proposed"
    candidate["extraction"]["extractionId"] = "extraction-envelope.0badc0de0badc0de0bad"
    candidate["extraction"]["target"] = field
    candidate["claimTarget"]["subjectId"] = "contract-99999"
    items.append(added)
    return f"{field}: {quoted(candidate['value'])} was put in, with all that belongs to an item"


def _delete_rival(items: Items) -> str:
    for place, item in enumerate(items):
        if "excludedProposals" in item["metadata"]["producer"][PRODUCER_KEY]:
            edited = items[place] = deepcopy(item)
            entry = edited["metadata"]["producer"][PRODUCER_KEY].pop("excludedProposals")[0]
            return (
                f"{item['spec']['target']}: nothing shows any longer that "
                f"{quoted(entry['value'], 40)} was proposed"
            )
    message = "one proposal misquotes the document"
    raise AssertionError(message)


_TAMPERS: Final = (
    Tamper("value-edited", "A value is edited", _edit_value),
    Tamper("item-removed", "An item is removed", _remove),
    Tamper("item-added", "An item is added", _add),
    Tamper(
        "edited-and-rebound",
        "A value is edited, and the binding taken again",
        _edit_value,
        rebinds=True,
    ),
    Tamper(
        "excluded-rival-deleted",
        "An excluded rival is deleted, and the binding taken again",
        _delete_rival,
        rebinds=True,
    ),
)


def tell_tampers(output: Output, outcomes: list[Outcome], items: int) -> None:
    """Each forgery with the answer of both checks."""
    output.line()
    output.line("6. Five ways to tamper with it", "heading")
    output.line()
    output.paragraph(
        f"Each is done to its own copy of the {items:,} items, and everything around the edit is "
        "kept consistent. The import record stays as it is."
    )
    for place, outcome in enumerate(outcomes, 1):
        output.line()
        output.line(f"  {place}. {outcome.title}")
        output.paragraph(outcome.changed, indent="     ", style="quiet")
        _tell_check(output, "binding", outcome.binding_codes)
        _tell_check(output, "import", outcome.import_codes)
    output.line()
    output.paragraph(
        "A binding that was taken again fits the forgery; deriving the items anew from the import "
        "still shows it. The binding in turn shows changes around the items, such as another "
        "reviewer."
    )
    unseen = [outcome.title for outcome in outcomes if not outcome.is_refused]
    output.line()
    if unseen:
        output.paragraph(f"NOT NOTICED: {'; '.join(unseen)}", style="bad")
    else:
        output.line("All five were refused.", "good")


def _tell_check(output: Output, check: str, codes: list[str]) -> None:
    if codes:
        output.line(f"     {check:<9}refused   {', '.join(codes)}", "bad")
    else:
        output.line(f"     {check:<9}passes")
