//! Whether events are a sound history of a queue, in one pass over the lines of their log.
//!
//! This says that all is well, or nothing: what is wrong with a history, in which order and in
//! which words, is said by whoever walks through it event by event. All is well when every event
//!
//! 1. has the form of an event ([`event`]) and belongs to the session;
//! 2. stands at the place that its sequence names;
//! 3. names items of the queue and candidates of its item, and no others;
//! 4. if it decides, decides an item by a kind that can be recorded there, naming the candidate,
//!    status and resolution of that kind, under the conditions of the session;
//! 5. if a host stamped it, does not follow the completion that a host stamped, and when it is that
//!    completion, finds every item decided or resolved before.
//!
//! Whether an edited value fits its item is left to others, who are told where edits are.

mod event;

use self::event::Event;
use crate::chain;
use crate::json;
use crate::outline::{Entry, Role, Table};
use crate::round::Round;
use crate::text::has_content;
use crate::threads;

/// What a history is held against, next to its queue.
#[derive(Clone, Copy, Debug)]
pub struct Session<'s> {
    /// The name of the session, as canonical text spells it between its quotes.
    pub name: &'s [u8],
    /// Canonical text of the conditions that it declares.
    pub conditions: Option<&'s [u8]>,
    /// Bytes of a note or a reason.
    pub longest: usize,
}

/// Lines for which another thread is worth starting.
const WORTHWHILE: usize = 1024;

/// Whether the events on `lines`, numbered from 1, are a sound history of `round`, but for the
/// edits at the places that are told, counted from 0. `None` where that cannot be said.
#[must_use]
pub fn edits_of_sound(
    round: &Round,
    lines: &[u8],
    session: &Session<'_>,
    threads: usize,
) -> Option<Vec<usize>> {
    let judge = Judge {
        table: round.table()?,
        session,
    };
    let lines: Vec<(usize, &[u8])> = lines
        .split_inclusive(|byte| *byte == b'\n')
        .enumerate()
        .collect();
    let shares = threads::map_shares(&lines, threads, WORTHWHILE, &|share| judge.share(share));
    let events = shares.into_iter().collect::<Option<Vec<_>>>()?.concat();
    is_well_completed(judge.table, &events).then(|| {
        let edits = events.iter().enumerate().filter(|(_, event)| event.is_edit);
        edits.map(|(place, _)| place).collect()
    })
}

/// Rule 5.
fn is_well_completed(table: &Table, events: &[Judged]) -> bool {
    let is_end = |event: &Judged| event.is_stamped && event.is_completion;
    let Some(end) = events.iter().position(is_end) else {
        return true;
    };
    if events.iter().skip(end + 1).any(|event| event.is_stamped) {
        return false;
    }
    let mut is_done: Vec<bool> = table.entries().iter().map(|one| one.is_resolved).collect();
    for (place, is_decided) in events.iter().take(end).filter_map(|event| event.decides) {
        if let Some(done) = is_done.get_mut(place) {
            *done = is_decided || table.entry(place).is_some_and(|one| one.is_resolved);
        }
    }
    is_done.into_iter().all(|done| done)
}

/// A sound event.
#[derive(Clone, Copy, Debug, Default)]
struct Judged {
    is_stamped: bool,
    is_completion: bool,
    is_edit: bool,
    /// The place of the item that it decides, or whose decision it takes back.
    decides: Option<(usize, bool)>,
}

/// A kind of decision.
struct Kind {
    name: &'static [u8],
    role: Role,
    status: &'static [u8],
    resolution: Option<&'static [u8]>,
    covers_several: bool,
}

const CHOICE: &[u8] = b"\"select-proposed\"";
const EDITED: &[u8] = b"\"accept-proposed\"";
const KINDS: [Kind; 5] = [
    Kind {
        name: EDITED,
        role: Role::Proposed,
        status: b"verified",
        resolution: None,
        covers_several: false,
    },
    Kind {
        name: CHOICE,
        role: Role::Proposed,
        status: b"verified",
        resolution: None,
        covers_several: false,
    },
    Kind {
        name: b"\"keep-current\"",
        role: Role::Current,
        status: b"verified",
        resolution: None,
        covers_several: false,
    },
    Kind {
        name: b"\"reject-proposed\"",
        role: Role::Proposed,
        status: b"rejected",
        resolution: None,
        covers_several: true,
    },
    Kind {
        name: b"\"could-not-confirm\"",
        role: Role::Proposed,
        status: b"proposed",
        resolution: Some(b"could_not_confirm"),
        covers_several: true,
    },
];

const COMPLETION: &[u8] = b"session-completed";

struct Judge<'j> {
    table: &'j Table,
    session: &'j Session<'j>,
}

impl Judge<'_> {
    fn share(&self, lines: &[(usize, &[u8])]) -> Option<Vec<Judged>> {
        let mut found = Vec::with_capacity(lines.len());
        for (place, line) in lines {
            let event = Event::read(chain::event_of(line)?, self.session.longest).ok()?;
            let is_here = event.sequence == (place + 1).to_string().as_bytes();
            if !is_here || event.session != self.session.name {
                return None;
            }
            found.push(self.judged(&event)?);
        }
        Some(found)
    }

    /// Nothing unless the event is sound by rules 3 and 4.
    fn judged(&self, event: &Event<'_>) -> Option<Judged> {
        if event
            .active
            .is_some_and(|name| self.table.place(name).is_none())
        {
            return None;
        }
        // An event that names no item is about the item without a name, if there is one.
        let name = event.item.or(event.active).unwrap_or_default();
        let place = self.table.place(name);
        if event.item.is_some() && place.is_none() {
            return None;
        }
        let entry = place.and_then(|place| self.table.entry(place));
        let mut judged = Judged {
            is_stamped: event.is_stamped,
            is_completion: event.kind == COMPLETION,
            ..Judged::default()
        };
        match event.kind {
            b"decision-changed" | b"decision-submitted" => {
                event.item?;
                let is_decided = self.decision(event, entry?)?;
                judged.decides = Some((place?, is_decided));
                judged.is_edit = event.is_edited && event.decision == Some(EDITED);
            }
            b"session-started" | b"item-selected" | b"note-changed" | COMPLETION => {}
            _ => return None,
        }
        let is_held = |id| entry.is_none_or(|entry| holds(entry, id));
        event.candidate.is_none_or(is_held).then_some(judged)
    }

    /// Whether a decision event decides its item or takes a decision back; nothing where it does
    /// neither soundly.
    fn decision(&self, event: &Event<'_>, entry: &Entry) -> Option<bool> {
        let name = event.decision?;
        let is_clear = name == b"null";
        let is_silent = is_clear && event.conditions.is_none();
        let carried = event.conditions.filter(|carried| *carried != b"null");
        if !is_silent && carried != self.session.conditions {
            return None;
        }
        if is_clear {
            return Some(false);
        }
        let kind = KINDS.iter().find(|kind| kind.name == name)?;
        let is_named = if kind.name == CHOICE {
            is_choice(entry, event.candidate?)
        } else {
            is_named(entry, kind, event.candidate)
        };
        let is_recorded = is_named
            && event.status == Some(kind.status)
            && event.resolution == kind.resolution
            && (kind.resolution.is_none() || event.reason.is_some_and(says_something));
        is_recorded.then_some(true)
    }
}

fn holds(entry: &Entry, id: &[u8]) -> bool {
    entry.candidates.iter().any(|one| &*one.id == id)
}

/// Whether `id` is one of several proposed candidates.
fn is_choice(entry: &Entry, id: &[u8]) -> bool {
    let candidates = entry.candidates.iter();
    let proposed = candidates.filter(|one| one.role == Role::Proposed);
    let is_among = proposed.clone().any(|one| &*one.id == id);
    !id.is_empty() && is_among && proposed.count() > 1
}

/// Whether a kind can be recorded on an item and names `candidate` there, or none.
fn is_named(entry: &Entry, kind: &Kind, candidate: Option<&[u8]>) -> bool {
    let mut holders = entry.candidates.iter().filter(|one| one.role == kind.role);
    match (holders.next(), holders.next()) {
        (None, _) => false,
        (Some(only), None) => candidate == Some(&only.id),
        (Some(_), Some(_)) => kind.covers_several && candidate.is_none(),
    }
}

fn says_something(spelled: &[u8]) -> bool {
    has_content(&json::decode(spelled, 0, spelled.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round;

    const QUEUE: &str = r#"{"items":[{"metadata":{"name":"one"},"spec":{"candidates":[{"id":"a","role":"proposed","value":1}],"target":"t"}},{"metadata":{"name":"two"},"spec":{"candidates":[{"id":"a","role":"proposed","value":1},{"id":"b","role":"proposed","value":2},{"id":"c","role":"current","value":3}],"target":"t"}},{"metadata":{"name":"done"},"spec":{"candidateSetStatus":"resolved","candidates":[{"id":"a","value":1}],"target":"t"}}]}"#;
    const STAMP: &str =
        r#","producer":{"survey-fast/review-attribution":{"actorKind":"human","mode":"batch"}}"#;

    fn spec(number: usize, kind: &str, members: &str) -> String {
        let actor = r#""actor":{"id":"ana"}"#;
        format!(
            "{{{actor},{members}\"eventType\":\"{kind}\",\"occurredAt\":\"2024-02-29T23:59:59.999Z\",\"sequence\":{number},\"sessionName\":\"s\"}}"
        )
    }

    fn event(number: usize, stamp: &str, kind: &str, members: &str) -> String {
        format!(
            "{{\"apiVersion\":\"survey.kontourai.io/v1alpha1\",\"kind\":\"ReviewSessionEvent\",\"metadata\":{{\"name\":\"e\"{stamp}}},\"spec\":{}}}",
            spec(number, kind, members)
        )
    }

    fn decides(number: usize, item: &str, decision: &str, members: &str) -> String {
        let members = format!(
            "{members}\"data\":{{\"workbenchDecision\":{decision}}},\"reviewItemName\":\"{item}\","
        );
        event(number, STAMP, "decision-changed", &members)
    }

    fn judged(events: &[String], conditions: Option<&str>) -> Option<Vec<usize>> {
        let end = r#","previous":"","remaining":0,"sequence":1}"#;
        let lines: Vec<String> = events
            .iter()
            .map(|event| format!("{{\"event\":{event}{end}\n"))
            .collect();
        let lines = lines.concat();
        let round = round::read(QUEUE.as_bytes(), 1 << 20, 1).unwrap();
        let session = Session {
            name: b"s",
            conditions: conditions.map(str::as_bytes),
            longest: 24,
        };
        let found = edits_of_sound(&round, lines.as_bytes(), &session, 1);
        assert_eq!(found, edits_of_sound(&round, lines.as_bytes(), &session, 3));
        found
    }

    const ACCEPT: &str = r#""candidateId":"a","status":"verified","#;
    const CHOICE: &str = r#""candidateId":"b","status":"verified","#;

    fn sound() -> Vec<String> {
        vec![
            event(1, "", "session-started", ""),
            event(2, "", "item-selected", r#""activeItemName":"two","#),
            decides(3, "one", "\"accept-proposed\"", ACCEPT),
            decides(4, "one", "null", ""),
            decides(5, "two", "\"select-proposed\"", CHOICE),
            decides(
                6,
                "one",
                "\"could-not-confirm\"",
                r#""attemptEvidenceIds":["x"],"candidateId":"a","resolution":"could_not_confirm","resolutionReason":" why ","status":"proposed","#,
            ),
            event(7, STAMP, "session-completed", ""),
            event(
                8,
                "",
                "note-changed",
                r#""reviewItemName":"two","rationale":"n","#,
            ),
        ]
    }

    #[test]
    fn a_sound_history_is_seen_to_be_sound() {
        assert_eq!(judged(&[], None), Some(vec![]));
        assert_eq!(judged(&sound(), None), Some(vec![]));
    }

    #[test]
    fn several_threads_see_what_one_sees() {
        let notes = |count: usize| -> Vec<String> {
            (1..=count)
                .map(|number| event(number, STAMP, "note-changed", r#""reviewItemName":"two","#))
                .collect()
        };
        let mut events = notes(3 * WORTHWHILE);
        assert_eq!(judged(&events, None), Some(vec![]));
        let last = events.len();
        events.push(event(last, STAMP, "note-changed", ""));
        assert_eq!(judged(&events, None), None);
    }

    #[test]
    fn edits_are_left_to_others() {
        let edited = decides(1, "one", "\"accept-proposed\"", ACCEPT).replace(
            r#""accept-proposed"}"#,
            r#""accept-proposed","workbenchEditedValue":7}"#,
        );
        let unedited = decides(2, "one", "\"accept-proposed\"", ACCEPT);
        assert_eq!(judged(&[edited, unedited], None), Some(vec![0]));
    }

    #[test]
    fn conditions_are_those_of_the_session() {
        let stamped = |conditions: &str| {
            vec![decides(1, "one", "\"accept-proposed\"", ACCEPT).replace(
                r#""data":{"#,
                &format!(r#""data":{{"sessionConditions":{conditions},"#),
            )]
        };
        let plain = vec![decides(1, "one", "\"accept-proposed\"", ACCEPT)];
        assert_eq!(judged(&stamped("null"), None), Some(vec![]));
        assert_eq!(judged(&stamped("{\"x\":1}"), None), None);
        assert_eq!(
            judged(&stamped("{\"x\":1}"), Some("{\"x\":1}")),
            Some(vec![])
        );
        assert_eq!(judged(&stamped("{\"x\":2}"), Some("{\"x\":1}")), None);
        assert_eq!(judged(&plain, Some("{\"x\":1}")), None);
    }

    /// Places in the sound history, and what is put there in place of what.
    const UNSOUND: &[(usize, &str, &str)] = &[
        (0, "v1alpha1", "v1"),
        (0, "ReviewSessionEvent", "Event"),
        (0, r#""name":"e""#, r#""name":"""#),
        (0, r#""name":"e""#, r#""label":1,"name":"e""#),
        (0, r#""name":"e""#, r#""labels":1,"name":"e""#),
        (0, "session-started", "session-begun"),
        (0, r#""sequence":1"#, r#""sequence":2"#),
        (0, r#""sessionName":"s""#, r#""sessionName":"t""#),
        (0, r#""occurredAt":"2024-02-29T23:59:59.999Z","#, ""),
        (0, r#"{"id":"ana"}"#, r#"{"id":"ana","x":1}"#),
        (0, r#"{"id":"ana"}"#, "{}"),
        (0, r#"{"id":"ana"}"#, r#"{"id":1}"#),
        (1, r#""activeItemName":"two""#, r#""activeItemName":"six""#),
        (
            1,
            r#""activeItemName":"two""#,
            r#""activeItemName":"two","more":1"#,
        ),
        (2, r#""candidateId":"a""#, r#""candidateId":"b""#),
        (2, r#""candidateId":"a","#, ""),
        (2, r#""status":"verified""#, r#""status":"rejected""#),
        (
            2,
            r#""status":"verified""#,
            r#""resolution":"x","status":"verified""#,
        ),
        (2, "accept-proposed", "keep-current"),
        (2, "accept-proposed", "select-proposed"),
        (2, "accept-proposed", "toString"),
        (2, r#""workbenchDecision":"accept-proposed""#, ""),
        (2, r#""reviewItemName":"one""#, r#""activeItemName":"one""#),
        (2, r#""reviewItemName":"one""#, r#""reviewItemName":"six""#),
        (2, "ana", "unattributed"),
        (2, "ana", "-"),
        (2, r#""actor":{"id":"ana"},"#, ""),
        (2, "human", "person"),
        (2, "human", "unattributed"),
        (2, "batch", "lot"),
        (2, r#""mode":"batch""#, r#""mode":"batch","x":"y""#),
        (2, "02-29", "02-30"),
        (2, "2024-02", "2023-02"),
        (2, "23:59:59", "24:59:59"),
        (2, ".999Z", "Z"),
        (4, r#""candidateId":"b""#, r#""candidateId":"c""#),
        (5, "could_not_confirm", "other"),
        (5, " why ", " \\t "),
        (5, " why ", "longer than what is allowed"),
        (5, r#"["x"]"#, "[1]"),
        (5, r#"["x"]"#, "null"),
        (7, r#""rationale":"n""#, r#""rationale":null"#),
        (
            7,
            r#""rationale":"n""#,
            r#""candidateId":"z","rationale":"n""#,
        ),
        (
            7,
            r#""name":"e""#,
            r#""name":"e","producer":{"survey-fast/review-attribution":{"actorKind":"human","mode":"batch"}}"#,
        ),
    ];

    #[test]
    fn whatever_is_changed_in_it_is_not_passed() {
        for (place, from, to) in UNSOUND {
            let mut events = sound();
            let one = events.get_mut(*place).unwrap();
            assert!(one.contains(from), "{from}");
            *one = one.replace(from, to);
            assert_eq!(judged(&events, None), None, "{place}: {to}");
        }
        assert_eq!(judged(&sound()[1..], None), None, "an event that is gone");
    }

    #[test]
    fn a_round_that_was_completed_has_nothing_open() {
        let early: Vec<String> = (3..=4)
            .map(|number| event(number, STAMP, "session-completed", ""))
            .collect();
        let [third, fourth] = early.as_slice() else {
            unreachable!()
        };
        let mut events = sound();
        events.truncate(2);
        events.push(third.clone());
        assert_eq!(judged(&events, None), None, "two items are open");
        let mut events = sound();
        events.truncate(3);
        events.push(fourth.clone());
        assert_eq!(judged(&events, None), None, "one item is open");
        events.pop();
        events.push(event(4, "", "session-completed", ""));
        assert_eq!(judged(&events, None), Some(vec![]), "of no host");
    }
}
