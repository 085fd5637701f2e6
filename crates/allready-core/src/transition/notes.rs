//! Event notes: transitions in the words that are recorded on the object.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::Transition;
use crate::{ConditionType, Polarity, Standing, Status};

/// How many events a set of transitions is worth; the three verbosities of openmcp's controller-utils.
///
/// Parses from its own spelling and from openmcp's. Where openmcp records nothing under a verbosity that it does not know,
/// here the unknown word is an error, so that a typing mistake does not silence events.
///
/// ```
/// use allready_core::transition::Verbosity;
///
/// assert_eq!("per-change".parse(), Ok(Verbosity::PerChange));
/// assert_eq!("perNewStatus".parse(), Ok(Verbosity::PerNewStatus));
/// assert!("always".parse::<Verbosity>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verbosity {
    /// One note for each condition, with the statuses it left and took.
    #[serde(alias = "perChange")]
    PerChange,
    /// One note for each status that conditions took, and one for those that went away: at most four.
    #[serde(alias = "perNewStatus")]
    PerNewStatus,
    /// One note that names every condition to which anything happened.
    #[serde(alias = "ifChanged")]
    IfChanged,
}

/// A verbosity that nobody knows.
///
/// ```
/// use allready_core::transition::Verbosity;
///
/// assert_eq!("loud".parse::<Verbosity>().unwrap_err().found, "loud");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no event verbosity {found:?}: use per-change, per-new-status or if-changed \
     (or openmcp's perChange, perNewStatus or ifChanged)"
)]
pub struct VerbosityError {
    /// The word that was asked for.
    pub found: String,
}

impl FromStr for Verbosity {
    type Err = VerbosityError;

    fn from_str(text: &str) -> Result<Self, VerbosityError> {
        match text {
            "per-change" | "perChange" => Ok(Self::PerChange),
            "per-new-status" | "perNewStatus" => Ok(Self::PerNewStatus),
            "if-changed" | "ifChanged" => Ok(Self::IfChanged),
            other => Err(VerbosityError { found: crate::condition::excerpt(other) }),
        }
    }
}

impl fmt::Display for Verbosity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::PerChange => "per-change",
            Self::PerNewStatus => "per-new-status",
            Self::IfChanged => "if-changed",
        })
    }
}

/// Which notes are warnings.
///
/// ```
/// use allready_core::{Condition, ConditionType, Polarity, Status, Time, condition_type, reason};
/// use allready_core::transition::{EventSeverity, Style, Verbosity, diff, notes};
///
/// let abnormal = ["Degraded", "Stalled"];
/// let polarity = |type_: &ConditionType| {
///     if abnormal.contains(&type_.as_str()) { Polarity::AbnormalTrue } else { Polarity::NormalTrue }
/// };
/// let went_well = diff(&[], &[Condition::new(condition_type!("Stalled"), Status::False, reason!("Ok"), "", Time::EPOCH)]);
/// assert_eq!(notes(&went_well, Verbosity::IfChanged, &Style::ByPolarity(&polarity))[0].severity, EventSeverity::Normal);
/// assert_eq!(notes(&went_well, Verbosity::IfChanged, &Style::default())[0].severity, EventSeverity::Warning);
/// ```
#[derive(Clone, Copy)]
pub enum Style<'a> {
    /// A note is a `Warning` if any condition in it became bad by the polarity of its type, and `Normal` otherwise: a
    /// condition that became good or `Unknown`, or went away, warns of nothing.
    ByPolarity(&'a (dyn Fn(&ConditionType) -> Polarity + Sync)),
    /// Every note is `Normal`, as openmcp has it.
    AlwaysNormal,
}

impl Default for Style<'_> {
    /// By polarity, every type being normal-true.
    fn default() -> Self {
        Self::ByPolarity(&|_| Polarity::NormalTrue)
    }
}

impl Style<'_> {
    fn severity<'t>(&self, transitions: impl IntoIterator<Item = &'t Transition>) -> EventSeverity {
        let became_bad = |transition: &Transition| match (self, transition.change.after()) {
            (Self::ByPolarity(polarity), Some(to)) => {
                polarity(&transition.type_).standing(to) == Standing::Bad
            }
            (Self::AlwaysNormal, _) | (_, None) => false,
        };
        if transitions.into_iter().any(became_bad) { EventSeverity::Warning } else { EventSeverity::Normal }
    }
}

/// The `type` of a Kubernetes event.
///
/// ```
/// use allready_core::transition::EventSeverity;
///
/// assert!(EventSeverity::Warning > EventSeverity::Normal);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventSeverity {
    /// For the record.
    Normal,
    /// Somebody should look.
    Warning,
}

impl EventSeverity {
    /// The word on the wire.
    ///
    /// ```
    /// # use allready_core::transition::EventSeverity;
    /// assert_eq!(EventSeverity::Warning.as_str(), "Warning");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

impl fmt::Display for EventSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An event that waits for the object it is about: all of `events.k8s.io` that depends on the transitions.
///
/// ```
/// use allready_core::{Condition, Time, condition_type};
/// use allready_core::transition::{Style, Verbosity, diff, notes};
///
/// let added = diff(&[], &[Condition::unreported(condition_type!("Ready"), Time::EPOCH)]);
/// let note = &notes(&added, Verbosity::PerChange, &Style::default())[0];
/// assert_eq!((note.reason, note.action), ("ConditionChanged", "UpdateStatus"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventNote {
    /// The event's `type`.
    pub severity: EventSeverity,
    /// The event's `reason`: always [`EventNote::REASON`].
    pub reason: &'static str,
    /// The event's `action`: always [`EventNote::ACTION`].
    pub action: &'static str,
    /// The event's `note`, at most [`EventNote::MAX_BYTES`] long.
    pub note: String,
}

impl EventNote {
    /// The reason of every note, as openmcp has it.
    pub const REASON: &'static str = "ConditionChanged";
    /// The action of every note, as openmcp has it.
    pub const ACTION: &'static str = "UpdateStatus";
    /// The API server's limit on a note, in bytes.
    pub const MAX_BYTES: usize = 1024;

    fn new(severity: EventSeverity, note: String) -> Self {
        Self { severity, reason: Self::REASON, action: Self::ACTION, note }
    }
}

/// The notes on some transitions: openmcp's words, in an order that depends on nothing but the transitions.
///
/// One note per change in the order of the transitions; or one per new status in the order `True`, `False`, `Unknown`,
/// removed, each naming the types in order; or one for all. No transitions, no notes.
///
/// A list of names that would make a note longer than the API server takes ends with `and N more`. Only then do the words
/// differ from openmcp's, whose event would be refused.
///
/// ```
/// use allready_core::{Condition, ConditionType, Status, Time, reason};
/// use allready_core::transition::{Style, Verbosity, diff, notes};
///
/// let condition = |type_: &'static str, status| {
///     Condition::new(ConditionType::new(type_).unwrap(), status, reason!("Checked"), "", Time::EPOCH)
/// };
/// let new = [condition("Synced", Status::True), condition("Ready", Status::False), condition("Accepted", Status::True)];
/// let transitions = diff(&[], &new);
///
/// let told = |verbosity| -> Vec<_> {
///     let notes = notes(&transitions, verbosity, &Style::default());
///     notes.into_iter().map(|note| (note.severity.as_str(), note.note)).collect()
/// };
/// assert_eq!(told(Verbosity::PerNewStatus), [
///     ("Normal", "The following conditions changed to 'True': Accepted, Synced".to_owned()),
///     ("Warning", "The following conditions changed to 'False': Ready".to_owned()),
/// ]);
/// assert_eq!(told(Verbosity::IfChanged), [
///     ("Warning", "The following conditions have changed: Accepted, Ready, Synced".to_owned()),
/// ]);
/// ```
pub fn notes(transitions: &[Transition], verbosity: Verbosity, style: &Style<'_>) -> Vec<EventNote> {
    let bundle = |head: &str, chosen: Vec<&Transition>| {
        (!chosen.is_empty()).then(|| {
            EventNote::new(style.severity(chosen.iter().copied()), with_names(head.to_owned(), &chosen))
        })
    };
    match verbosity {
        Verbosity::PerChange => transitions
            .iter()
            .map(|transition| EventNote::new(style.severity([transition]), transition.to_string()))
            .collect(),
        Verbosity::PerNewStatus => [Some(Status::True), Some(Status::False), Some(Status::Unknown), None]
            .into_iter()
            .filter_map(|after| {
                let head = match after {
                    Some(status) => format!("The following conditions changed to '{status}': "),
                    None => "The following conditions were removed: ".to_owned(),
                };
                bundle(&head, transitions.iter().filter(|t| t.change.after() == after).collect())
            })
            .collect(),
        Verbosity::IfChanged => {
            bundle("The following conditions have changed: ", transitions.iter().collect())
                .into_iter()
                .collect()
        }
    }
}

/// The head and as many of the names, sorted, as fit a note.
///
/// A type has at most 316 bytes, all ASCII: no cut can fall inside a character, and some names always fit.
fn with_names(mut note: String, transitions: &[&Transition]) -> String {
    let mut names: Vec<_> = transitions.iter().map(|transition| transition.type_.as_str()).collect();
    names.sort_unstable();
    let whole = names.join(", ");
    if note.len() + whole.len() <= EventNote::MAX_BYTES {
        return note + &whole;
    }
    let more = |shown: usize| format!(" and {} more", names.len() - shown);
    for (shown, name) in names.iter().enumerate() {
        let separator = if shown == 0 { "" } else { ", " };
        if note.len() + separator.len() + name.len() + more(shown + 1).len() > EventNote::MAX_BYTES {
            return note + &more(shown);
        }
        note.push_str(separator);
        note.push_str(name);
    }
    note
}
