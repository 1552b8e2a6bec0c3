//! A member of an object while the object is being read: its name and where its text stands.

/// A member name: a range of the input, or of the arena of decoded names.
#[derive(Clone, Copy)]
pub(crate) struct Name {
    /// Whether the range lies in the arena of decoded names instead of the input.
    pub(crate) decoded: bool,
    /// Whether its bytes may not sort as its code units do.
    pub(crate) wide: bool,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Member {
    pub(crate) name: Name,
    /// The first eight bytes of the name, which settle most comparisons.
    pub(crate) prefix: u64,
    /// Input offset of the name's opening quote.
    pub(crate) source: usize,
    /// Range of the whole member in the output.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Member {
    /// The member whose name was just read; its text ends where it starts so far.
    pub(crate) fn new(raw: &[u8], name: Name, source: usize, start: usize) -> Self {
        // Bytes after a short name are cut off; they are there, if only a colon and a value.
        let length = name.end - name.start;
        let first = raw.get(name.start..).and_then(<[u8]>::first_chunk::<8>);
        let mut prefix = first.map_or(0, |bytes| u64::from_be_bytes(*bytes));
        if length < 8 {
            prefix &= !(u64::MAX >> (8 * length));
        }
        Self {
            name,
            prefix,
            source,
            start,
            end: start,
        }
    }
}
