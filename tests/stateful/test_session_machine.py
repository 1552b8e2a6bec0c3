"""A session on disk, decided on in any way at all, against a small model of what must be in it."""

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.property.strategies import fewer
from tests.races.workers import FILES
from tests.unit.review.sessions import (
    LATER,
    OWN_KEY,
    a_conflict,
    a_described,
    a_single,
    a_transition,
    blind,
    session,
)

from survey_fast.errors import SurveyError
from survey_fast.review.attribution import Reviewer
from survey_fast.review.session_store import create_session, decide_session, load_session, log_path

ITEMS = [
    a_single(name="one"),
    a_conflict(name="two"),
    a_transition(1, 2, name="beside"),
    a_described("number", name="number"),
]
NAMES = [item["metadata"]["name"] for item in ITEMS]
# What may be decided on each item, and the candidate each decision then names.
LEGAL = {
    "one": {"accept": "c-1", "reject": "c-1", "could-not-confirm": "c-1"},
    "two": {"select": "c-2", "reject": None, "could-not-confirm": None},
    "beside": {"accept": "c-1", "keep": "c-now", "reject": "c-1", "could-not-confirm": "c-1"},
    "number": {"accept": "c-1", "reject": "c-1", "could-not-confirm": "c-1"},
}
LONG = {
    "accept": "accept-proposed",
    "select": "select-proposed",
    "keep": "keep-current",
    "reject": "reject-proposed",
    "could-not-confirm": "could-not-confirm",
}
NOISE = [
    7,
    {"item": "unknown", "decision": "accept"},
    {"item": "two", "decision": "accept"},
    {"item": "two", "decision": "select", "candidateId": "c-9"},
    {"item": "one", "decision": "select", "candidateId": "c-1"},
    {"item": "one", "decision": "keep"},
    {"item": "number", "decision": "accept", "editedValue": "007"},
    {"item": "one", "decision": "toString"},
]

names = st.sampled_from(NAMES)
note_texts = st.sampled_from(["first", "second", "third"])
people = st.sampled_from(["ben", "cem", "dan"])


@st.composite
def legal(draw):
    """A request that any history takes, unless its item is decided already."""
    name = draw(names)
    word = draw(st.sampled_from(sorted(LEGAL[name])))
    request = {"item": name, "decision": draw(st.sampled_from([word, LONG[word]]))}
    if word == "select":
        request["candidateId"] = LEGAL[name][word]
    if word == "could-not-confirm" or draw(st.booleans()):
        request["note"] = draw(note_texts)
    if name == "number" and word == "accept" and draw(st.booleans()):
        request["editedValue"] = draw(st.sampled_from([42, "42", 0]))
    return request


class Session(RuleBasedStateMachine):
    """The model: who decided what on each item, notes, and how long the history is."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "round.json"
        self.decided = {}
        self.notes = {}
        self.count = 0
        self.revisions = []

    def teardown(self):
        self.folder.cleanup()

    @initialize(is_blind=st.booleans())
    def open(self, is_blind):
        self.is_blind = is_blind
        snapshot = blind(*ITEMS) if is_blind else session(*ITEMS)
        document = create_session(self.path, snapshot, name="round", files=FILES)
        self.revisions.append(document.revision)
        self.root = self.path.read_bytes()
        self.log = b""

    def decide(self, *requests, who="ben", **options):
        made = decide_session(
            self.path,
            requests,
            reviewer=Reviewer.named(who),
            now=LATER,
            wait=0,
            files=FILES,
            **options,
        )
        if made.committed:
            assert made.revision not in self.revisions
            self.revisions.append(made.revision)
        assert made.revision == self.revisions[-1]
        return made

    def model(self, request, who):
        """What a request that is taken leads to."""
        name, word = request["item"], request["decision"]
        if "note" in request:
            self.notes[name] = request["note"]
            self.count += 1
        if word is None:
            del self.decided[name]
            self.count += 1
            return
        kind = LONG.get(word, word)
        edit = int(request["editedValue"]) if "editedValue" in request else None
        self.decided[name] = (kind, edit, who)
        self.count += 2

    @rule(request=legal(), who=people)
    def decides(self, request, who):
        is_decided = request["item"] in self.decided
        made = self.decide(request, who=who)
        assert made.ok != is_decided
        if is_decided:
            assert made.outcomes[0].error.code == "ALREADY_DECIDED"
        else:
            self.model(request, who)

    @rule(request=legal(), who=people)
    def replaces(self, request, who):
        assert self.decide(request, who=who, replace_decided=True).ok
        self.model(request, who)

    @rule(requests=st.lists(legal(), max_size=4), who=people, noise=st.sampled_from(NOISE))
    def decides_many(self, requests, who, noise):
        options = {"replace_decided": True, "who": who}
        assert self.decide(noise, *requests, **options).committed == 0
        before = self.count
        made = self.decide(noise, *requests, keep_going=True, **options)
        assert [one.ok for one in made.outcomes] == [False] + [True] * len(requests)
        for request in requests:
            self.model(request, who)
        assert made.committed == self.count - before

    @precondition(lambda self: self.decided)
    @rule(data=st.data(), note=st.none() | note_texts)
    def takes_back(self, data, note):
        name = data.draw(st.sampled_from(sorted(self.decided)))
        request = {"item": name, "decision": None, **({} if note is None else {"note": note})}
        assert self.decide(request).ok
        self.model(request, "ben")

    @rule(name=names)
    def takes_back_what_is_undecided(self, name):
        if name not in self.decided:
            made = self.decide({"item": name, "decision": None})
            assert made.outcomes[0].error.code == "decision-not-recordable"

    @rule(noise=st.sampled_from(NOISE))
    def asks_for_nonsense(self, noise):
        assert not self.decide(noise, replace_decided=True).ok

    @rule(name=st.sampled_from(["one", "beside", "number"]))
    def could_not_confirm_by_an_earlier_note(self, name):
        request = {"item": name, "decision": "could-not-confirm"}
        made = self.decide(request, replace_decided=True)
        if name in self.notes:
            assert made.ok
            self.model(request, "ben")
        else:
            assert made.outcomes[0].error.code == "reason-missing"

    @precondition(lambda self: len(self.revisions) > 1)
    @rule(request=legal(), data=st.data())
    def decides_on_what_was_seen_before(self, request, data):
        stale = data.draw(st.sampled_from(self.revisions[:-1]))
        try:
            self.decide(request, expected_revision=stale, replace_decided=True)
        except SurveyError as refused:
            code = refused.code
        else:
            code = "taken"
        assert code == "stale-revision"

    @rule(request=legal())
    def decides_on_what_is_there(self, request):
        made = self.decide(request, expected_revision=self.revisions[-1], replace_decided=True)
        assert made.ok
        self.model(request, "ben")

    @rule(length=st.integers(1, 40))
    def an_append_is_torn(self, length):
        with log_path(self.path).open("ab") as log:
            log.write(b'{"event":{"apiVersion":"survey.kontourai.io/v1alpha1"}'[:length])

    @invariant()
    def holds_what_the_model_holds(self):
        if not self.revisions:
            return
        document = load_session(self.path, files=FILES)
        assert document.revision == self.revisions[-1]
        assert self.path.read_bytes() == self.root
        assert len(document.events) == self.count
        assert {e["metadata"]["producer"][OWN_KEY]["actorKind"] for e in document.events} <= {
            "human"
        }
        result = document.apply(required="all")
        assert result.ok == (len(self.decided) == len(ITEMS))
        state = result.replayed_session
        assert state["notesByItemName"] == self.notes
        assert state["decisionsByItemName"] == {n: d[0] for n, d in self.decided.items()}
        told = {one["spec"]["reviewItemName"]: one["spec"] for one in result.decisions}
        assert set(told) == set(self.decided)
        for name, (kind, edit, who) in self.decided.items():
            word = next(word for word, long in LONG.items() if long == kind)
            assert told[name].get("candidateId") == LEGAL[name][word]
            assert told[name].get("editedValue") == edit
            assert told[name]["actor"] == {"id": who}
            assert ("presentation" in told[name]) == self.is_blind

    @invariant()
    def the_history_only_grows(self):
        if not self.revisions:
            return
        log = log_path(self.path).read_bytes()
        committed = log[: log.rfind(b"\n") + 1]
        assert committed.startswith(self.log)
        self.log = committed


TestSession = Session.TestCase
TestSession.settings = settings(fewer(5), stateful_step_count=20)
