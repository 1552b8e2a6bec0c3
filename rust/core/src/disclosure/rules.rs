//! The corpus: one row for each family, with an example that it refuses and one that it does not.
//!
//! A published rule keeps its name. Any change of what a rule refuses gives the corpus a new
//! version, which every refusal and every export names.

/// The version of everything in this file.
pub const CORPUS: &str = "survey-fast-disclosure/1";

/// One family: what it is called, what it looks like, one text on each side.
pub(super) struct Rule {
    pub name: &'static str,
    pub pattern: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for tests"))]
    pub refused: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for tests"))]
    pub passed: &'static str,
}

const fn rule(
    name: &'static str,
    pattern: &'static str,
    refused: &'static str,
    passed: &'static str,
) -> Rule {
    Rule {
        name,
        pattern,
        refused,
        passed,
    }
}

// What may stand before a path or a credential: nothing, white space, a quote, an equals sign;
// for credentials a colon; for paths also what opens a list or follows a message.
macro_rules! before_path {
    ($rest:literal) => {
        concat!(r#"(?:^|[\s"'=(:\[,`])"#, $rest)
    };
}
macro_rules! before_secret {
    ($rest:literal) => {
        concat!(r#"(?:^|[\s"'=:])"#, $rest)
    };
}

pub(super) const RULES: &[Rule] = &[
    rule(
        "path-posix",
        concat!(
            r#"(?:^|["'=])/[^/\s"'<>][^\s"'<>]*"#,
            r#"|[\s(:\[,`]/(?i:(?:home|users|etc|var|tmp|private|root|opt|usr|mnt|srv|proc)(?:[/\s"'<>.,;:)\]]|$)"#,
            r#"|[^/\s"'<>]+/[^\s"'<>]+)"#
        ),
        "ENOENT:/home/dana/notes",
        "120 EUR /month, chars:0-14",
    ),
    rule(
        "path-home",
        before_path!(r#"~/[^\s"'<>]+"#),
        "kept in ~/contracts/a.txt",
        "about ~5 percent",
    ),
    rule(
        "path-drive",
        before_path!(r#"(?i:[a-z]):[/\\][^\s"'<>]+"#),
        r"saved as C:\Users\dana",
        "https://example.invalid/public",
    ),
    rule(
        "path-share",
        before_path!(r#"(?:\\\\[^\\\s]+\\[^\s"'<>]+)"#),
        r"see \\files\contracts",
        r"a \ b",
    ),
    rule(
        "path-network",
        r#"(?:^|[\s"'=(\[,`])//[A-Za-z0-9][A-Za-z0-9.-]*/[^\s"'<>]+"#,
        "copied from //files/contracts",
        "https://example.invalid/public",
    ),
    rule(
        "path-file-url",
        before_path!(r#"(?i:file)://[^\s"'<>]+"#),
        "file:///srv/in/a.txt",
        "file:a.txt",
    ),
    rule(
        "path-environment",
        r"(?i)(?:\$\{?(?:home|userprofile|pwd|tmpdir)\}?|%(?:appdata|localappdata|userprofile|homepath|programdata|temp|tmp)%)[/\\]",
        r"%APPDATA%\keys",
        "$HOME is where the heart is",
    ),
    rule(
        "workspace-folder",
        r"(?i)\.(?:kontourai|survey-fast)[/\\]",
        ".survey-fast/runs/run-1",
        "survey.kontourai.io/v1alpha1",
    ),
    rule(
        "workspace-segment",
        r"(?i)(?:^|/)ops/",
        "docs/ops/plan",
        "devops/plan",
    ),
    rule(
        "secret-sk-key",
        before_secret!(r"(?i:sk-(?:proj-)?[a-z0-9_-]{8,})"),
        "key sk-proj-abcdefgh12345678",
        "risk-adjusted",
    ),
    rule(
        "secret-bearer",
        before_secret!(r"(?i:bearer\s+[a-z0-9._~+/-]{8,})"),
        "Bearer abcdefgh.12345678",
        "the bearer of this",
    ),
    rule(
        "secret-github",
        before_secret!(r"gh[pousr]_[A-Za-z0-9]{20,}"),
        "ghp_0123456789abcdefghij",
        "ghp_short",
    ),
    rule(
        "secret-github-fine",
        before_secret!(r"github_pat_[A-Za-z0-9_]{20,}"),
        "github_pat_0123456789abcdefghij",
        "github_pat_short",
    ),
    rule(
        "secret-gitlab",
        before_secret!(r"glpat-[A-Za-z0-9_-]{20,}"),
        "glpat-0123456789abcdefghij",
        "glpat-short",
    ),
    rule(
        "secret-slack",
        before_secret!(r"xox[baprs]-[A-Za-z0-9-]{10,}"),
        "xoxb-0123456789",
        "xoxb-short",
    ),
    rule(
        "secret-npm",
        before_secret!(r"npm_[A-Za-z0-9]{20,}"),
        "npm_0123456789abcdefghij",
        "npm_config",
    ),
    rule(
        "secret-google",
        before_secret!(r"AIza[A-Za-z0-9_-]{30,}"),
        "AIza0123456789abcdefghijklmnopqrst",
        "AIza-short",
    ),
    rule(
        "secret-stripe",
        before_secret!(r"sk_live_[A-Za-z0-9]{16,}"),
        "sk_live_0123456789abcdef",
        "sk_test_0123456789abcdef",
    ),
    rule(
        "secret-aws-id",
        before_secret!(r"(?:AKIA|ASIA|AIDA|AROA|AIPA|ANPA|ANVA|A3T[A-Z0-9])[A-Z0-9]{16}"),
        "AKIA0123456789ABCDEF",
        "AKIA is a prefix",
    ),
    rule(
        "secret-assigned",
        r"(?i)(?:api[-_]?(?:key|token)|token|secret|password|aws[-_]?secret[-_]?access[-_]?key)\s*[:=]\s*[a-z0-9._~+/=-]{8,}",
        "password = correcthorse",
        "password: none",
    ),
    rule(
        "secret-private-key",
        r"-----BEGIN (?:(?:RSA|EC|OPENSSH|ENCRYPTED) )?PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----",
    ),
    rule(
        "secret-web-token",
        r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
        "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
        "eyJhbGciOiJI",
    ),
    rule(
        "secret-in-address",
        r#"(?i)[a-z][a-z0-9+.-]*://[^/?#\s"'<>@]+@"#,
        "https://dana:hunter2@example.invalid/",
        "https://example.invalid/@dana",
    ),
    rule(
        "secret-azure",
        r"(?:(?i:accountkey|sharedaccesskey)=[A-Za-z0-9+/]{20,}|[?&]sig=[A-Za-z0-9%+/]{20,})",
        "AccountKey=0123456789abcdefghij0123==",
        "AccountKey=missing",
    ),
    rule(
        "secret-service-account",
        r#""(?:private_key|private_key_id)"\s*:\s*"[^"]{8,}"#,
        r#"{"private_key_id": "0123456789abcdef"}"#,
        r#"{"public_key_id": "0123456789abcdef"}"#,
    ),
];

/// Names that an object may not have, whatever stands under them.
pub(super) const NAMES: &str = concat!(
    "(?i)^(?:api[-_]?key|secret|password|access[-_]?token|private[-_]?key(?:[-_]?id)?",
    "|aws[-_]?access[-_]?key[-_]?id|aws[-_]?secret[-_]?access[-_]?key",
    "|raw[-_]?(?:provider[-_]?)?diagnostics?)$"
);

/// The rule of `NAMES`.
pub(super) const NAME_RULE: &str = "member-name";
/// The rule for an `authorization` that is more than a receipt.
pub(super) const AUTHORIZATION_RULE: &str = "member-authorization";
/// The rule for long texts of high entropy.
pub(super) const ENTROPY_RULE: &str = "secret-high-entropy";
