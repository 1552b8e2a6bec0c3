"""The published JSON Schemas, with instants asserted; an oracle that never ships."""

from __future__ import annotations

import calendar
import json
import re
from functools import cache

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from tests.unit.trust.bundles import SCHEMAS

INSTANT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](\d\d):(\d\d))", re.ASCII
)
CHECKER = FormatChecker(formats=())


@CHECKER.checks("date-time")
def is_date_time(value):
    """RFC 3339, where a leap second may stand in any minute."""
    parts = INSTANT.fullmatch(value) if isinstance(value, str) else None
    if parts is None:
        return not isinstance(value, str)
    year, month, day, hour, minute, second, *offset = (int(part or 0) for part in parts.groups())
    if not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(year or 4, month)[1]:
        return False
    return hour < 24 and minute < 60 and second <= 60 and offset[0] < 24 and offset[1] < 60


@cache
def _validator(folder, name):
    documents = [json.loads(path.read_bytes()) for path in (SCHEMAS / folder).glob("*.json")]
    registry = Registry().with_resources(
        (one["$id"], Resource.from_contents(one)) for one in documents
    )
    schema = next(one for one in documents if one["$id"].endswith(f"/{name}"))
    return Draft202012Validator(schema, registry=registry, format_checker=CHECKER)


def bundle_schema(folder):
    """The schema of a bundle, from ``surface-3.2.0`` or ``composed-v9``."""
    return _validator(folder, "trust-bundle.schema.json")


def report_schema():
    """The schema of a report over records of version 9."""
    return _validator("composed-v9", "trust-report.schema.json")
