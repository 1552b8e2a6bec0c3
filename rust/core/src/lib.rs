//! The verdicts of survey_fast that must be exact and fast at ten thousand items: what a
//! document hashes to, which review items an extraction produces, and whether a stored queue
//! is still that set.
//!
//! The crate is pure: bytes in; a digest, a short list of facts, or the bytes of a derived
//! document out. It has no clock, no randomness, no files and no Python. One call may use
//! several threads and gives the same answer with one.
#![forbid(unsafe_code)]

pub mod attest;
mod beside;
pub mod canonical;
pub mod chain;
mod characters;
pub mod citation;
mod credential;
pub mod derived_round;
pub mod digest;
pub mod disclosure;
pub mod document;
pub mod draw;
pub mod envelope;
pub mod error;
pub mod evidence_match;
pub mod grounding;
pub mod history;
pub mod identities;
pub mod import;
mod json;
pub mod limits;
mod locate;
mod member;
pub mod names;
mod number;
pub mod occurrence;
mod order;
mod outline;
mod parallel;
mod queue;
mod reorder;
pub mod round;
mod runs;
pub mod snapshot;
pub mod span;
pub mod text;
pub mod threads;
mod walk;
mod writer;

pub use error::{Code, Refusal};
