//! The form of an event of a review session, read in one walk.
//!
//! Closed but for labels, annotations, producer blocks, `uid` and `data`. A host's stamp in its
//! producer block comes with the actor and the instant that a host could have written.

use crate::walk::{Cursor, Ended, Walked};

/// An event of this form. Strings are as canonical text spells them between their quotes.
#[derive(Debug, Default)]
pub(super) struct Event<'e> {
    pub(super) is_stamped: bool,
    pub(super) session: &'e [u8],
    /// Canonical text of any value.
    pub(super) sequence: &'e [u8],
    pub(super) kind: &'e [u8],
    pub(super) item: Option<&'e [u8]>,
    pub(super) active: Option<&'e [u8]>,
    pub(super) candidate: Option<&'e [u8]>,
    pub(super) status: Option<&'e [u8]>,
    pub(super) resolution: Option<&'e [u8]>,
    pub(super) reason: Option<&'e [u8]>,
    /// Canonical text of `data.workbenchDecision`.
    pub(super) decision: Option<&'e [u8]>,
    /// Canonical text of `data.sessionConditions`.
    pub(super) conditions: Option<&'e [u8]>,
    /// Whether `data` holds an edited value.
    pub(super) is_edited: bool,
}

const API_VERSION: &[u8] = b"\"survey.kontourai.io/v1alpha1\"";
const KIND: &[u8] = b"\"ReviewSessionEvent\"";
/// Where a host's stamp stands; the first that is there counts.
const STAMPS: [&[u8]; 2] = [
    b"survey-fast/review-attribution",
    b"fieldwork.kontourai.io/review-attribution",
];
const NOBODY: &[u8] = b"unattributed";

/// What a host's stamp says of its actor.
#[derive(Clone, Copy)]
struct Stamp {
    is_of_nobody: bool,
}

/// Who an event says did something, and when.
#[derive(Clone, Copy, Default)]
struct Said<'e> {
    who: Option<&'e [u8]>,
    when: Option<&'e [u8]>,
}

impl<'e> Event<'e> {
    /// Reads canonical text; the walk ends where this is no event. No text in it is longer than
    /// `longest` bytes.
    pub(super) fn read(text: &'e [u8], longest: usize) -> Walked<Self> {
        let mut event = Self::default();
        let (mut version, mut kind, mut stamp, mut said) = (None, None, None, None);
        Cursor::new(text).members(|cursor, member| {
            match member {
                b"apiVersion" => version = Some(cursor.value()?),
                b"kind" => kind = Some(cursor.value()?),
                b"metadata" => stamp = Some(metadata(cursor)?),
                b"spec" => said = Some(event.spec(cursor, longest)?),
                b"status" => replayed(cursor)?,
                _ => return Err(Ended),
            }
            Ok(())
        })?;
        let (Some(stamp), Some(said)) = (stamp, said) else {
            return Err(Ended);
        };
        if version != Some(API_VERSION) || kind != Some(KIND) {
            return Err(Ended);
        }
        if !stamp.is_none_or(|stamp| could_be_stamped(stamp, said)) {
            return Err(Ended);
        }
        event.is_stamped = stamp.is_some();
        Ok(event)
    }

    fn spec(&mut self, cursor: &mut Cursor<'e>, longest: usize) -> Walked<Said<'e>> {
        let mut said = Said::default();
        let (mut session, mut sequence, mut kind) = (None, None, None);
        cursor.members(|cursor, member| {
            let mut unread = None;
            let place = match member {
                b"sequence" => {
                    sequence = Some(cursor.value()?);
                    return Ok(());
                }
                b"data" => return self.data(cursor),
                b"actor" => {
                    said.who = Some(actor(cursor)?);
                    return Ok(());
                }
                b"attemptEvidenceIds" => {
                    return cursor.elements(|cursor| cursor.string().map(|_| ()));
                }
                b"sessionName" => &mut session,
                b"eventType" => &mut kind,
                b"occurredAt" => &mut said.when,
                b"reviewItemName" => &mut self.item,
                b"activeItemName" => &mut self.active,
                b"candidateId" => &mut self.candidate,
                b"status" => &mut self.status,
                b"resolution" => &mut self.resolution,
                b"resolutionReason" => &mut self.reason,
                b"reviewDecisionName" | b"rationale" => &mut unread,
                _ => return Err(Ended),
            };
            let text = cursor.string()?;
            *place = Some(text);
            // Spelled out, a text is never shorter than it is.
            (text.len() <= longest).then_some(()).ok_or(Ended)
        })?;
        let (Some(session), Some(sequence), Some(kind), Some(_)) =
            (session, sequence, kind, said.when)
        else {
            return Err(Ended);
        };
        (self.session, self.sequence, self.kind) = (session, sequence, kind);
        Ok(said)
    }

    fn data(&mut self, cursor: &mut Cursor<'e>) -> Walked<()> {
        cursor.members(|cursor, member| {
            let value = cursor.value()?;
            match member {
                b"workbenchDecision" => self.decision = Some(value),
                b"sessionConditions" => self.conditions = Some(value),
                b"workbenchEditedValue" => self.is_edited = true,
                _ => {}
            }
            Ok(())
        })
    }
}

fn actor<'e>(cursor: &mut Cursor<'e>) -> Walked<&'e [u8]> {
    let mut id = None;
    cursor.members(|cursor, member| {
        id = Some(cursor.string()?);
        (member == b"id").then_some(()).ok_or(Ended)
    })?;
    id.ok_or(Ended)
}

fn replayed(cursor: &mut Cursor<'_>) -> Walked<()> {
    cursor.members(|cursor, member| {
        let value = cursor.value()?;
        let is_known = member == b"replayed" && matches!(value, b"true" | b"false");
        is_known.then_some(()).ok_or(Ended)
    })
}

/// The stamp in an event's metadata, where it has one.
fn metadata(cursor: &mut Cursor<'_>) -> Walked<Option<Stamp>> {
    let (mut is_named, mut stamp) = (false, None);
    cursor.members(|cursor, member| {
        match member {
            b"name" => is_named = !cursor.string()?.is_empty(),
            b"uid" => cursor.skip()?,
            b"labels" | b"annotations" if cursor.is_at(b'{') => cursor.skip()?,
            b"producer" => stamp = producer(cursor)?,
            _ => return Err(Ended),
        }
        Ok(())
    })?;
    if is_named { Ok(stamp) } else { Err(Ended) }
}

fn producer(cursor: &mut Cursor<'_>) -> Walked<Option<Stamp>> {
    let mut stamps = [None; STAMPS.len()];
    cursor.members(|cursor, member| {
        let known = STAMPS.iter().position(|name| *name == member);
        match known.and_then(|place| stamps.get_mut(place)) {
            Some(place) => *place = Some(stamp(cursor)?),
            None => cursor.skip()?,
        }
        Ok(())
    })?;
    Ok(stamps.into_iter().flatten().next())
}

fn stamp(cursor: &mut Cursor<'_>) -> Walked<Stamp> {
    let (mut kind, mut mode) = (None, None);
    cursor.members(|cursor, member| {
        let text = cursor.string()?;
        match member {
            b"actorKind" => kind = Some(text),
            b"mode" => mode = Some(text),
            b"clientClaimedActorId" => {}
            _ => return Err(Ended),
        }
        Ok(())
    })?;
    let is_of_nobody = kind == Some(NOBODY);
    let is_known = matches!(mode, Some(b"individual" | b"batch" | b"agent"))
        && (is_of_nobody || matches!(kind, Some(b"human" | b"agent")));
    if is_known {
        Ok(Stamp { is_of_nobody })
    } else {
        Err(Ended)
    }
}

/// Whether a host could have stamped this actor and this time.
fn could_be_stamped(stamp: Stamp, said: Said<'_>) -> bool {
    let (Some(who), Some(when)) = (said.who, said.when) else {
        return false;
    };
    let is_one = |byte: &u8| byte.is_ascii_alphanumeric() || b"._:@-".contains(byte);
    let is_reviewer = who.first().is_some_and(u8::is_ascii_alphanumeric)
        && who.len() <= 128
        && who.iter().all(is_one);
    is_reviewer && (who == NOBODY) == stamp.is_of_nobody && is_instant(when)
}

/// Whether this is a UTC instant as ECMAScript prints it: four-digit year, milliseconds, `Z`.
fn is_instant(text: &[u8]) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00.000Z";
    let has_form = text.len() == FORM.len()
        && text.iter().zip(FORM).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            _ => byte == form,
        });
    let number = |range: std::ops::Range<usize>| {
        let digits = text.get(range).unwrap_or_default();
        digits
            .iter()
            .fold(0_u32, |sum, digit| sum * 10 + u32::from(digit & 0xF))
    };
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    let days = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    has_form
        && (1..=days).contains(&day)
        && number(11..13) < 24
        && number(14..16) < 60
        && number(17..19) < 60
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_on_the_calendar_and_on_the_clock() {
        for text in [
            "2026-10-02T09:30:00.000Z",
            "2024-02-29T23:59:59.999Z",
            "0000-02-29T00:00:00.000Z",
            "2000-02-29T00:00:00.000Z",
        ] {
            assert!(is_instant(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "2026-10-02T09:30:00Z",
            "2026-10-02T09:30:00.000z",
            "2026-10-02 09:30:00.000Z",
            "2026-10-02T09:30:00.000Z ",
            "2026-00-02T09:30:00.000Z",
            "2026-13-02T09:30:00.000Z",
            "2026-10-00T09:30:00.000Z",
            "2026-04-31T09:30:00.000Z",
            "1900-02-29T09:30:00.000Z",
            "2026-10-02T24:30:00.000Z",
            "2026-10-02T09:60:00.000Z",
            "2026-10-02T09:30:60.000Z",
            "2026-1a-02T09:30:00.000Z",
        ] {
            assert!(!is_instant(text.as_bytes()), "{text}");
        }
    }
}
