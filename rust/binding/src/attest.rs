//! Queues against their bindings and imports: facts only.

use crate::canonical::{profile, profile_name};
use crate::detached;
use crate::import::{Caps, limits};
use crate::refusal::unwrap;
use pyo3::prelude::*;
use survey_core::attest;

/// `(code, item name, detail, pointer)`.
type Fact = (&'static str, Option<String>, String, Option<String>);

/// `(facts, profile that matched, code of the record's refusal, excerpts verified, drawn of derived)`.
type Findings = (
    Vec<Fact>,
    Option<&'static str>,
    Option<&'static str>,
    bool,
    Option<(usize, usize)>,
);

/// Compares a queue with its import record.
#[pyfunction]
#[pyo3(signature = (queue, record, caps, threads = 0))]
pub(crate) fn compare_queue(
    py: Python<'_>,
    queue: &[u8],
    record: &[u8],
    caps: Caps,
    threads: usize,
) -> PyResult<Findings> {
    let size = queue.len() + record.len();
    let found = unwrap(
        py,
        detached(py, size, || {
            attest::compare(queue, record, &limits(caps), threads)
        }),
    )?;
    let facts = found
        .facts
        .into_iter()
        .map(|fact| (fact.code, fact.item, fact.detail, fact.pointer))
        .collect();
    Ok((
        facts,
        found.profile.map(profile_name),
        found.refused.map(survey_core::Code::as_str),
        found.verified,
        found.drawn,
    ))
}

/// Checks the structure of a session snapshot, whole.
#[pyfunction]
#[pyo3(signature = (snapshot, caps, threads = 0))]
pub(crate) fn check_snapshot(
    py: Python<'_>,
    snapshot: &[u8],
    caps: Caps,
    threads: usize,
) -> PyResult<()> {
    let caps = limits(caps);
    let checked = detached(py, snapshot.len(), || {
        survey_core::snapshot::check(snapshot, &caps, threads)
    });
    unwrap(py, checked)
}

/// `(digest, names in order, ambiguity, items that carry an import)`.
type Outline = (
    Option<String>,
    Vec<String>,
    Option<(&'static str, String, String)>,
    usize,
);

/// What a binding commits to.
#[pyfunction]
#[pyo3(signature = (queue, profile, caps, threads = 0))]
pub(crate) fn queue_outline(
    py: Python<'_>,
    queue: &[u8],
    profile: &str,
    caps: Caps,
    threads: usize,
) -> PyResult<Outline> {
    let profile = self::profile(profile)?;
    let outline = unwrap(
        py,
        detached(py, queue.len(), || {
            attest::outline(queue, profile, &limits(caps), threads)
        }),
    )?;
    Ok((
        outline.digest,
        outline.names,
        outline.ambiguity,
        outline.imported,
    ))
}
