//! Rosters: one condition of many members, kept as the line that tells it, one change at a time.
//!
//! A [`Roster`] holds what each member (a cluster, a gateway) says about one condition type, and answers what the policy
//! [`Semicolon`] would answer for all of them: status, reason, message and generation, to the byte, whatever the order in
//! which the statements arrived. A change costs a few tree operations, whatever the number of members, and the answer costs
//! what its message is long.
//!
//! A [fleet](crate::fleet) is for members that say many things and have causes in common; a roster is for one thing that
//! each of them says in its own words.
//!
//! ```
//! use allready_core::{Condition, Polarity, Status, Time, condition_type, reason};
//! use allready_core::{roster::Roster, rollup::{Context, Input, Semicolon, Tells}};
//!
//! let ready = |status, message| {
//!     Condition::new(condition_type!("Ready"), status, reason!("Because"), message, Time::EPOCH)
//! };
//! let mut roster = Roster::new(Semicolon { tells: Tells::Everything, limit: 1024, each: 256, ..Semicolon::default() });
//! roster.set("cluster-3", &ready(Status::False, "No listener configured for port 80"));
//! roster.set("cluster-2", &ready(Status::True, "fine"));
//! roster.set("cluster-1", &ready(Status::False, "Listener certificate is expired"));
//!
//! let context = Context::new("Ready", Time::EPOCH);
//! let top = roster.roll_up(&context);
//! assert_eq!((top.status, &*top.reason), (Status::False, "InstancesNotReady"));
//! assert_eq!(
//!     top.message,
//!     "cluster-1 Listener certificate is expired; cluster-3 No listener configured for port 80"
//! );
//!
//! roster.set("cluster-1", Input::missing("Ready", Polarity::NormalTrue));
//! roster.remove("cluster-3");
//! assert_eq!(roster.roll_up(&context).message, "cluster-1 (unknown) has not been reported yet");
//! ```

mod counts;
mod member;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, mem};

pub use counts::Counts;
pub use member::RosterMember;

use self::member::Record;
use crate::{
    Generation, Standing,
    rollup::{Context, Input, Rollup, Semicolon, empty, generations::Generations},
};

/// One condition of many members, and its roll-up.
///
/// Every change takes time logarithmic in the number of members, but for [`set_generation`](Self::set_generation), which
/// looks at all of them. Reading the answer takes time that depends on the length of its message alone; texts count as
/// [`Semicolon::each`] has cut them. All changes say whether they changed anything; see the [module](self) for an example.
///
/// ```
/// use allready_core::{Condition, Standing, Time, condition_type, roster::Roster};
///
/// let mut roster = Roster::default();
/// roster.set("cluster-1", &Condition::unreported(condition_type!("Ready"), Time::EPOCH));
/// assert_eq!(roster.standing(), Standing::Unknown);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Roster {
    form: Semicolon,
    generation: Generation,
    // Each member is in the one of these that its standing at this generation says.
    good: Members,
    unknown: Members,
    bad: Members,
    generations: Generations,
}

type Members = BTreeMap<Box<str>, Record>;

impl Roster {
    /// A roster without members.
    ///
    /// ```
    /// use allready_core::{Standing, Polarity, roster::Roster, rollup::{Input, Semicolon}};
    ///
    /// let mut roster = Roster::new(Semicolon::strict());
    /// roster.set("cluster-1", Input::missing("Ready", Polarity::NormalTrue));
    /// assert_eq!(roster.standing(), Standing::Bad, "strict: unknown is not good enough");
    /// ```
    pub fn new(form: Semicolon) -> Self {
        Self { form, ..Self::default() }
    }

    /// Takes what a member says, or that it says nothing, in place of what it said before.
    ///
    /// It counts for this member, whatever the input says of its own. What can never be told is not kept (the text of a
    /// good condition, and since when it is so), and is no change.
    ///
    /// ```
    /// use allready_core::{Condition, Standing, Status, Time, condition_type, reason, roster::Roster};
    ///
    /// let ready = |status, message| {
    ///     Condition::new(condition_type!("Ready"), status, reason!("Because"), message, Time::EPOCH)
    /// };
    /// let mut roster = Roster::default();
    /// assert!(roster.set("cluster-1", &ready(Status::True, "fine")));
    /// assert!(!roster.set("cluster-1", &ready(Status::True, "still fine")), "nothing to tell");
    /// assert!(roster.set("cluster-1", &ready(Status::False, "no route")));
    /// assert!(roster.set("cluster-1", &ready(Status::False, "no route, and no power")));
    /// assert_eq!(roster.standing(), Standing::Bad);
    /// ```
    pub fn set<'a>(&mut self, member: &str, input: impl Into<Input<'a>>) -> bool {
        let record = Record::new(&input.into(), &self.form);
        if self.find(member).is_some_and(|(_, _, before)| *before == record) {
            return false;
        }
        let name = self.take(member).unwrap_or_else(|| Box::from(member));
        self.generations.add(&record.input(&name, self.generation));
        self.put(name, record);
        true
    }

    /// Takes a member away, as when its cluster has left: it does not count any more, not as missing either.
    ///
    /// ```
    /// use allready_core::{Polarity, roster::Roster, rollup::Input};
    ///
    /// let mut roster = Roster::default();
    /// roster.set("cluster-1", Input::missing("Ready", Polarity::NormalTrue));
    /// assert!(roster.remove("cluster-1"));
    /// assert!(!roster.remove("cluster-1"), "it is gone already");
    /// ```
    pub fn remove(&mut self, member: &str) -> bool {
        self.take(member).is_some()
    }

    /// Sets the generation that statements should be about: an older one counts as unknown. Looks at all members.
    ///
    /// ```
    /// use allready_core::{Condition, Generation, Status, Time, condition_type, reason};
    /// use allready_core::{roster::Roster, rollup::{Context, Semicolon, Tells}};
    ///
    /// let ready = Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH).observed(3);
    /// let mut roster = Roster::new(Semicolon { tells: Tells::Everything, ..Semicolon::default() });
    /// roster.set("cluster-2", &ready);
    /// roster.set_generation(Generation::from(4));
    ///
    /// let top = roster.roll_up(&Context::new("Ready", Time::EPOCH));
    /// assert_eq!((top.status, top.observed), (Status::Unknown, Some(Generation::from(3))));
    /// assert_eq!(top.message, "cluster-2 (unknown) is about generation 3, the object is at generation 4");
    /// ```
    pub fn set_generation(&mut self, generation: Generation) -> bool {
        if self.generation == generation {
            return false;
        }
        self.generation = generation;
        for members in [&mut self.good, &mut self.unknown, &mut self.bad].map(mem::take) {
            for (name, record) in members {
                self.put(name, record);
            }
        }
        true
    }

    /// The generation that statements should be about.
    ///
    /// ```
    /// use allready_core::{Generation, roster::Roster};
    ///
    /// let mut roster = Roster::default();
    /// roster.set_generation(Generation::from(4));
    /// assert_eq!(roster.generation(), Generation::from(4));
    /// ```
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The form of the answer.
    ///
    /// ```
    /// use allready_core::{roster::Roster, rollup::Semicolon};
    ///
    /// assert_eq!(Roster::new(Semicolon::strict()).form(), &Semicolon::strict());
    /// ```
    pub fn form(&self) -> &Semicolon {
        &self.form
    }

    /// How many members there are.
    ///
    /// ```
    /// use allready_core::{Polarity, roster::Roster, rollup::Input};
    ///
    /// let mut roster = Roster::default();
    /// for cluster in ["cluster-1", "cluster-2", "cluster-1"] {
    ///     roster.set(cluster, Input::missing("Ready", Polarity::NormalTrue));
    /// }
    /// assert_eq!(roster.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.counts().members()
    }

    /// Whether there are no members.
    ///
    /// ```
    /// use allready_core::roster::Roster;
    ///
    /// assert!(Roster::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many members are good, unknown and bad, each by its own standing, however strict the answer is.
    ///
    /// ```
    /// use allready_core::{Polarity, roster::{Counts, Roster}, rollup::Input};
    ///
    /// let mut roster = Roster::default();
    /// roster.set("cluster-1", Input::missing("Ready", Polarity::NormalTrue));
    /// assert_eq!(roster.counts(), Counts { good: 0, unknown: 1, bad: 0 });
    /// ```
    pub fn counts(&self) -> Counts {
        Counts { good: self.good.len(), unknown: self.unknown.len(), bad: self.bad.len() }
    }

    /// The standing of the answer: the worst of all members, in the strict mode bad where one is unknown; unknown where
    /// there are no members.
    ///
    /// ```
    /// use allready_core::{Standing, roster::Roster};
    ///
    /// assert_eq!(Roster::default().standing(), Standing::Unknown, "nobody vouches for it");
    /// ```
    pub fn standing(&self) -> Standing {
        self.counts().worst().map_or(Standing::Unknown, |worst| self.form.worth(worst))
    }

    /// The answer: status, reason, and the line of those that are told.
    ///
    /// The context's polarity is that of the top condition. Its generation is not looked at: the roster has its own, and
    /// the answer is about the oldest one that was observed.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, reason, roster::Roster, rollup::Context};
    ///
    /// let mut roster = Roster::default();
    /// roster.set("cluster-1", &Condition::new(condition_type!("Ready"), Status::False, reason!("Down"), "no route", Time::EPOCH));
    /// let top = roster.roll_up(&Context::new("Ready", Time::EPOCH));
    /// assert_eq!((top.status, &*top.message), (Status::False, "cluster-1 no route"));
    /// ```
    pub fn roll_up(&self, context: &Context<'_>) -> Rollup<'static> {
        let context = context.clone().at_generation(self.generation);
        let worst = self.standing();
        let answer = if self.is_empty() {
            empty::unvouched(&context, worst, empty::NOTHING_DECLARED)
        } else {
            let told = [Standing::Bad, Standing::Unknown].map(|standing| self.told_of(standing, worst).len());
            self.form.answer(&context, worst, told.iter().sum(), self.told(worst))
        };
        Rollup { observed: Some(self.generations.oldest(self.generation)), ..answer }
    }

    /// The member of this name, if there is one.
    ///
    /// ```
    /// use allready_core::{Polarity, Standing, roster::Roster, rollup::Input};
    ///
    /// let mut roster = Roster::default();
    /// roster.set("cluster-1", Input::missing("Ready", Polarity::NormalTrue));
    /// assert_eq!(roster.member("cluster-1").unwrap().standing, Standing::Unknown);
    /// assert!(roster.member("cluster-2").is_none());
    /// ```
    pub fn member(&self, name: &str) -> Option<RosterMember<'_>> {
        let (_, name, record) = self.find(name)?;
        Some(record.view(name, self.generation, &self.form))
    }

    /// The members that are not good, first the bad ones and then the unknown ones, each by name.
    ///
    /// ```
    /// use allready_core::{Condition, Polarity, Standing, Status, Time, condition_type, reason};
    /// use allready_core::{roster::Roster, rollup::Input};
    ///
    /// let down = Condition::new(condition_type!("Ready"), Status::False, reason!("Down"), "no\nroute", Time::EPOCH);
    /// let mut roster = Roster::default();
    /// roster.set("cluster-1", Input::missing("Ready", Polarity::NormalTrue));
    /// roster.set("cluster-2", &down);
    ///
    /// let lines: Vec<_> = roster.not_good().map(|member| (member.name, member.standing, member.text)).collect();
    /// assert_eq!(lines, [
    ///     ("cluster-2", Standing::Bad, "no route".into()),
    ///     ("cluster-1", Standing::Unknown, "has not been reported yet".into()),
    /// ]);
    /// ```
    pub fn not_good(&self) -> impl Iterator<Item = RosterMember<'_>> {
        let members = self.bad.iter().chain(&self.unknown);
        members.map(|(name, record)| record.view(name, self.generation, &self.form))
    }

    /// The members that are told in an answer of this standing, in their order.
    fn told(&self, worst: Standing) -> impl Iterator<Item = Input<'_>> {
        let of = |standing| {
            let members = self.told_of(standing, worst).iter();
            members.map(|(name, record)| record.input(name, self.generation)).peekable()
        };
        let (mut bad, mut unknown) = (of(Standing::Bad), of(Standing::Unknown));
        std::iter::from_fn(move || {
            let is_unknown_next = match (bad.peek(), unknown.peek()) {
                (Some(bad), Some(unknown)) => self.form.place(unknown) < self.form.place(bad),
                (bad, _) => bad.is_none(),
            };
            if is_unknown_next { unknown.next() } else { bad.next() }
        })
    }

    /// Those of a standing, if they are told in an answer of this one.
    fn told_of(&self, standing: Standing, worst: Standing) -> &Members {
        static NOBODY: Members = Members::new();
        if self.form.is_told(standing, worst) { self.of(standing) } else { &NOBODY }
    }

    fn of(&self, standing: Standing) -> &Members {
        match standing {
            Standing::Good => &self.good,
            Standing::Unknown => &self.unknown,
            Standing::Bad => &self.bad,
        }
    }

    fn of_mut(&mut self, standing: Standing) -> &mut Members {
        match standing {
            Standing::Good => &mut self.good,
            Standing::Unknown => &mut self.unknown,
            Standing::Bad => &mut self.bad,
        }
    }

    fn find(&self, member: &str) -> Option<(Standing, &str, &Record)> {
        let standings = [Standing::Good, Standing::Unknown, Standing::Bad];
        standings.into_iter().find_map(|standing| {
            let (name, record) = self.of(standing).get_key_value(member)?;
            Some((standing, &**name, record))
        })
    }

    /// Takes a member out, and hands back its name.
    fn take(&mut self, member: &str) -> Option<Box<str>> {
        let (standing, ..) = self.find(member)?;
        let (name, record) = self.of_mut(standing).remove_entry(member)?;
        self.generations.take(&record.input(&name, self.generation));
        Some(name)
    }

    /// Puts a member where its standing says.
    fn put(&mut self, name: Box<str>, record: Record) {
        let standing = record.input(&name, self.generation).standing();
        self.of_mut(standing).insert(name, record);
    }
}
