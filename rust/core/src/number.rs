//! ECMAScript numbers: a JSON number literal to a double, a double to its shortest text.

use crate::error::Code;

/// The double of a literal that the scanner has already found to be well formed.
///
/// # Errors
/// `json-number-range` when the value is not finite, or when the literal is an integer whose
/// double prints otherwise: such a digest would cover a number the document does not hold.
pub(crate) fn read(literal: &str, is_integer: bool) -> Result<f64, Code> {
    let value: f64 = literal.parse().map_err(|_| Code::JsonNumberRange)?;
    if !value.is_finite() {
        return Err(Code::JsonNumberRange);
    }
    if is_integer {
        let mut buffer = ryu_js::Buffer::new();
        let same = literal == "-0" || buffer.format_finite(value) == literal;
        if !same {
            return Err(Code::JsonNumberRange);
        }
    }
    Ok(value)
}

/// Appends the ECMAScript text of a finite double; negative zero prints as `0`.
pub(crate) fn write(value: f64, out: &mut Vec<u8>) {
    let mut buffer = ryu_js::Buffer::new();
    out.extend_from_slice(buffer.format_finite(value).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f64) -> String {
        let mut out = Vec::new();
        write(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn prints_as_ecmascript_prints() {
        for (value, expected) in [
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1.0, "1"),
            (-0.0, "0"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
        ] {
            assert_eq!(text(value), expected);
        }
    }

    #[test]
    fn an_integer_that_a_double_cannot_hold_is_refused() {
        assert!(matches!(
            read("9007199254740993", true),
            Err(Code::JsonNumberRange)
        ));
        assert!(matches!(
            read("1000000000000000000000", true),
            Err(Code::JsonNumberRange)
        ));
        assert!(read("100000000000000000000", true).is_ok());
        assert!(read("9007199254740993.0", false).is_ok());
        assert!(matches!(read("1e400", false), Err(Code::JsonNumberRange)));
    }
}
