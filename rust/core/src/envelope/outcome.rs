//! How the run ended, and what a run that ended early says about the rest.

use super::shape::{
    closed, inconsistent, integer, invalid, one_of, optional, plain, positive, stable_identity,
};
use crate::document::Value;
use crate::error::{Checked, Path};
use crate::limits;

/// Reasons of a partial run: the first four stop early, the others lose text.
const REASONS: [&str; 7] = [
    "cancelled",
    "max-provider-calls",
    "max-total-tokens",
    "max-chunks",
    "provider-failure",
    "content-truncated",
    "output-truncated",
];
const LOSSES: [&str; 3] = ["provider-failure", "content-truncated", "output-truncated"];
const FAILURES: [&str; 5] = [
    "invalid-config",
    "invalid-task",
    "preparation",
    "provider",
    "unexpected",
];

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'d> {
    /// It read everything.
    Success,
    /// It read a part.
    Partial {
        /// Why not all of it.
        reason: Value<'d>,
    },
    /// It read nothing.
    Failure {
        /// What kind of thing went wrong.
        category: Value<'d>,
        /// What went wrong.
        code: Value<'d>,
    },
}

impl Outcome<'_> {
    /// Whether a part of the text was sent and came back without an answer.
    pub(super) fn is_loss(&self) -> bool {
        match self {
            Outcome::Partial { reason } => {
                plain(*reason).is_some_and(|reason| LOSSES.contains(&reason))
            }
            Outcome::Success | Outcome::Failure { .. } => false,
        }
    }
}

/// Reads `result.outcome` together with `result.partial`; `at` is the result.
pub(super) fn check<'d>(
    outcome: Value<'d>,
    partial: Option<Value<'d>>,
    at: &Path<'_>,
) -> Checked<Outcome<'d>> {
    let place = at.name("outcome");
    let outcome = match outcome.get("status").and_then(plain) {
        Some("success") => {
            closed(outcome, &place, ["status"], [])?;
            Outcome::Success
        }
        Some("partial") => {
            let ([_, reason], []) = closed(outcome, &place, ["status", "reason"], [])?;
            one_of(reason, &place.name("reason"), &REASONS)?;
            Outcome::Partial { reason }
        }
        Some("failure") => {
            let ([_, category, code], []) =
                closed(outcome, &place, ["status", "category", "code"], [])?;
            one_of(category, &place.name("category"), &FAILURES)?;
            stable_identity(code, &place.name("code"), limits::IDENTITY)?;
            Outcome::Failure { category, code }
        }
        _ => {
            closed(outcome, &place, ["status"], ["reason", "category", "code"])?;
            return Err(invalid(
                &place.name("status"),
                "an outcome is success, partial or failure",
            ));
        }
    };
    check_partial(&outcome, partial, &at.name("partial"))?;
    Ok(outcome)
}

fn check_partial(outcome: &Outcome<'_>, partial: Option<Value<'_>>, at: &Path<'_>) -> Checked<()> {
    match (outcome, partial) {
        (Outcome::Partial { reason }, Some(partial)) => {
            let ([repeated, completed, remaining], [overshoot]) = closed(
                partial,
                at,
                ["reason", "completedChunks", "remainingChunks"],
                ["tokenOvershoot"],
            )?;
            one_of(repeated, &at.name("reason"), &REASONS)?;
            if repeated.text() != reason.text() {
                return Err(inconsistent(
                    &at.name("reason"),
                    "the outcome gives another reason",
                ));
            }
            integer(completed, &at.name("completedChunks"))?;
            integer(remaining, &at.name("remainingChunks"))?;
            optional(overshoot, &at.name("tokenOvershoot"), positive)?;
            Ok(())
        }
        (Outcome::Partial { .. }, None) => Err(inconsistent(
            at,
            "a partial outcome needs this account of what was read",
        )),
        (Outcome::Success | Outcome::Failure { .. }, Some(_)) => Err(inconsistent(
            at,
            "only a partial outcome has this member; remove it",
        )),
        (Outcome::Success | Outcome::Failure { .. }, None) => Ok(()),
    }
}
