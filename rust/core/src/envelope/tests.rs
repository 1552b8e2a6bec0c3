use super::*;
use crate::canonical::{Rules, canonical_bytes};
use crate::digest::sha256_hex;
use crate::document::Document;
use crate::error::{Code, Refusal};

const HEX: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// A partial run that has every member such a run can have; `H` is a digest, `R` the reference
/// of the prepared text. [`full`] is the same on one line.
const FULL: &str = r#"{"format":"traverse-extraction-result","version":1,
"source":{"ref":"doc:1","snapshotRef":"snap:1"},"result":{"provider":"harbor","model":"m/1",
"runId":"traverse-extraction-run:a598b71f-e86e-41a0-8564-832717f7b24d","raw":{"tokensUsed":5},
"extractedAt":" ","providerCalls":3,"totalTokensUsed":9,
"outcome":{"status":"partial","reason":"provider-failure"},
"partial":{"reason":"provider-failure","completedChunks":1,"remainingChunks":0,"tokenOvershoot":3},
"coverage":[{"chunk":1,"start":0,"end":40,"status":"complete"},
 {"chunk":2,"start":30,"end":60,"status":"unread","reason":"provider-failure"}],
"warningClassifications":[{"category":"limit","code":"partial-stop"}],
"providerFailures":[{"provider":"harbor","kind":"timeout","retryable":true,"code":"t1"}],
"taskDigest":"sha256:H","exampleDigests":["sha256:H"],"pdfPageOffsets":[5,999],"ocrDerived":true,
"preparedArtifact":{"format":"traverse-prepared-artifact","version":1,"digest":"H",
 "preparationMode":"pdf-text","preparationVersion":"3","contentLength":60,
 "sourceSnapshotRef":"snap:1","ref":"R"},
"preparedArtifactState":{"status":"digest-mismatch","requestedRef":"R","canonicalRef":"R",
 "actualDigest":"H","actualContentLength":61},
"pdfLayout":{
 "pages":[{"pageNumber":2,"width":10,"height":20.5,"unit":"points","rotation":90}],
 "elements":[{"kind":"table","pageNumber":2,"range":{"start":0,"end":9},"providerType":"",
  "bounds":{"x":0,"y":0,"width":10,"height":1}}],
 "tables":[{"pageNumber":2,"cells":[{"rowIndex":0,"columnIndex":1,"range":{"start":3,"end":4},
  "rowSpan":1,"columnSpan":2}]}]},
"proposals":[{"fieldPath":" ","candidateValue":2.5,"confidence":0.5,"extractor":"e1",
 "pathIndices":[0,2],"inferenceType":"explicit","valueType":"enum","enumValues":[""],
 "producedBy":{"model":"m/2","modelSource":"configured","requestDigest":"sha256:H"},
 "evidenceMatch":{"checkerVersion":"c1","schema":"ok","valueInExcerpt":"match",
  "tokenBoundary":false},
 "valueNormalization":{"kind":"string-to-number","from":"2.5"},
 "provenance":{"excerpt":"2.5 😀","locator":"chars:7-13",
  "occurrence":{"resolverVersion":"exact-occurrence-v1","count":2,
   "selected":{"index":1,"start":7,"end":13},"selection":"occurrence-hint","hintUsed":true,
   "ambiguous":true}}}]}}"#;

fn full() -> String {
    FULL.lines().map(str::trim).collect()
}

/// `text` with `H`, `R` and `O` (another reference) in place.
fn filled(text: &str) -> String {
    let identity = r#"{"format":"traverse-prepared-artifact","version":1,"digest":"H","preparationMode":"pdf-text","preparationVersion":"3","contentLength":60,"sourceSnapshotRef":"snap:1"}"#;
    let digest = sha256_hex([identity.replace("\"H\"", &format!("\"{HEX}\"")).as_bytes()]);
    let reference = |digest| format!("\"traverse-prepared-artifact:v1:sha256:{digest}\"");
    text.replace("\"R\"", &reference(digest.as_str()))
        .replace("\"O\"", &reference(HEX))
        .replace("sha256:H", &format!("sha256:{HEX}"))
        .replace("\"H\"", &format!("\"{HEX}\""))
}

fn check(text: &str, at: &Path<'_>, limits: &Limits) -> Result<(), Refusal> {
    check_to(Level::Import, text, at, limits)
}

fn check_to(level: Level, text: &str, at: &Path<'_>, limits: &Limits) -> Result<(), Refusal> {
    let text = filled(text);
    let rules = Rules {
        lossless: true,
        ..Rules::default()
    };
    let text = canonical_bytes(text.as_bytes(), &rules).unwrap();
    let document = Document::index(&text).unwrap();
    Envelope::check_to(level, document.root(), at, limits)
        .map(drop)
        .map_err(|refusal| *refusal)
}

/// `ok`, or the code without its common prefix and the pointer without `/result`.
fn verdict(text: &str) -> String {
    verdict_at(Level::Import, text)
}

/// The verdict of the stricter level.
fn produced(text: &str) -> String {
    verdict_at(Level::Produce, text)
}

fn verdict_at(level: Level, text: &str) -> String {
    match check_to(level, text, &Path::Root, &Limits::default()) {
        Ok(()) => "ok".to_owned(),
        Err(refusal) => {
            let code = refusal.code.as_str();
            let code = code.strip_prefix("envelope-").unwrap_or(code);
            let pointer = refusal.pointer.as_str();
            format!(
                "{code} {}",
                pointer.strip_prefix("/result").unwrap_or(pointer)
            )
        }
    }
}

/// `text` with its only occurrence of `old` replaced.
fn edited(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old}");
    text.replacen(old, new, 1)
}

/// Checks rows of `old | new | verdict`, each an edit of `base`.
fn expect(base: &str, rows: &str) {
    for row in rows.trim().lines() {
        let mut columns = row.split('|').map(str::trim);
        let mut column = || columns.next().unwrap();
        let (old, new, expected) = (column(), column(), column());
        assert_eq!(verdict(&edited(base, old, new)), expected, "{row}");
    }
}

/// [`full`] as a run that ended otherwise.
fn ended(outcome: &str, partial: &str) -> String {
    let text = edited(
        &full(),
        r#"{"status":"partial","reason":"provider-failure"}"#,
        outcome,
    );
    let (start, end) = (
        text.find("\"partial\":{").unwrap(),
        text.find("\"coverage\"").unwrap(),
    );
    format!("{}{partial}{}", &text[..start], &text[end..])
}

#[test]
fn a_full_envelope_is_read() {
    let text = filled(&full());
    let text = canonical_bytes(text.as_bytes(), &Rules::default()).unwrap();
    let document = Document::index(&text).unwrap();
    let envelope = Envelope::check(document.root(), &Path::Root, &Limits::default()).unwrap();
    let Outcome::Partial { reason } = envelope.verdict else {
        panic!("partial")
    };
    assert_eq!(reason.text(), "\"provider-failure\"");
    let artifact = envelope.artifact.unwrap();
    assert_eq!((artifact.digest, artifact.content_length), (HEX, 60));
    let Some(ArtifactState::DigestMismatch { canonical, .. }) = envelope.artifact_state else {
        panic!("digest-mismatch")
    };
    assert_eq!(canonical.text(), artifact.reference.text());
    let [proposal] = envelope.proposals.as_slice() else {
        panic!("one proposal")
    };
    assert_eq!((proposal.start, proposal.end), (7, 13));
    assert_eq!(proposal.produced_by_model.map(Value::text), Some("\"m/2\""));
    let rewrite = proposal.value_normalization.map(Value::text);
    assert_eq!(rewrite, Some(r#"{"from":"2.5","kind":"string-to-number"}"#));
}

#[test]
fn document_and_source() {
    let rows = r#"
        "traverse-extraction-result" | "other" | unsupported-version /format
        "version":1,"source" | "version":"1","source" | unsupported-version /version
        "version":1,"source" | "source" | missing-member /version
        "source":{ | "a/b":0,"source":{ | unexpected-member /a~1b
        {"ref":"doc:1","snapshotRef":"snap:1"} | [] | invalid-value /source
        "doc:1" | "" | invalid-value /source/ref
        "doc:1" | "https://u:p@h/" | authorization-material /source/ref
        "doc:1" | "https://h/?sig=1#token=1" | ok
        "snap:1"}, | "Bearer x"}, | authorization-material /source/snapshotRef
        "snap:1"}, | "snap:2"}, | inconsistent /source/snapshotRef
        ,"snapshotRef":"snap:1" | | ok"#;
    expect(&full(), rows);
}

#[test]
fn run() {
    let rows = r#"
        "raw": | "evidenceMatch":{},"raw": | unexpected-member /evidenceMatch
        "raw":{"tokensUsed":5}, | | missing-member /raw
        "tokensUsed":5 | "tokensUsed":1.5 | invalid-value /raw/tokensUsed
        "tokensUsed":5 | | ok
        "harbor","model" | "P256","model" | ok
        "harbor","model" | "P256p","model" | invalid-value /provider
        "harbor","model" | "h r","model" | invalid-value /provider
        "harbor","model" | "é","model" | invalid-value /provider
        "harbor","model" | "ghp_x","model" | authorization-material /provider
        "m/1" | "x://u@h" | authorization-material /model
        "m/1" | "sk-" | ok
        "m/1" | null | invalid-value /model
        -41a0- | -11a0- | invalid-value /runId
        -832717f7b24d | -832717F7B24D | invalid-value /runId
        "extractedAt":" " | "extractedAt":"" | invalid-value /extractedAt
        "providerCalls":3 | "providerCalls":9007199254740991 | ok
        "providerCalls":3 | "providerCalls":9007199254740992 | invalid-value /providerCalls
        "providerCalls":3 | "providerCalls":true | invalid-value /providerCalls
        "totalTokensUsed":9 | "totalTokensUsed":-1 | invalid-value /totalTokensUsed
        "limit" | "x" | invalid-value /warningClassifications/0/category
        "timeout" | "slow" | invalid-value /providerFailures/0/kind
        "retryable":true | "retryable":1 | invalid-value /providerFailures/0/retryable
        "code":"t1" | "message":"" | unexpected-member /providerFailures/0/message
        "code":"t1" | "code":"P256" | invalid-value /providerFailures/0/code
        "taskDigest":"sha256:H" | "taskDigest":"H" | invalid-value /taskDigest
        ["sha256:H"] | ["sha512:H"] | invalid-value /exampleDigests/0
        [5,999] | [5,5] | inconsistent /pdfPageOffsets/1
        [5,999] | [] | ok
        "ocrDerived":true | "ocrDerived":false | invalid-value /ocrDerived"#;
    expect(&full(), &rows.replace("P256", &"p".repeat(256)));
}

#[test]
fn outcome_and_coverage() {
    let rows = r#"
        {"status":"partial","reason":"provider-failure"} | {"status":"ok"} | invalid-value /outcome/status
        {"status":"partial","reason":"provider-failure"} | {"status":"ok","x":1} | unexpected-member /outcome/x
        {"status":"partial","reason":"provider-failure"} | {} | missing-member /outcome/status
        "partial","reason":"provider-failure" | "partial","reason":"max-any" | invalid-value /outcome/reason
        "partial","reason":"provider-failure" | "partial","reason":"cancelled" | inconsistent /partial/reason
        "partial","reason":"provider-failure" | "success","reason":"cancelled" | unexpected-member /outcome/reason
        "tokenOvershoot":3 | "tokenOvershoot":0 | invalid-value /partial/tokenOvershoot
        "chunk":1 | "chunk":0 | invalid-value /coverage/0/chunk
        "end":40 | "end":0 | inconsistent /coverage/0/end
        "end":40 | "end":61 | inconsistent /coverage/0/end
        "start":0,"end":40 | "start":31,"end":40 | inconsistent /coverage/1/start
        "complete"} | "complete","reason":"not-dispatched"} | inconsistent /coverage/0/reason
        "complete"} | "done"} | invalid-value /coverage/0/status
        "unread","reason":"provider-failure" | "unread" | inconsistent /coverage/1/reason
        "unread","reason":"provider-failure" | "unread","reason":"lost" | invalid-value /coverage/1/reason
        "unread","reason":"provider-failure" | "unread","reason":"not-dispatched" | inconsistent /coverage
        "unread","reason":"provider-failure" | "output-truncated" | ok
        "unread","reason":"provider-failure" | "complete" | inconsistent /coverage"#;
    expect(&full(), rows);

    let account = r#""partial":{"reason":"cancelled","completedChunks":1,"remainingChunks":0},"#;
    let early = ended(r#"{"status":"partial","reason":"cancelled"}"#, account);
    assert_eq!(verdict(&early), "ok");
    assert_eq!(
        verdict(&edited(&early, account, "")),
        "inconsistent /partial"
    );
    let success = ended(r#"{"status":"success"}"#, "");
    assert_eq!(verdict(&success), "inconsistent /coverage/1/status");
    let success = edited(
        &success,
        r#""unread","reason":"provider-failure""#,
        r#""complete""#,
    );
    assert_eq!(verdict(&success), "ok");
    assert_eq!(
        verdict(&ended(r#"{"status":"success"}"#, r#""partial":null,"#)),
        "inconsistent /partial"
    );
    let failure = ended(
        r#"{"status":"failure","category":"provider","code":"c"}"#,
        "",
    );
    assert_eq!(verdict(&failure), "ok");
    assert_eq!(
        verdict(&edited(&failure, r#""code":"c""#, r#""code":"""#)),
        "invalid-value /outcome/code"
    );
}

#[test]
fn prepared_text_and_its_state() {
    let rows = r#"
        "traverse-prepared-artifact" | "x" | unsupported-version /preparedArtifact/format
        "digest":"H" | "digest":"sha256:H" | invalid-value /preparedArtifact/digest
        "pdf-text" | "html" | invalid-value /preparedArtifact/preparationMode
        "preparationVersion":"3" | "preparationVersion":" " | invalid-value /preparedArtifact/preparationVersion
        "preparationVersion":"3" | "preparationVersion":"4" | inconsistent /preparedArtifact/ref
        "sourceSnapshotRef":"snap:1" | "sourceSnapshotRef":null | invalid-value /preparedArtifact/sourceSnapshotRef
        "preparedArtifactState":{ | "pdfPages":{ | unexpected-member /pdfPages"#;
    expect(&full(), rows);
    let states = r#"
        STATE | "status":"gone","canonicalRef":"R" | invalid-value /preparedArtifactState/status
        STATE | "status":"gone","canonicalRef":"R","text":"" | unexpected-member /preparedArtifactState/text
        STATE | "status":"available","requestedRef":"R","canonicalRef":"R" | ok
        STATE | "status":"available","requestedRef":"O","canonicalRef":"R" | inconsistent /preparedArtifactState/requestedRef
        STATE | "status":"available","requestedRef":"doc:1","canonicalRef":"R" | invalid-value /preparedArtifactState/requestedRef
        STATE | "status":"unavailable","requestedRef":"O","canonicalRef":"O" | inconsistent /preparedArtifactState/canonicalRef
        STATE | "status":"identity-mismatch","requestedRef":"R","canonicalRef":"R" | inconsistent /preparedArtifactState/requestedRef
        STATE | "status":"identity-mismatch","requestedRef":"x:?token","canonicalRef":"R" | authorization-material /preparedArtifactState/requestedRef
        STATE | "status":"identity-mismatch","requestedRef":"x","canonicalRef":"R" | ok
        STATE | "status":"invalid-artifact","reason":"invalid-ref","canonicalRef":"R" | ok
        STATE | "status":"invalid-artifact","reason":"x","canonicalRef":"R" | invalid-value /preparedArtifactState/reason
        STATE | "status":"storage-error","canonicalRef":"R" | missing-member /preparedArtifactState/requestedRef"#;
    let state = r#""status":"digest-mismatch","requestedRef":"R","canonicalRef":"R","actualDigest":"H","actualContentLength":61"#;
    expect(&edited(&full(), state, "STATE"), states);

    let text = full();
    let without = |next: &str| {
        let (start, end) = (
            text.find("\"preparedArtifact\":{").unwrap(),
            text.find(next).unwrap(),
        );
        format!("{}{}", &text[..start], &text[end..])
    };
    assert_eq!(
        verdict(&without("\"preparedArtifactState\"")),
        "inconsistent /pdfLayout"
    );
    assert_eq!(verdict(&without("\"proposals\"")), "inconsistent /coverage");
}

#[test]
fn page_layout() {
    let rows = r#"
        "rotation":90 | "rotation":45 | invalid-value /pdfLayout/pages/0/rotation
        "height":20.5 | "height":0 | invalid-value /pdfLayout/pages/0/height
        "table","pageNumber":2 | "table","pageNumber":1 | inconsistent /pdfLayout/elements/0/pageNumber
        "table","pageNumber":2 | "table","pageNumber":0 | invalid-value /pdfLayout/elements/0/pageNumber
        "end":9 | "end":61 | inconsistent /pdfLayout/elements/0/range/end
        "x":0 | "x":0.5 | inconsistent /pdfLayout/elements/0/bounds
        "x":0 | "x":-1 | invalid-value /pdfLayout/elements/0/bounds/x
        "providerType":"" | "providerType":1 | invalid-value /pdfLayout/elements/0/providerType
        "rowSpan":1 | "rowSpan":0 | invalid-value /pdfLayout/tables/0/cells/0/rowSpan
        "rowSpan":1 | "text":"" | unexpected-member /pdfLayout/tables/0/cells/0/text"#;
    expect(&full(), rows);

    let cell =
        r#"{"rowIndex":0,"columnIndex":1,"range":{"start":3,"end":4},"rowSpan":1,"columnSpan":2}"#;
    let page = r#"{"pageNumber":2,"width":10,"height":20.5,"unit":"points","rotation":90}"#;
    let repeated =
        |entry: &str, count| verdict(&edited(&full(), entry, &vec![entry; count].join(",")));
    assert_eq!(
        repeated(page, 2),
        "inconsistent /pdfLayout/pages/1/pageNumber"
    );
    assert_eq!(repeated(page, 10_001), "invalid-value /pdfLayout/pages");
    assert_eq!(
        repeated(cell, 2),
        "inconsistent /pdfLayout/tables/0/cells/1"
    );
    assert_eq!(
        repeated(cell, 10_001),
        "invalid-value /pdfLayout/tables/0/cells"
    );
    let free = edited(&edited(&full(), page, ""), "\"x\":0", "\"x\":99");
    assert_eq!(
        verdict(&free),
        "ok",
        "without pages every page and place will do"
    );
}

#[test]
fn proposals() {
    let rows = r#"
        "fieldPath":" " | "fieldPath":"" | invalid-value /proposals/0/fieldPath
        "candidateValue":2.5, | | missing-member /proposals/0/candidateValue
        "confidence":0.5 | "confidence":1 | ok
        "confidence":0.5, | | ok
        "confidence":0.5 | "confidence":1.2 | invalid-value /proposals/0/confidence
        "confidence":0.5 | "confidence":-0.1 | invalid-value /proposals/0/confidence
        "confidence":0.5 | "confidence":null | invalid-value /proposals/0/confidence
        "extractor":"e1" | "extractor":"-e" | invalid-value /proposals/0/extractor
        [0,2] | [] | ok
        [0,2] | [0,0.5] | invalid-value /proposals/0/pathIndices/1
        "explicit" | "guess" | invalid-value /proposals/0/inferenceType
        "valueType":"enum" | "valueType":"text" | invalid-value /proposals/0/valueType
        "valueType": | "producedByModel": | unexpected-member /proposals/0/producedByModel
        [""] | [1] | invalid-value /proposals/0/enumValues/0
        "m/2" | "m 2" | invalid-value /proposals/0/producedBy/model
        "modelSource":"configured", | | missing-member /proposals/0/producedBy/modelSource
        "requestDigest":"sha256:H" | "requestDigest":"H" | invalid-value /proposals/0/producedBy/requestDigest
        "schema":"ok" | "schema":"good" | invalid-value /proposals/0/evidenceMatch/schema
        "tokenBoundary":false | "tokenBoundary":"yes" | invalid-value /proposals/0/evidenceMatch/tokenBoundary
        "string-to-number" | "other" | invalid-value /proposals/0/valueNormalization/kind"#;
    expect(&full(), rows);

    let nested = |depth| {
        format!(
            "\"candidateValue\":{}{}",
            "[".repeat(depth),
            "]".repeat(depth)
        )
    };
    let deep = |depth| verdict(&edited(&full(), "\"candidateValue\":2.5", &nested(depth)));
    assert_eq!(deep(100), "ok");
    assert_eq!(deep(101), "import-value-depth /proposals/0/candidateValue");
}

#[test]
fn provenance() {
    let rows = r#"
        2.5 😀 | | invalid-value /excerpt
        2.5 😀 | \n\"\\\u001f😀 | ok
        chars:7-13 | chars:07-13 | invalid-value /locator
        chars:7-13 | chars:7-13\n | invalid-value /locator
        chars:7-13 | field:title | invalid-value /locator
        chars:7-13 | chars:7-12 | inconsistent /locator
        chars:7-13 | chars:13-7 | inconsistent /locator
        chars:7-13 | chars:55-61 | inconsistent /locator
        chars:7-13 | chars:8-14 | inconsistent /occurrence/selected/start
        "end":13 | "end":14 | inconsistent /occurrence/selected/end
        exact-occurrence-v1 | exact-occurrence-v2 | invalid-value /occurrence/resolverVersion
        "count":2 | "count":0 | invalid-value /occurrence/count
        "count":2 | "count":1 | inconsistent /occurrence/selected/index
        "ambiguous":true | "ambiguous":false | inconsistent /occurrence/ambiguous
        "occurrence-hint" | "source-order" | inconsistent /occurrence/hintUsed
        "occurrence-hint" | "fuzzy" | invalid-value /occurrence/selection
        "hintUsed":true, | | missing-member /occurrence/hintUsed"#;
    let rows = rows.replace(" /", " /proposals/0/provenance/");
    expect(&full(), &rows);
}

#[test]
fn an_identity_that_was_accepted_vouches_only_for_its_equals() {
    let text = full();
    let start = text.find("{\"fieldPath\"").unwrap();
    let proposal = text[start..].strip_suffix("]}}").unwrap();
    let third = edited(proposal, "\"extractor\":\"e1\"", "\"extractor\":\"e 1\"");
    let text = format!("{}{proposal},{proposal},{third}]}}}}", &text[..start]);
    assert_eq!(verdict(&text), "invalid-value /proposals/2/extractor");
    let limits = Limits {
        items: 2,
        ..Limits::default()
    };
    let spec = Path::Root.name("spec");
    let refusal = check(&text, &spec.name("envelope"), &limits).unwrap_err();
    assert_eq!(refusal.code, Code::ImportTooLarge);
    assert_eq!(refusal.pointer, "/spec/envelope/result/proposals");
}

/// [`full`] as its producer may write it.
fn producible() -> String {
    let mut text = full();
    for (old, new) in [
        (
            r#""extractedAt":" ""#,
            r#""extractedAt":"2026-10-02T09:30:00.000Z""#,
        ),
        (
            r#""checkerVersion":"c1""#,
            r#""checkerVersion":"evidence-match-v4""#,
        ),
        (
            r#""valueType":"enum","enumValues":[""]"#,
            r#""valueType":"number""#,
        ),
        (
            r#""valueNormalization":{"kind":"string-to-number","from":"2.5"},"#,
            "",
        ),
    ] {
        text = edited(&text, old, new);
    }
    text
}

#[test]
fn a_producer_answers_for_its_annotations() {
    let rows = r#"
        "tokenBoundary":false | "tokenBoundary":true | ok
        evidence-match-v4 | evidence-match-v3 | invalid-value /proposals/0/evidenceMatch/checkerVersion
        "schema":"ok" | "schema":"format-invalid" | inconsistent /proposals/0/evidenceMatch/schema
        "valueInExcerpt":"match" | "valueInExcerpt":"mismatch" | inconsistent /proposals/0/evidenceMatch/valueInExcerpt
        "inferenceType":"explicit" | "inferenceType":"inferred" | inconsistent /proposals/0/evidenceMatch/valueInExcerpt
        "candidateValue":2.5 | "candidateValue":"2.5" | inconsistent /proposals/0/evidenceMatch/schema
        "valueType":"number", | | missing-member /proposals/0/valueType
        "valueType":"number", | "valueType":"number","valueNormalization":{}, | unexpected-member /proposals/0/valueNormalization
        2026-10-02T09:30:00.000Z | 2026-10-02T09:30:00 | invalid-value /extractedAt"#;
    let base = producible();
    assert_eq!(produced(&base), "ok");
    assert_eq!(
        verdict(&base),
        "ok",
        "an import takes what a producer may write"
    );
    for row in rows.trim().lines() {
        let mut columns = row.split('|').map(str::trim);
        let mut column = || columns.next().unwrap();
        let (old, new, expected) = (column(), column(), column());
        assert_eq!(produced(&edited(&base, old, new)), expected, "{row}");
    }
    let evidence = base.find("\"evidenceMatch\"").unwrap();
    let next = evidence + base[evidence..].find("\"provenance\"").unwrap();
    let silent = format!("{}{}", &base[..evidence], &base[next..]);
    assert_eq!(
        produced(&silent),
        "ok",
        "a proposal may lack the annotation"
    );
}

#[test]
fn a_producer_accounts_for_each_chunk_once() {
    let base = producible();
    let start = base.find("\"coverage\":[").unwrap() + "\"coverage\":[".len();
    let end = start + base[start..].find(']').unwrap();
    for (ranges, expected) in [
        ("1 0 40 -, 1 40 60 content-truncated", "ok"),
        ("1 0 40 -, 1 41 60 content-truncated", "/coverage/1/chunk"),
        ("1 0 40 -, 1 40 60 provider-failure", "/coverage/1/chunk"),
        (
            "1 0 40 provider-failure, 2 30 50 -, 1 40 60 content-truncated",
            "ok",
        ),
        ("1 0 40 missing-tool-call, 1 40 60 content-truncated", "ok"),
        (
            "1 0 40 not-dispatched, 1 40 60 content-truncated",
            "/coverage/1/chunk",
        ),
        (
            "1 0 20 content-truncated, 1 20 60 content-truncated",
            "/coverage/1/chunk",
        ),
        (
            "1 0 20 -, 1 20 40 content-truncated, 1 40 60 content-truncated",
            "/coverage/2/chunk",
        ),
        ("1 0 20 content-truncated, 2 20 60 -", "ok"),
    ] {
        let entry = |range: &str| {
            let parts: Vec<&str> = range.split_whitespace().collect();
            let [chunk, start, end, reason] = parts.as_slice() else {
                panic!("{range}");
            };
            let rest = match *reason {
                "-" => r#""complete""#.to_owned(),
                reason => format!(r#""unread","reason":"{reason}""#),
            };
            format!(r#"{{"chunk":{chunk},"start":{start},"end":{end},"status":{rest}}}"#)
        };
        let entries: Vec<String> = ranges.split(", ").map(entry).collect();
        let text = format!("{}{}{}", &base[..start], entries.join(","), &base[end..]);
        let expected = match expected {
            "ok" => expected.to_owned(),
            place => format!("inconsistent {place}"),
        };
        assert_eq!(produced(&text), expected, "{ranges}");
        assert_eq!(verdict(&text), "ok", "{ranges}");
    }
}
