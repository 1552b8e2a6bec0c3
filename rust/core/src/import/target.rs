//! Claim targets: which claim of the caller's a proposal is about.

use crate::canonical::{Rules, canonical_bytes};
use crate::document::{Document, Kind, Value};
use crate::envelope::Envelope;
use crate::envelope::shape::{closed, each, one_of, optional, trimmed_text};
use crate::error::{Checked, Code, Path, Refusal};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Claim targets as a caller hands them in, as JSON text.
#[derive(Clone, Copy, Debug)]
pub enum Targets<'o> {
    /// An object from field path to target; `fieldOrBehavior` defaults to the path.
    ByField(&'o [u8]),
    /// An array with one target for each proposal.
    Aligned(&'o [u8]),
}

const REQUIRED: [&str; 6] = [
    "claimType",
    "facet",
    "fieldOrBehavior",
    "impactLevel",
    "subjectId",
    "subjectType",
];
const OPTIONAL: [&str; 5] = [
    "claimId",
    "collectedBy",
    "derivedFrom",
    "evidenceMethod",
    "evidenceType",
];
const IMPACT_LEVELS: [&str; 4] = ["low", "medium", "high", "critical"];
/// Field paths named in one refusal.
const NAMED: usize = 10;

/// Checks one claim target.
pub(crate) fn check(target: Value<'_>, at: &Path<'_>) -> Checked<()> {
    shape(target, at).map_err(|refusal| refusal.recoded(Code::ImportTargetInvalid))
}

fn shape(target: Value<'_>, at: &Path<'_>) -> Checked<()> {
    let (required, optionals) = closed(target, at, REQUIRED, OPTIONAL)?;
    for (name, value) in REQUIRED.iter().zip(required) {
        if *name == "impactLevel" {
            one_of(value, &at.name(name), &IMPACT_LEVELS)?;
        } else {
            trimmed_text(value, &at.name(name))?;
        }
    }
    for (name, value) in OPTIONAL.iter().zip(optionals) {
        if *name == "derivedFrom" {
            optional(value, &at.name(name), |list, at| {
                each(list, at, trimmed_text)
            })?;
        } else {
            optional(value, &at.name(name), trimmed_text)?;
        }
    }
    Ok(())
}

/// The members of a checked target that its claim slot is made of.
pub(super) struct SlotMembers<'d> {
    pub(super) claim_id: Option<Value<'d>>,
    pub(super) claim_type: Value<'d>,
    pub(super) facet: Value<'d>,
    pub(super) field: Value<'d>,
    pub(super) subject_id: Value<'d>,
    pub(super) subject_type: Value<'d>,
}

impl<'d> SlotMembers<'d> {
    pub(super) fn read(target: Value<'d>, at: &Path<'_>) -> Checked<Self> {
        let ([claim_type, facet, field, _, subject_id, subject_type], [claim_id, ..]) =
            closed(target, at, REQUIRED, OPTIONAL)?;
        Ok(Self {
            claim_id,
            claim_type,
            facet,
            field,
            subject_id,
            subject_type,
        })
    }
}

impl Targets<'_> {
    /// The canonical text of the target of every proposal, in their order.
    pub(super) fn resolve(&self, envelope: &Envelope<'_>) -> Checked<Vec<Cow<'static, str>>> {
        match self {
            Targets::Aligned(raw) => aligned(raw, envelope.proposals.len()),
            Targets::ByField(raw) => by_field(raw, envelope),
        }
    }
}

fn lossless() -> Rules {
    Rules {
        lossless: true,
        ..Rules::default()
    }
}

fn aligned(raw: &[u8], proposals: usize) -> Checked<Vec<Cow<'static, str>>> {
    let text = canonical_bytes(raw, &lossless())?;
    let document = Document::index(&text)?;
    let root = document.root();
    let count = root.elements().count();
    if root.kind() != Kind::Array || count != proposals {
        let message =
            format!("claim targets align with proposals: {proposals} proposals, {count} targets");
        return Err(Refusal::at(Code::ImportTargetInvalid, &Path::Root, message));
    }
    let one = |(index, target): (usize, Value<'_>)| {
        check(target, &Path::Root.index(index))?;
        Ok(Cow::Owned(target.text().to_owned()))
    };
    root.elements().enumerate().map(one).collect()
}

fn by_field(raw: &[u8], envelope: &Envelope<'_>) -> Checked<Vec<Cow<'static, str>>> {
    let text = canonical_bytes(raw, &lossless())?;
    let document = Document::index(&text)?;
    if document.root().kind() != Kind::Object {
        let message =
            "claim targets are an object by field path, or an array aligned with the proposals";
        return Err(Refusal::at(Code::ImportTargetInvalid, &Path::Root, message));
    }
    let mut known: BTreeMap<Cow<'_, str>, String> = BTreeMap::new();
    for (field, target) in document.root().members() {
        let completed = completed(&field, target)?;
        known.insert(field, completed);
    }
    let mut unknown: BTreeSet<Cow<'_, str>> = BTreeSet::new();
    let mut resolved = Vec::with_capacity(envelope.proposals.len());
    for proposal in &envelope.proposals {
        let field = proposal.field_path.as_str().unwrap_or_default();
        match known.get(&field) {
            Some(target) => resolved.push(Cow::Owned(target.clone())),
            None => {
                unknown.insert(field);
            }
        }
    }
    if unknown.is_empty() {
        Ok(resolved)
    } else {
        Err(without_target(&unknown))
    }
}

/// The checked target with `fieldOrBehavior` filled in.
fn completed(field: &str, target: Value<'_>) -> Checked<String> {
    let at = Path::Root.name(field);
    let is_open = target.kind() == Kind::Object && target.get("fieldOrBehavior").is_none();
    if !is_open {
        check(target, &at)?;
        return Ok(target.text().to_owned());
    }
    let inner = target.text().strip_prefix('{').unwrap_or_default();
    let comma = if inner == "}" { "" } else { "," };
    let raw = format!(
        "{{\"fieldOrBehavior\":{}{comma}{inner}",
        super::quoted(field)
    );
    let text = canonical_bytes(raw.as_bytes(), &lossless())?.into_owned();
    let document = Document::index(&text)?;
    check(document.root(), &at)?;
    Ok(document.root().text().to_owned())
}

fn without_target(fields: &BTreeSet<Cow<'_, str>>) -> Box<Refusal> {
    let named: Vec<String> = fields
        .iter()
        .take(NAMED)
        .map(|field| format!("{field:?}"))
        .collect();
    let more = fields.len().saturating_sub(NAMED);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let message = format!(
        "no claim target for the field paths {}{rest}",
        named.join(", ")
    );
    Refusal::at(Code::ImportTargetInvalid, &Path::Root, message)
}
