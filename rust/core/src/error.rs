//! A refusal is data: a code, where in the document, where in the text, and a sentence.

use std::borrow::Cow;
use std::fmt;

/// Declares the codes once, with their spelling.
macro_rules! codes {
    ($($(#[$note:meta])* $name:ident = $text:literal,)+) => {
        /// Why a document was refused. The spelling is contract, the message is not.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code { $($(#[$note])* $name,)+ }

        impl Code {
            /// Every code, in the order of declaration.
            pub const ALL: &'static [Code] = &[$(Code::$name,)+];

            /// The stable spelling.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }
        }
    };
}

codes! {
    /// The text does not follow the JSON grammar.
    JsonSyntax = "json-syntax",
    /// The bytes are not UTF-8, or start with a byte order mark.
    JsonEncoding = "json-encoding",
    /// An object names one member twice.
    JsonDuplicateMember = "json-duplicate-member",
    /// A string holds half of a surrogate pair.
    JsonLoneSurrogate = "json-lone-surrogate",
    /// A number is not finite as a double, or is an integer a double cannot hold.
    JsonNumberRange = "json-number-range",
    /// Negative zero in a document that must survive a round trip.
    JsonNegativeZero = "json-negative-zero",
    /// Too many nested containers.
    JsonDepth = "json-depth",
    /// The text is larger than its cap.
    JsonSize = "json-size",
    /// A member name that collated order cannot place the same way on every host.
    DigestNotPortable = "digest-not-portable",
    /// A closed object holds an unknown member.
    EnvelopeUnexpectedMember = "envelope-unexpected-member",
    /// A required member is absent.
    EnvelopeMissingMember = "envelope-missing-member",
    /// A member's value is outside its format.
    EnvelopeInvalidValue = "envelope-invalid-value",
    /// Two members contradict each other.
    EnvelopeInconsistent = "envelope-inconsistent",
    /// Not a format, version or kind this crate reads.
    EnvelopeUnsupportedVersion = "envelope-unsupported-version",
    /// A reference or identity carries a credential.
    EnvelopeAuthorizationMaterial = "envelope-authorization-material",
    /// A claim target is missing or breaks its shape.
    ImportTargetInvalid = "import-target-invalid",
    /// One claim, two different claim targets.
    ImportTargetConflict = "import-target-conflict",
    /// No import of this envelope could have written this status.
    ImportStatusIncoherent = "import-status-incoherent",
    /// The record does not say whether its excerpts were verified.
    ImportProvenanceMissing = "import-provenance-missing",
    /// A candidate value is nested too deep to stay readable in what derives from it.
    ImportValueDepth = "import-value-depth",
    /// The import, or what derives from it, exceeds a cap.
    ImportTooLarge = "import-too-large",
    /// The record holds no proposal of that index.
    ImportProposalUnknown = "import-proposal-unknown",
    /// The prepared text was offered in a shape the import does not take.
    ArtifactOptionInvalid = "artifact-option-invalid",
    /// The prepared text, its proposals, or the telling apart of their occurrences exceeds a cap.
    ExtractionTooLarge = "extraction-too-large",
    /// A queue names one item twice.
    AmbiguousItemIdentity = "ambiguous-item-identity",
    /// An item names one candidate twice.
    AmbiguousCandidateIdentity = "ambiguous-candidate-identity",
    /// A document is not a review queue.
    QueueMalformed = "queue-malformed",
    /// Rate or seed of an audit draw is not usable.
    AuditOptionsInvalid = "audit-options-invalid",
    /// A snapshot breaks its shape.
    SessionMalformed = "session-malformed",
    /// Presentation or sampling of a session breaks its shape.
    InvalidSessionConditions = "invalid-session-conditions",
}

/// A refused document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The stable reason.
    pub code: Code,
    /// RFC 6901 pointer to the offender; empty for the document itself.
    pub pointer: String,
    /// Byte offset into the text that was read, when the offender has one.
    pub offset: Option<usize>,
    /// One sentence for a person.
    pub message: Cow<'static, str>,
}

/// A result whose error stays one word wide: refusals are rare, successes are not.
pub type Checked<T> = Result<T, Box<Refusal>>;

impl Refusal {
    /// A refusal at a place in the text; the pointer grows while the parser unwinds.
    #[cold]
    pub fn in_text(code: Code, offset: usize, message: impl Into<Cow<'static, str>>) -> Box<Self> {
        Box::new(Self {
            code,
            pointer: String::new(),
            offset: Some(offset),
            message: message.into(),
        })
    }

    /// A refusal at a place in the document.
    #[cold]
    pub fn at(code: Code, path: &Path<'_>, message: impl Into<Cow<'static, str>>) -> Box<Self> {
        Box::new(Self {
            code,
            pointer: path.pointer(),
            offset: None,
            message: message.into(),
        })
    }

    /// The same refusal under another code: a shared check used by another format.
    #[must_use]
    #[cold]
    pub fn recoded(mut self: Box<Self>, code: Code) -> Box<Self> {
        self.code = code;
        self
    }

    /// The same refusal, opening with what the document is not.
    #[must_use]
    #[cold]
    pub fn about(mut self: Box<Self>, opening: &str) -> Box<Self> {
        self.message = format!("{opening}: {}", self.message).into();
        self
    }

    /// The same refusal without its offset: the text was written here, not read.
    #[must_use]
    #[cold]
    pub fn without_offset(mut self: Box<Self>) -> Box<Self> {
        self.offset = None;
        self
    }

    /// The same refusal seen from the object that holds the offender under `name`.
    #[must_use]
    #[cold]
    pub fn under_name(mut self: Box<Self>, name: &str) -> Box<Self> {
        let mut pointer = String::from("/");
        escape_segment(name, &mut pointer);
        pointer.push_str(&self.pointer);
        self.pointer = pointer;
        self
    }

    /// The same refusal seen from the array that holds the offender at `index`.
    #[must_use]
    #[cold]
    pub fn under_index(mut self: Box<Self>, index: usize) -> Box<Self> {
        self.pointer = format!("/{index}{}", self.pointer);
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at {:?}: {}",
            self.code.as_str(),
            self.pointer,
            self.message
        )
    }
}

impl std::error::Error for Refusal {}

/// Where a checker stands in a document. It lives on the stack and costs nothing until a
/// refusal asks for its text.
#[derive(Clone, Copy, Debug)]
pub enum Path<'p> {
    /// The document.
    Root,
    /// A member of an object.
    Name(&'p Path<'p>, &'p str),
    /// An element of an array.
    Index(&'p Path<'p>, usize),
}

impl<'p> Path<'p> {
    /// The member `name` below this place.
    #[must_use]
    pub const fn name(&'p self, name: &'p str) -> Path<'p> {
        Path::Name(self, name)
    }

    /// The element `index` below this place.
    #[must_use]
    pub const fn index(&'p self, index: usize) -> Path<'p> {
        Path::Index(self, index)
    }

    /// The RFC 6901 text.
    #[must_use]
    pub fn pointer(&self) -> String {
        match self {
            Path::Root => String::new(),
            Path::Name(parent, name) => {
                let mut text = parent.pointer();
                text.push('/');
                escape_segment(name, &mut text);
                text
            }
            Path::Index(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }
}

fn escape_segment(name: &str, out: &mut String) {
    for c in name.chars() {
        match c {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointer_segments_are_escaped() {
        let root = Path::Root;
        let outer = root.name("a/b");
        let inner = outer.index(3);
        assert_eq!(inner.name("~x").pointer(), "/a~1b/3/~0x");
        assert_eq!(root.pointer(), "");
    }

    #[test]
    fn codes_are_spelled_once() {
        let mut spellings: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        spellings.sort_unstable();
        spellings.dedup();
        assert_eq!(spellings.len(), Code::ALL.len());
    }
}
