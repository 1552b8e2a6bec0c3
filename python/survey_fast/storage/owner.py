"""Who holds a lock: the record an owner leaves, and whether a record found may be removed.

1. A record is at most 512 bytes of JSON: ``{"bootId", "createdAt", "host", "pid",
   "startIdentity", "token"}``. ``bootId`` and ``startIdentity`` are null where the system does
   not tell them.
2. It stands for nobody only when that is known: same host, same boot, and no such process or one
   that was started at another time. A recycled process number is told from its owner that way.
3. Text that is no record is left alone for a second: a writer may be at it.
4. Age alone never makes an owner dead.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from survey_fast.canon import canonical_json
from survey_fast.errors import JsonError

__all__ = ["RECORD_BYTES", "Machine", "is_gone", "objection", "owner_record", "start_identity"]

RECORD_BYTES: Final = 512
"""The most that a record has."""

_YOUNG: Final = 1.0
_HOST_LENGTH: Final = 128
_LARGEST_PID: Final = 2**31 - 1
_STATE, _START = 0, 19
"""Places of state and start time in a ``stat`` line, counted after the command."""


@lru_cache(maxsize=1)
def _host() -> str:
    name = os.uname().nodename
    return name.encode("ascii", "backslashreplace").decode()[:_HOST_LENGTH]


@lru_cache(maxsize=1)
def _boot_id() -> str | None:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None


def _stat_fields(pid: int) -> list[str] | None:
    """What the system says of a process, behind its command, which may hold anything."""
    try:
        line = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    return line.rpartition(b")")[2].decode("ascii", "replace").split()


def start_identity(pid: int) -> str | None:
    """When a process was started, as text to compare; ``None`` where the system does not tell."""
    fields = _stat_fields(pid)
    return f"linux-starttime:{fields[_START]}" if fields and len(fields) > _START else None


def is_gone(pid: int) -> bool:
    """Whether there is no such process. One that only awaits its parent's look is gone too."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    fields = _stat_fields(pid)
    return fields is not None and fields[_STATE : _STATE + 1] in (["Z"], ["X"])


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a process runs, and what can be known there about another."""

    host: str = field(default_factory=_host)
    boot_id: str | None = field(default_factory=_boot_id)
    pid: int = field(default_factory=os.getpid)
    start_identity: Callable[[int], str | None] = start_identity
    is_gone: Callable[[int], bool] = is_gone


def owner_record(machine: Machine, token: str, now: float) -> bytes:
    """The record of this process. ``now`` is the time of day in seconds since 1970."""
    created = datetime.fromtimestamp(now, UTC).replace(tzinfo=None)
    return canonical_json(
        {
            "bootId": machine.boot_id,
            "createdAt": f"{created.isoformat(timespec='milliseconds')}Z",
            "host": machine.host,
            "pid": machine.pid,
            "startIdentity": machine.start_identity(machine.pid),
            "token": token,
        }
    )


def objection(text: bytes, age: float, machine: Machine, abandoned: set[str]) -> str | None:
    """Why a record may not be removed; ``None`` when it stands for nobody.

    Args:
        text: what was found.
        age: seconds since it was written.
        machine: this one.
        abandoned: tokens that this process gave up without being able to remove their records.
    """
    record = _record(text)
    if record is None:
        return None if age > _YOUNG else "young"
    if record["token"] in abandoned:
        return None
    if record["host"] != machine.host:
        return "other-host"
    if record["bootId"] != machine.boot_id:
        return "other-boot"
    return None if _is_dead(record, machine) else "live-owner"


def _is_dead(record: dict[str, Any], machine: Machine) -> bool:
    if machine.is_gone(record["pid"]):
        return True
    then, today = record["startIdentity"], machine.start_identity(record["pid"])
    return None not in {then, today} and then != today


def _record(text: bytes) -> dict[str, Any] | None:
    """A record with its members; what a later version may add does not matter."""
    try:
        found = json.loads(canonical_json(text))
    except JsonError:
        return None
    if not isinstance(found, dict):
        return None
    texts = all(isinstance(found.get(name), str) for name in ("createdAt", "host", "token"))
    known = all(isinstance(found.get(name, 0), str | None) for name in ("bootId", "startIdentity"))
    pid = found.get("pid")
    numbered = type(pid) is int and 0 < pid <= _LARGEST_PID
    return found if texts and known and numbered else None
