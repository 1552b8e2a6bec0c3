//! The structure of a session snapshot and of its review items, checked whole.
//!
//! Everything is closed but labels, annotations, producer blocks and the producer's policy, so a
//! member that nothing reads cannot ride along unnoticed.

use crate::canonical::{Rules, canonical_bytes};
use crate::document::{Document, Kind, Value};
use crate::envelope::shape::{
    array, boolean, closed, each, integer, invalid, number, one_of, optional, string, trimmed_text,
};
use crate::error::{Checked, Code, Path};
use crate::import::check_target;
use crate::limits::Limits;

const TYPES: [&str; 7] = [
    "string", "number", "boolean", "date", "enum", "array", "object",
];
const SET_STATUSES: [&str; 4] = ["resolved", "needs-review", "conflict", "escalated"];

/// Checks the snapshot `raw` of at most `limits.items` items.
pub fn check(raw: &[u8], limits: &Limits, threads: usize) -> Checked<()> {
    let rules = Rules {
        max_bytes: limits.queue_bytes,
        threads,
        ..Rules::default()
    };
    let text = canonical_bytes(raw, &rules)?;
    let document = Document::index(&text)?;
    snapshot(document.root(), limits).map_err(|refusal| refusal.recoded(Code::SessionMalformed))
}

fn snapshot(value: Value<'_>, limits: &Limits) -> Checked<()> {
    let root = Path::Root;
    let ([items, active, actor, decisions, notes, reviewed_at], [attempts, edits, _, _, choices]) =
        closed(
            value,
            &root,
            [
                "items",
                "activeItemName",
                "actorId",
                "decisionsByItemName",
                "notesByItemName",
                "reviewedAt",
            ],
            [
                "attemptEvidenceIdsByItemName",
                "editedValuesByItemName",
                "presentation",
                "sampling",
                "selectedCandidateIdsByItemName",
            ],
        )?;
    string(active, &root.name("activeItemName"))?;
    string(actor, &root.name("actorId"))?;
    string(reviewed_at, &root.name("reviewedAt"))?;
    map(decisions, &root.name("decisionsByItemName"), text)?;
    map(notes, &root.name("notesByItemName"), text)?;
    optional(
        choices,
        &root.name("selectedCandidateIdsByItemName"),
        |one, at| map(one, at, text),
    )?;
    optional(
        attempts,
        &root.name("attemptEvidenceIdsByItemName"),
        |one, at| map(one, at, texts),
    )?;
    optional(edits, &root.name("editedValuesByItemName"), object)?;
    let at = root.name("items");
    for (index, one) in array(items, &at)?.enumerate() {
        if index >= limits.items {
            return Err(invalid(&at, "there are more items than the cap allows"));
        }
        item(one, &at.index(index), limits)?;
    }
    Ok(())
}

fn text(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    string(value, at).map(drop)
}

fn texts(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    each(value, at, text)
}

fn object(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    if value.kind() == Kind::Object {
        return Ok(());
    }
    Err(invalid(at, "an object belongs here"))
}

/// An object from names to values that `check` accepts.
fn map(
    value: Value<'_>,
    at: &Path<'_>,
    check: impl Fn(Value<'_>, &Path<'_>) -> Checked<()>,
) -> Checked<()> {
    object(value, at)?;
    for (name, member) in value.members() {
        check(member, &at.name(&name))?;
    }
    Ok(())
}

fn item(value: Value<'_>, at: &Path<'_>, limits: &Limits) -> Checked<()> {
    let ([version, kind, metadata, spec], [status]) = closed(
        value,
        at,
        ["apiVersion", "kind", "metadata", "spec"],
        ["status"],
    )?;
    one_of(
        version,
        &at.name("apiVersion"),
        &["survey.kontourai.io/v1alpha1"],
    )?;
    one_of(kind, &at.name("kind"), &["ReviewItem"])?;
    check_metadata(metadata, &at.name("metadata"))?;
    check_spec(spec, &at.name("spec"), limits)?;
    optional(status, &at.name("status"), |status, at| {
        let ([], [count, name, selected]) = closed(
            status,
            at,
            [],
            [
                "observedCandidateCount",
                "reviewDecisionName",
                "selectedCandidateId",
            ],
        )?;
        optional(count, &at.name("observedCandidateCount"), integer)?;
        optional(name, &at.name("reviewDecisionName"), text)?;
        optional(selected, &at.name("selectedCandidateId"), text)
    })?;
    Ok(())
}

fn check_metadata(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    let ([name], [annotations, labels, producer, uid]) = closed(
        value,
        at,
        ["name"],
        ["annotations", "labels", "producer", "uid"],
    )?;
    trimmed_text(name, &at.name("name"))?;
    optional(annotations, &at.name("annotations"), object)?;
    optional(labels, &at.name("labels"), object)?;
    optional(producer, &at.name("producer"), object)?;
    optional(uid, &at.name("uid"), text)?;
    Ok(())
}

fn check_spec(value: Value<'_>, at: &Path<'_>, limits: &Limits) -> Checked<()> {
    let (
        [candidates, target],
        [
            set_status,
            editable,
            policy,
            hint,
            rationale,
            selected,
            descriptor,
        ],
    ) = closed(
        value,
        at,
        ["candidates", "target"],
        [
            "candidateSetStatus",
            "editable",
            "producerPolicy",
            "projection",
            "rationale",
            "selectedCandidateId",
            "valueDescriptor",
        ],
    )?;
    text(target, &at.name("target"))?;
    optional(set_status, &at.name("candidateSetStatus"), |one, at| {
        one_of(one, at, &SET_STATUSES)
    })?;
    optional(editable, &at.name("editable"), boolean)?;
    optional(policy, &at.name("producerPolicy"), object)?;
    optional(hint, &at.name("projection"), check_projection)?;
    optional(rationale, &at.name("rationale"), text)?;
    optional(selected, &at.name("selectedCandidateId"), text)?;
    optional(descriptor, &at.name("valueDescriptor"), |one, at| {
        let ([kind], [words]) = closed(one, at, ["type"], ["enumValues"])?;
        one_of(kind, &at.name("type"), &TYPES)?;
        optional(words, &at.name("enumValues"), texts)
    })?;
    let place = at.name("candidates");
    let mut count = 0;
    for (index, one) in array(candidates, &place)?.enumerate() {
        candidate(one, &place.index(index))?;
        count = index + 1;
    }
    if count == 0 || count > limits.candidates {
        return Err(invalid(
            &place,
            "an item has candidates, and no more than the cap allows",
        ));
    }
    Ok(())
}

fn check_projection(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    const NAMES: [&str; 6] = [
        "candidateId",
        "candidateSetId",
        "claimId",
        "extractionId",
        "rawSourceId",
        "reviewOutcomeId",
    ];
    let ([], hints) = closed(value, at, [], NAMES)?;
    for (name, hint) in NAMES.iter().zip(hints) {
        optional(hint, &at.name(name), text)?;
    }
    Ok(())
}

fn candidate(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    let (
        [target, extraction, id, source, _],
        [
            confidence,
            locator,
            producer,
            hint,
            rejection,
            role,
            rank,
            verifications,
        ],
    ) = closed(
        value,
        at,
        ["claimTarget", "extraction", "id", "source", "value"],
        [
            "confidence",
            "locator",
            "producer",
            "projection",
            "rejectionReason",
            "role",
            "sourceRank",
            "verifications",
        ],
    )?;
    trimmed_text(id, &at.name("id"))?;
    check_target(target, &at.name("claimTarget"))?;
    optional(confidence, &at.name("confidence"), number)?;
    optional(producer, &at.name("producer"), object)?;
    optional(hint, &at.name("projection"), check_projection)?;
    optional(rejection, &at.name("rejectionReason"), text)?;
    optional(role, &at.name("role"), text)?;
    optional(rank, &at.name("sourceRank"), number)?;
    optional(verifications, &at.name("verifications"), |list, at| {
        each(list, at, object)
    })?;
    texts_of(
        source,
        &at.name("source"),
        ["sourceRef"],
        [
            "checksum",
            "fetchedAt",
            "kind",
            "locatorScheme",
            "observedAt",
            "sourceId",
        ],
    )?;
    optional(locator, &at.name("locator"), |one, at| {
        texts_of(one, at, ["scheme"], ["excerpt", "locator"])
    })?;
    check_extraction(extraction, &at.name("extraction"))
}

fn check_extraction(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    let ([target], [confidence, extracted_at, id, extractor, model]) = closed(
        value,
        at,
        ["target"],
        [
            "confidence",
            "extractedAt",
            "extractionId",
            "extractor",
            "model",
        ],
    )?;
    text(target, &at.name("target"))?;
    optional(confidence, &at.name("confidence"), number)?;
    optional(extracted_at, &at.name("extractedAt"), text)?;
    optional(id, &at.name("extractionId"), text)?;
    optional(extractor, &at.name("extractor"), text)?;
    optional(model, &at.name("model"), text)?;
    Ok(())
}

/// An object of nothing but strings.
fn texts_of<const R: usize, const O: usize>(
    value: Value<'_>,
    at: &Path<'_>,
    required: [&str; R],
    allowed: [&str; O],
) -> Checked<()> {
    let (needed, others) = closed(value, at, required, allowed)?;
    for (name, member) in required.iter().zip(needed) {
        text(member, &at.name(name))?;
    }
    for (name, member) in allowed.iter().zip(others) {
        optional(member, &at.name(name), text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITEM: &str = r#"{"apiVersion":"survey.kontourai.io/v1alpha1","kind":"ReviewItem","metadata":{"name":"a"},"spec":{"target":"fee","candidates":[{"id":"c","role":"proposed","value":null,"source":{"sourceRef":"doc"},"extraction":{"target":"fee"},"claimTarget":{"subjectType":"s","subjectId":"1","facet":"f","claimType":"t","fieldOrBehavior":"fee","impactLevel":"low"}}]}}"#;

    fn checked(item: &str) -> Option<(Code, String)> {
        let text = format!(
            r#"{{"items":[{item}],"activeItemName":"a","actorId":"x","decisionsByItemName":{{}},"notesByItemName":{{}},"reviewedAt":""}}"#
        );
        let refusal = check(text.as_bytes(), &Limits::default(), 1).err()?;
        Some((refusal.code, refusal.pointer))
    }

    #[test]
    fn a_snapshot_is_closed_and_typed() {
        assert_eq!(checked(ITEM), None);
        for (from, to, pointer) in [
            (
                r#""target":"fee","c"#,
                r#""target":7,"c"#,
                "/items/0/spec/target",
            ),
            (
                r#""id":"c""#,
                r#""id":"c","score":1"#,
                "/items/0/spec/candidates/0/score",
            ),
            (
                r#""impactLevel":"low""#,
                r#""impactLevel":"no""#,
                "/items/0/spec/candidates/0/claimTarget/impactLevel",
            ),
            (
                r#"{"name":"a"}"#,
                r#"{"name":" "}"#,
                "/items/0/metadata/name",
            ),
            (
                r#""sourceRef":"doc""#,
                r#""sourceId":"doc""#,
                "/items/0/spec/candidates/0/source/sourceRef",
            ),
        ] {
            assert_eq!(
                checked(&ITEM.replacen(from, to, 1)),
                Some((Code::SessionMalformed, pointer.to_owned()))
            );
        }
    }
}
