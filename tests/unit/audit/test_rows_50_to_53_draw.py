"""The audit draw and the round that is opened over it.

Proves the rows 50, 51 and 52 of the edge table. Row 53 belongs to calibration: that a blind
sample of the kind "queue" is recorded is proven here, that it is no audit label is proven there.
"""

import copy
import math
from types import MappingProxyType

import pytest
from tests.reference.draw import draw
from tests.unit.attest.samples import imported, names_of, opened

from survey_fast import draw_random_audit_sample, open_random_audit_session
from survey_fast.errors import AuditError, JsonError, QueueError, SurveyError

NAMES = [f"item-{number}" for number in range(40)] + ["\u00e9", "\U0001f600", 'a"b\\c', "\x01"]
OPENING = {"reviewed_at": "2026-10-01T09:00:00.000Z", "actor_id": "ana"}
GOLDEN = {
    "seed-a": {
        "item-1": 0.7896041794789928,
        "item-2": 0.3738529920218592,
        "item-3": 0.2748268757463448,
    },
    "audit-2026-09": {
        "public-directory-hours": 0.9300332376275484,
        "public-directory-phone": 0.8920995639033356,
    },
}


def item(name, **members):
    return {"metadata": {"name": name}, **members}


@pytest.mark.parametrize("seed", GOLDEN)
def test_published_numbers(seed):
    for name, number in GOLDEN[seed].items():
        assert draw_random_audit_sample([name], rate=number, seed=seed) == []
        above = math.nextafter(number, 1)
        assert draw_random_audit_sample([name], rate=above, seed=seed) == [name]


@pytest.mark.parametrize("rate", [1e-9, 0.25, 0.5, 0.75, 0.999, 1, 1.0])
def test_row_50_order_is_kept_and_does_not_matter(rate):
    sample = draw_random_audit_sample(NAMES, rate=rate, seed="s")
    assert sample == draw(NAMES, rate=rate, seed="s")
    assert sample == [name for name in NAMES if name in sample]
    assert draw_random_audit_sample(NAMES[::-1], rate=rate, seed="s") == sample[::-1]
    assert draw_random_audit_sample(tuple(sorted(NAMES)), rate=rate, seed="s") == sorted(sample)


def test_row_51_the_draw_over_a_part_is_the_part_of_the_draw():
    sample = draw_random_audit_sample(NAMES, rate=0.4, seed="s")
    for part in (NAMES[::2], NAMES[5:9], NAMES[-4:], []):
        expected = [name for name in part if name in sample]
        assert draw_random_audit_sample(part, rate=0.4, seed="s") == expected


def test_a_larger_rate_takes_no_name_away():
    kept = []
    for rate in (0.1, 0.3, 0.6, 0.9, 1):
        sample = draw_random_audit_sample(NAMES, rate=rate, seed="s")
        assert set(kept) <= set(sample)
        kept = sample


def test_row_52_rate_one_is_everything():
    assert draw_random_audit_sample(NAMES, rate=1, seed="s") == NAMES
    assert draw_random_audit_sample([], rate=1, seed="s") == []


@pytest.mark.parametrize(
    "rate", [math.nan, math.inf, -math.inf, 0, -0.0, -0.1, 1.01, math.nextafter(1, 2), 10**400]
)
def test_row_52_rates_out_of_range(rate):
    for act in (
        lambda: draw_random_audit_sample(["a"], rate=rate, seed="s"),
        lambda: draw_random_audit_sample([], rate=rate, seed="s"),
        lambda: open_random_audit_session([item("a")], rate=rate, seed="s", **OPENING),
    ):
        with pytest.raises(AuditError) as caught:
            act()
        assert (caught.value.code, caught.value.pointer) == ("audit-options-invalid", "/rate")


@pytest.mark.parametrize(
    "seed", ["", " ", "a b", "-a", ".a", "a\n", "\u00e9", "a\u00e9", "\u0661", "a" * 257]
)
def test_row_52_seeds_out_of_shape(seed):
    with pytest.raises(AuditError) as caught:
        draw_random_audit_sample(["a"], rate=1, seed=seed)
    assert (caught.value.code, caught.value.pointer) == ("audit-options-invalid", "/seed")


def test_seeds_in_shape():
    for seed in ("a", "0", "Z._:@/+~-", "a" * 256):
        assert draw_random_audit_sample(["a"], rate=1, seed=seed) == ["a"]


def test_row_52_duplicate_names():
    for queue in (["a", "b", "a"], [item("a"), item("a", spec=1)]):
        with pytest.raises(QueueError) as caught:
            draw_random_audit_sample(queue, rate=1, seed="s")
        assert caught.value.code == "ambiguous-item-identity"


def test_row_52_empty_draw_on_open():
    with pytest.raises(AuditError) as caught:
        open_random_audit_session([item("item-1")], rate=0.5, seed="seed-a", **OPENING)
    assert caught.value.code == "audit-sample-empty"
    with pytest.raises(AuditError, match="audit-sample-empty"):
        open_random_audit_session([], rate=1, seed="seed-a", **OPENING)


def test_items_come_back_as_they_were_given():
    queue = [item("item-1", spec=[1]), item("item-2"), MappingProxyType(item("item-3"))]
    sample = draw_random_audit_sample(queue, rate=0.5, seed="seed-a")
    assert [id(one) for one in sample] == [id(queue[1]), id(queue[2])]


@pytest.mark.parametrize(
    ("queue", "pointer"),
    [
        ([{}], "/0/metadata/name"),
        ([item("a"), {"metadata": None}], "/1/metadata/name"),
        ([item("a"), item(""), item("b")], "/1/metadata/name"),
        ([item(None)], "/0/metadata/name"),
        ([item(7)], "/0/metadata/name"),
    ],
    ids=["no metadata", "metadata null", "empty", "null", "number"],
)
def test_an_item_without_a_name(queue, pointer):
    with pytest.raises(QueueError) as caught:
        draw_random_audit_sample(queue, rate=1, seed="s")
    assert (caught.value.code, caught.value.pointer) == ("queue-malformed", pointer)


def test_half_a_surrogate_pair_is_refused():
    for options in ({"rate": 1, "seed": "\ud800"}, {"rate": 1, "seed": "s"}):
        with pytest.raises(SurveyError):
            draw_random_audit_sample(["a", "\udc00"], **options)
    with pytest.raises(JsonError, match="json-lone-surrogate"):
        draw_random_audit_sample(["\udc00"], rate=1, seed="s")


@pytest.mark.parametrize("rate", [True, "0.5", None, 1j])
def test_a_rate_is_a_number(rate):
    with pytest.raises(TypeError, match="rate"):
        draw_random_audit_sample(["a"], rate=rate, seed="s")


def test_other_arguments_of_a_wrong_type():
    with pytest.raises(TypeError, match="seed"):
        draw_random_audit_sample(["a"], rate=1, seed=7)
    for queue in ("abc", b"[]", {"items": []}, {"a"}, None):
        with pytest.raises(TypeError, match="sequence"):
            draw_random_audit_sample(queue, rate=1, seed="s")
    for queue in ([7], [None], [["a"]]):
        with pytest.raises(TypeError, match="mapping or a name"):
            draw_random_audit_sample(queue, rate=1, seed="s")


def test_opening_an_audit():
    items = imported().review_items
    before = copy.deepcopy(items)
    snapshot = open_random_audit_session(items, rate=0.75, seed="q3-2026", **OPENING)
    drawn = draw(names_of(items), rate=0.75, seed="q3-2026")
    assert names_of(snapshot) == drawn
    assert snapshot == {
        "activeItemName": drawn[0],
        "actorId": "ana",
        "decisionsByItemName": {},
        "editedValuesByItemName": {},
        "items": [one for one in items if one["metadata"]["name"] in drawn],
        "notesByItemName": {},
        "presentation": {"scoreBlind": True},
        "reviewedAt": "2026-10-01T09:00:00.000Z",
        "sampling": {"kind": "random-audit", "rate": 0.75, "seed": "q3-2026"},
    }
    snapshot["items"][0]["spec"]["target"] = "changed"
    assert items == before


def test_row_53_a_blind_queue_sample_is_recorded():
    conditions = {"presentation": {"scoreBlind": True}, "sampling": {"kind": "queue"}}
    snapshot = opened(imported(), **conditions)
    assert {name: snapshot[name] for name in conditions} == conditions
