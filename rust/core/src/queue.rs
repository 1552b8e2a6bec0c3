//! A stored review queue: a bare array of items, or a session snapshot that holds one.

use crate::document::{Document, Kind, Value};
use crate::draw::Draw;
use crate::envelope::shape::{closed, number, string};
use crate::error::{Checked, Code, Path, Refusal};
use crate::names::repeated;
use crate::text::has_content;
use std::borrow::Cow;

/// Containers from a snapshot down to the names in the producer block of a candidate.
const DEPTH: usize = 7;

/// Indexes canonical text just deep enough for a queue.
pub(crate) fn index(text: &[u8]) -> Checked<Document<'_>> {
    Document::index_to(text, DEPTH)
}

/// The items of a queue with their names.
pub(crate) struct Queue<'d> {
    pub(crate) items: Vec<(Cow<'d, str>, Value<'d>)>,
    /// The draw of a random-audit snapshot.
    pub(crate) draw: Option<Draw>,
}

/// Two items of one name, or two candidates of one id.
pub(crate) struct Ambiguity {
    pub(crate) code: Code,
    pub(crate) item: String,
    pub(crate) detail: String,
}

impl<'d> Queue<'d> {
    /// Reads a queue with at most `most` items.
    pub(crate) fn read(root: Value<'d>, most: usize) -> Checked<Self> {
        let (list, place) = match root.kind() {
            Kind::Object => (root.get("items"), Path::Root.name("items").pointer()),
            Kind::Null | Kind::Boolean | Kind::Number | Kind::String | Kind::Array => {
                (Some(root), String::new())
            }
        };
        let malformed = |pointer: String, message: &'static str| {
            Err(Box::new(Refusal {
                code: Code::QueueMalformed,
                pointer,
                offset: None,
                message: message.into(),
            }))
        };
        let Some(list) = list.filter(|list| list.kind() == Kind::Array) else {
            return malformed(
                place,
                "a queue is an array of items, or a snapshot with an items array",
            );
        };
        let mut items = Vec::new();
        for (index, item) in list.elements().enumerate() {
            if index >= most {
                return malformed(place, "the queue holds more items than its cap allows");
            }
            let name = item
                .get("metadata")
                .and_then(|metadata| metadata.get("name"))
                .and_then(Value::as_str);
            match name.filter(|name| has_content(name)) {
                Some(name) => items.push((name, item)),
                None => {
                    return malformed(
                        format!("{place}/{index}/metadata/name"),
                        "every item of a queue has a name",
                    );
                }
            }
        }
        Ok(Self {
            items,
            draw: sampling(root)?,
        })
    }

    /// Names in the order of the queue.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|(name, _)| name.as_ref())
    }

    /// The first name that two items share, or the first id that two candidates of an item do.
    pub(crate) fn ambiguity(&self) -> Option<Ambiguity> {
        if let Some(name) = repeated(self.names()).first() {
            let (code, item) = (Code::AmbiguousItemIdentity, (*name).to_owned());
            return Some(Ambiguity {
                code,
                detail: item.clone(),
                item,
            });
        }
        self.items.iter().find_map(|(name, item)| {
            let candidates = item.get("spec").and_then(|spec| spec.get("candidates"))?;
            let ids: Vec<Cow<'_, str>> = candidates
                .elements()
                .filter_map(|one| one.get("id")?.as_str())
                .collect();
            let twice = repeated(ids.iter().map(Cow::as_ref));
            let detail = (*twice.first()?).to_owned();
            Some(Ambiguity {
                code: Code::AmbiguousCandidateIdentity,
                item: name.to_string(),
                detail,
            })
        })
    }
}

/// The draw that a snapshot declares, if it is a random audit.
fn sampling(root: Value<'_>) -> Checked<Option<Draw>> {
    let Some(sampling) = root.get("sampling") else {
        return Ok(None);
    };
    let at = Path::Root.name("sampling");
    read_sampling(sampling, &at).map_err(|refusal| refusal.recoded(Code::InvalidSessionConditions))
}

fn read_sampling(sampling: Value<'_>, at: &Path<'_>) -> Checked<Option<Draw>> {
    match sampling.get("kind").and_then(Value::as_str).as_deref() {
        Some("queue") => {
            closed(sampling, at, ["kind"], [])?;
            Ok(None)
        }
        Some("random-audit") => {
            let ([_, rate, seed], []) = closed(sampling, at, ["kind", "rate", "seed"], [])?;
            let rate = number(rate, &at.name("rate"))?;
            let seed = string(seed, &at.name("seed"))?;
            Ok(Some(
                Draw::new(rate, &seed).map_err(|refusal| refusal.under_name("sampling"))?,
            ))
        }
        _ => {
            let message = "sampling is of the kind queue or random-audit";
            Err(Refusal::at(
                Code::InvalidSessionConditions,
                &at.name("kind"),
                message,
            ))
        }
    }
}
