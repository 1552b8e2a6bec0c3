"""Parts of the export that a stored run of today cannot show, each on data made for it.

Rows 44, 45, 47, 58, 59 and 60 of the edge table of runs; the refusals behind checks that opening a
run makes before them: a stamp that does not hold, a decision about what the queue lacks, an
extraction that is not grounded, and items that cannot be stated together or alone.
"""

import copy
from dataclasses import replace

import pytest
from tests.unit.runs.exporting import made
from tests.unit.runs.samples import conflict, decided, many, partial, refused, rival_misquoted

from survey_fast.canon import canonical_json
from survey_fast.errors import refusal
from survey_fast.imports import review_items
from survey_fast.review.apply import apply_history
from survey_fast.rounds import FIELD_STATE_KEY, DerivedImport
from survey_fast.runs.agreement import RAISED
from survey_fast.runs.export.attribution import require_attribution
from survey_fast.runs.export.coverage import coverage_summary, require_whole_extraction
from survey_fast.runs.export.exclusions import Projecting, projected, require_resolvable
from survey_fast.runs.export.export import require_exportable
from survey_fast.runs.export.round import Reviewed, export_round, read_origin
from survey_fast.runs.opened import open_metadata, open_run
from survey_fast.trust.export_scope import attributed_decisions, deciding_events
from survey_fast.trust.settled import settled_items

STAMP = "survey-fast/review-attribution"


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def results_of(run):
    return list(apply_history(run.state, run.log.events).results)


# Coverage


def chunk(number, status="complete", reason=None):
    one = {"chunk": number, "start": 0, "end": 1, "status": status}
    return one if reason is None else one | {"reason": reason}


def test_without_coverage_there_is_no_summary():
    assert coverage_summary({"outcome": {"status": "success"}}) is None


def test_row_58_chunks_that_were_only_counted_are_dropped():
    result = {"coverage": [chunk(1), chunk(2)], "partial": {"remainingChunks": 5}}
    assert coverage_summary(result) == {
        "chunkCount": 7,
        "incompleteChunkCount": 5,
        "droppedChunkCount": 5,
    }


def test_row_59_chunks_that_are_listed_unread_are_not_counted_twice():
    unread = [chunk(number, "unread", "not-dispatched") for number in (2, 3)]
    result = {"coverage": [chunk(1), *unread], "partial": {"remainingChunks": 2}}
    assert coverage_summary(result) == {"chunkCount": 3, "incompleteChunkCount": 2}


def test_row_60_a_chunk_with_two_records_counts_once_as_incomplete():
    result = {"coverage": [chunk(1), chunk(1, "output-truncated"), chunk(2)]}
    assert coverage_summary(result) == {"chunkCount": 2, "incompleteChunkCount": 1}


@pytest.mark.parametrize(
    ("result", "reasons"),
    [
        ({"outcome": {"status": "partial", "reason": "cancelled"}}, ["cancelled"]),
        ({"outcome": {"status": "failure", "code": "timeout"}}, ["timeout"]),
        ({"outcome": {"status": "failure"}}, ["failure"]),
        (
            {
                "outcome": {"status": "partial", "reason": "provider-failure"},
                "providerFailures": [{}],
            },
            ["provider-failure"],
        ),
    ],
)
def test_reasons_are_listed_once(result, reasons):
    require_whole_extraction({"outcome": {"status": "success"}, "providerFailures": []})
    found = refused("EXPORT_COVERAGE_INCOMPLETE", require_whole_extraction, result)
    assert found.details == {"reasons": reasons}


# Attribution


@pytest.fixture
def history(root):
    """Results and events of a run of one decision."""
    run = open_run(made(root, conflict(), ("city", "accept")))
    return results_of(run), copy.deepcopy(run.log.events)


def stamp(event, **members):
    event["metadata"]["producer"][STAMP] |= members


def spec(event, **members):
    event["spec"] |= members


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda event: stamp(event, actorKind="robot"), id="unknown kind"),
        pytest.param(lambda event: stamp(event, mode="crowd"), id="unknown mode"),
        pytest.param(lambda event: stamp(event, more=1), id="unknown member"),
        pytest.param(
            lambda event: event["metadata"]["producer"].update({STAMP: "ana"}), id="no object"
        ),
        pytest.param(lambda event: stamp(event, actorKind="unattributed"), id="nobody, by name"),
        pytest.param(lambda event: stamp(event, mode="agent"), id="a person as an agent"),
        pytest.param(lambda event: spec(event, actor={"id": "ben"}), id="another actor"),
        pytest.param(lambda event: spec(event, actor={}), id="no actor"),
        pytest.param(
            lambda event: spec(event, occurredAt="2026-01-16T08:00:00.000Z"), id="another time"
        ),
        pytest.param(lambda event: spec(event, candidateId="other"), id="another candidate"),
        pytest.param(
            lambda event: event["spec"]["data"].update(workbenchDecision="reject-proposed"),
            id="another decision",
        ),
    ],
)
def test_a_stamp_that_does_not_hold_is_refused(history, change):
    results, events = history
    require_attribution(results, events)
    change(events[-1])
    found = refused("REVIEW_ATTRIBUTION_INVALID", require_attribution, results, events)
    assert found.details["reviewItemName"] == results[0]["reviewItemName"]


def test_without_a_stamp_nothing_is_held_against_an_event(history):
    results, events = history
    for event in events:
        event["spec"]["actor"] = {"id": "somebody"}
        del event["metadata"]["producer"]
    require_attribution(results, events)


def test_an_earlier_event_about_the_item_is_not_what_decided_it(history):
    results, events = history
    events.insert(0, copy.deepcopy(events[-1]))
    stamp(events[0], mode="crowd")
    require_attribution(results, events)


def test_what_takes_a_decision_back_decides_nothing(history):
    results, events = history
    cleared = copy.deepcopy(events[-1])
    cleared["spec"]["data"] = {"workbenchDecision": None}
    others = [copy.deepcopy(events[-1]) for _ in range(3)]
    del others[0]["spec"]["data"]
    del others[1]["spec"]["reviewItemName"]
    others[2]["spec"]["eventType"] = "note-changed"
    name = results[0]["reviewItemName"]
    assert deciding_events([*events, cleared, *others]) == {name: events[-1]}
    assert deciding_events([cleared, *others]) == {}


def test_what_decided_stands_for_its_history(history):
    results, events = history
    deciding = deciding_events(events)
    assert deciding_events(deciding) is deciding
    require_attribution(results, deciding)
    ids = {results[0]["reviewItemName"]: "claim-1"}
    told = attributed_decisions(results, ids, events)
    assert attributed_decisions(results, ids, deciding) == told
    assert [(one["claimId"], one["mode"]) for one in told] == [("claim-1", "individual")]
    stamp(events[-1], mode="crowd")
    refused("REVIEW_ATTRIBUTION_INVALID", require_attribution, results, deciding_events(events))


# Decisions and the queue


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda one: one.update(reviewItemName="nobody"), id="unknown item"),
        pytest.param(lambda one: one.update(selectedCandidateId="none"), id="unknown candidate"),
        pytest.param(lambda one: one.pop("selectedCandidateId"), id="no candidate"),
    ],
)
def test_a_decision_about_what_the_queue_lacks_is_refused(root, change):
    run = open_run(made(root, conflict(), ("city", "accept")))
    results = [dict(one) for one in results_of(run)]
    require_resolvable(run.state["items"], results)
    change(results[0])
    items = run.state["items"]
    refused("EXPORT_UNRESOLVABLE_DECISION", require_resolvable, items, results)


def test_a_decision_that_selects_nothing_names_nothing(root):
    run = open_run(made(root, conflict(), ("fee", "reject")))
    results = results_of(run)
    assert "selectedCandidateId" not in results[0]
    require_resolvable(run.state["items"], results)


# Claims that several items are about


@pytest.fixture
def rows(root):
    """Items and results of two rows of a list, decided differently."""
    run = open_run(decided(root, many(2)))
    return run.state["items"], results_of(run), read_origin(run).context


def excluded(items, results, context=None):
    settled = settled_items(items, results, context)
    return [(len(one.item_names), one.code) for one in settled.excluded]


def test_rows_of_a_list_never_contradict_one_another(rows):
    items, results, context = rows
    assert excluded(items, results, context) == []
    assert excluded(items, results[:1], context) == [(1, "EXPORT_UNDECIDED")]


def test_row_45_two_values_accepted_for_one_claim_leave_it_out_once(rows):
    items, results, _ = rows
    assert excluded(items, results) == [(2, "EXPORT_CONFLICTING_DECISIONS")]


def test_row_47_a_claim_of_which_one_item_is_undecided_has_no_value(rows):
    items, results, _ = rows
    assert excluded(items, results[:1]) == [(1, "EXPORT_UNDECIDED"), (1, "EXPORT_FIELD_UNSETTLED")]
    settled = settled_items(items, results[:1])
    found = refused("EXPORT_UNDECIDED", projected, items, settled, impossible())
    assert [one["code"] for one in found.details["excluded"]] == [
        "EXPORT_UNDECIDED",
        "EXPORT_FIELD_UNSETTLED",
    ]


def test_row_44_what_selects_nothing_is_not_asked_where_it_stands(root):
    run = open_run(made(root, conflict(), ("fee", "reject")))
    items = copy.deepcopy(run.state["items"])
    del items[0]["spec"]["candidates"][0]["locator"]
    codes = [code for _, code in excluded(items, results_of(run))]
    assert codes == ["EXPORT_UNDECIDED"]


@pytest.mark.parametrize(
    ("roles", "grounded"),
    [
        (("proposed", "proposed"), "proposed"),
        (("proposed", "current"), "current"),
        (("proposed", "computed"), None),
    ],
)
def test_a_selection_that_stands_nowhere_is_left_out_with_what_to_do(root, roles, grounded):
    path = made(root, conflict(), ("fee", "reject"))
    run = open_run(path)
    items = [copy.deepcopy(run.state["items"][0])]
    for one, role in zip(items[0]["spec"]["candidates"], roles, strict=True):
        one["role"] = role
    chosen = items[0]["spec"]["candidates"][0]
    del chosen["locator"]
    if "computed" in roles:
        del items[0]["spec"]["candidates"][1]["locator"]
    result = dict(results_of(run)[0], selectedCandidate=chosen, selectedCandidateId=chosen["id"])
    settled = settled_items(items, [result])
    assert [one.code for one in settled.excluded] == ["EXPORT_UNGROUNDED_SELECTION"]
    found = refused("EXPORT_UNGROUNDED_SELECTION", projected, items, settled, impossible())
    assert found.details["grounded"] == grounded


# Projecting together and alone


def impossible(*, alone=(), together=()):
    """Projects unless a target is among those that cannot be, alone or together."""

    def refuse(targets, forbidden):
        if set(targets) & set(forbidden):
            raise refusal("record-conflict", "made to fail", "/x")
        return targets

    return Projecting(
        lambda items, _: refuse([one["spec"]["target"] for one in items], [*alone, *together]),
        lambda item, _: refuse([item["spec"]["target"]], alone),
    )


@pytest.fixture
def settled(root):
    run = open_run(decided(root, conflict()))
    items = run.state["items"]
    return items, settled_items(items, results_of(run))


def test_what_can_be_stated_is_stated_together(settled):
    kept, made_of = projected(*settled, impossible())
    assert (made_of, kept) == (["fee", "city"], settled[1])


def test_an_item_that_cannot_be_stated_even_alone_is_left_out(settled):
    kept, made_of = projected(*settled, impossible(alone=["fee"]))
    assert made_of == ["city"]
    assert [(one.field_path, one.code) for one in kept.excluded] == [
        ("fee", "EXPORT_NOT_PROJECTABLE")
    ]
    assert settled[1].excluded == []


def test_when_none_of_them_can_be_stated_that_is_the_refusal(settled):
    found = refused(
        "EXPORT_NOT_PROJECTABLE", projected, *settled, impossible(alone=["fee", "city"])
    )
    assert [one["fieldPath"] for one in found.details["excluded"]] == ["fee", "city"]


def test_items_that_only_fail_together_refuse_the_whole(settled):
    found = refused("EXPORT_NOT_PROJECTABLE", projected, *settled, impossible(together=["fee"]))
    assert (found.details, found.pointer) == ({"code": "record-conflict"}, "/x")
    found = refused(
        "EXPORT_NOT_PROJECTABLE",
        projected,
        *settled,
        impossible(alone=["fee"], together=["city"]),
    )
    assert found.details == {"code": "record-conflict"}


def test_a_bundle_that_its_validator_refuses_keeps_its_code(settled):
    def broken(*_):
        raise refusal("EXPORT_INVALID_BUNDLE", "made to fail")

    projecting = Projecting(broken, lambda *_: None)
    refused("EXPORT_INVALID_BUNDLE", projected, *settled, projecting)


@pytest.mark.parametrize("code", ["missing-string", "evidence-malformed", "json-depth"])
def test_a_fault_of_whatever_kind_is_the_exclusion_of_its_item(settled, code):
    def refuse(items):
        if any(one["spec"]["target"] == "fee" for one in items):
            raise refusal(code, "made to fail", "/x")
        return items

    projecting = Projecting(lambda items, _: refuse(items), lambda item, _: refuse([item]))
    kept, made_of = projected(*settled, projecting)
    assert made_of == settled[0][1:]
    assert [(one.field_path, one.code) for one in kept.excluded] == [
        ("fee", "EXPORT_NOT_PROJECTABLE")
    ]
    projecting = Projecting(lambda items, _: refuse(items), lambda *_: None)
    found = refused("EXPORT_NOT_PROJECTABLE", projected, *settled, projecting)
    assert found.details == {"code": code}


def test_a_run_that_cannot_be_stated_as_one_item_still_states_the_other(root):
    """End to end: the projection refuses one item, and the export lists it."""
    run = open_run(decided(root, conflict()))
    origin = read_origin(run)
    assert len(export_round(Reviewed.of(run), origin).settled.items) == 2
    run.state["items"][0]["spec"]["candidates"][1]["claimTarget"]["facet"] = "another"
    made_of = export_round(Reviewed.of(run), origin)
    assert [(one.field_path, one.code) for one in made_of.settled.excluded] == [
        ("fee", "EXPORT_NOT_PROJECTABLE")
    ]
    assert made_of.scope["complete"] is False


# The import of a run, with the items that it derives


def half(root):
    return made(root, conflict(), ("city", "accept"))


def unconfirmed(root):
    tried = {"note": "no answer", "attemptEvidenceIds": ["ev-1"]}
    return made(root, conflict(), ("fee", "reject"), ("city", "could-not-confirm", tried))


RUNS = [
    pytest.param(lambda root: decided(root, conflict()), id="a conflict"),
    pytest.param(lambda root: decided(root, many(3)), id="rows of a list"),
    pytest.param(lambda root: decided(root, rival_misquoted()), id="a rival that was left out"),
    pytest.param(lambda root: decided(root, partial()), id="a text that was read in part"),
    pytest.param(half, id="half of it decided"),
    pytest.param(unconfirmed, id="nothing accepted"),
]


@pytest.mark.parametrize("make", RUNS)
@pytest.mark.parametrize("opened", [open_run, open_metadata])
def test_items_at_hand_are_those_of_the_record(root, make, opened):
    run = opened(make(root))
    items = review_items(run.imported, limits=RAISED)
    derived = read_origin(run).derived
    assert [*derived.texts] == [canonical_json(item) for item in items]
    alone = replace(derived, texts=())
    assert alone == DerivedImport.of_record(run.imported.record, items)
    with pytest.raises(ValueError, match="texts of items"):
        replace(derived, texts=derived.texts[1:] + derived.texts)


@pytest.mark.parametrize("make", RUNS)
def test_items_at_hand_export_what_items_derived_anew_do(root, make):
    run = open_run(make(root))
    origin = read_origin(run)
    found = export_round(Reviewed.of(run), origin)
    assert found == export_round(Reviewed.of(run), replace(origin, derived=None))
    states = [one["metadata"][FIELD_STATE_KEY] for one in found.export.bundle["claims"]]
    assert {one["decisionBasis"] for one in states} == {"affirmed"}


@pytest.mark.parametrize("make", RUNS)
def test_every_opened_run_is_described_by_both(root, make):
    run = open_metadata(make(root))
    origin = read_origin(run)
    found = [
        export_round(Reviewed.of(run), one).settled
        for one in (origin, replace(origin, derived=None))
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("profile", [None, "collated"])
def test_a_queue_that_is_not_what_the_import_derives_to_the_letter_is_derived_anew(root, profile):
    run = open_run(decided(root, conflict()))
    attested = replace(run.attestation, profile=profile)
    told = replace(run, agreed=replace(run.agreed, attestation=attested))
    assert read_origin(told).derived is None
    assert export_round(Reviewed.of(told), read_origin(told)).settled.excluded == []


# A run as a whole


class Pretended:
    """A run of which only what is asked here is told."""

    def __init__(self, state="grounded", items=("one",), kind="first", blocked=None):
        self.imported = type("Imported", (), {"status": {"state": state, "diagnostics": []}})
        self.state = {"items": list(items)}
        self.manifest = type("Manifest", (), {"round": {"kind": kind}})
        self.blocked = blocked


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"state": "unresolved", "blocked": "unbound-envelope"}, "EXPORT_UNGROUNDED"),
        (
            {"items": (), "kind": "recheck", "blocked": "unbound-envelope"},
            "EXPORT_UNATTESTED_QUEUE",
        ),
        ({"blocked": "unbound-envelope"}, "EXPORT_UNBOUND_ENVELOPE"),
    ],
)
def test_what_nothing_could_carry_is_refused_in_this_order(facts, code):
    require_exportable(Pretended(), proposals=1)
    require_exportable(Pretended(items=(), kind="recheck"), proposals=0)
    refused(code, require_exportable, Pretended(**facts), proposals=1)
