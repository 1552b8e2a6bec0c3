"""Judging the record of an owner: what is one, and whether its process is known to be gone."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.unit.storage.holding import DEAD, HERE, record_of

from survey_fast.storage.owner import is_gone, objection, start_identity


def test_a_record_with_members_of_a_later_version_is_a_record():
    assert objection(record_of(HERE, more=1), 10**6, HERE, set()) == "live-owner"
    assert objection(record_of(DEAD, more=1), 0, HERE, set()) is None


@pytest.mark.parametrize(
    "changes",
    [
        *({"pid": pid} for pid in (0, -1, 2**31, 1.5, "1", True, None)),
        *({name: 1} for name in ("bootId", "createdAt", "host", "startIdentity", "token")),
        *({name: None} for name in ("createdAt", "host", "token")),
    ],
    ids=str,
)
def test_what_has_not_the_shape_of_a_record_is_none(changes):
    assert objection(record_of(HERE, **changes), 0.5, HERE, set()) == "young"
    assert objection(record_of(HERE, **changes), 1.5, HERE, set()) is None
    assert objection(record_of(HERE, **changes), -5, HERE, set()) == "young"


@pytest.mark.parametrize("name", ["bootId", "createdAt", "host", "pid", "startIdentity", "token"])
def test_every_member_of_a_record_is_needed(name):
    record = json.loads(record_of(HERE))
    del record[name]
    assert objection(json.dumps(record).encode(), 0, HERE, set()) == "young"


def test_a_record_that_names_a_member_twice_is_none():
    text = record_of(HERE)[:-1] + b',"pid":1}'
    assert objection(text, 0, HERE, set()) == "young"


def test_a_process_of_somebody_else_is_alive(monkeypatch):
    def denied(*_):
        raise PermissionError

    monkeypatch.setattr(os, "kill", denied)
    assert not is_gone(os.getpid())


def test_the_start_of_a_process_is_read_behind_its_command(tmp_path):
    if not Path("/proc/self/stat").exists():
        pytest.skip("this system does not tell")
    command = tmp_path / "odd) R 1 2 (name"
    command.symlink_to(shutil.which("cat"))
    with subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdin.write(b"started\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"started\n"
        fields = Path(f"/proc/{child.pid}/stat").read_text(encoding="ascii").split(") ")[-1]
        assert start_identity(child.pid) == f"linux-starttime:{fields.split()[19]}"
        assert int(fields.split()[19]) > 0
        child.stdin.close()
    assert start_identity(child.pid) is None
