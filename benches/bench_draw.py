"""The audit draw from a list of names.

The baselines decide for each name what the draw decides, so that the answers can be compared:
canonical text, SHA-256, its first 52 bits as a number, below the rate or not.
"""

import hashlib
import json

import pytest
from tests.reference.draw import draw

from benches.data import LARGE, SMALL, inputs
from benches.turns import in_turns
from survey_fast import draw_random_audit_sample

DOMAIN = "survey.random-audit.v1"
SEED = "audit-2026"
RATE = 0.1

ten_thousand = pytest.mark.benchmark(group="audit-draw-10k")


def draw_by_dumps(names):
    """The baseline of the bound: text and hash made anew for each name."""
    return [
        name for name in names if is_drawn(json.dumps([DOMAIN, SEED, name], separators=(",", ":")))
    ]


def draw_by_encoder(names):
    """The same with the encoder made once, which is the quickest plain way."""
    encode = json.JSONEncoder(separators=(",", ":")).encode
    return [name for name in names if is_drawn(encode([DOMAIN, SEED, name]))]


def is_drawn(text):
    """The rule of the draw for one canonical text."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:13], 16) / 2**52 < RATE


def draw_ours(names):
    """The draw under test."""
    return draw_random_audit_sample(names, rate=RATE, seed=SEED)


@ten_thousand
def test_draw(benchmark):
    """One call for the whole list, with its check for repeats; beside it, a hash for each name."""
    names, tenth = inputs(LARGE).names, inputs(SMALL).names
    others = {
        "dumps": lambda: draw_by_dumps(names),
        "encoder": lambda: draw_by_encoder(names),
        "tenth": lambda: draw_ours(tenth),
    }
    drawn = in_turns(benchmark, lambda: draw_ours(names), others, rounds=50)
    assert drawn == draw_by_dumps(names) == draw_by_encoder(names)
    assert draw_ours(tenth) == draw_by_dumps(tenth)
    assert 0.08 < len(drawn) / len(names) < 0.12


@ten_thousand
def test_draw_reference(benchmark):
    """The oracle."""
    names = inputs(LARGE).names

    def drawn():
        return draw(names, rate=RATE, seed=SEED)

    assert benchmark.pedantic(drawn, rounds=2) == draw_ours(names)
