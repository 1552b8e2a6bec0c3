"""Logs built by hand, and a slow and obvious reading of one, to compare with."""

import hashlib
import json

import rfc8785

ROOT = b'{"root":true}\n'
ROOT_DIGEST = hashlib.sha256(ROOT).hexdigest()


def line(event, previous, remaining, sequence):
    entry = {"event": event, "previous": previous, "remaining": remaining, "sequence": sequence}
    return rfc8785.dumps(entry) + b"\n"


def lines(*appends, root=ROOT):
    """The lines of a log made by these appends, each a list of events."""
    made, previous = [], hashlib.sha256(root).hexdigest()
    for events in appends:
        for number, event in enumerate(events, 1):
            made.append(line(event, previous, len(events) - number, len(made) + 1))
            previous = hashlib.sha256(made[-1]).hexdigest()
    return made


def events(count, start=1):
    return [{"name": f"event {number}"} for number in range(start, start + count)]


def read_slowly(data):
    """``(events, head, tail)`` of a log that belongs to ROOT, or the number of the broken line."""
    whole, junk = [], data
    while b"\n" in junk and b"\0" not in junk[: junk.index(b"\n")]:
        first, _, junk = junk.partition(b"\n")
        whole.append(first + b"\n")
    committed = (0, ROOT_DIGEST, 0)
    previous, promised, size, found = ROOT_DIGEST, None, 0, []
    for number, one in enumerate(whole, 1):
        try:
            entry = json.loads(one, object_pairs_hook=without_duplicates)
            remaining = entry["remaining"]
            assert line(entry["event"], previous, remaining, number) == one
            assert isinstance(entry["event"], dict)
            assert type(remaining) is int
            assert remaining >= 0 if promised is None else remaining == promised
        except (AssertionError, LookupError, TypeError, ValueError, RecursionError):
            return number
        found.append(entry["event"])
        size += len(one)
        previous = hashlib.sha256(one).hexdigest()
        promised = remaining - 1 if remaining else None
        if not remaining:
            committed = (number, previous, size)
    count, head, size = committed
    return found[:count], head, len(data) - size


def without_duplicates(pairs):
    members = dict(pairs)
    assert len(members) == len(pairs)
    return members


def face(path):
    """What a name leads to, but for when it was last looked at."""
    status = path.lstat()
    return status.st_mode, status.st_ino, status.st_nlink, status.st_size, status.st_mtime_ns
