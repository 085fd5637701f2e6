//! Folding findings into one condition, or into two where part of the whole still works.

use super::{Finding, Findings, Subject, text};
use crate::{Condition, ConditionType, Message, Polarity, Reason, Standing, Status, Time, condition};

/// The reason where errors have different ones, as Contour has it.
pub const MULTIPLE_REASONS: Reason = Reason::from_static("MultipleReasons");

/// The reason of a condition that holds for some parts only, after the condition type of the Gateway API.
pub const PARTIALLY_INVALID: Reason = Reason::from_static("PartiallyInvalid");

/// How findings become a condition.
///
/// ```
/// use allready_core::{Polarity, reason};
/// use allready_core::findings::Fold;
///
/// let how = Fold { polarity: Polarity::AbnormalTrue, max_bytes: 1_000, ..Fold::new(reason!("NoProblems")) };
/// assert_eq!(how.good_message, "");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The polarity of the condition's type.
    pub polarity: Polarity,
    /// The reason where there is no error.
    pub good_reason: Reason,
    /// The message where there is no finding at all; [`parse`](super::parse) reads it back only if it is empty.
    pub good_message: Message,
    /// Reasons in order of precedence: where errors have different ones, the first of these that any has is the condition's, and
    /// [`MULTIPLE_REASONS`] only where none has any. For kinds whose reasons are a closed list.
    pub precedence: &'static [&'static str],
    /// How long a message may become, in bytes: at least [`Fold::LEAST_BYTES`], at most [`Message::MAX_BYTES`], and
    /// taken as the nearer of the two where it is neither.
    pub max_bytes: usize,
    /// The number of findings that a condition may list as its errors and warnings.
    pub max_listed: usize,
}

impl Fold {
    /// The least limit on a message.
    pub const LEAST_BYTES: usize = 256;

    /// A normal-true condition with this reason where there is no error; 4 KiB of message, 32 findings in a list.
    ///
    /// A message could be eight times as long, but a person reads none of that, and every watcher is sent all of it.
    ///
    /// ```
    /// use allready_core::{Polarity, findings::Fold, reason};
    ///
    /// let fold = Fold::new(reason!("Accepted"));
    /// assert_eq!((fold.polarity, fold.max_bytes), (Polarity::NormalTrue, 4096));
    /// ```
    pub fn new(good_reason: Reason) -> Self {
        Self {
            polarity: Polarity::NormalTrue,
            good_reason,
            good_message: Message::EMPTY,
            precedence: &[],
            max_bytes: 4096,
            max_listed: 32,
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.max_bytes.clamp(Self::LEAST_BYTES, Message::MAX_BYTES)
    }
}

/// What findings were folded into: a condition without its type and time.
///
/// ```
/// use allready_core::{Status, reason};
/// use allready_core::findings::{Findings, Fold};
///
/// let folded = Findings::new().fold(&Fold::new(reason!("Accepted")));
/// assert_eq!((folded.status, folded.reason.as_str(), folded.message.as_str()), (Status::True, "Accepted", ""));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folded {
    /// The status, as it is written for the polarity of the type.
    pub status: Status,
    /// The reason.
    pub reason: Reason,
    /// The message.
    pub message: Message,
}

impl Folded {
    /// The condition, with the time of the previous one where the status is the same.
    ///
    /// ```
    /// use allready_core::{Time, condition_type, reason};
    /// use allready_core::findings::{Findings, Fold};
    ///
    /// let at = |second| Time::from_second(second).unwrap();
    /// let fold = || Findings::new().fold(&Fold::new(reason!("Accepted")));
    /// let before = fold().into_condition(condition_type!("Accepted"), None, at(10));
    /// let after = fold().into_condition(condition_type!("Accepted"), Some(&before), at(20)).observed(2);
    /// assert_eq!(after.last_transition_time, at(10));
    /// ```
    pub fn into_condition(self, type_: ConditionType, previous: Option<&Condition>, now: Time) -> Condition {
        let since = condition::since(previous, self.status, now);
        Condition::new(type_, self.status, self.reason, self.message, since)
    }
}

/// What findings were folded into where part of the whole may still work. Both conditions belong on the object: the first
/// without the second would pass off a partial success as a plain one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a partial failure is told by both conditions"]
pub struct Partial {
    /// The condition itself: good if at least one part is.
    pub main: Folded,
    /// An abnormal-true condition that is `True`, if some parts work and others do not; if there is none, a condition of
    /// that type has to be taken off the object.
    pub partial: Option<Folded>,
}

impl Findings {
    /// Folds everything into one condition.
    ///
    /// With an error the condition is bad; its reason is the reason of the errors, or [`MULTIPLE_REASONS`] where they
    /// differ. Without one it is good, but the message still lists the warnings. The message is the same for the same
    /// findings, bounded, and says how many it leaves out; [`parse`](super::parse) reads it back.
    ///
    /// ```
    /// use allready_core::{Status, reason};
    /// use allready_core::findings::{Findings, Fold, Subject};
    ///
    /// let mut findings = Findings::new();
    /// findings.warning(Subject::path("spec.tls"), reason!("WeakCipher"), "RC4 is weak");
    /// let folded = findings.fold(&Fold::new(reason!("Valid")));
    /// assert_eq!((folded.status, folded.reason.as_str()), (Status::True, "Valid"));
    /// assert_eq!(folded.message, "1 warning\nwarning path/spec.tls WeakCipher: RC4 is weak");
    /// ```
    pub fn fold(&self, how: &Fold) -> Folded {
        match self.cause(how) {
            Some(reason) => Folded {
                status: how.polarity.status(Standing::Bad),
                reason,
                message: Message::new(text::render(self, how.limit())),
            },
            None => Folded {
                status: how.polarity.status(Standing::Good),
                reason: how.good_reason.clone(),
                message: if self.is_empty() {
                    how.good_message.clone()
                } else {
                    Message::new(text::render(self, how.limit()))
                },
            },
        }
    }

    /// Folds findings about the parts of a whole, of which those without an error still work.
    ///
    /// If some parts have errors and others have none, the condition is good with the reason [`PARTIALLY_INVALID`], lists
    /// the findings, and has an abnormal-true one beside it that is `True`. If all parts have errors, or there are no
    /// parts, or an error is about something that is no part, the condition is bad: nothing vouches for the rest. An
    /// error about a field of a part (`spec.rules[0].filters`, where `spec.rules[0]` is a part) is about that part, and
    /// one about a field that has parts in it (`spec.rules`) is about all of them.
    ///
    /// ```
    /// use allready_core::{Status, reason};
    /// use allready_core::findings::{Findings, Fold, Subject};
    ///
    /// let routes = [Subject::namespaced("HTTPRoute", "shop", "cart"), Subject::namespaced("HTTPRoute", "shop", "search")];
    /// let mut findings = Findings::new();
    /// findings.error(routes[0].clone(), reason!("NotAllowedByListeners"), "namespace shop is not selected");
    ///
    /// let folded = findings.fold_partial(&Fold::new(reason!("Accepted")), &routes);
    /// assert_eq!((folded.main.status, folded.main.reason.as_str()), (Status::True, "PartiallyInvalid"));
    /// let partial = folded.partial.unwrap();
    /// assert_eq!((partial.status, partial.reason.as_str()), (Status::True, "NotAllowedByListeners"));
    /// assert_eq!(partial.message, folded.main.message);
    /// ```
    pub fn fold_partial(&self, how: &Fold, parts: &[Subject]) -> Partial {
        let main = self.fold(how);
        let Some(cause) = self.cause(how) else { return Partial { main, partial: None } };
        let is_about_a_part = |error: &Finding| parts.iter().any(|part| error.subject.overlaps(part));
        let works = |part: &Subject| !self.errors().any(|error| error.subject.overlaps(part));
        if !self.errors().all(is_about_a_part) || !parts.iter().any(works) {
            return Partial { main, partial: None };
        }
        let Folded { message, .. } = main;
        Partial {
            main: Folded {
                status: how.polarity.status(Standing::Good),
                reason: PARTIALLY_INVALID,
                message: message.clone(),
            },
            partial: Some(Folded {
                status: Polarity::AbnormalTrue.status(Standing::Bad),
                reason: cause,
                message,
            }),
        }
    }

    /// The one reason of the errors, if there are errors.
    fn cause(&self, how: &Fold) -> Option<Reason> {
        let first = &self.errors().next()?.reason;
        if self.errors().all(|error| error.reason == *first) {
            return Some(first.clone());
        }
        let rank = |error: &&Finding| how.precedence.iter().position(|reason| error.reason == **reason);
        let leading = self.errors().filter(|error| rank(error).is_some()).min_by_key(rank);
        Some(leading.map_or(MULTIPLE_REASONS, |error| error.reason.clone()))
    }
}
