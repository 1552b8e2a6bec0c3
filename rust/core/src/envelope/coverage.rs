//! Which ranges of the prepared text the run read.

use super::artifact::Artifact;
use super::outcome::Outcome;
use super::shape::{array, closed, each, inconsistent, integer, one_of, optional, plain, positive};
use crate::document::Value;
use crate::error::{Checked, Path};
use std::collections::BTreeMap;

const STATES: [&str; 3] = ["complete", "unread", "output-truncated"];
const REASONS: [&str; 4] = [
    "provider-failure",
    "content-truncated",
    "missing-tool-call",
    "not-dispatched",
];

struct Entry {
    start: usize,
    is_complete: bool,
    /// Whether the range was sent and its answer, or a part of it, is missing.
    is_loss: bool,
}

/// Reads `result.coverage`, where there is one, and compares it with the outcome.
pub(super) fn check(
    coverage: Option<Value<'_>>,
    artifact: Option<&Artifact<'_>>,
    outcome: &Outcome<'_>,
    at: &Path<'_>,
) -> Checked<()> {
    let mut first_gap = None;
    let mut has_loss = false;
    if let Some(coverage) = coverage {
        let Some(artifact) = artifact else {
            return Err(inconsistent(
                at,
                "coverage needs the preparedArtifact whose ranges it lists",
            ));
        };
        let mut last = 0;
        for (index, entry) in array(coverage, at)?.enumerate() {
            let place = at.index(index);
            let entry = check_entry(entry, artifact.content_length, &place)?;
            if entry.start < last {
                return Err(inconsistent(
                    &place.name("start"),
                    "ranges are listed in the order of their starts",
                ));
            }
            last = entry.start;
            has_loss |= entry.is_loss;
            if !entry.is_complete {
                first_gap = first_gap.or(Some(index));
            }
        }
    }
    match (outcome, first_gap) {
        (Outcome::Success, Some(index)) => Err(inconsistent(
            &at.index(index).name("status"),
            "a successful run has read every range completely",
        )),
        _ if outcome.is_loss() && !has_loss => Err(inconsistent(
            at,
            "a run that lost text names at least one range it lost",
        )),
        _ => Ok(()),
    }
}

fn check_entry(entry: Value<'_>, content_length: usize, at: &Path<'_>) -> Checked<Entry> {
    let ([chunk, start, end, status], [reason]) =
        closed(entry, at, ["chunk", "start", "end", "status"], ["reason"])?;
    positive(chunk, &at.name("chunk"))?;
    let start = check_range(start, end, content_length, at)?;
    let status = one_of(status, &at.name("status"), &STATES)?;
    let cause = optional(reason, &at.name("reason"), |reason, at| {
        one_of(reason, at, &REASONS)
    })?;
    match (status, cause) {
        ("unread", None) => Err(inconsistent(
            &at.name("reason"),
            "a range that was not read says why",
        )),
        ("complete" | "output-truncated", Some(_)) => Err(inconsistent(
            &at.name("reason"),
            "only a range that was not read gives a reason",
        )),
        _ => Ok(Entry {
            start,
            is_complete: status == "complete",
            is_loss: status != "complete" && cause != Some("not-dispatched"),
        }),
    }
}

/// Checks that coverage, which is well formed, gives one account of each chunk: a single range,
/// or the part that was sent followed by a tail that was cut off before sending.
pub(super) fn check_chunks(coverage: Value<'_>, at: &Path<'_>) -> Checked<()> {
    // Where the tail of each chunk would start, unless it can have none any more.
    let mut chunks: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    each(coverage, at, |entry, at| {
        let ([chunk, start, end, _], [reason]) =
            closed(entry, at, ["chunk", "start", "end", "status"], ["reason"])?;
        let reason = reason.and_then(plain);
        let was_sent = !matches!(reason, Some("content-truncated" | "not-dispatched"));
        match chunks.insert(chunk.text(), None) {
            None => {
                chunks.insert(chunk.text(), Some(end.text()).filter(|_| was_sent));
                Ok(())
            }
            Some(tail) if tail == Some(start.text()) && reason == Some("content-truncated") => {
                Ok(())
            }
            Some(_) => Err(inconsistent(
                &at.name("chunk"),
                "a chunk has one range, or the part sent and the tail cut off right after it",
            )),
        }
    })
}

/// Reads a range that is not empty and lies inside the prepared text; gives its start.
pub(super) fn check_range(
    start: Value<'_>,
    end: Value<'_>,
    content_length: usize,
    at: &Path<'_>,
) -> Checked<usize> {
    let start = integer(start, &at.name("start"))?;
    let end = integer(end, &at.name("end"))?;
    if start >= end {
        return Err(inconsistent(
            &at.name("end"),
            "a range ends after it starts",
        ));
    }
    if end > content_length {
        return Err(inconsistent(
            &at.name("end"),
            "the range ends after the prepared text does",
        ));
    }
    Ok(start)
}
