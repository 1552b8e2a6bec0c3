"""survey-fast bundle: validating trust bundles and reporting the statuses of their claims."""

from __future__ import annotations

import copy
import json

import pytest
from tests.unit.runs.exporting import made
from tests.unit.runs.samples import conflict
from tests.unit.trust.bundles import BUNDLES, EXAMPLES, base, edited, stored, whole

from survey_fast.canon import canonical_json
from survey_fast.cli.bundle.gap_words import finding
from survey_fast.runs.export.export import export_run
from survey_fast.trust.report import build_trust_report

COMMANDS = ("validate", "report")
MOMENT = "2026-01-31T09:00:00.000Z"


@pytest.fixture
def write(tmp_path):
    """Writes a bundle to ``b.json`` in the folder the commands run in."""

    def write(bundle):
        (tmp_path / "b.json").write_bytes(canonical_json(bundle))
        return "b.json"

    return write


def test_a_valid_bundle_is_counted(run, run_json, write):
    file = write(whole(9))
    assert run_json("bundle", "validate", file) == (
        0,
        {
            "ok": True,
            "kind": "TrustBundle",
            "schemaVersion": 9,
            "smallestSchemaVersion": 9,
            "counts": {
                "claims": 2,
                "evidence": 1,
                "policies": 1,
                "events": 1,
                "identityLinks": 1,
                "claimGroups": 1,
                "authorityTrace": 1,
            },
            "warnings": [
                {
                    "code": "unscoped-authority",
                    "message": "this trace authorises its actor for every claim, not only for "
                    "those listed",
                    "pointer": "/authorityTrace/0",
                }
            ],
        },
    )
    result = run("bundle", "validate", file)
    assert result.exit_code == 0
    assert "a valid trust bundle, schemaVersion 9" in result.stdout
    assert "unscoped-authority" in result.stdout
    assert "/authorityTrace/0" in result.stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_published_examples_are_valid_and_have_a_report(run, name):
    path = BUNDLES / "examples" / name
    for command in COMMANDS:
        assert run("bundle", command, path).exit_code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_fault_is_refused_where_it_stands(run, run_json, write, command):
    assert run("bundle", command, write(base())).exit_code == 0
    file = write(edited(base(), ("/events/0/notes", None)))
    code, body = run_json("bundle", command, file)
    assert (code, body["error"]["code"], body["error"]["pointer"]) == (
        *(1, "null-member"),
        "/events/0/notes",
    )
    assert body["error"]["details"]["path"] == file
    result = run("bundle", command, file)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "b.json, at /events/0/notes" in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_the_bundle_inside_an_export_is_read_and_pointers_lead_into_the_file(
    run, run_json, write, command
):
    export = {"apiVersion": "survey-fast/v1", "kind": "ReviewedExport", "bundle": base()}
    alone = run_json("bundle", command, write(base()))[1]
    code, body = run_json("bundle", command, write(export))
    assert code == 0
    assert body == alone | ({"kind": "ReviewedExport"} if command == "validate" else {})
    assert run("bundle", command, "b.json").exit_code == 0
    for broken, expected in (
        (
            edited(export, ("/bundle/events/0/notes", None)),
            ("null-member", "/bundle/events/0/notes"),
        ),
        (export | {"bundle": None}, ("bundle-not-object", "/bundle")),
        # The text of a bundle is no bundle.
        (export | {"bundle": json.dumps(base())}, ("bundle-not-object", "/bundle")),
        (base() | {"bundle": base()}, ("unknown-member", "/bundle")),
    ):
        code, body = run_json("bundle", command, write(broken))
        assert (code, body["error"]["code"], body["error"]["pointer"]) == (1, *expected)


def test_warnings_of_a_bundle_inside_an_export_lead_into_the_file(run_json, write):
    export = {"kind": "ReviewedExport", "bundle": whole(9)}
    _, body = run_json("bundle", "validate", write(export))
    assert [one["pointer"] for one in body["warnings"]] == ["/bundle/authorityTrace/0"]


def test_a_report_names_the_field_of_every_claim(run, write):
    shown = run("bundle", "report", write(base())).stdout
    assert base()["claims"][0]["fieldOrBehavior"] in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_text_that_is_no_json_is_refused_at_its_line(run_json, command, tmp_path):
    (tmp_path / "b.json").write_text('{\n "a": 1,\n "a": 2}')
    _, body = run_json("bundle", command, "b.json")
    assert body["error"]["code"] == "json-duplicate-member"
    assert body["error"]["details"]["line"] == 3


def test_what_is_read_is_not_always_written(run_json, write):
    file = write(edited(base(), ("/schemaVersion", 4)))
    assert run_json("bundle", "validate", file)[0] == 0
    code, body = run_json("bundle", "validate", file, "--writing")
    assert (code, body["error"]["code"]) == (1, "schema-version")
    assert run_json("bundle", "validate", write(base()), "--writing")[0] == 0


def test_a_declared_version_above_the_content_is_told(run, write):
    result = run("bundle", "validate", write(edited(base(), ("/schemaVersion", 8))))
    assert "under schemaVersion 5" in result.stdout


def test_people_see_at_most_twenty_warnings_and_the_count_of_the_rest(run, write):
    event = base()["events"][0]
    events = [{**event, "id": f"v{at}"} for at in range(30)]
    result = run("bundle", "validate", write(base() | {"events": events}))
    assert result.stdout.count("same-instant-events") == 20
    assert "and 9 more" in result.stdout


def test_a_report_is_the_one_of_the_library(run_json, write):
    bundle = stored("composed-target-bundle.json")
    code, body = run_json("bundle", "report", write(bundle))
    assert (code, body["report"]) == (0, build_trust_report(bundle, now=MOMENT))
    asked = ["--now", "2026-06-10T02:00:00+02:00", "--status-version", "2"]
    code, body = run_json("bundle", "report", "b.json", *asked)
    expected = build_trust_report(bundle, now="2026-06-10T00:00:00.000Z", version="2")
    assert (code, body["report"]) == (0, expected)


def test_people_see_the_weakest_claims_first(run, write):
    result = run("bundle", "report", write(stored("composed-target-bundle.json")))
    assert result.exit_code == 0
    assert f"2 claims at {MOMENT}" in result.stdout
    assert result.stdout.index("claim.term") < result.stdout.index("claim.rent")
    assert "producer said" not in result.stdout
    assert "no gap" in result.stdout


def test_people_see_what_the_producer_said_when_it_is_not_so(run, write):
    bundle = edited(
        base(),
        ("/claims/0/status", "rejected"),
        ("/claims/0/impactLevel", "critical"),
        ("/claims/0/expiresAt", "2026-01-01T00:00:00Z"),
        ("/events/0/status", "proposed"),
        ("/evidence/0/passing", False),
    )
    shown = run("bundle", "report", write(bundle)).stdout
    assert "producer said" in shown
    assert "2026-01-01T00:00:00Z" in shown
    assert "high impact, unsupported" in shown
    assert "policy_violation" in shown


def test_people_see_at_most_twenty_claims_and_gaps(run, write):
    claims = [{**base()["claims"][0], "id": f"c{at}"} for at in range(25)]
    bundle = base() | {"claims": claims, "evidence": [], "events": []}
    shown = run("bundle", "report", write(bundle)).stdout
    assert shown.count("and 5 more") == 2
    assert shown.count("provenance_gap") == 20


def test_a_claim_that_is_to_be_derived_anew_is_counted(run, write):
    bundle = edited(
        base(),
        ("/claims/1", {**base()["claims"][0], "id": "d", "derivedFrom": ["c"]}),
        ("/events/0/status", "stale"),
    )
    assert "to be derived anew" in run("bundle", "report", write(bundle)).stdout


def test_an_empty_bundle_has_an_empty_report(run, run_json, write):
    empty = {name: [] for name in ("claims", "evidence", "policies", "events")}
    file = write({"schemaVersion": 5, "source": "s", **empty})
    assert "claims  0" in run("bundle", "validate", file).stdout
    assert run_json("bundle", "validate", file)[0] == 0
    assert run_json("bundle", "report", file)[1]["report"]["claims"] == []
    assert "0 claims" in run("bundle", "report", file).stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_a_dash_is_standard_input(run_json, command):
    text = canonical_json(base())
    assert run_json("bundle", command, "-", input=text)[0] == 0
    code, body = run_json("bundle", command, "-", "--max-bytes", len(text) - 1, input=text)
    assert (code, body["error"]["code"]) == (1, "file-too-large")


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_must_not_be_read(run_json, write, command, tmp_path):
    file = write(base())
    assert run_json("bundle", command, file)[0] == 0
    (tmp_path / "link").symlink_to(file)
    (tmp_path / "folder").mkdir()
    found = [run_json("bundle", command, one) for one in ("link", "folder", "missing")]
    assert [(code, body["error"]["code"]) for code, body in found] == [
        (1, "file-refused"),
        (1, "file-refused"),
        (1, "file-not-found"),
    ]
    size = (tmp_path / file).stat().st_size
    _, body = run_json("bundle", command, file, "--max-bytes", size - 1)
    assert body["error"]["code"] == "file-too-large"


@pytest.mark.parametrize(
    "wrong",
    [
        ["bundle"],
        ["bundle", "validate"],
        ["bundle", "dance", "b.json"],
        ["bundle", "report", "b.json", "--status-version", "1"],
        ["bundle", "report", "b.json", "--now", "2026-01-31"],
        ["bundle", "validate", "b.json", "--now", "2026-01-31T09:00:00Z"],
    ],
)
def test_wrong_usage_exits_2(run, wrong):
    result = run(*wrong)
    assert (result.exit_code, result.stdout) == (2, "")


def test_nothing_of_a_bundle_moves_the_cursor(run, write):
    bundle = edited(base(), ("/claims/0/id", "c\x1b[2J\u202e"))
    bundle["evidence"][0]["claimId"] = bundle["events"][0]["claimId"] = bundle["claims"][0]["id"]
    before = copy.deepcopy(bundle)
    result = run("bundle", "report", write(bundle))
    assert result.exit_code == 0
    assert "\x1b" not in result.output
    assert "\\x1b" in result.output
    assert json.loads(canonical_json(before)) == bundle


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (("city", "reject"), "rejected by ana"),
        (("city", "could-not-confirm", {"note": "illegible"}), "could not be confirmed by ana"),
    ],
)
def test_a_gap_of_a_review_says_what_was_decided_and_by_whom(
    run, run_json, tmp_path, decision, told
):
    path = made(tmp_path / "runs", conflict(), ("fee", "reject"), decision)
    (tmp_path / "export.json").write_bytes(export_run(path).text)
    said = run("bundle", "report", "export.json").stdout
    assert told in said
    assert "an item of evidence does not pass" not in said
    _, body = run_json("bundle", "report", "export.json")
    messages = {one["message"] for one in body["report"]["transparencyGaps"]}
    assert "an item of evidence does not pass" in messages


REVIEWED = {"gaps": [{"kind": "review-not-accepted", "disposition": "rejected"}]}


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"reviewedExtraction": REVIEWED}, "rejected"),
        ({"reviewedExtraction": {**REVIEWED, "input": {"reviewDecision": 1}}}, "rejected"),
        ({"reviewedExtraction": {"gaps": [{"kind": "candidate-not-chosen"}]}}, "passed over"),
        ({"reviewedExtraction": {"gaps": [1, {"kind": ["x"]}, {"kind": "other"}]}}, "as it was"),
        (
            {"reviewedExtraction": {"gaps": [{**REVIEWED["gaps"][0], "disposition": []}]}},
            "as it was",
        ),
        ({"reviewedExtraction": {"gaps": {"kind": "review-not-accepted"}}}, "as it was"),
        ({"reviewedExtraction": []}, "as it was"),
        ([], "as it was"),
    ],
)
def test_what_does_not_look_like_a_review_leaves_the_words_of_the_report(metadata, said):
    item = {"id": "e", "passing": False, "metadata": metadata}
    gap = {"message": "as it was", "evidenceIds": ["e", "nowhere"]}
    assert finding(gap, {"e": item}).startswith(said)
    assert finding(gap, {"e": {**item, "passing": True}}) == "as it was"
    assert finding({"message": "as it was"}, {"e": item}) == "as it was"
