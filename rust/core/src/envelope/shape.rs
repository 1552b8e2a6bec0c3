//! The readers of a closed wire format: each takes a value and where it stands, and gives what
//! it read or the refusal. What is accepted costs no allocation unless it holds an escape.

use crate::credential;
use crate::document::{Kind, Value};
use crate::error::{Checked, Code, Path, Refusal};
use crate::text::{has_content, is_hex};
use std::borrow::Cow;

/// The largest integer that every reader of JSON counts alike.
const SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Values of a closed object: its required members, then its optional ones, each in the order
/// in which they were asked for.
pub(crate) type Members<'d, const R: usize, const O: usize> =
    ([Value<'d>; R], [Option<Value<'d>>; O]);

/// Reads an object that holds all of `required`, any of `optional` and nothing else.
///
/// An unknown member is reported before a missing one. `null` counts as present.
pub(crate) fn closed<'d, const R: usize, const O: usize>(
    value: Value<'d>,
    at: &Path<'_>,
    required: [&str; R],
    optional: [&str; O],
) -> Checked<Members<'d, R, O>> {
    if value.kind() != Kind::Object {
        return Err(invalid(at, "an object belongs here"));
    }
    let mut needed = [None; R];
    let mut allowed = [None; O];
    for (name, member) in value.members() {
        let slot = required
            .iter()
            .zip(&mut needed)
            .find(|(known, _)| **known == name);
        let slot = slot.or_else(|| {
            optional
                .iter()
                .zip(&mut allowed)
                .find(|(known, _)| **known == name)
        });
        let Some((_, slot)) = slot else {
            let message = "no such member is known here; remove it";
            return Err(Refusal::at(
                Code::EnvelopeUnexpectedMember,
                &at.name(&name),
                message,
            ));
        };
        *slot = Some(member);
    }
    let mut found = [value; R];
    for ((slot, member), name) in found.iter_mut().zip(needed).zip(required) {
        *slot = member.ok_or_else(|| {
            Refusal::at(
                Code::EnvelopeMissingMember,
                &at.name(name),
                "this member is needed and absent",
            )
        })?;
    }
    Ok((found, allowed))
}

/// Applies `check` where there is a value.
pub(crate) fn optional<'d, T>(
    value: Option<Value<'d>>,
    at: &Path<'_>,
    check: impl FnOnce(Value<'d>, &Path<'_>) -> Checked<T>,
) -> Checked<Option<T>> {
    value.map(|value| check(value, at)).transpose()
}

/// Applies `check` to every element of an array.
pub(crate) fn each<'d, T>(
    value: Value<'d>,
    at: &Path<'_>,
    mut check: impl FnMut(Value<'d>, &Path<'_>) -> Checked<T>,
) -> Checked<()> {
    for (index, element) in array(value, at)?.enumerate() {
        check(element, &at.index(index))?;
    }
    Ok(())
}

/// The elements of an array.
pub(crate) fn array<'d>(
    value: Value<'d>,
    at: &Path<'_>,
) -> Checked<impl Iterator<Item = Value<'d>> + use<'d>> {
    if value.kind() == Kind::Array {
        Ok(value.elements())
    } else {
        Err(invalid(at, "an array belongs here"))
    }
}

/// A string, which may be empty.
pub(crate) fn string<'d>(value: Value<'d>, at: &Path<'_>) -> Checked<Cow<'d, str>> {
    value
        .as_str()
        .ok_or_else(|| invalid(at, "a string belongs here"))
}

/// A string that is not empty; blanks alone will do.
pub(crate) fn wire_text(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    if value.kind() == Kind::String && value.text().len() > 2 {
        return Ok(());
    }
    Err(invalid(at, "a string that is not empty belongs here"))
}

/// A string with something besides blanks in it.
pub(crate) fn trimmed_text(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    match value.as_str() {
        Some(text) if has_content(&text) => Ok(()),
        _ => Err(invalid(
            at,
            "a string with more than blanks in it belongs here",
        )),
    }
}

/// `true` or `false`.
pub(crate) fn boolean(value: Value<'_>, at: &Path<'_>) -> Checked<bool> {
    value
        .as_bool()
        .ok_or_else(|| invalid(at, "true or false belongs here"))
}

/// A finite number; canonical text holds no other.
pub(crate) fn number(value: Value<'_>, at: &Path<'_>) -> Checked<f64> {
    value
        .as_number()
        .ok_or_else(|| invalid(at, "a number belongs here"))
}

/// An integer from 0 to 2^53 - 1.
pub(crate) fn integer(value: Value<'_>, at: &Path<'_>) -> Checked<usize> {
    decimal(value.text())
        .ok_or_else(|| invalid(at, "a whole number from 0 to 2^53 - 1 belongs here"))
}

/// An integer from 1 to 2^53 - 1.
pub(crate) fn positive(value: Value<'_>, at: &Path<'_>) -> Checked<usize> {
    match integer(value, at)? {
        0 => Err(invalid(at, "a whole number from 1 upwards belongs here")),
        count => Ok(count),
    }
}

/// The integer that decimal digits without a leading zero spell; canonical numbers that are
/// integers in this range are written so.
pub(crate) fn decimal(digits: &str) -> Option<usize> {
    let raw = digits.as_bytes();
    let leading_zero = raw.len() > 1 && raw.first() == Some(&b'0');
    if raw.is_empty() || raw.len() > 16 || leading_zero {
        return None;
    }
    let mut value = 0_u64;
    for byte in raw {
        value = value * 10 + u64::from(char::from(*byte).to_digit(10)?);
    }
    usize::try_from(value)
        .ok()
        .filter(|_| value <= SAFE_INTEGER)
}

/// The string a value spells without any escape.
pub(crate) fn plain<'d>(value: Value<'d>) -> Option<&'d str> {
    let inner: &'d str = value.text().strip_prefix('"')?.strip_suffix('"')?;
    (memchr::memchr(b'\\', inner.as_bytes()).is_none()).then_some(inner)
}

/// One word of a vocabulary.
pub(crate) fn one_of<'w>(value: Value<'_>, at: &Path<'_>, words: &[&'w str]) -> Checked<&'w str> {
    let found = plain(value).and_then(|text| words.iter().find(|word| **word == text));
    found.copied().ok_or_else(|| {
        invalid(
            at,
            format!("one of these words belongs here: {}", words.join(", ")),
        )
    })
}

/// SHA-256 in lower-case hex, after `prefix`.
pub(crate) fn sha256<'d>(value: Value<'d>, at: &Path<'_>, prefix: &str) -> Checked<&'d str> {
    let text = plain(value);
    let hex = text.and_then(|text| text.strip_prefix(prefix));
    if let Some(text) = text
        && hex.is_some_and(|hex| is_hex(hex, 64))
    {
        return Ok(text);
    }
    let message = match prefix {
        "" => "64 hexadecimal digits in lower case belong here".to_owned(),
        prefix => format!("{prefix} and 64 hexadecimal digits in lower case belong here"),
    };
    Err(invalid(at, message))
}

/// The name of a provider, model or tool: at most `longest` characters, none of them secret.
pub(crate) fn stable_identity<'d>(
    value: Value<'d>,
    at: &Path<'_>,
    longest: usize,
) -> Checked<&'d str> {
    let inside = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'.' | b'_' | b':' | b'@' | b'/' | b'+' | b'~' | b'-')
    };
    let well_formed = |text: &&str| {
        text.len() <= longest
            && text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.bytes().all(inside)
    };
    let Some(text) = plain(value).filter(well_formed) else {
        let message = format!(
            "an identity belongs here: at most {longest} letters, digits and ._:@/+~-, a letter or digit first"
        );
        return Err(invalid(at, message));
    };
    if credential::is_token(text) || credential::bears_authorization(text) {
        return Err(authorizes(at));
    }
    Ok(text)
}

/// A reference: any text that carries no credential.
pub(crate) fn safe_reference(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    wire_text(value, at)?;
    if credential::bears_authorization(&string(value, at)?) {
        return Err(authorizes(at));
    }
    Ok(())
}

/// The refusal of a value outside its format.
#[cold]
pub(crate) fn invalid(at: &Path<'_>, message: impl Into<Cow<'static, str>>) -> Box<Refusal> {
    Refusal::at(Code::EnvelopeInvalidValue, at, message)
}

/// The refusal of a value that contradicts another.
#[cold]
pub(crate) fn inconsistent(at: &Path<'_>, message: impl Into<Cow<'static, str>>) -> Box<Refusal> {
    Refusal::at(Code::EnvelopeInconsistent, at, message)
}

/// The refusal of a credential; the message does not repeat it.
#[cold]
fn authorizes(at: &Path<'_>) -> Box<Refusal> {
    let message = "this text carries a credential; name the source without it";
    Refusal::at(Code::EnvelopeAuthorizationMaterial, at, message)
}
