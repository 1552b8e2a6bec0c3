//! Strict JSON tokens: where each ends and what is wrong with it.
//!
//! Nothing here builds a value. A token is a range of the text; the canonical writer copies it,
//! the index remembers it.

use crate::error::{Checked, Code, Refusal};
use crate::number;
use std::str;
use wide::u8x16;

/// A string token: where its closing quote stands and whether its text needs decoding.
#[derive(Clone, Copy)]
pub(crate) struct StringToken {
    /// Offset of the closing quote.
    pub(crate) close: usize,
    /// Whether a backslash occurs.
    pub(crate) escaped: bool,
    /// Whether the text may hold more than ASCII.
    pub(crate) wide: bool,
}

/// A number token.
pub(crate) struct NumberToken {
    /// Offset after the last character.
    pub(crate) end: usize,
    /// The value, when the text is not already canonical.
    pub(crate) rewrite: Option<f64>,
}

/// The offset of the next character that is not JSON white space.
#[inline]
pub(crate) fn skip_space(raw: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = raw.get(at) {
        at += 1;
    }
    at
}

/// Offset of the next byte that ends or bends a string: a quote, a backslash or a control
/// character. Also tells whether a byte above 0x7F was passed.
#[inline]
fn string_stop(raw: &[u8], mut at: usize) -> (usize, bool) {
    let mut wide_text = false;
    while let Some(block) = raw.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        let bytes = u8x16::new(*block);
        let stops = bytes.simd_eq(u8x16::splat(b'"'))
            | bytes.simd_eq(u8x16::splat(b'\\'))
            | bytes.min(u8x16::splat(0x1F)).simd_eq(bytes);
        let mask = stops.to_bitmask();
        let high = bytes.to_bitmask();
        if mask != 0 {
            let step = mask.trailing_zeros();
            wide_text |= high & ((1 << step) - 1) != 0;
            return (at + step as usize, wide_text);
        }
        wide_text |= high != 0;
        at += 16;
    }
    while let Some(byte) = raw.get(at) {
        if matches!(byte, b'"' | b'\\') || *byte < 0x20 {
            break;
        }
        wide_text |= *byte >= 0x80;
        at += 1;
    }
    (at, wide_text)
}

/// Reads the string whose opening quote stands at `open`.
///
/// # Errors
/// `json-syntax`, `json-encoding`, `json-lone-surrogate`, each at the byte that shows it.
#[inline]
pub(crate) fn string(raw: &[u8], open: usize) -> Checked<StringToken> {
    let start = open + 1;
    let (stop, wide_text) = string_stop(raw, start);
    if wide_text {
        require_utf8(raw, start, stop)?;
    }
    match raw.get(stop) {
        Some(b'"') => Ok(StringToken {
            close: stop,
            escaped: false,
            wide: wide_text,
        }),
        _ => escaped_string(raw, open, stop),
    }
}

/// The rest of a string from its first backslash, or the refusal of what stands there.
fn escaped_string(raw: &[u8], open: usize, mut at: usize) -> Checked<StringToken> {
    loop {
        match raw.get(at) {
            Some(b'"') => {
                return Ok(StringToken {
                    close: at,
                    escaped: true,
                    wide: true,
                });
            }
            Some(b'\\') => at = skip_escape(raw, at)?,
            Some(_) => {
                return Err(Refusal::in_text(
                    Code::JsonSyntax,
                    at,
                    "a control character inside a string must be written as an escape",
                ));
            }
            None => {
                return Err(Refusal::in_text(
                    Code::JsonSyntax,
                    open,
                    "the string that starts here has no end",
                ));
            }
        }
        let (stop, wide_text) = string_stop(raw, at);
        if wide_text {
            require_utf8(raw, at, stop)?;
        }
        at = stop;
    }
}

fn require_utf8(raw: &[u8], start: usize, end: usize) -> Checked<()> {
    match str::from_utf8(raw.get(start..end).unwrap_or_default()) {
        Ok(_) => Ok(()),
        Err(fault) => Err(Refusal::in_text(
            Code::JsonEncoding,
            start + fault.valid_up_to(),
            "these bytes are not UTF-8",
        )),
    }
}

/// The offset after the escape that starts at `at`.
fn skip_escape(raw: &[u8], at: usize) -> Checked<usize> {
    match raw.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match code_unit(raw, at)? {
            0xD800..=0xDBFF => {
                let is_pair = matches!(
                    (raw.get(at + 6), raw.get(at + 7)),
                    (Some(b'\\'), Some(b'u'))
                ) && matches!(code_unit(raw, at + 6)?, 0xDC00..=0xDFFF);
                if is_pair {
                    Ok(at + 12)
                } else {
                    Err(lone_surrogate(at))
                }
            }
            0xDC00..=0xDFFF => Err(lone_surrogate(at)),
            _ => Ok(at + 6),
        },
        _ => Err(Refusal::in_text(
            Code::JsonSyntax,
            at,
            "a backslash starts no escape that JSON knows",
        )),
    }
}

fn lone_surrogate(at: usize) -> Box<Refusal> {
    Refusal::in_text(
        Code::JsonLoneSurrogate,
        at,
        "half of a surrogate pair is no character; write the pair or drop it",
    )
}

/// The code unit of the `\uXXXX` escape at `at`.
fn code_unit(raw: &[u8], at: usize) -> Checked<u32> {
    let mut unit = 0;
    for place in at + 2..at + 6 {
        let digit = raw
            .get(place)
            .and_then(|byte| char::from(*byte).to_digit(16));
        match digit {
            Some(digit) => unit = unit * 16 + digit,
            None => {
                return Err(Refusal::in_text(
                    Code::JsonSyntax,
                    at,
                    "\\u is followed by four hexadecimal digits",
                ));
            }
        }
    }
    Ok(unit)
}

/// The text of a string token that [`string`] accepted: the range between its quotes, decoded.
pub(crate) fn decode(raw: &[u8], mut at: usize, close: usize) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(close.saturating_sub(at));
    while at < close {
        let rest = raw.get(at..close).unwrap_or_default();
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        out.extend_from_slice(rest.get(..plain).unwrap_or_default());
        at += plain;
        if at < close {
            at = decode_escape(raw, at, &mut out);
        }
    }
    // Every run was checked as UTF-8 and every escape adds a whole character.
    String::from_utf8(out).unwrap_or_default()
}

fn decode_escape(raw: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
    let simple = match raw.get(at + 1) {
        Some(b'b') => 0x08,
        Some(b'f') => 0x0C,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'u') => return decode_unicode(raw, at, out),
        Some(other) => *other,
        None => return at + 1,
    };
    out.push(simple);
    at + 2
}

fn decode_unicode(raw: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
    let high = code_unit(raw, at).unwrap_or(0xFFFD);
    let (point, end) = if (0xD800..0xDC00).contains(&high) {
        let low = code_unit(raw, at + 6).unwrap_or(0xDC00);
        (
            0x10000 + ((high - 0xD800) << 10) + (low.wrapping_sub(0xDC00) & 0x3FF),
            at + 12,
        )
    } else {
        (high, at + 6)
    };
    let mut buffer = [0; 4];
    let c = char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
    end
}

/// Appends `text` as a JSON string with the escapes of ECMAScript: the five short ones, `\"`,
/// `\\`, and `\u00xx` in lower case for other controls; everything else verbatim.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let raw = text.as_bytes();
    out.push(b'"');
    let mut at = 0;
    loop {
        let (stop, _) = string_stop(raw, at);
        out.extend_from_slice(raw.get(at..stop).unwrap_or_default());
        let Some(&byte) = raw.get(stop) else { break };
        let short = match byte {
            b'"' | b'\\' => Some(byte),
            0x08 => Some(b'b'),
            0x09 => Some(b't'),
            0x0A => Some(b'n'),
            0x0C => Some(b'f'),
            0x0D => Some(b'r'),
            _ => None,
        };
        out.push(b'\\');
        match short {
            Some(letter) => out.push(letter),
            None => {
                out.extend_from_slice(b"u00");
                for nibble in [byte >> 4, byte & 0xF] {
                    out.push(HEX.get(usize::from(nibble)).copied().unwrap_or(b'0'));
                }
            }
        }
        at = stop + 1;
    }
    out.push(b'"');
}

/// Reads the number that starts at `start`.
///
/// # Errors
/// `json-syntax`, `json-number-range`, and `json-negative-zero` where `lossless`.
pub(crate) fn number(raw: &[u8], start: usize, lossless: bool) -> Checked<NumberToken> {
    let digits = |mut at: usize| {
        while raw.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let syntax = |at| {
        Err(Refusal::in_text(
            Code::JsonSyntax,
            at,
            "this is not a JSON number",
        ))
    };
    let whole = start + usize::from(raw.get(start) == Some(&b'-'));
    let mut end = digits(whole);
    let leading_zero = raw.get(whole) == Some(&b'0');
    if end == whole || (leading_zero && end > whole + 1) {
        return syntax(start);
    }
    // Up to fifteen digits every integer is exact and prints as it stands.
    let short = end - whole <= 15;
    let mut is_integer = true;
    if raw.get(end) == Some(&b'.') {
        is_integer = false;
        let fraction = end + 1;
        end = digits(fraction);
        if end == fraction {
            return syntax(start);
        }
    }
    if let Some(b'e' | b'E') = raw.get(end) {
        is_integer = false;
        let sign = end + 1;
        let exponent = sign + usize::from(matches!(raw.get(sign), Some(b'+' | b'-')));
        end = digits(exponent);
        if end == exponent {
            return syntax(start);
        }
    }
    let negative_zero = is_integer && leading_zero && whole > start;
    if is_integer && short && !negative_zero {
        return Ok(NumberToken { end, rewrite: None });
    }
    finish_number(raw, start, end, is_integer, lossless)
}

fn finish_number(
    raw: &[u8],
    start: usize,
    end: usize,
    is_integer: bool,
    lossless: bool,
) -> Checked<NumberToken> {
    let literal = raw
        .get(start..end)
        .and_then(|bytes| str::from_utf8(bytes).ok())
        .unwrap_or_default();
    let value = number::read(literal, is_integer).map_err(|code| {
        let message = if is_integer {
            "this integer cannot be held exactly as a double; send it as a string"
        } else {
            "this number is too large for a double"
        };
        Refusal::in_text(code, start, message)
    })?;
    if lossless && value == 0.0 && value.is_sign_negative() {
        return Err(Refusal::in_text(
            Code::JsonNegativeZero,
            start,
            "negative zero would come back as zero; write 0",
        ));
    }
    Ok(NumberToken {
        end,
        rewrite: Some(value),
    })
}

/// The offset after a number, `true`, `false` or `null` of a well-formed text.
pub(crate) fn skip_scalar(raw: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while !matches!(
        raw.get(at),
        None | Some(b',' | b']' | b'}' | b':' | b' ' | b'\n' | b'\r' | b'\t')
    ) {
        at += 1;
    }
    at
}

/// The offset after the array or object of a well-formed text that opens at `open`.
pub(crate) fn skip_container(raw: &[u8], open: usize) -> Checked<usize> {
    let mut at = open;
    let mut depth = 0_usize;
    loop {
        match raw.get(at) {
            Some(b'"') => at = string(raw, at)?.close,
            Some(b'{' | b'[') => depth += 1,
            Some(b'}' | b']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Ok(at + 1);
                }
            }
            Some(_) => {}
            None => return Err(unexpected(raw, at, "the end of a container")),
        }
        at += 1;
    }
}

/// The refusal of a byte that starts no value, or that stands where another was expected.
#[cold]
pub(crate) fn unexpected(raw: &[u8], at: usize, expected: &'static str) -> Box<Refusal> {
    match raw.get(at..) {
        None | Some([]) => Refusal::in_text(
            Code::JsonSyntax,
            raw.len(),
            format!("the text ends where {expected} was expected"),
        ),
        Some(rest)
            if rest.first().is_some_and(|byte| *byte >= 0x80) && !starts_with_character(rest) =>
        {
            Refusal::in_text(Code::JsonEncoding, at, "these bytes are not UTF-8")
        }
        Some(_) if at == 0 && raw.starts_with("\u{FEFF}".as_bytes()) => Refusal::in_text(
            Code::JsonEncoding,
            0,
            "the text starts with a byte order mark; JSON has none",
        ),
        Some(_) => Refusal::in_text(Code::JsonSyntax, at, format!("expected {expected} here")),
    }
}

fn starts_with_character(rest: &[u8]) -> bool {
    match str::from_utf8(rest.get(..4).unwrap_or(rest)) {
        Ok(_) => true,
        Err(fault) => fault.valid_up_to() > 0,
    }
}
