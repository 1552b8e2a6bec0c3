//! The native extension `survey_fast._core`.
//!
//! Thin: each function takes whole documents, lets the core work without the interpreter lock
//! and hands out a digest, a short list of facts or the bytes of a derived document. What a
//! fact means is decided in Python.
#![deny(unsafe_code)]
#![allow(
    clippy::needless_pass_by_value,
    reason = "arguments arrive owned from Python"
)]

mod attest;
mod audit;
mod canonical;
mod disclosure;
mod extraction;
mod import;
mod names;
mod plain;
mod refusal;
mod round;
mod shape;

use pyo3::prelude::*;

/// Bytes above which giving up the interpreter lock is worth its cost.
const DETACH: usize = 64 * 1024;

/// Runs `work` without the interpreter lock where the input is large.
fn detached<T: Send>(py: Python<'_>, size: usize, work: impl FnOnce() -> T + Send) -> T {
    if size > DETACH {
        py.detach(work)
    } else {
        work()
    }
}

/// The native core of survey_fast; private, use the Python packages.
#[pymodule(gil_used = false)]
mod _core {
    use super::PyModule;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::attest::{check_snapshot, compare_queue, queue_outline};
    #[pymodule_export]
    use super::audit::audit_draw;
    #[pymodule_export]
    use super::canonical::{canonical_digest, canonical_json, member_texts, sha256_hex};
    #[pymodule_export]
    use super::disclosure::{DisclosureScanner, disclosure_corpus, disclosures};
    #[pymodule_export]
    use super::extraction::{proposal_identities, resolve_proposals, validate_envelope};
    #[pymodule_export]
    use super::import::{
        check_envelope, check_record, cited_record, excluded_proposals, import_envelope,
        record_items, resolution_base, span_matches,
    };
    #[pymodule_export]
    use super::names::{compare_names, sort_names};
    #[pymodule_export]
    use super::plain::{json_text, plain_canonical, require_plain, spliced_digest};
    #[pymodule_export]
    use super::refusal::refusal_codes;
    #[pymodule_export]
    use super::round::{
        DerivedRound, StoredQueue, chained_lines, derived_round, line_events, stored_queue,
    };

    #[pymodule_export]
    use super::shape::Shape;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let profile = if cfg!(debug_assertions) {
            "debug"
        } else {
            "release"
        };
        module.add("build_profile", profile)
    }
}
