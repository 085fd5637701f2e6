//! Fleets: the roll-up over thousands of members, kept up to date one change at a time.
//!
//! A [`FleetIndex`] holds the last report of every member (a node, a cluster) and the answer that follows from all of
//! them. Applying a report costs a few tree operations, whatever the number of members, and so does reading the answer:
//! it is the one that [`Policy::grouped`](crate::rollup::Policy::grouped) would give for all the conditions of all the
//! members, to the byte, whatever the order in which the reports arrived.
//!
//! Three things are known of a member, each on its own and in any order:
//!
//! | fact | set by | what it means |
//! |---|---|---|
//! | its report | [`apply`](FleetIndex::apply), [`remove`](FleetIndex::remove) | what it says, a whole report at a time |
//! | that it is expected | [`expect`](FleetIndex::expect), [`unexpect`](FleetIndex::unexpect) | without a report it is unknown, and named |
//! | that it is silent | [`silence`](FleetIndex::silence), [`unsilence`](FleetIndex::unsilence) | it is unknown; its last report is kept |
//!
//! The answer is never good while one condition of one member that counts is not, nor while nothing counts.
//!
//! ```
//! use allready_core::{Condition, Status, Time, condition_type, fleet::FleetIndex, reason, rollup::Context};
//!
//! let valid = |status, reason, message| {
//!     Condition::new(condition_type!("Valid"), status, reason, message, Time::EPOCH)
//! };
//! let mut fleet = FleetIndex::default();
//! for node in ["node-1", "node-2", "node-3"] {
//!     fleet.expect(node);
//! }
//! fleet.apply("node-1", &[valid(Status::True, reason!("Accepted"), "")]);
//! fleet.apply("node-2", &[valid(Status::False, reason!("ConfigError"), "pool \"a\" overlaps")]);
//!
//! let context = Context::new("Ready", Time::EPOCH);
//! let top = fleet.roll_up(&context);
//! assert_eq!((top.status, &*top.reason), (Status::False, "ComponentFailing"));
//! assert_eq!(
//!     top.message,
//!     "1 of 3 failing: ConfigError on node-2: pool \"a\" overlaps. \
//!      1 unknown: AwaitingReconciliation on node-3: has not reported yet"
//! );
//!
//! fleet.apply("node-2", &[valid(Status::True, reason!("Accepted"), "")]);
//! fleet.apply("node-3", &[valid(Status::True, reason!("Accepted"), "")]);
//! assert_eq!(fleet.roll_up(&context).message, "3 of 3 ready");
//! ```

mod answer;
mod counts;
mod groups;
mod member;
mod options;
#[cfg(test)]
mod tests;
mod texts;
mod totals;

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

pub use counts::Counts;
pub use member::FleetMember;
pub use options::{FleetOptions, Unexpected};

use self::{
    member::{Expectation, Fact, Record, Silence},
    options::Rules,
    texts::{Text, Texts},
    totals::Totals,
};
use crate::{ConditionType, Generation, Message, Reason, rollup::Input};

/// The members of a fleet and their roll-up.
///
/// Every change takes time logarithmic in the number of members, but for
/// [`set_generation`](Self::set_generation) and [`expect_only`](Self::expect_only), which look at all of them. Every read
/// of the answer takes time that depends on the length of its message alone. All changes say whether they changed
/// anything; see the [module](self) for an example.
///
/// ```
/// use allready_core::{Standing, fleet::FleetIndex};
///
/// let mut fleet = FleetIndex::default();
/// assert!(fleet.expect("node-1"));
/// assert_eq!(fleet.standing(), Standing::Unknown, "it has not reported");
/// ```
#[derive(Debug, Default)]
pub struct FleetIndex {
    options: FleetOptions,
    generation: Generation,
    members: BTreeMap<Text, Record>,
    totals: Totals,
    texts: Texts,
}

impl FleetIndex {
    /// A fleet of which nothing is known yet.
    ///
    /// ```
    /// # use allready_core::{Condition, Standing, Status, Time, condition_type, reason};
    /// use allready_core::fleet::{FleetIndex, FleetOptions};
    ///
    /// # let synced = Condition::new(condition_type!("Synced"), Status::True, reason!("Applied"), "", Time::EPOCH);
    /// let types = vec![condition_type!("Synced"), condition_type!("Healthy")];
    /// let mut fleet = FleetIndex::new(FleetOptions { types, ..FleetOptions::default() });
    /// fleet.apply("node-1", [&synced]);
    /// assert_eq!(fleet.standing(), Standing::Unknown, "every member must report Healthy too");
    /// ```
    pub fn new(options: FleetOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Takes a member's whole report in place of its last one.
    ///
    /// All conditions count, also several of one type, and they count for this member, whatever the inputs say of theirs.
    /// A report without any is the same as none, but that the member is there to be counted. A report does not end a
    /// silence: seen again after a reconnect it may still be old.
    ///
    /// ```
    /// use allready_core::{Condition, Standing, Status, Time, condition_type, fleet::FleetIndex, reason};
    ///
    /// let ready = |status| Condition::new(condition_type!("Ready"), status, reason!("Ok"), "", Time::EPOCH);
    /// let mut fleet = FleetIndex::default();
    /// assert!(fleet.apply("node-1", &[ready(Status::True)]));
    /// assert!(!fleet.apply("node-1", &[ready(Status::True)]), "nothing new");
    /// assert_eq!(fleet.standing(), Standing::Good);
    /// fleet.apply("node-2", &[] as &[Condition]);
    /// assert_eq!(fleet.standing(), Standing::Unknown);
    /// ```
    pub fn apply<'a, I>(&mut self, member: &str, report: impl IntoIterator<Item = I>) -> bool
    where
        I: Into<Input<'a>>,
    {
        let inputs: Vec<Input<'a>> = report
            .into_iter()
            .map(|input| {
                let input: Input<'a> = input.into();
                let polarity = self.options.polarity(input.type_).unwrap_or(input.polarity);
                input.with_polarity(polarity)
            })
            .collect();
        self.learn(member, Fact::Report(Some(inputs)))
    }

    /// Takes a member's report away, as when its object is deleted. Where it is expected it is missing from now on.
    ///
    /// ```
    /// # use allready_core::{Condition, Status, Time, condition_type, fleet::FleetIndex, reason};
    /// # let ready = Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH);
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect("node-1");
    /// fleet.apply("node-1", [&ready]);
    /// assert!(fleet.remove("node-1"));
    /// assert_eq!((fleet.counts().good, fleet.counts().missing), (0, 1));
    /// ```
    pub fn remove(&mut self, member: &str) -> bool {
        self.learn(member, Fact::Report(None))
    }

    /// Expects a member, with the types that all members have: until it reports it is unknown.
    ///
    /// ```
    /// # use allready_core::fleet::FleetIndex;
    /// let mut fleet = FleetIndex::default();
    /// assert!(fleet.expect("node-1"));
    /// assert_eq!(fleet.counts().missing, 1);
    /// ```
    pub fn expect(&mut self, member: &str) -> bool {
        self.learn(member, Fact::Expectation(Expectation::Member))
    }

    /// Expects a member with its own condition types in place of those that all members have.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, fleet::FleetIndex, reason, rollup::Context};
    ///
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect_types("controller", [condition_type!("PoolValid"), condition_type!("ConfigValid")]);
    /// let valid = Condition::new(condition_type!("ConfigValid"), Status::True, reason!("Ok"), "", Time::EPOCH);
    /// fleet.apply("controller", [&valid]);
    /// assert_eq!(
    ///     fleet.roll_up(&Context::new("Ready", Time::EPOCH)).message,
    ///     "1 of 1 unknown: AwaitingReconciliation in PoolValid on controller: has not been reported yet"
    /// );
    /// ```
    pub fn expect_types(&mut self, member: &str, types: impl IntoIterator<Item = ConditionType>) -> bool {
        self.learn(member, Fact::Expectation(Expectation::Types(types.into_iter().collect())))
    }

    /// Expects a member no more. Its report, if there is one, counts as [`Unexpected`] says.
    ///
    /// ```
    /// # use allready_core::fleet::FleetIndex;
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect("node-1");
    /// assert!(fleet.unexpect("node-1"));
    /// assert!(fleet.member("node-1").is_none(), "nothing else was known of it");
    /// ```
    pub fn unexpect(&mut self, member: &str) -> bool {
        self.learn(member, Fact::Expectation(Expectation::None))
    }

    /// Expects these members and no others, as after a new list of nodes; those that were expected already keep their
    /// types. Looks at all members.
    ///
    /// ```
    /// # use allready_core::fleet::FleetIndex;
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect_only(["node-1", "node-2"]);
    /// assert!(fleet.expect_only(["node-2", "node-3"]));
    /// assert_eq!(fleet.members().map(|member| member.name()).collect::<Vec<_>>(), ["node-2", "node-3"]);
    /// ```
    pub fn expect_only<'a>(&mut self, members: impl IntoIterator<Item = &'a str>) -> bool {
        let members: BTreeSet<&str> = members.into_iter().collect();
        let gone = self.members.iter().filter(|(name, record)| {
            let name: &str = name;
            record.is_expected() && !members.contains(name)
        });
        let gone: Vec<Text> = gone.map(|(name, _)| name.clone()).collect();
        let mut changed = !gone.is_empty();
        for name in gone {
            self.unexpect(&name);
        }
        for name in members {
            let expected = self.members.get(name).is_some_and(Record::is_expected);
            changed |= !expected && self.expect(name);
        }
        changed
    }

    /// Stops believing a member, as when its heartbeat is gone: it counts as unknown, with this reason and message, until
    /// [`unsilence`](Self::unsilence). Its last report is kept, and so are later ones.
    ///
    /// This says nothing of a member that neither reports nor is expected, until it does or is.
    ///
    /// ```
    /// # use allready_core::{Condition, Standing, Status, Time, condition_type, fleet::FleetIndex, reason};
    /// # let ready = Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH);
    /// let mut fleet = FleetIndex::default();
    /// fleet.apply("node-1", [&ready]);
    /// fleet.silence("node-1", reason!("HeartbeatLost"), "last seen at 10:00");
    /// assert_eq!(fleet.standing(), Standing::Unknown, "its last word was good, and is not believed");
    /// ```
    pub fn silence(&mut self, member: &str, reason: Reason, message: impl Into<Message>) -> bool {
        let silence = Silence { reason, message: message.into() };
        self.learn(member, Fact::Silence(Some(Box::new(silence))))
    }

    /// Believes a member again.
    ///
    /// ```
    /// # use allready_core::{Condition, Standing, Status, Time, condition_type, fleet::FleetIndex, reason};
    /// # let ready = Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH);
    /// # let mut fleet = FleetIndex::default();
    /// # fleet.apply("node-1", [&ready]);
    /// fleet.silence("node-1", reason!("HeartbeatLost"), "");
    /// assert!(fleet.unsilence("node-1"));
    /// assert_eq!(fleet.standing(), Standing::Good, "its last report counts again");
    /// ```
    pub fn unsilence(&mut self, member: &str) -> bool {
        self.learn(member, Fact::Silence(None))
    }

    /// Forgets everything about a member, as when its node is gone for good: report, expectation and silence.
    ///
    /// ```
    /// use allready_core::{fleet::FleetIndex, reason};
    ///
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect("node-1");
    /// fleet.silence("node-1", reason!("HeartbeatLost"), "");
    /// assert!(fleet.forget("node-1"));
    /// assert!(fleet.member("node-1").is_none());
    /// ```
    pub fn forget(&mut self, member: &str) -> bool {
        // Every fact has to go, so none of these may be skipped.
        let facts = [self.remove(member), self.unexpect(member), self.unsilence(member)];
        facts.contains(&true)
    }

    /// Sets the generation (or any other ascending revision) that reports should be about: an older one counts as
    /// unknown. Looks at all members.
    ///
    /// ```
    /// use allready_core::{Condition, Generation, Standing, Status, Time, condition_type, fleet::FleetIndex, reason};
    ///
    /// let ready = Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH);
    /// let mut fleet = FleetIndex::default();
    /// fleet.apply("node-1", [&ready.clone().observed(1)]);
    /// fleet.set_generation(Generation::from(2));
    /// assert_eq!(fleet.standing(), Standing::Unknown);
    /// fleet.apply("node-1", [&ready.observed(2)]);
    /// assert_eq!(fleet.standing(), Standing::Good);
    /// ```
    pub fn set_generation(&mut self, generation: Generation) -> bool {
        if self.generation == generation {
            return false;
        }
        self.generation = generation;
        let Self { options, members, totals, texts, .. } = self;
        let rules = Rules { options, generation };
        for (name, record) in members {
            totals.withdraw(name, record, rules);
            totals.contribute(name, record, rules, texts);
        }
        true
    }

    /// Changes what is known of one member and everything that follows from it, if that is new.
    fn learn(&mut self, member: &str, fact: Fact<'_>) -> bool {
        let Self { options, generation, members, totals, texts } = self;
        let rules = Rules { options, generation: *generation };
        let mut entry = match members.entry(Text::from(member)) {
            Entry::Occupied(entry) if fact.is_new_to(entry.get()) => entry,
            Entry::Vacant(entry) if fact.is_new_to(&Record::default()) => {
                entry.insert_entry(Record::default())
            }
            _ => return false,
        };
        let name = entry.key().clone();
        let record = entry.get_mut();
        totals.withdraw(&name, record, rules);
        let replaced = fact.write_to(record, texts);
        totals.contribute(&name, record, rules, texts);
        if record.is_blank() {
            entry.remove();
        }
        // Only now, when no group holds them any more, can it be seen which texts are still in use.
        for reported in replaced.into_iter().flatten() {
            reported.release(texts);
        }
        true
    }
}
