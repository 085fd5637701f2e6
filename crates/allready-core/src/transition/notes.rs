//! Event notes: transitions in the words that are recorded on the object.

use std::{borrow::Cow, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{Change, Transition};
use crate::{ConditionType, Polarity, Standing, Status, condition::cut};

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

/// The words of notes, and which of them are warnings.
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
    /// The words of openmcp's controller-utils, which tell neither reason nor message; every note is `Normal`.
    Openmcp,
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
            (Self::Openmcp, _) | (_, None) => false,
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
/// assert_eq!((&*note.reason, note.action), ("AwaitingReconciliation", "UpdateStatus"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventNote {
    /// The event's `type`.
    pub severity: EventSeverity,
    /// The event's `reason`: that of the condition, or [`EventNote::REASON`] where there are several.
    pub reason: Cow<'static, str>,
    /// The event's `action`: always [`EventNote::ACTION`].
    pub action: &'static str,
    /// The event's `note`, at most [`EventNote::MAX_BYTES`] long.
    pub note: String,
}

impl EventNote {
    /// The reason of a note about several conditions, and of every note of openmcp's.
    pub const REASON: &'static str = "ConditionChanged";
    /// The action of every note.
    pub const ACTION: &'static str = "UpdateStatus";
    /// The API server's limit on a note, in bytes.
    pub const MAX_BYTES: usize = 1024;

    fn about(transition: &Transition, severity: EventSeverity) -> Self {
        let reason = match transition.change {
            Change::Removed { .. } => Cow::Borrowed("ConditionRemoved"),
            Change::Added { .. } | Change::Changed { .. } => {
                Cow::Owned(transition.reason.as_str().to_owned())
            }
        };
        let note = cut(&transition.to_string(), Self::MAX_BYTES).into_owned();
        Self { severity, reason, action: Self::ACTION, note }
    }

    fn bundle(severity: EventSeverity, note: String) -> Self {
        Self { severity, reason: Cow::Borrowed(Self::REASON), action: Self::ACTION, note }
    }
}

/// The notes on some transitions, in an order that depends on nothing but the transitions.
///
/// One note per change in the order of the transitions; or one per new status in the order `True`, `False`, `Unknown`,
/// removed, each naming the types in order; or one for all. No transitions, no notes.
///
/// A list of names that would make a note longer than the API server takes ends with `and N more`; openmcp's event would be
/// refused.
///
/// ```
/// use allready_core::{Condition, ConditionType, Status, Time, reason};
/// use allready_core::transition::{Style, Verbosity, diff, notes};
///
/// let condition = |type_: &'static str, status| {
///     Condition::new(ConditionType::new(type_).unwrap(), status, reason!("Checked"), "3 of 3", Time::EPOCH)
/// };
/// let new = [condition("Synced", Status::True), condition("Ready", Status::False), condition("Accepted", Status::True)];
/// let transitions = diff(&[], &new);
///
/// let told = |verbosity, style: Style<'_>| -> Vec<_> {
///     let notes = notes(&transitions, verbosity, &style);
///     notes.into_iter().map(|note| (note.severity.as_str(), note.note)).collect()
/// };
/// assert_eq!(told(Verbosity::PerNewStatus, Style::default()), [
///     ("Normal", "now True: Accepted (Checked), Synced (Checked)".to_owned()),
///     ("Warning", "Ready is False: Checked: 3 of 3".to_owned()),
/// ]);
/// assert_eq!(told(Verbosity::IfChanged, Style::default()), [
///     ("Warning", "changed: Accepted is True (Checked), Ready is False (Checked), Synced is True (Checked)".to_owned()),
/// ]);
/// assert_eq!(told(Verbosity::IfChanged, Style::Openmcp), [
///     ("Normal", "The following conditions have changed: Accepted, Ready, Synced".to_owned()),
/// ]);
/// ```
pub fn notes(transitions: &[Transition], verbosity: Verbosity, style: &Style<'_>) -> Vec<EventNote> {
    let bundle = |of: Bundle, chosen: &[&Transition]| match chosen {
        [] => None,
        [one] if !matches!(style, Style::Openmcp) => Some(EventNote::about(one, style.severity([*one]))),
        several => {
            let names = several.iter().map(|transition| style.name(transition, of)).collect();
            let note = with_names(style.head(of), names);
            Some(EventNote::bundle(style.severity(several.iter().copied()), note))
        }
    };
    match verbosity {
        Verbosity::PerChange => transitions.iter().map(|transition| style.per_change(transition)).collect(),
        Verbosity::PerNewStatus => [Status::True, Status::False, Status::Unknown]
            .map(Bundle::Became)
            .into_iter()
            .chain([Bundle::Removed])
            .filter_map(|of| bundle(of, &transitions.iter().filter(|t| of.has(t)).collect::<Vec<_>>()))
            .collect(),
        Verbosity::IfChanged => {
            bundle(Bundle::Changed, &transitions.iter().collect::<Vec<_>>()).into_iter().collect()
        }
    }
}

impl Style<'_> {
    fn per_change(&self, transition: &Transition) -> EventNote {
        if !matches!(self, Self::Openmcp) {
            return EventNote::about(transition, self.severity([transition]));
        }
        let type_ = &transition.type_;
        let note = match transition.change {
            Change::Added { to } => format!("Condition '{type_}' added with status '{to}'"),
            Change::Changed { from, to } => format!("Condition '{type_}' changed from '{from}' to '{to}'"),
            Change::Removed { from } => format!("Condition '{type_}' with status '{from}' removed"),
        };
        EventNote::bundle(EventSeverity::Normal, note)
    }

    /// The beginning of a note about several conditions.
    fn head(&self, bundle: Bundle) -> String {
        match (self, bundle) {
            (Self::Openmcp, Bundle::Became(status)) => {
                format!("The following conditions changed to '{status}': ")
            }
            (Self::Openmcp, Bundle::Removed) => "The following conditions were removed: ".to_owned(),
            (Self::Openmcp, Bundle::Changed) => "The following conditions have changed: ".to_owned(),
            (Self::ByPolarity(_), Bundle::Became(status)) => format!("now {status}: "),
            (Self::ByPolarity(_), Bundle::Removed) => "removed: ".to_owned(),
            (Self::ByPolarity(_), Bundle::Changed) => "changed: ".to_owned(),
        }
    }

    /// One of the conditions that such a note names.
    fn name(&self, transition: &Transition, bundle: Bundle) -> String {
        let Transition { type_, reason, .. } = transition;
        match (self, bundle, transition.change.after()) {
            (Self::Openmcp, _, _) | (_, Bundle::Removed, _) => type_.to_string(),
            (_, Bundle::Became(_), _) => format!("{type_} ({reason})"),
            (_, Bundle::Changed, Some(to)) => format!("{type_} is {to} ({reason})"),
            (_, Bundle::Changed, None) => format!("{type_} was removed"),
        }
    }
}

/// The transitions that one note tells of together.
#[derive(Clone, Copy)]
enum Bundle {
    /// Those to this status.
    Became(Status),
    /// Those of conditions that went away.
    Removed,
    /// All.
    Changed,
}

impl Bundle {
    fn has(self, transition: &Transition) -> bool {
        match self {
            Self::Became(status) => transition.change.after() == Some(status),
            Self::Removed => transition.change.after().is_none(),
            Self::Changed => true,
        }
    }
}

/// The head and as many of the names, sorted, as fit a note.
fn with_names(mut note: String, mut names: Vec<String>) -> String {
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
