"""The clauses that made-up contracts consist of, and the values written into them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from survey_fast.canon import Json

__all__ = ["FIELDS", "VENDORS", "Field"]

VENDORS: Final = (
    "Northwind Office Supply Ltd.",
    "Müller & Söhne Gebäudetechnik GmbH",
    "𠮷野 Logistics K.K.",
    "Atlas Records Management, Inc.",
    "Société Générale d'Entretien S.A.",
    "Harbour Lights Catering Pty Ltd",
    "Łódź Data Hosting Sp. z o.o.",
)
_LAWS: Final = ("England and Wales", "Germany", "Japan", "New York", "Netherlands")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a contract: its clause, its type, and its value for a number."""

    name: str
    value_type: str
    impact: str
    clause: str
    choices: tuple[str, ...] = ()

    def value(self, n: int) -> tuple[Json, str]:
        """The value that belongs to ``n``, and how the clause spells it."""
        match self.value_type:
            case "number":
                amount = 12_000 + n * 137 % 880_000
                return amount, f"{amount:,}"
            case "date":
                day = f"{2024 + n % 4}-{1 + n % 12:02}-{1 + n % 28:02}"
                return day, day
            case "boolean":
                renews = n % 2 == 0
                return renews, "shall" if renews else "shall not"
            case "enum":
                choice = self.choices[n % len(self.choices)]
                return choice, choice
            case _:
                vendor = f"{VENDORS[n % len(VENDORS)]} (register no. {40_000 + n})"
                return vendor, vendor


FIELDS: Final = (
    Field(
        "vendorName",
        "string",
        "high",
        "This agreement is made between the Customer named on the cover page and {value}, acting "
        "for itself and for its affiliates listed in Annex B, together the Vendor.",
    ),
    Field(
        "annualFee",
        "number",
        "high",
        "For the services of Schedule B, {vendor} shall invoice the Customer a fixed annual fee "
        "of EUR {value}, payable within thirty days of receipt unless it is disputed in writing.",
    ),
    Field(
        "governingLaw",
        "enum",
        "medium",
        "This agreement and everything that arises from it is governed by the law of {value}, and "
        "the courts of that place alone may hear a dispute between the Customer and {vendor}.",
        _LAWS,
    ),
    Field(
        "effectiveDate",
        "date",
        "medium",
        "The term begins on {value}, whatever the day on which the last party signed, and runs "
        "for thirty-six months unless {vendor} or the Customer ends it earlier.",
    ),
    Field(
        "autoRenewal",
        "boolean",
        "high",
        "At the end of the term this agreement {value} renew for a further period of twelve "
        "months, unless the Customer tells {vendor} otherwise at least ninety days ahead.",
    ),
    Field(
        "liabilityCap",
        "number",
        "critical",
        "Save for wilful default and for injury to persons, what either party owes the other in "
        "any contract year is limited to EUR {value} in total, and {vendor} shall hold insurance "
        "that covers at least that amount.",
    ),
    Field(
        "invoiceCurrency",
        "enum",
        "low",
        "All invoices of {vendor} are drawn up in {value}; where a third party charges in "
        "another currency, the reference rate on the day of the invoice applies.",
        ("EUR", "GBP", "JPY", "PLN", "USD"),
    ),
    Field(
        "terminationDate",
        "date",
        "medium",
        "Unless it is renewed, this agreement ends on {value} without notice being needed, and "
        "{vendor} shall within thirty days return or destroy every record that it holds.",
    ),
    Field(
        "subcontracting",
        "boolean",
        "medium",
        "{vendor} {value} be free to pass parts of the services on to subcontractors, remaining "
        "liable for them as for itself; those engaged are listed in Annex E.",
    ),
    Field(
        "serviceCredit",
        "number",
        "low",
        "Where availability in a month falls short of Annex C, {vendor} shall credit the Customer "
        "with EUR {value} for each full hour that was missed, set off against the next invoice.",
    ),
)
