//! One reconcile pass: bound to one list, one generation and one instant.

use std::{borrow::Cow, sync::LazyLock};

use super::{
    At, ClearError, ConditionSet, Declared, Initial, Role, Untouched, Upgrade,
    index::{ByType, TypeIndex},
    marks::Failure,
    record::Record,
    touched::Touched,
};
use crate::{
    Condition, ConditionType, Generation, Message, Polarity, Reason, Standing, Status, Time,
    condition::{self, SubCondition, cut},
    damping::{Damping, DampingMemory},
    rollup::Input,
    transition::Transition,
};

/// What a pass has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// Whether the list differs from what it was, in anything but its order.
    pub changed: bool,
    /// Which conditions changed their status, by type.
    pub transitions: Vec<Transition>,
    /// When to reconcile again at the latest, because [damping](Pass::damp) or the inertia of the policy holds
    /// something back until then.
    pub look_again: Option<Time>,
}

/// A reconcile pass over a list of conditions; see [`ConditionSet::pass`].
///
/// Marks take effect at once. [`finish`](Pass::finish) says that the reconcile came to its end: it applies the policy for
/// untouched conditions and computes the top one. A pass that is dropped, by an early return, an error or a panic, keeps
/// the marks that were made and everything else as it was, and computes the top condition from that.
///
/// ```
/// use allready_core::{ConditionSet, Status, Time, condition, reason, set::At};
///
/// let set: ConditionSet = "Ready: Synced, Healthy".parse().unwrap();
/// let mut conditions = vec![];
/// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
/// pass.mark_false("Synced", reason!("Forbidden"), "may not list pods").unwrap();
/// drop(pass); // as an early return does
/// assert_eq!(condition::find(&conditions, "Ready").unwrap().status, Status::False);
/// ```
#[derive(Debug)]
#[must_use = "finish the pass, or what was left untouched is not settled"]
pub struct Pass<'a> {
    pub(super) set: &'a ConditionSet,
    /// The top condition; a pass over a plain list computes none.
    pub(super) top: Option<&'a ConditionType>,
    pub(super) untouched: Untouched,
    pub(super) conditions: &'a mut Vec<Condition>,
    /// The place of each type in `conditions`.
    pub(super) index: TypeIndex,
    pub(super) at: At,
    pub(super) record: Record,
    pub(super) touched: Touched,
    /// Undeclared types that were marked or cleared.
    pub(super) touched_types: ByType<ConditionType>,
    /// The error that ended the reconcile.
    pub(super) failure: Option<Failure>,
    /// Dependents that this pass has added to an object whose top condition was good.
    pub(super) newcomers: Touched,
    pub(super) damping: Option<(&'a Damping, &'a mut DampingMemory)>,
    pub(super) progress: Progress,
}

/// The words of one mark.
pub(super) struct Said<'m> {
    pub(super) status: Status,
    pub(super) reason: Reason,
    pub(super) message: Cow<'m, str>,
    pub(super) observed: Generation,
    pub(super) errors: &'m [SubCondition],
    pub(super) warnings: &'m [SubCondition],
}

impl<'m> Said<'m> {
    pub(super) fn new(status: Status, reason: Reason, message: &'m str, observed: Generation) -> Self {
        Self {
            status,
            reason,
            message: cut(message, Message::MAX_BYTES),
            observed,
            errors: &[],
            warnings: &[],
        }
    }
}

impl<'m> From<&'m Condition> for Said<'m> {
    fn from(condition: &'m Condition) -> Self {
        Self {
            status: condition.status,
            reason: condition.reason.clone(),
            message: Cow::Borrowed(condition.message.as_str()),
            observed: condition.observed_generation.unwrap_or_default(),
            errors: &condition.errors,
            warnings: &condition.warnings,
        }
    }
}

/// How far a pass has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Marks may come.
    Open,
    /// The reconcile came to its end.
    Finished,
    /// The list is settled; nothing more is to be done.
    Settled,
}

impl<'a> Pass<'a> {
    pub(super) fn begin(set: &'a ConditionSet, conditions: &'a mut Vec<Condition>, at: At) -> Self {
        let mut pass = Self::new(set, Some(&set.top), set.untouched, conditions, at);
        for type_ in &set.prune {
            pass.take_out(type_.as_str());
        }
        pass.date_defaults();
        pass.initialise();
        pass
    }

    /// Begins a pass over a list without a set: any type can be marked, and no top condition is computed.
    ///
    /// The policy for untouched conditions is about the whole list. This is what
    /// [`ConditionUpdater`](super::ConditionUpdater) works with.
    ///
    /// ```
    /// use allready_core::{Status, Time, reason, set::{At, Pass, Untouched}};
    ///
    /// let mut conditions = vec![];
    /// let mut pass = Pass::over_list(&mut conditions, Untouched::Keep, At::new(1u32, Time::EPOCH));
    /// pass.mark_true("Synced", reason!("Applied"), "")?;
    /// assert!(pass.finish().changed);
    /// assert_eq!((conditions.len(), conditions[0].status), (1, Status::True), "and no Ready");
    /// # Ok::<(), allready_core::set::MarkError>(())
    /// ```
    pub fn over_list(conditions: &'a mut Vec<Condition>, untouched: Untouched, at: At) -> Self {
        static PLAIN_LIST: LazyLock<ConditionSet> = LazyLock::new(|| {
            ConditionSet::living().open().order(condition::ListOrder::ByType).into_unchecked()
        });
        let mut pass = Self::new(&PLAIN_LIST, None, untouched, conditions, at);
        let mut place = 0;
        while !pass.index.is_unique(pass.conditions)
            && let Some(condition) = pass.conditions.get(place)
        {
            let type_ = condition.type_.clone();
            pass.only(&type_, Polarity::NormalTrue);
            place += 1;
        }
        pass
    }

    fn new(
        set: &'a ConditionSet,
        top: Option<&'a ConditionType>,
        untouched: Untouched,
        conditions: &'a mut Vec<Condition>,
        at: At,
    ) -> Self {
        let mut index = TypeIndex::default();
        index.catch_up(conditions);
        Self {
            set,
            top,
            untouched,
            conditions,
            index,
            at,
            record: Record::default(),
            touched: Touched::default(),
            touched_types: ByType::default(),
            failure: None,
            newcomers: Touched::default(),
            damping: None,
            progress: Progress::Open,
        }
    }

    /// Dates the conditions of the set that the schema's default put there, since a schema knows no better time than the epoch.
    fn date_defaults(&mut self) {
        let (set, since) = (self.set, self.at.created.unwrap_or(self.at.now));
        for condition in self.conditions.iter_mut() {
            let is_default = condition.last_transition_time == Time::EPOCH
                && condition.status == Status::Unknown
                && condition.observed_generation.is_none();
            let is_ours = || condition.type_ == set.top || set.get(condition.type_.as_str()).is_some();
            if is_default && is_ours() && since != Time::EPOCH {
                self.record.dating(condition, since);
                condition.last_transition_time = since;
            }
        }
    }

    /// Whether the list is as passes leave it: every condition of the set once, in order, then foreign ones.
    fn is_complete(&self) -> bool {
        let set = self.set;
        let Some((ours, foreign)) = self.conditions.split_at_checked(set.declared.len() + 1) else {
            return false;
        };
        let expected = std::iter::once(&set.top).chain(set.declared.iter().map(|declared| &declared.type_));
        ours.iter().zip(expected).all(|(condition, type_)| condition.type_ == *type_)
            && foreign.iter().all(|other| other.type_ != set.top && set.get(other.type_.as_str()).is_none())
    }

    /// Adds what is missing, the top condition first, so that a new object is never ambiguous.
    fn initialise(&mut self) {
        let set = self.set;
        if self.is_complete() {
            return;
        }
        let (was_good, of) = if let Some(index) = self.only(&set.top, Polarity::NormalTrue) {
            let top = &self.conditions[index]; // `only` found it at this index
            (top.status == Status::True, top.observed_generation)
        } else {
            self.add(Condition::unreported(set.top.clone(), self.at.now), self.at.created);
            (false, None)
        };
        for (index, declared) in set.declared.iter().enumerate() {
            if self.only(&declared.type_, declared.polarity).is_some() {
                continue;
            }
            let new = declared.role == Role::Dependent && was_good;
            if new && set.upgrade == Upgrade::AssumeGood {
                let good = declared.polarity.status(Standing::Good);
                let reason = Reason::from_static("AssumedGood");
                let message = "new in this version; assumed good because the object was";
                let condition = Condition::new(declared.type_.clone(), good, reason, message, self.at.now);
                // The object was good as of that generation, which need not be the one it has now.
                self.insert(condition.observed(of.unwrap_or(self.at.generation)));
                continue;
            }
            if new {
                self.newcomers.add(index);
            }
            self.add(initial(declared), self.at.created);
        }
    }

    /// Holds changes of status back by these rules until they have lasted.
    ///
    /// While something is held back, the condition and a good top condition say so in their messages.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Status, Time, condition, condition_type, reason, set::At};
    /// use allready_core::damping::{Damping, DampingMemory, Hold, Until};
    ///
    /// let set: ConditionSet = "Ready: Available".parse().unwrap();
    /// let rules = Damping::new().hold(condition_type!("Available"), Hold {
    ///     to_bad: Some(Until::Duration(std::time::Duration::from_mins(2))),
    ///     ..Hold::default()
    /// });
    /// let (mut conditions, mut memory) = (vec![], DampingMemory::default());
    /// let at = |second| Time::from_second(second).unwrap();
    /// let mut reconcile = |second, status| {
    ///     let mut pass = set.pass(&mut conditions, At::new(1u32, at(second)));
    ///     pass.damp(&rules, &mut memory);
    ///     pass.mark("Available", status, reason!("Checked"), "0 of 3 pods run").unwrap();
    ///     let finished = pass.finish();
    ///     (finished.look_again, condition::find(&conditions, "Ready").unwrap().status)
    /// };
    /// assert_eq!(reconcile(0, Status::True), (None, Status::True));
    /// assert_eq!(reconcile(60, Status::False), (Some(at(180)), Status::True));
    /// assert_eq!(reconcile(180, Status::False), (None, Status::False));
    /// ```
    pub fn damp(&mut self, rules: &'a Damping, memory: &'a mut DampingMemory) -> &mut Self {
        self.damping = Some((rules, memory));
        self
    }

    fn add(&mut self, mut condition: Condition, since: Option<Time>) {
        condition.last_transition_time = since.unwrap_or(self.at.now);
        self.insert(condition.observed(self.at.generation));
    }

    fn insert(&mut self, condition: Condition) {
        self.record.added(&condition);
        self.conditions.push(condition);
        self.index.catch_up(self.conditions);
    }

    /// Where a type stands; the hint is right whenever the list is in the order in which passes write it.
    pub(super) fn locate(&self, hint: usize, type_: &str) -> Option<usize> {
        match self.conditions.get(hint) {
            Some(condition) if condition.type_ == *type_ => Some(hint),
            _ => self.index.find(self.conditions, type_),
        }
    }

    /// Where a type stands, after making sure that it stands there once. Of several, the worst is kept,
    /// and of those one that is outdated.
    pub(super) fn only(&mut self, type_: &ConditionType, polarity: Polarity) -> Option<usize> {
        let first = self.index.find(self.conditions, type_.as_str())?;
        if self.index.is_unique(self.conditions) {
            return Some(first);
        }
        let mut from = first + 1;
        while let Some(offset) =
            self.conditions.get(from..).and_then(|rest| condition::position(rest, type_.as_str()))
        {
            let second = from + offset;
            let worse = |index: usize| {
                let condition = &self.conditions[index]; // both were just found
                (polarity.standing(condition.status), Input::from(condition).is_behind(self.at.generation))
            };
            if worse(second) > worse(first) {
                self.conditions.swap(first, second);
            }
            self.conditions.remove(second);
            self.index.clear();
            self.record.dropped();
            from = second;
        }
        self.index.catch_up(self.conditions);
        Some(first)
    }

    /// Takes an informational or undeclared condition out of the list.
    ///
    /// Dependents and the top condition are never absent: clearing one is an error. A type that is not there is fine.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Time, set::At};
    ///
    /// let set: ConditionSet = "Ready: Synced, (Cached)".parse().unwrap();
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// pass.clear("Cached").unwrap();
    /// assert!(pass.clear("Synced").unwrap_err().to_string().contains("a dependent is never absent"));
    /// ```
    pub fn clear(&mut self, type_: &str) -> Result<&mut Self, ClearError> {
        let set = self.set;
        if let Some(top) = self.top.filter(|top| **top == *type_) {
            return Err(ClearError { type_: top.clone(), role: "the top condition" });
        }
        if let Some(index) = set.declared.iter().position(|declared| declared.type_ == *type_) {
            if set.declared[index].role == Role::Dependent {
                return Err(ClearError { type_: set.declared[index].type_.clone(), role: "a dependent" });
            }
            self.touched.add(index);
        } else if let Some(place) = self.index.find(self.conditions, type_) {
            self.touched_types.put(self.conditions[place].type_.clone()); // found at this place
        }
        self.take_out(type_);
        Ok(self)
    }

    /// The list as it stands in the middle of the pass; its top condition is from before.
    pub fn conditions(&self) -> &[Condition] {
        self.conditions
    }

    /// The object and the instant that this pass is about.
    pub fn at(&self) -> At {
        self.at
    }

    pub(super) fn take_out(&mut self, type_: &str) {
        // Also a second one, which would otherwise stand there in its place.
        while let Some(place) = self.index.find(self.conditions, type_) {
            self.record.changing(&self.conditions.remove(place));
            self.index.clear();
        }
    }

    /// Puts values into the list; does nothing at all, and allocates nothing, if they are there already. Errors and warnings of the
    /// condition are cleared: they would stand beside a message that does not know of them.
    pub(super) fn write(
        &mut self,
        hint: usize,
        type_: &ConditionType,
        status: Status,
        reason: Reason,
        message: &str,
    ) {
        self.put(hint, type_, Said::new(status, reason, message, self.at.generation));
    }

    pub(super) fn put(&mut self, hint: usize, type_: &ConditionType, said: Said<'_>) {
        let Said { status, reason, message, observed, errors, warnings } = said;
        let observed = (!observed.is_none()).then_some(observed);
        let Some(index) = self.locate(hint, type_.as_str()) else {
            let since = self.record.since(type_.as_str(), status, self.at.now);
            let condition = Condition::new(type_.clone(), status, reason, message.into_owned(), since);
            let (errors, warnings) = (errors.into(), warnings.into());
            self.insert(Condition { observed_generation: observed, errors, warnings, ..condition });
            return;
        };
        let condition = &mut self.conditions[index]; // `locate` found it at this index
        if is_late(observed.unwrap_or_default(), condition.observed_generation)
            || condition.status == status
                && condition.reason == reason
                && condition.message == *message
                && condition.observed_generation == observed
                && *condition.errors == *errors
                && *condition.warnings == *warnings
        {
            return;
        }
        self.record.changing(condition);
        condition.last_transition_time = self.record.since(type_.as_str(), status, self.at.now);
        condition.status = status;
        condition.reason = reason;
        condition.observed_generation = observed;
        if condition.message != *message {
            condition.message = Message::from(message);
        }
        // Those that were there belong to what was said before.
        (condition.errors, condition.warnings) = (errors.into(), warnings.into());
    }

    /// Says that the reconcile came to its end, and settles the list.
    pub fn finish(mut self) -> Finished {
        self.progress = Progress::Finished;
        self.settle_untouched();
        self.settle()
    }

    /// Ends the pass with the error that ended the reconcile: what was marked stays, and the top condition is not good.
    ///
    /// An error that was marked on a condition has made the top condition bad already, and that stands. One that was not
    /// turns a good top condition `Unknown`, with this reason and message: nobody has found out whether it still holds.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Status, Time, condition, reason, set::At};
    ///
    /// let set: ConditionSet = "Ready: Synced".parse().unwrap();
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// pass.mark_true("Synced", reason!("Applied"), "").unwrap();
    /// pass.fail(reason!("RemoteAway"), "no route to host");
    /// let ready = condition::find(&conditions, "Ready").unwrap();
    /// assert_eq!((ready.status, ready.reason.as_str()), (Status::Unknown, "RemoteAway"));
    /// ```
    pub fn fail(mut self, reason: Reason, message: impl Into<Message>) -> Finished {
        self.failure = Some(Failure { reason, message: message.into() });
        self.settle()
    }

    /// Says that the reconcile did *not* come to its end, and reports what changed until then. The same as dropping the
    /// pass, with an answer.
    pub fn abandon(mut self) -> Finished {
        self.settle()
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.progress != Progress::Settled {
            let _ = self.settle();
        }
    }
}

/// Tells whether a pass over this generation comes after somebody has already reported a newer one: then it is not heard.
fn is_late(generation: Generation, observed: Option<Generation>) -> bool {
    !generation.is_none() && observed.is_some_and(|observed| observed > generation)
}

/// What a declared condition says before anybody has marked it.
fn initial(declared: &Declared) -> Condition {
    match &declared.initial {
        None => Condition::unreported(declared.type_.clone(), Time::EPOCH),
        Some(Initial { status, reason, message }) => {
            Condition::new(declared.type_.clone(), *status, reason.clone(), message.clone(), Time::EPOCH)
        }
    }
}
