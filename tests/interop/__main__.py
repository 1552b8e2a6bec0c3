"""Does the published package accept what this one writes, and derive the same statuses?

    python -m tests.interop [--items N] [--optional]

Installs npm `@kontourai/surface` (the version in package.json) into build/interop, and runs it.
Exit codes: 0 it agrees; 1 it does not; 75 it could not be asked, as node, npm or the registry is
missing. With --optional that is said and is no failure.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.interop.bundles import Case, cases

HERE = Path(__file__).parent
SCRATCH = HERE.parents[1] / "build" / "interop"
ABSENT = 75
INSTALL = (
    # A package that asks for a dependency nobody publishes is installed all the same.
    *("npm", "install", "--force", "--ignore-scripts", "--no-audit", "--no-fund"),
    *("--loglevel=error", "--fetch-retries=1", "--fetch-timeout=20000"),
)
PATIENCE = 180


def main() -> int:
    """Ask, compare, tell."""
    parser = argparse.ArgumentParser(prog="interop", description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--optional", action="store_true")
    given = parser.parse_args()
    missing = _install()
    if missing is not None:
        say(f"interop did not run: {missing}")
        return 0 if given.optional else ABSENT
    asked = [*cases(given.items)]
    answers = _ask(asked)
    if answers is None:
        return 1
    faults = [fault for case in asked if (fault := _fault(case, answers[case.name])) is not None]
    for case in asked:
        told = "refused" if case.statuses is None else dict(Counter(case.statuses.values()))
        say(f"  {case.name:<10} {len(case.text):>12,} bytes   {told}")
    for fault in faults:
        say(f"interop: {fault}")
    say("interop: they disagree" if faults else "interop: accepted, with the same statuses")
    return 1 if faults else 0


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _install() -> str | None:
    """Why the package is not there, or nothing once it is."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            return f"there is no {program} here"
    wanted = (HERE / "package.json").read_bytes()
    # Ours, written last: what npm keeps in the folder is not looked at.
    stamp = SCRATCH / "installed.json"
    if stamp.exists() and stamp.read_bytes() == wanted:
        return None
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    (SCRATCH / "package.json").write_bytes(wanted)
    try:
        done = subprocess.run(
            INSTALL, cwd=SCRATCH, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return f"npm did not finish within {PATIENCE} seconds"
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return f"npm could not install the package ({lines[0].strip()})"
    stamp.write_bytes(wanted)
    return None


def _ask(asked: list[Case]) -> dict[str, dict] | None:
    """What the package says about each case, by name."""
    listed = []
    for case in asked:
        path = SCRATCH / f"{case.name}.bundle.json"
        path.write_bytes(case.text)
        listed.append({"name": case.name, "bundle": str(path), "now": case.now})
    (SCRATCH / "cases.json").write_text(json.dumps(listed))
    # The program has to lie beside what it imports.
    shutil.copy(HERE / "surface.mjs", SCRATCH / "surface.mjs")
    done = subprocess.run(
        ["node", "surface.mjs", "cases.json"],
        cwd=SCRATCH,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode:
        say(done.stderr)
        say("interop: the package could not be run")
        return None
    return {answer["name"]: answer for answer in json.loads(done.stdout)}


def _fault(case: Case, answer: dict) -> str | None:
    if case.statuses is None:
        return None if "refused" in answer else f"{case.name} was accepted, and must not be"
    if "refused" in answer:
        return f"{case.name} was refused ({answer['refused']})"
    if answer["version"] != "2":
        return f"{case.name} was judged under version {answer['version']}, not 2"
    if answer["statuses"] == case.statuses:
        return None
    other = [
        claim for claim, status in case.statuses.items() if answer["statuses"].get(claim) != status
    ]
    return f"{case.name}: {len(other)} claims have another status, {other[:3]} among them"


if __name__ == "__main__":
    sys.exit(main())
