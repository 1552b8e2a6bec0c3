//! One proposed value for one field, with where it was read and who proposed it.

use super::Level;
use super::provenance;
use super::shape::{
    Members, array, boolean, closed, each, inconsistent, integer, invalid, number, one_of,
    optional, plain, sha256, stable_identity, string, wire_text,
};
use crate::document::Value;
use crate::error::{Checked, Code, Path, Refusal};
use crate::evidence_match::{CHECKER, EvidenceMatch, FieldType, Subject};
use crate::limits::{self, Limits};

const REQUIRED: [&str; 4] = ["fieldPath", "candidateValue", "provenance", "extractor"];
const OPTIONAL: [&str; 8] = [
    "confidence",
    "pathIndices",
    "inferenceType",
    "valueType",
    "enumValues",
    "producedBy",
    "evidenceMatch",
    "valueNormalization",
];
/// What a producer may write: the note of a rewritten value stays with the run.
const WRITTEN: [&str; 7] = [
    "confidence",
    "pathIndices",
    "inferenceType",
    "valueType",
    "enumValues",
    "producedBy",
    "evidenceMatch",
];
pub(crate) const INFERENCES: [&str; 2] = ["explicit", "inferred"];
pub(crate) const TYPES: [&str; 7] = [
    "string", "number", "boolean", "date", "enum", "array", "object",
];
const MODEL_SOURCES: [&str; 2] = ["provider-reported", "configured"];
const SCHEMA_VERDICTS: [&str; 4] = ["ok", "type-mismatch", "enum-mismatch", "format-invalid"];
const EXCERPT_VERDICTS: [&str; 4] = ["match", "mismatch", "not-evaluated", "not-applicable"];
const NORMALIZATIONS: [&str; 2] = ["string-to-number", "date-to-iso"];

/// A proposal, as slices of the canonical text.
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'d> {
    /// The whole proposal.
    pub value: Value<'d>,
    /// The field it is for.
    pub field_path: Value<'d>,
    /// What it proposes.
    pub candidate_value: Value<'d>,
    /// How sure the extractor was.
    pub confidence: Option<Value<'d>>,
    /// Excerpt, locator and occurrence together.
    pub provenance: Value<'d>,
    /// The text that was read.
    pub excerpt: Value<'d>,
    /// Where it stands, as `chars:START-END`.
    pub locator: Value<'d>,
    /// First UTF-16 code unit of the excerpt in the prepared text.
    pub start: usize,
    /// The code unit after its last.
    pub end: usize,
    /// Which occurrence of the excerpt was taken.
    pub occurrence: Value<'d>,
    /// Who proposed it.
    pub extractor: Value<'d>,
    /// Places in the arrays that the field path passes.
    pub path_indices: Option<Value<'d>>,
    /// Whether the value stands in the text or follows from it.
    pub inference_type: Option<Value<'d>>,
    /// The type the task declared.
    pub value_type: Option<Value<'d>>,
    /// The model that produced it, with the request it answered.
    pub produced_by: Option<Value<'d>>,
    /// The model alone.
    pub produced_by_model: Option<Value<'d>>,
    /// The texts an enum allows.
    pub enum_values: Option<Value<'d>>,
    /// What a checker found when it compared value and excerpt.
    pub evidence_match: Option<Value<'d>>,
    /// What the value was before the extractor rewrote it.
    pub value_normalization: Option<Value<'d>>,
}

/// Reads `result.proposals`.
pub(super) fn check_all<'d>(
    level: Level,
    proposals: Value<'d>,
    content_length: Option<usize>,
    limits: &Limits,
    at: &Path<'_>,
) -> Checked<Vec<Proposal<'d>>> {
    let count = array(proposals, at)?.count();
    if count > limits.items {
        let message = format!(
            "{count} proposals are more than the {} allowed here",
            limits.items
        );
        return Err(Refusal::at(Code::ImportTooLarge, at, message));
    }
    let mut checker = Checker {
        content_length,
        ..Checker::default()
    };
    let produced = level == Level::Produce;
    let mut found = Vec::with_capacity(count);
    each(proposals, at, |proposal, at| {
        let members = if produced {
            written(proposal, at)?
        } else {
            closed(proposal, at, REQUIRED, OPTIONAL)?
        };
        let proposal = checker.check(proposal, members, at)?;
        if produced {
            check_evidence_again(&proposal, at)?;
        }
        found.push(proposal);
        Ok(())
    })?;
    Ok(found)
}

/// The members of a proposal that a producer may write.
fn written<'d>(value: Value<'d>, at: &Path<'_>) -> Checked<Members<'d, 4, 8>> {
    let (
        required,
        [
            confidence,
            indices,
            inference,
            declared,
            words,
            model,
            evidence,
        ],
    ) = closed(value, at, REQUIRED, WRITTEN)?;
    let allowed = [
        confidence, indices, inference, declared, words, model, evidence, None,
    ];
    Ok((required, allowed))
}

/// Computes a proposal's evidence match again and compares.
fn check_evidence_again(proposal: &Proposal<'_>, at: &Path<'_>) -> Checked<()> {
    let Some(stated) = proposal.evidence_match else {
        return Ok(());
    };
    let at_evidence = at.name("evidenceMatch");
    let word = |name: &str| stated.get(name).and_then(plain).unwrap_or_default();
    if word("checkerVersion") != CHECKER {
        let message = format!("the evidence is compared by the rules of {CHECKER} here");
        return Err(invalid(&at_evidence.name("checkerVersion"), message));
    }
    let declared = proposal.value_type.and_then(plain);
    let Some(field_type) = declared.and_then(FieldType::named) else {
        return Err(Refusal::at(
            Code::EnvelopeMissingMember,
            &at.name("valueType"),
            "an evidence match needs the type that the value was compared with",
        ));
    };
    let excerpt = proposal.excerpt.as_str().unwrap_or_default();
    let found = EvidenceMatch::of(&Subject {
        value: proposal.candidate_value,
        field_type,
        enum_values: proposal.enum_values,
        is_explicit: proposal.inference_type.and_then(plain) == Some("explicit"),
        excerpt: &excerpt,
    });
    let facts = [
        ("schema", found.schema),
        ("valueInExcerpt", found.in_excerpt.as_str()),
    ];
    for (name, found) in facts {
        if word(name) != found {
            let message = format!("value and excerpt compare as {found}");
            return Err(inconsistent(&at_evidence.name(name), message));
        }
    }
    Ok(())
}

#[derive(Default)]
struct Checker<'d> {
    content_length: Option<usize>,
    extractors: Identities<'d>,
    models: Identities<'d>,
    checkers: Identities<'d>,
}

/// The identity accepted last: most neighbours name the same.
#[derive(Default)]
struct Identities<'d>(&'d str);

impl<'d> Identities<'d> {
    fn check(&mut self, value: Value<'d>, at: &Path<'_>) -> Checked<()> {
        if value.text() != self.0 {
            stable_identity(value, at, limits::IDENTITY)?;
            self.0 = value.text();
        }
        Ok(())
    }
}

impl<'d> Checker<'d> {
    fn check(
        &mut self,
        value: Value<'d>,
        (required, allowed): Members<'d, 4, 8>,
        at: &Path<'_>,
    ) -> Checked<Proposal<'d>> {
        let [field_path, candidate_value, provenance, extractor] = required;
        let [
            confidence,
            path_indices,
            inference_type,
            value_type,
            enum_values,
            produced_by,
            evidence_match,
            rewrite,
        ] = allowed;
        wire_text(field_path, &at.name("fieldPath"))?;
        check_depth(candidate_value, &at.name("candidateValue"))?;
        optional(confidence, &at.name("confidence"), check_confidence)?;
        let origin = provenance::check(provenance, self.content_length, &at.name("provenance"))?;
        self.extractors.check(extractor, &at.name("extractor"))?;
        optional(path_indices, &at.name("pathIndices"), |indices, at| {
            each(indices, at, integer)
        })?;
        optional(inference_type, &at.name("inferenceType"), |value, at| {
            one_of(value, at, &INFERENCES)
        })?;
        optional(value_type, &at.name("valueType"), |value, at| {
            one_of(value, at, &TYPES)
        })?;
        optional(enum_values, &at.name("enumValues"), |words, at| {
            each(words, at, string)
        })?;
        let produced_by_model = optional(produced_by, &at.name("producedBy"), |value, at| {
            self.check_produced_by(value, at)
        })?;
        optional(evidence_match, &at.name("evidenceMatch"), |value, at| {
            self.check_evidence(value, at)
        })?;
        optional(rewrite, &at.name("valueNormalization"), check_rewrite)?;
        Ok(Proposal {
            value,
            field_path,
            candidate_value,
            confidence,
            provenance,
            excerpt: origin.excerpt,
            locator: origin.locator,
            start: origin.start,
            end: origin.end,
            occurrence: origin.occurrence,
            extractor,
            path_indices,
            inference_type,
            value_type,
            produced_by,
            produced_by_model,
            enum_values,
            evidence_match,
            value_normalization: rewrite,
        })
    }

    /// Gives the model.
    fn check_produced_by(&mut self, value: Value<'d>, at: &Path<'_>) -> Checked<Value<'d>> {
        let ([model, source, request], []) =
            closed(value, at, ["model", "modelSource", "requestDigest"], [])?;
        self.models.check(model, &at.name("model"))?;
        one_of(source, &at.name("modelSource"), &MODEL_SOURCES)?;
        sha256(request, &at.name("requestDigest"), "sha256:")?;
        Ok(model)
    }

    fn check_evidence(&mut self, value: Value<'d>, at: &Path<'_>) -> Checked<()> {
        let ([checker, schema, in_excerpt], [boundary]) = closed(
            value,
            at,
            ["checkerVersion", "schema", "valueInExcerpt"],
            ["tokenBoundary"],
        )?;
        self.checkers.check(checker, &at.name("checkerVersion"))?;
        one_of(schema, &at.name("schema"), &SCHEMA_VERDICTS)?;
        one_of(in_excerpt, &at.name("valueInExcerpt"), &EXCERPT_VERDICTS)?;
        optional(boundary, &at.name("tokenBoundary"), boolean)?;
        Ok(())
    }
}

/// What derives from a value nests it deeper, and has to stay readable.
fn check_depth(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    if value.depth() > limits::VALUE_DEPTH {
        let message = format!(
            "a value nests at most {} arrays and objects",
            limits::VALUE_DEPTH
        );
        return Err(Refusal::at(Code::ImportValueDepth, at, message));
    }
    Ok(())
}

fn check_confidence(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    if (0.0..=1.0).contains(&number(value, at)?) {
        return Ok(());
    }
    Err(invalid(at, "a number from 0 to 1 belongs here"))
}

fn check_rewrite(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    let ([kind, from], []) = closed(value, at, ["kind", "from"], [])?;
    one_of(kind, &at.name("kind"), &NORMALIZATIONS)?;
    string(from, &at.name("from"))?;
    Ok(())
}
