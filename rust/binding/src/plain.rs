//! Plain Python data as JSON text, so that the core reads one kind of input.
//!
//! Plain means exactly dict, list, str, int, float, bool and None. A subclass may hide state
//! and a tuple is no JSON array, so both are misuse, as is a container that holds itself.

use crate::refusal::{misuse, raise};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};
use std::cell::Cell;
use std::cmp::Ordering;
use survey_core::digest::sha256_hex;
use survey_core::error::Checked;
use survey_core::limits::DEPTH;
use survey_core::names::by_code_unit;
use survey_core::text::{write_json_number, write_json_string};
use survey_core::{Code, Refusal};

/// Bits above which an integer is beyond every double.
const WIDEST_INTEGER: u64 = 1024;

thread_local! {
    /// A buffer that has grown already: a text of some size is often followed by its like.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Bytes of the largest buffer that is kept.
const KEPT: usize = 1 << 22;

/// An empty buffer.
fn buffer() -> Vec<u8> {
    BUFFER.take()
}

/// Keeps a buffer for the next text, unless it is too large to be kept.
fn keep(mut text: Vec<u8>) {
    if text.capacity() <= KEPT {
        text.clear();
        BUFFER.set(text);
    }
}

/// JSON text of plain data.
#[pyfunction]
pub(crate) fn json_text<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let text = walked(py, data, buffer())?;
    let bytes = PyBytes::new(py, &text);
    keep(text);
    Ok(bytes)
}

/// Canonical text (`jcs`) of plain data, in one walk.
#[pyfunction]
pub(crate) fn plain_canonical<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    lossless: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let out = Canonical {
        text: buffer(),
        lossless,
    };
    let text = walked(py, data, out)?.text;
    let bytes = PyBytes::new(py, &text);
    keep(text);
    Ok(bytes)
}

/// SHA-256 over the canonical text of data in which bytes stand for the canonical text of a value.
#[pyfunction]
pub(crate) fn spliced_digest(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    lossless: bool,
) -> PyResult<String> {
    let text = spliced(py, data, lossless)?;
    let digest = sha256_hex([&*text]);
    keep(text);
    Ok(digest)
}

fn spliced<'py>(py: Python<'py>, data: &Bound<'py, PyAny>, lossless: bool) -> PyResult<Vec<u8>> {
    let out = Spliced(Canonical {
        text: buffer(),
        lossless,
    });
    Ok(walked(py, data, out)?.0.text)
}

/// Refuses plain data that strict JSON text could not say, without writing that text.
#[pyfunction]
pub(crate) fn require_plain(py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
    walked(py, data, Nothing).map(|_| ())
}

fn walked<'py, S: Sink>(py: Python<'py>, data: &Bound<'py, PyAny>, out: S) -> PyResult<S> {
    let mut walk = Walk {
        out,
        open: Vec::new(),
        spare: Vec::new(),
    };
    match walk.value(data) {
        Ok(()) => Ok(walk.out),
        Err(Trouble::Refused(refusal)) => Err(raise(py, &refusal)),
        Err(Trouble::Misuse { message, pointer }) => {
            Err(misuse(format!("{message} (at {pointer:?})")))
        }
        Err(Trouble::Raised(error)) => Err(error),
    }
}

/// Where the text of plain data goes.
trait Sink {
    /// Whether members are written in canonical order; otherwise as they stand.
    const SORTED: bool = false;
    /// Whether bytes are taken for canonical text; otherwise they are no data.
    const SPLICED: bool = false;
    fn raw(&mut self, text: &[u8]);
    fn string(&mut self, text: &str);
    /// A finite number.
    fn number(&mut self, value: f64) -> Result<(), Trouble>;
    /// An integer by its digits, and as the nearest double.
    fn integer(&mut self, digits: &str, nearest: f64) -> Result<(), Trouble>;
    /// An integer that a double holds, or may not hold.
    fn small(&mut self, value: i64) -> Result<(), Trouble>;
}

impl Sink for Vec<u8> {
    fn raw(&mut self, text: &[u8]) {
        self.extend_from_slice(text);
    }

    fn string(&mut self, text: &str) {
        write_json_string(text, self);
    }

    fn number(&mut self, value: f64) -> Result<(), Trouble> {
        write_json_number(value, self);
        Ok(())
    }

    fn integer(&mut self, digits: &str, _: f64) -> Result<(), Trouble> {
        self.raw(digits.as_bytes());
        Ok(())
    }

    fn small(&mut self, value: i64) -> Result<(), Trouble> {
        self.raw(value.to_string().as_bytes());
        Ok(())
    }
}

/// Takes no text, and judges what a reader of the text would judge.
struct Nothing;

impl Sink for Nothing {
    fn raw(&mut self, _: &[u8]) {}

    fn string(&mut self, _: &str) {}

    fn number(&mut self, _: f64) -> Result<(), Trouble> {
        Ok(())
    }

    fn integer(&mut self, digits: &str, nearest: f64) -> Result<(), Trouble> {
        require_exact(digits, nearest)
    }

    fn small(&mut self, value: i64) -> Result<(), Trouble> {
        require_small(value)
    }
}

/// Takes the canonical text.
struct Canonical {
    text: Vec<u8>,
    lossless: bool,
}

impl Sink for Canonical {
    const SORTED: bool = true;

    fn raw(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    fn string(&mut self, text: &str) {
        write_json_string(text, &mut self.text);
    }

    fn number(&mut self, value: f64) -> Result<(), Trouble> {
        if value != 0.0 {
            write_json_number(value, &mut self.text);
        } else if value.is_sign_negative() && self.lossless {
            return refused(
                Code::JsonNegativeZero,
                "a negative zero would not survive a round trip",
            );
        } else {
            self.text.push(b'0');
        }
        Ok(())
    }

    fn integer(&mut self, digits: &str, nearest: f64) -> Result<(), Trouble> {
        require_exact(digits, nearest)?;
        self.raw(digits.as_bytes());
        Ok(())
    }

    fn small(&mut self, value: i64) -> Result<(), Trouble> {
        require_small(value)?;
        self.raw(value.to_string().as_bytes());
        Ok(())
    }
}

/// Takes the canonical text, some of it ready-made.
struct Spliced(Canonical);

impl Sink for Spliced {
    const SORTED: bool = true;
    const SPLICED: bool = true;

    fn raw(&mut self, text: &[u8]) {
        self.0.raw(text);
    }

    fn string(&mut self, text: &str) {
        self.0.string(text);
    }

    fn number(&mut self, value: f64) -> Result<(), Trouble> {
        self.0.number(value)
    }

    fn integer(&mut self, digits: &str, nearest: f64) -> Result<(), Trouble> {
        self.0.integer(digits, nearest)
    }

    fn small(&mut self, value: i64) -> Result<(), Trouble> {
        self.0.small(value)
    }
}

/// Refuses an integer whose digits its double does not print.
fn require_exact(digits: &str, nearest: f64) -> Result<(), Trouble> {
    let mut text = Vec::new();
    write_json_number(nearest, &mut text);
    if text == digits.as_bytes() {
        return Ok(());
    }
    refused(
        Code::JsonNumberRange,
        "no double holds this integer exactly; send it as a string",
    )
}

fn require_small(value: i64) -> Result<(), Trouble> {
    const EXACT: u64 = 1 << 53;
    if value.unsigned_abs() <= EXACT {
        return Ok(());
    }
    #[expect(clippy::cast_precision_loss, reason = "that is what is asked")]
    let nearest = value as f64;
    require_exact(&value.to_string(), nearest)
}

enum Trouble {
    Refused(Box<Refusal>),
    Misuse { message: String, pointer: String },
    Raised(PyErr),
}

impl From<PyErr> for Trouble {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

impl Trouble {
    fn under(self, segment: &Segment<'_>) -> Self {
        match (self, segment) {
            (Self::Refused(refusal), Segment::Name(name)) => {
                Self::Refused(refusal.under_name(name))
            }
            (Self::Refused(refusal), Segment::Index(index)) => {
                Self::Refused(refusal.under_index(*index))
            }
            (Self::Misuse { message, pointer }, Segment::Name(name)) => Self::Misuse {
                message,
                pointer: format!("/{}{pointer}", name.replace('~', "~0").replace('/', "~1")),
            },
            (Self::Misuse { message, pointer }, Segment::Index(index)) => Self::Misuse {
                message,
                pointer: format!("/{index}{pointer}"),
            },
            (raised @ Self::Raised(_), _) => raised,
        }
    }
}

enum Segment<'s> {
    Name(&'s str),
    Index(usize),
}

fn refused<T>(code: Code, message: &'static str) -> Result<T, Trouble> {
    let checked: Checked<T> = Err(Box::new(Refusal {
        code,
        pointer: String::new(),
        offset: None,
        message: message.into(),
    }));
    checked.map_err(Trouble::Refused)
}

fn not_plain<T>(message: String) -> Result<T, Trouble> {
    Err(Trouble::Misuse {
        message,
        pointer: String::new(),
    })
}

struct Walk<'py, S> {
    out: S,
    /// Addresses of the containers around the value.
    open: Vec<usize>,
    /// Lists that held the members of an object, empty again.
    spare: Vec<Members<'py>>,
}

type Members<'py> = Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>;

impl<'py, S: Sink> Walk<'py, S> {
    fn value(&mut self, data: &Bound<'py, PyAny>) -> Result<(), Trouble> {
        if let Ok(text) = data.cast_exact::<PyString>() {
            return self.string(text);
        }
        if data.is_none() {
            self.out.raw(b"null");
            return Ok(());
        }
        if let Ok(dict) = data.cast_exact::<PyDict>() {
            return self.object(dict);
        }
        if let Ok(list) = data.cast_exact::<PyList>() {
            return self.array(list);
        }
        if let Ok(truth) = data.cast_exact::<PyBool>() {
            self.out
                .raw(if truth.is_true() { b"true" } else { b"false" });
            return Ok(());
        }
        if let Ok(number) = data.cast_exact::<PyInt>() {
            return self.integer(number);
        }
        if let Ok(number) = data.cast_exact::<PyFloat>() {
            return self.float(number.value());
        }
        if S::SPLICED
            && let Ok(text) = data.cast_exact::<PyBytes>()
        {
            self.out.raw(text.as_bytes());
            return Ok(());
        }
        not_plain(format!(
            "{} is not plain JSON data: use dict, list, str, int, float, bool or None",
            data.get_type().name()?
        ))
    }

    fn string(&mut self, text: &Bound<'_, PyString>) -> Result<(), Trouble> {
        match text.to_str() {
            Ok(text) => {
                self.out.string(text);
                Ok(())
            }
            Err(_) => refused(
                Code::JsonLoneSurrogate,
                "half of a surrogate pair is no character",
            ),
        }
    }

    fn integer(&mut self, number: &Bound<'_, PyInt>) -> Result<(), Trouble> {
        if let Ok(small) = number.extract::<i64>() {
            return self.out.small(small);
        }
        if number.call_method0("bit_length")?.extract::<u64>()? > WIDEST_INTEGER {
            return refused(
                Code::JsonNumberRange,
                "this integer is beyond every double; send it as a string",
            );
        }
        self.out
            .integer(number.str()?.to_str()?, number.extract::<f64>()?)
    }

    fn float(&mut self, value: f64) -> Result<(), Trouble> {
        if !value.is_finite() {
            return refused(Code::JsonNumberRange, "JSON has neither NaN nor infinity");
        }
        self.out.number(value)
    }

    fn enter(&mut self, container: &Bound<'_, PyAny>) -> Result<(), Trouble> {
        self.open.push(container.as_ptr().addr());
        if self.open.len() <= DEPTH {
            return Ok(());
        }
        let mut sorted = self.open.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() < self.open.len() {
            return not_plain("a container holds itself".to_owned());
        }
        refused(Code::JsonDepth, "more than 128 nested arrays and objects")
    }

    fn object(&mut self, dict: &Bound<'py, PyDict>) -> Result<(), Trouble> {
        self.enter(dict.as_any())?;
        self.out.raw(b"{");
        let mut members = self.spare.pop().unwrap_or_default();
        for (name, value) in dict.iter() {
            let Ok(name) = name.cast_into_exact::<PyString>() else {
                let found = dict
                    .keys()
                    .iter()
                    .find(|key| !key.is_exact_instance_of::<PyString>());
                let kind = match found {
                    Some(key) => key.get_type().name()?.to_string(),
                    None => "another type".to_owned(),
                };
                return not_plain(format!("a member name is a str, not {kind}"));
            };
            members.push((name, value));
        }
        if S::SORTED && !members.is_sorted_by(|one, other| order(&one.0, &other.0).is_le()) {
            members.sort_by(|one, other| order(&one.0, &other.0));
        }
        for (place, (name, value)) in members.iter().enumerate() {
            if place > 0 {
                self.out.raw(b",");
            }
            self.string(name)?;
            self.out.raw(b":");
            self.value(value).map_err(|trouble| {
                trouble.under(&Segment::Name(name.to_str().unwrap_or_default()))
            })?;
        }
        members.clear();
        self.spare.push(members);
        self.out.raw(b"}");
        self.open.pop();
        Ok(())
    }

    fn array(&mut self, list: &Bound<'py, PyList>) -> Result<(), Trouble> {
        self.enter(list.as_any())?;
        self.out.raw(b"[");
        for (place, value) in list.iter().enumerate() {
            if place > 0 {
                self.out.raw(b",");
            }
            self.value(&value)
                .map_err(|trouble| trouble.under(&Segment::Index(place)))?;
        }
        self.out.raw(b"]");
        self.open.pop();
        Ok(())
    }
}

/// Names by UTF-16 code unit; one that is no text is refused when it is written.
fn order(one: &Bound<'_, PyString>, other: &Bound<'_, PyString>) -> Ordering {
    by_code_unit(one.to_str().unwrap_or(""), other.to_str().unwrap_or(""))
}
