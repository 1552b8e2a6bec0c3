//! Shapes of plain data: whether very many records are what a table says, in one call.
//!
//! Only yes or no. Why a value does not hold is for the table's owner to say, who walks that one
//! value again.

use crate::refusal::text;
use pyo3::prelude::*;
use pyo3::types::{PyAnyMethods, PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use std::sync::Arc;

/// What may stand in one place.
#[pyclass(frozen, from_py_object, module = "survey_fast._core")]
#[derive(Clone)]
pub(crate) struct Shape(Arc<Rule>);

enum Rule {
    Anything,
    String,
    Text,
    Boolean,
    Object,
    /// A finite double, or an integer that this function finds to be one.
    Number(Py<PyAny>),
    /// An instant in its most usual spelling, or what this function finds to be one.
    Time(Py<PyAny>),
    /// One of these, sorted by bytes.
    Words(Vec<String>),
    /// What a function of Python holds to be right.
    Tested(Py<PyAny>),
    Array {
        entry: Shape,
        least: usize,
        most: usize,
    },
    Record {
        members: Vec<Member>,
        is_open: bool,
    },
}

struct Member {
    name: Py<PyString>,
    shape: Shape,
    is_required: bool,
}

/// Integers up to here are doubles.
const SAFE: u64 = 1 << 53;

#[pymethods]
impl Shape {
    /// Any value, null included.
    #[staticmethod]
    fn anything() -> Self {
        Self::of(Rule::Anything)
    }

    /// A string.
    #[staticmethod]
    fn string() -> Self {
        Self::of(Rule::String)
    }

    /// A string that is not empty.
    #[staticmethod]
    fn text() -> Self {
        Self::of(Rule::Text)
    }

    #[staticmethod]
    fn boolean() -> Self {
        Self::of(Rule::Boolean)
    }

    /// Any object.
    #[staticmethod]
    fn object() -> Self {
        Self::of(Rule::Object)
    }

    /// A number that a double holds; `is_large` is asked about integers beyond 2^53.
    #[staticmethod]
    fn number(is_large: Py<PyAny>) -> Self {
        Self::of(Rule::Number(is_large))
    }

    /// An instant; `is_time` is asked about all but the most usual spelling.
    #[staticmethod]
    fn time(is_time: Py<PyAny>) -> Self {
        Self::of(Rule::Time(is_time))
    }

    /// One of some strings.
    #[staticmethod]
    fn words(mut words: Vec<String>) -> Self {
        words.sort_unstable();
        Self::of(Rule::Words(words))
    }

    /// What `test` holds to be right.
    #[staticmethod]
    fn tested(test: Py<PyAny>) -> Self {
        Self::of(Rule::Tested(test))
    }

    /// From `least` to `most` values of one shape.
    #[staticmethod]
    #[pyo3(signature = (entry, least = 0, most = usize::MAX))]
    fn array(entry: Self, least: usize, most: usize) -> Self {
        Self::of(Rule::Array { entry, least, most })
    }

    /// An object with these members, `required` among them; others only where it is open.
    #[staticmethod]
    fn record(
        py: Python<'_>,
        members: Vec<(String, Self)>,
        required: Vec<String>,
        is_open: bool,
    ) -> Self {
        let members = members.into_iter().map(|(name, shape)| Member {
            is_required: required.contains(&name),
            // Names are looked up by the million, and most are the very object.
            name: PyString::intern(py, &name).unbind(),
            shape,
        });
        Self::of(Rule::Record {
            members: members.collect(),
            is_open,
        })
    }

    /// Whether a value is of this shape.
    #[pyo3(name = "holds")]
    fn holds_of(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.holds(value)
    }

    /// Whether every value of a list is.
    fn holds_all(&self, values: &Bound<'_, PyList>) -> PyResult<bool> {
        self.each(values)
    }
}

impl Shape {
    fn of(rule: Rule) -> Self {
        Self(Arc::new(rule))
    }

    fn each(&self, values: &Bound<'_, PyList>) -> PyResult<bool> {
        for value in values {
            if !self.holds(&value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(match &*self.0 {
            Rule::Anything => true,
            Rule::String => value.is_instance_of::<PyString>(),
            Rule::Text => value.cast::<PyString>().is_ok() && !value.is_empty()?,
            Rule::Boolean => value.is_instance_of::<PyBool>(),
            Rule::Object => value.is_instance_of::<PyDict>(),
            Rule::Number(is_large) => return is_number(value, is_large),
            Rule::Time(is_time) => {
                let usual = value.cast::<PyString>().ok().map(|time| {
                    let time = text(time);
                    time.is_ok_and(|time| is_usual_time(time.as_bytes()))
                });
                match usual {
                    None => false,
                    Some(true) => true,
                    Some(false) => is_time.bind(value.py()).call1((value,))?.is_truthy()?,
                }
            }
            Rule::Words(words) => value.cast::<PyString>().is_ok_and(|word| {
                text(word).is_ok_and(|word| words.binary_search_by(|one| (**one).cmp(word)).is_ok())
            }),
            Rule::Tested(test) => test.bind(value.py()).call1((value,))?.is_truthy()?,
            Rule::Array { entry, least, most } => match value.cast::<PyList>() {
                Ok(list) => (*least..=*most).contains(&list.len()) && entry.each(list)?,
                Err(_) => false,
            },
            Rule::Record { members, is_open } => match value.cast::<PyDict>() {
                Ok(record) => is_record(record, members, *is_open)?,
                Err(_) => false,
            },
        })
    }
}

/// `2026-01-15T08:00:00.000Z`, on one of the days that every month has.
fn is_usual_time(time: &[u8]) -> bool {
    const SPELLED: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
    let is_spelled = time.len() == SPELLED.len()
        && time.iter().zip(SPELLED).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            form => byte == form,
        });
    let pair = |at: usize| time.get(at..at + 2).unwrap_or_default();
    let is_within = |at: usize, first: &[u8], last: &[u8]| (first..=last).contains(&pair(at));
    is_spelled
        && is_within(5, b"01", b"12")
        && is_within(8, b"01", b"28")
        && is_within(11, b"00", b"23")
        && is_within(14, b"00", b"59")
        && is_within(17, b"00", b"59")
}

fn is_number(value: &Bound<'_, PyAny>, is_large: &Py<PyAny>) -> PyResult<bool> {
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(number.value().is_finite());
    }
    if value.is_instance_of::<PyBool>() || !value.is_instance_of::<PyInt>() {
        return Ok(false);
    }
    match value.extract::<i64>() {
        Ok(small) if small.unsigned_abs() <= SAFE => Ok(true),
        _ => is_large.bind(value.py()).call1((value,))?.is_truthy(),
    }
}

fn is_record(record: &Bound<'_, PyDict>, members: &[Member], is_open: bool) -> PyResult<bool> {
    let mut found = 0;
    for member in members {
        match record.get_item(member.name.bind(record.py()))? {
            Some(value) if member.shape.holds(&value)? => found += 1,
            None if !member.is_required => {}
            Some(_) | None => return Ok(false),
        }
    }
    Ok(is_open || found == record.len())
}
