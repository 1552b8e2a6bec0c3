"""The identities that published imports were given, and that must never change."""

from tests.unit.imports.samples import (
    candidates,
    cases,
    prepared_text,
    producer,
    put,
    run,
    run_portable,
    vendor,
)

from survey_fast import available_artifact

FEE_ITEM = "2a292e74fe0d74c002f7"
FEE_FIRST = "49759f73cd5e9c28c95a"
FEE_RIVAL = "5e7291743b4d029a4212"


def items(result):
    return [
        item["metadata"]["name"].removeprefix("extraction-envelope.")
        for item in result.review_items
    ]


def ids(result):
    return [
        one["id"].removeprefix("extraction-envelope.").removesuffix(".proposed")
        for one in candidates(result)
    ]


def evidence(result):
    return [evidence_hash(producer(one)) for one in candidates(result)]


def evidence_hash(block):
    return block["evidenceId"].removeprefix("survey.extraction.").removesuffix(".source-evidence")


@cases(
    "result item_hashes candidate_hashes evidence_hashes",
    {
        "success-conflicting-fee": (
            run(vendor("success-conflicting-fee")),
            [FEE_ITEM],
            [FEE_FIRST, FEE_RIVAL],
            ["15254a73bd7617c42ec6", "f3491a240e613bc12faf"],
        ),
        "success-no-confidence": (
            run(vendor("success-no-confidence")),
            ["d38620030fb0e7da2ea1"],
            ["c75709360bfed1b023e2"],
            ["35ccdce807a04e2405eb"],
        ),
        "partial-provider-failure": (
            run(vendor("partial-provider-failure")),
            ["8246cc92d14e1fc4b85c"],
            ["9a6c803079341d6d39a9"],
            ["b9d7376ae4cf8eb58a5f"],
        ),
        "portable": (
            run_portable(),
            ["f9f9dfeba90bf57de640", "733e8062c24ce3c63e8c"],
            ["f18e5051efcac2c5a31e", "fde5f0524a220b30e8fa"],
            ["babd58586069470e4cad", "2a8c392e71ae090523df"],
        ),
    },
)
def test_published_identities(result, item_hashes, candidate_hashes, evidence_hashes):
    assert items(result) == item_hashes
    assert ids(result) == candidate_hashes
    assert evidence(result) == evidence_hashes


def test_evidence_of_the_proposal_that_repeats_a_value():
    (same,) = producer(candidates(run(vendor()))[0])["sameValueProposals"]
    assert evidence_hash(same) == "59a407f8afe6b4a9fe5d"


def test_item_and_first_candidate_keep_their_ids_without_the_third_proposal():
    document = put(vendor(), "/result/proposals/2/provenance/excerpt", "99999")
    result = run(document, artifact=available_artifact(prepared_text()))
    assert items(result) == [FEE_ITEM]
    assert ids(result) == [FEE_FIRST]


def test_verification_does_not_change_an_identity():
    result = run(vendor(), artifact=available_artifact(prepared_text()))
    assert (items(result), ids(result)) == ([FEE_ITEM], [FEE_FIRST, FEE_RIVAL])
    assert evidence(result) == evidence(run(vendor()))
