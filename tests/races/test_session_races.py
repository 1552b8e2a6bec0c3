"""Many processes decide on one session: one winner for each revision, no decision lost."""

from tests.races.running import CONTEXT, together
from tests.races.workers import FILES, PATIENCE
from tests.unit.review.sessions import LATER, a_single, session

from survey_fast.errors import SurveyError
from survey_fast.review.attribution import Reviewer
from survey_fast.review.session_store import create_session, decide_session, load_session

WRITERS = 8
EACH = 4
TURNS = 20


def items_of(writer):
    return [f"{writer}-{turn}" for turn in range(EACH)]


def deciding(path, writer, start, left):
    """Decide items of one's own, each at the revision seen before; returns the revisions won."""
    start.wait()
    won = []
    for name in items_of(writer):
        while True:
            seen = load_session(path, files=FILES).revision
            try:
                made = decide(path, name, writer, expected_revision=seen)
            except SurveyError as refused:
                if refused.code != "stale-revision":
                    raise
                continue
            won.append((seen, made.revision, made.ok))
            break
    with left.get_lock():
        left.value -= 1
    return won


def decide(path, name, writer, **options):
    return decide_session(
        path,
        [{"item": name, "decision": "accept", "note": f"by {writer}"}],
        reviewer=Reviewer.named(f"writer-{writer}"),
        now=LATER,
        wait=PATIENCE,
        files=FILES,
        **options,
    )


def quarrelling(path, writer, start):
    """Decide the item that everybody wants, without looking first; returns whether it was taken."""
    start.wait()
    (outcome,) = decide(path, "shared", writer).outcomes
    return "taken" if outcome.ok else outcome.error.code


def reading(path, start, left):
    """Load and verify until everybody is done; returns how often, and what was wrong."""
    start.wait()
    reads, faults, newest = 0, [], 0
    while left.value or not reads:
        try:
            document = load_session(path, files=FILES)
            faults += [issue.code for issue in document.verify().issues]
        except SurveyError as refused:
            faults.append(str(refused))
            continue
        if len(document.events) < newest or len(document.events) % 3:
            faults.append(f"{len(document.events)} events after {newest}")
        newest = len(document.events)
        reads += 1
    return reads, faults


def test_one_winner_for_each_revision_and_no_lost_decision(tmp_path):
    path = tmp_path / "round.json"
    names = [name for writer in range(WRITERS) for name in items_of(writer)]
    create_session(path, session(*(a_single(name=name) for name in names)), name="round")
    first = load_session(path).revision
    start, left = CONTEXT.Barrier(WRITERS + 1), CONTEXT.Value("i", WRITERS)
    *won, (reads, faults) = together(
        *((deciding, path, writer, start, left) for writer in range(WRITERS)),
        (reading, path, start, left),
    )
    assert faults == []
    assert reads > 0
    steps = [step for pairs in won for step in pairs]
    assert all(ok for _, _, ok in steps)
    follows = {before: after for before, after, _ in steps}
    assert len(follows) == len(steps) == len(names)
    revision = first
    for _ in steps:
        revision = follows[revision]
    document = load_session(path)
    assert document.revision == revision
    result = document.apply(required="all")
    assert result.ok
    for one in result.decisions:
        writer = one["spec"]["reviewItemName"].split("-")[0]
        assert one["spec"]["actor"] == {"id": f"writer-{writer}"}
        assert one["spec"]["rationale"] == f"by {writer}"


def test_row_87_one_item_is_decided_by_one_of_eight(tmp_path):
    path = tmp_path / "round.json"
    create_session(path, session(a_single(name="shared")), name="round")
    start = CONTEXT.Barrier(8)
    told = together(*((quarrelling, path, writer, start) for writer in range(8)))
    assert sorted(told) == ["ALREADY_DECIDED"] * 7 + ["taken"]
    document = load_session(path)
    assert len(document.events) == 3
    (made,) = document.apply(required="all").decisions
    assert made["spec"]["actor"] == {"id": f"writer-{told.index('taken')}"}
    assert sorted(one.name for one in tmp_path.iterdir()) == ["round.events.jsonl", "round.json"]


def creating(path, writer, start):
    """Make the session that others make as well, each over items of its own."""
    start.wait()
    try:
        create_session(path, session(a_single(name=f"of-{writer}")), name="round", files=FILES)
    except SurveyError as refused:
        return refused.code
    return "made"


def test_a_session_is_made_by_one_of_four(tmp_path):
    for turn in range(TURNS):
        (tmp_path / str(turn)).mkdir()
    start = CONTEXT.Barrier(4)
    told = together(*((creating_many, tmp_path, writer, start) for writer in range(4)))
    for turn, answers in enumerate(zip(*told, strict=True)):
        assert answers.count("made") == 1, answers
        winner = answers.index("made")
        state = load_session(tmp_path / str(turn) / "round.json").state
        assert state["items"][0]["metadata"]["name"] == f"of-{winner}"


def creating_many(folder, writer, start):
    return [creating(folder / str(turn) / "round.json", writer, start) for turn in range(TURNS)]
