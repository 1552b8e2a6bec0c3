"""Fail a build when a stored review queue is no longer what its import derives.

    python examples/attest_in_ci.py FOLDER

FOLDER holds what `survey-fast import --output FOLDER` wrote. Exits 0 when the queue is the bound
one and every item of it is what the import derives, 1 with the reasons otherwise.
"""

import sys
from pathlib import Path

import survey_fast as sf


def reasons(folder: Path) -> list[str]:
    """Why the queue in ``folder`` is not to be trusted; nothing when it is."""
    queue = (folder / "review-queue.json").read_bytes()
    record = (folder / "import.json").read_bytes()
    binding = (folder / "binding.json").read_bytes()
    differences = sf.validate_review_queue_binding(binding, queue)
    attestation = sf.attest_review_queue_extraction(queue, record)
    found = [f"binding: {issue.code}: {issue.message}" for issue in differences]
    found += [f"import: {issue.code}: {issue.message}" for issue in attestation.issues]
    if attestation.provenance == "unverified":
        found.append("import: its excerpts were never looked up in the text")
    return found


def main(arguments: list[str]) -> int:
    """Print the reasons, or that there are none; the exit code."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        found = reasons(Path(arguments[0]))
    except (OSError, sf.SurveyError) as fault:
        found = [str(fault)]
    for reason in found:
        print(reason)
    if not found:
        print("the queue is the bound one, and every item is what the import derives")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
