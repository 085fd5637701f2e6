//! What is read off a fleet: the answer, its causes, and the members.

use super::{Counts, FleetIndex, FleetMember, member::Record, options::Rules};
use crate::{
    Generation, Standing,
    rollup::{Cause, Context, Rollup},
};

impl FleetIndex {
    /// The generation that reports should be about.
    ///
    /// ```
    /// # use allready_core::{Generation, fleet::FleetIndex};
    /// let mut fleet = FleetIndex::default();
    /// fleet.set_generation(Generation::from(2));
    /// assert_eq!(fleet.generation().get(), 2);
    /// ```
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The worst standing of all that count; unknown where nothing does.
    ///
    /// ```
    /// use allready_core::{Standing, fleet::FleetIndex};
    ///
    /// assert_eq!(FleetIndex::default().standing(), Standing::Unknown, "nobody vouches for it");
    /// ```
    pub fn standing(&self) -> Standing {
        self.totals.tally().standing()
    }

    /// How many members there are, and how they are.
    ///
    /// ```
    /// # use allready_core::fleet::FleetIndex;
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect_only(["node-1", "node-2"]);
    /// assert_eq!((fleet.counts().expected, fleet.counts().unknown), (2, 2));
    /// ```
    pub fn counts(&self) -> Counts {
        self.totals.counts
    }

    /// The answer: status, reason, and a message with the worst causes.
    ///
    /// The context's polarity is that of the top condition. Its generation is not looked at: the index has its own, and
    /// the answer is about the oldest one that was observed.
    ///
    /// ```
    /// use allready_core::{Status, Time, fleet::FleetIndex, rollup::Context};
    ///
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect_only(["node-1", "node-2"]);
    /// let top = fleet.roll_up(&Context::new("Ready", Time::EPOCH));
    /// assert_eq!(top.status, Status::Unknown);
    /// assert_eq!(top.message, "2 of 2 unknown: AwaitingReconciliation on 2 (node-1, node-2): has not reported yet");
    /// ```
    pub fn roll_up(&self, context: &Context<'_>) -> Rollup<'static> {
        let tally = self.totals.tally();
        let answer = self.options.wording.answer(context.polarity, &tally, self.causes());
        Rollup { observed: Some(self.totals.generations.oldest(self.generation)), ..answer }
    }

    /// Every cause, worst first, then the most frequent, then by type, reason and message.
    ///
    /// ```
    /// use allready_core::{Standing, fleet::FleetIndex};
    ///
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect_only(["node-1", "node-2"]);
    /// let cause = fleet.causes().next().unwrap();
    /// assert_eq!((cause.standing, &*cause.reason, cause.count), (Standing::Unknown, "AwaitingReconciliation", 2));
    /// assert_eq!(cause.names, ["node-1", "node-2"]);
    /// ```
    pub fn causes(&self) -> impl Iterator<Item = Cause<'_>> {
        self.totals.groups.causes(self.options.wording.names())
    }

    /// How many causes there are, without looking at them.
    ///
    /// ```
    /// use allready_core::fleet::FleetIndex;
    ///
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect_only(["node-1", "node-2"]);
    /// assert_eq!(fleet.cause_count(), fleet.causes().count());
    /// ```
    pub fn cause_count(&self) -> usize {
        let tally = self.totals.tally();
        tally.bad.causes + tally.unknown.causes
    }

    /// The member of this name, if anything is known of it.
    ///
    /// ```
    /// # use allready_core::fleet::FleetIndex;
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect("node-1");
    /// assert!(fleet.member("node-1").unwrap().is_expected());
    /// assert!(fleet.member("node-2").is_none());
    /// ```
    pub fn member(&self, name: &str) -> Option<FleetMember<'_>> {
        self.members.get_key_value(name).map(|(name, record)| self.view(name, record))
    }

    /// All members of which anything is known, by name.
    ///
    /// ```
    /// # use allready_core::fleet::FleetIndex;
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect_only(["node-2", "node-1"]);
    /// assert_eq!(fleet.members().map(|member| member.name()).collect::<Vec<_>>(), ["node-1", "node-2"]);
    /// ```
    pub fn members(&self) -> impl Iterator<Item = FleetMember<'_>> {
        self.members.iter().map(|(name, record)| self.view(name, record))
    }

    /// The members that are not good, worst first, then by name. Looks at all members.
    ///
    /// ```
    /// # use allready_core::{Condition, Status, Time, condition_type, fleet::FleetIndex, reason};
    /// # let ready = |status| Condition::new(condition_type!("Ready"), status, reason!("Checked"), "", Time::EPOCH);
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect("node-1");
    /// fleet.apply("node-2", [&ready(Status::True)]);
    /// fleet.apply("node-3", [&ready(Status::False)]);
    /// let troubled: Vec<_> = fleet.troubled().map(|member| member.name()).collect();
    /// assert_eq!(troubled, ["node-3", "node-1"], "broken before silent");
    /// ```
    pub fn troubled(&self) -> impl Iterator<Item = FleetMember<'_>> {
        let with = |standing| self.members().filter(move |member| member.standing() == Some(standing));
        with(Standing::Bad).chain(with(Standing::Unknown))
    }

    fn view<'a>(&'a self, name: &'a str, record: &'a Record) -> FleetMember<'a> {
        FleetMember { name, record, rules: Rules { options: &self.options, generation: self.generation } }
    }
}
