//! From an envelope to an import record and the review items it derives.
//!
//! 1. The envelope is read strictly and validated (`envelope`).
//! 2. Every proposal gets its claim target ([`target`]).
//! 3. Where the prepared text is at hand, every excerpt is looked up at its span
//!    ([`verification`]).
//! 4. What was found becomes the status ([`status`]).
//! 5. A grounded import derives items, one for each claim slot ([`slots`], [`items`]).
//!
//! [`record`] does steps 4 and 5 for a stored record.

mod coherence;
mod identity;
mod item_text;
mod items;
mod record;
mod slots;
mod status;
mod target;
mod verification;

pub use items::Items;
pub use record::{Record, with_record};
pub use target::Targets;
pub(crate) use target::check as check_target;

use crate::canonical::{Rules, canonical_bytes};
use crate::document::{Document, Profile, Value};
use crate::envelope::{Envelope, Level, normalized_layout};
use crate::error::{Checked, Code, Path, Refusal};
use crate::json;
use crate::limits::Limits;
use crate::locate::located;
use crate::text::has_content;
use std::borrow::Cow;

/// The version every resource of the review format names.
pub(crate) const API_VERSION: &str = "survey.kontourai.io/v1alpha1";
/// Where an item and its candidates keep what the import knows about them.
pub(crate) const PRODUCER_KEY: &str = "survey.kontourai.io/extraction-envelope";
/// The kinds of source a caller may name.
pub(crate) const SOURCE_KINDS: [&str; 9] = [
    "uploaded-document",
    "web-page",
    "api-record",
    "manual-entry",
    "policy-standard",
    "inquiry-question",
    "agent-utterance",
    "system-schema",
    "structured-file",
];

/// What a caller chooses about an import.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// One of the registered kinds of source.
    pub source_kind: &'o str,
    /// Which claim each proposal is about.
    pub targets: Targets<'o>,
    /// Name of the import; the run id when absent.
    pub import_name: Option<&'o str>,
    /// Namespace of the producer; the provider when absent.
    pub producer_namespace: Option<&'o str>,
    /// The prepared text, or why there is none, as JSON text.
    pub artifact: Option<&'o [u8]>,
    /// The status of an earlier import of this envelope, as JSON text, in place of verifying.
    pub bound_status: Option<&'o [u8]>,
    /// Caps.
    pub limits: Limits,
    /// Threads to use; zero for as many as the machine offers.
    pub threads: usize,
}

/// An import: the record and the items it derives, as canonical JSON.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The import record.
    pub record: Vec<u8>,
    /// The review items; none when the import is unresolved.
    pub items: Items,
}

/// Imports the envelope `raw`.
pub fn import_envelope(raw: &[u8], options: &Options<'_>) -> Checked<Imported> {
    let text = envelope_text(raw, &options.limits, options.threads)?;
    let text =
        with_normalized_layout(&text, &options.limits).map_err(|refusal| located(refusal, raw))?;
    let document = Document::index(&text)?;
    let envelope = Envelope::check(document.root(), &Path::Root, &options.limits)
        .map_err(|refusal| located(refusal, raw))?;
    build(&envelope, options)
}

/// Checks the envelope `raw` and says how many proposals it holds.
pub fn check_envelope(raw: &[u8], limits: &Limits, threads: usize) -> Checked<usize> {
    let text = envelope_text(raw, limits, threads)?;
    let document = Document::index(&text)?;
    let envelope = Envelope::check(document.root(), &Path::Root, limits)
        .map_err(|refusal| located(refusal, raw))?;
    Ok(envelope.proposals.len())
}

/// The canonical text of the envelope `raw`, judged at `level`.
pub fn validated_envelope<'r>(
    raw: &'r [u8],
    level: Level,
    limits: &Limits,
    threads: usize,
) -> Checked<Cow<'r, [u8]>> {
    let text = envelope_text(raw, limits, threads)?;
    let document = Document::index(&text)?;
    Envelope::check_to(level, document.root(), &Path::Root, limits)
        .map_err(|refusal| located(refusal, raw))?;
    drop(document);
    Ok(text)
}

/// The canonical text of the envelope `raw`, unchecked.
pub(crate) fn envelope_text<'r>(
    raw: &'r [u8],
    limits: &Limits,
    threads: usize,
) -> Checked<Cow<'r, [u8]>> {
    let rules = Rules {
        lossless: true,
        max_bytes: limits.envelope_bytes,
        threads,
        ..Rules::default()
    };
    canonical_bytes(raw, &rules)
}

/// The envelope's text with its page layout sorted as imports store it.
fn with_normalized_layout<'t>(text: &'t [u8], limits: &Limits) -> Checked<Cow<'t, [u8]>> {
    if memchr::memmem::find(text, b"\"pdfLayout\"").is_none() {
        return Ok(Cow::Borrowed(text));
    }
    let document = Document::index(text)?;
    let envelope = Envelope::check(document.root(), &Path::Root, limits)?;
    let Some((layout, sorted)) = envelope
        .layout
        .and_then(|layout| Some((layout, normalized_layout(layout)?)))
    else {
        return Ok(Cow::Borrowed(text));
    };
    let range = layout.range();
    let mut whole = text.get(..range.start).unwrap_or_default().to_vec();
    whole.extend_from_slice(sorted.as_bytes());
    whole.extend_from_slice(text.get(range.end..).unwrap_or_default());
    Ok(Cow::Owned(whole))
}

fn build(envelope: &Envelope<'_>, options: &Options<'_>) -> Checked<Imported> {
    let written_here = Refusal::without_offset;
    let targets = options.targets.resolve(envelope).map_err(written_here)?;
    let name = chosen(options.import_name, envelope.run_id, "name")?;
    let namespace = chosen(
        options.producer_namespace,
        envelope.provider,
        "producerNamespace",
    )?;
    let found = verification::verify(envelope, options.artifact).map_err(written_here)?;
    require_source_kind(options.source_kind)?;
    let texts: Vec<&str> = targets.iter().map(Cow::as_ref).collect();
    let source_kind = quoted(options.source_kind);
    let frame = identity::Frame::new(envelope, &name, &namespace, &source_kind);
    let limits = &options.limits;
    if let Some(bound) = options.bound_status {
        let bound = canonical_bytes(
            bound,
            &Rules {
                lossless: true,
                ..Rules::default()
            },
        )
        .map_err(written_here)?;
        let record = record_text(envelope, &frame, &texts, &bound);
        within("import record", record.len(), limits.envelope_bytes)?;
        let items = with_record(&record, limits, options.threads, |_, record| {
            record.review_items(limits, options.threads)
        });
        return Ok(Imported {
            items: items.map_err(written_here)?,
            record,
        });
    }
    let status = status::of_import(envelope, found);
    let record = record_text(envelope, &frame, &texts, status.text().as_bytes());
    within("import record", record.len(), limits.envelope_bytes)?;
    let items = items::derive(
        &frame,
        &texts,
        &status,
        Profile::Jcs,
        limits,
        options.threads,
    )?;
    Ok(Imported { record, items })
}

fn require_source_kind(kind: &str) -> Checked<()> {
    if SOURCE_KINDS.contains(&kind) {
        return Ok(());
    }
    let at = Path::Root.name("spec");
    let message = format!(
        "{kind:?} is not a kind of source; choose one of {}",
        SOURCE_KINDS.join(", ")
    );
    Err(Refusal::at(
        Code::EnvelopeInvalidValue,
        &at.name("sourceKind"),
        message,
    ))
}

/// The canonical text of what the caller chose, or of the envelope's own value.
fn chosen(asked: Option<&str>, default: Value<'_>, member: &str) -> Checked<String> {
    let Some(text) = asked else {
        return has_content(&default.as_str().unwrap_or_default())
            .then(|| default.text().to_owned())
            .ok_or_else(|| blank_name(member));
    };
    if has_content(text) {
        Ok(quoted(text))
    } else {
        Err(blank_name(member))
    }
}

fn blank_name(member: &str) -> Box<Refusal> {
    let at = Path::Root.name("metadata");
    Refusal::at(
        Code::EnvelopeInvalidValue,
        &at.name(member),
        "a name holds at least one visible character",
    )
}

pub(crate) fn quoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    json::write_string(text, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Refuses what no later step could open.
pub(crate) fn within(what: &str, size: usize, cap: usize) -> Checked<()> {
    if size <= cap {
        return Ok(());
    }
    let message =
        format!("the {what} would have {size} bytes, more than the {cap} that can be opened again");
    Err(Refusal::at(Code::ImportTooLarge, &Path::Root, message))
}

fn record_text(
    envelope: &Envelope<'_>,
    frame: &identity::Frame<'_>,
    targets: &[&str],
    status: &[u8],
) -> Vec<u8> {
    let targets_len: usize = targets.iter().map(|target| target.len() + 1).sum();
    let mut out = Vec::with_capacity(envelope.value.text().len() + targets_len + 1024);
    let mut put = |text: &str| out.extend_from_slice(text.as_bytes());
    put("{\"apiVersion\":\"");
    put(API_VERSION);
    put("\",\"kind\":\"ExtractionEnvelopeImport\",\"metadata\":{\"name\":");
    put(frame.import_name);
    put(",\"producerNamespace\":");
    put(frame.namespace);
    put("},\"spec\":{\"claimTargets\":[");
    for (index, target) in targets.iter().enumerate() {
        put(if index > 0 { "," } else { "" });
        put(target);
    }
    put("],\"envelope\":");
    put(envelope.value.text());
    put(",\"sourceKind\":");
    put(frame.source_kind);
    put("},\"status\":");
    out.extend_from_slice(status);
    out.push(b'}');
    out
}
