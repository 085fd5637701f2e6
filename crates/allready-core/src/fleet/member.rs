//! One member: what it reported, whether it is expected, whether it is silent, and what all that is worth.

use std::borrow::Cow;

use super::{
    Counts,
    groups::CauseKey,
    options::{Rules, Unexpected},
    texts::{Text, Texts},
};
use crate::{
    ConditionType, Generation, Message, Polarity, Reason, Standing, Status, Time,
    rollup::{Freshness, Input},
};

/// What is known of one member. The three facts are independent of each other and of the order in which they arrive.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) report: Option<Report>,
    pub(super) expectation: Expectation,
    pub(super) silence: Option<Box<Silence>>,
    /// What the member counts as, if it counts; follows from the facts.
    pub(super) standing: Option<Standing>,
    /// The groups it is in, sorted; follows from the facts.
    pub(super) causes: Box<[CauseKey]>,
}

/// A new fact about a member; none takes the old one back.
pub(super) enum Fact<'a> {
    Report(Option<Vec<Input<'a>>>),
    Expectation(Expectation),
    Silence(Option<Box<Silence>>),
}

impl Fact<'_> {
    pub(super) fn is_new_to(&self, record: &Record) -> bool {
        match self {
            Self::Report(inputs) => match (inputs, &record.report) {
                (Some(inputs), Some(report)) => {
                    inputs.len() != report.len()
                        || inputs.iter().zip(report).any(|(input, reported)| !reported.says(input))
                }
                (inputs, report) => inputs.is_some() != report.is_some(),
            },
            Self::Expectation(expectation) => record.expectation != *expectation,
            Self::Silence(silence) => record.silence != *silence,
        }
    }

    /// Hands back the report that is replaced, whose texts have to be released.
    pub(super) fn write_to(self, record: &mut Record, texts: &mut Texts) -> Option<Report> {
        match self {
            Self::Report(inputs) => {
                let before = record.report.take();
                record.report = inputs.map(|inputs| {
                    let mut report: Vec<Reported> = Vec::with_capacity(inputs.len());
                    for (position, input) in inputs.iter().enumerate() {
                        // Most of a report is as it was, and a new one often gives one reason for everything.
                        let was = before.as_ref().and_then(|before| before.get(position));
                        let reported = Reported::new(input, was.or(report.last()), texts);
                        report.push(reported);
                    }
                    report.into()
                });
                return before;
            }
            Self::Expectation(expectation) => record.expectation = expectation,
            Self::Silence(silence) => record.silence = silence,
        }
        None
    }
}

/// A whole report, in the order in which it was given.
pub(super) type Report = Box<[Reported]>;

/// Whether a member is expected, and with which condition types.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Expectation {
    #[default]
    None,
    /// With the types that every member has.
    Member,
    /// With its own types.
    Types(Box<[ConditionType]>),
}

/// Why a member is not believed any more.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Silence {
    pub(super) reason: Reason,
    pub(super) message: Message,
}

/// One condition as it was reported: an [`Input`] that owns its texts.
#[derive(Debug)]
pub(super) struct Reported {
    pub(super) type_: Text,
    polarity: Polarity,
    status: Status,
    pub(super) reason: Text,
    pub(super) message: Text,
    since: Option<Time>,
    observed: Option<Generation>,
    freshness: Freshness,
}

impl Reported {
    fn new(input: &Input<'_>, like: Option<&Self>, texts: &mut Texts) -> Self {
        Self {
            type_: texts.share_like(like.map(|like| &like.type_), input.type_),
            polarity: input.polarity,
            status: input.status,
            reason: texts.share_like(like.map(|like| &like.reason), &input.reason),
            message: texts.share_like(like.map(|like| &like.message), &input.message),
            since: input.since,
            observed: input.observed,
            freshness: input.freshness,
        }
    }

    pub(super) fn release(self, texts: &mut Texts) {
        for text in [self.type_, self.reason, self.message] {
            texts.release(text);
        }
    }

    /// Whether it was reported just so.
    fn says(&self, input: &Input<'_>) -> bool {
        let Self { type_, polarity, status, reason, message, since, observed, freshness } = self;
        (polarity, status, since, observed, freshness)
            == (&input.polarity, &input.status, &input.since, &input.observed, &input.freshness)
            && (&**type_, &**reason, &**message) == (input.type_, &*input.reason, &*input.message)
    }

    fn input<'a>(&'a self, member: &'a str) -> Input<'a> {
        Input {
            polarity: self.polarity,
            status: self.status,
            reason: Cow::Borrowed(&self.reason),
            message: Cow::Borrowed(&self.message),
            since: self.since,
            observed: self.observed,
            freshness: self.freshness,
            ..Input::missing(&self.type_, self.polarity).from_member("", member)
        }
    }
}

impl Record {
    pub(super) fn is_expected(&self) -> bool {
        self.expectation != Expectation::None
    }

    /// Whether nothing at all is known of it.
    pub(super) fn is_blank(&self) -> bool {
        self.report.is_none() && self.silence.is_none() && !self.is_expected()
    }

    pub(super) fn conditions(&self) -> &[Reported] {
        self.report.as_deref().unwrap_or_default()
    }

    /// What counts for it: nothing if it does not count, the silence of a silent one, and else every condition that it
    /// reports, in that order, and then those that it should report.
    pub(super) fn inputs<'a>(&'a self, name: &'a str, rules: Rules<'a>) -> impl Iterator<Item = Input<'a>> {
        let counts =
            self.is_expected() || (self.report.is_some() && rules.options.unexpected == Unexpected::Counted);
        let whole = || Input::missing("", Polarity::NormalTrue).from_member("", name);
        let whole = match &self.silence {
            _ if !counts => None,
            Some(silence) => Some(Input {
                reason: Cow::Borrowed(silence.reason.as_str()),
                message: Cow::Borrowed(silence.message.as_str()),
                freshness: Freshness::Fresh,
                ..whole()
            }),
            None => self.conditions().is_empty().then(whole),
        };
        let speaks_for_itself = counts && whole.is_none();
        let types = match &self.expectation {
            _ if !speaks_for_itself => &[],
            Expectation::Types(types) => &**types,
            Expectation::None | Expectation::Member => rules.options.types.as_slice(),
        };
        let is_missing = |type_: &&ConditionType| {
            !self.conditions().iter().any(|reported| *reported.type_ == *type_.as_str())
        };
        let missing = types.iter().filter(is_missing).map(move |type_| {
            let polarity = rules.options.polarity(type_.as_str()).unwrap_or_default();
            Input::missing(type_.as_str(), polarity).from_member("", name)
        });
        let reported = speaks_for_itself.then(|| self.report(name, rules.generation));
        whole.into_iter().chain(reported.into_iter().flatten()).chain(missing)
    }

    /// The last report, seen from this generation.
    fn report<'a>(&'a self, name: &'a str, generation: Generation) -> impl Iterator<Item = Input<'a>> {
        self.conditions().iter().map(move |reported| reported.input(name).against(generation))
    }

    /// What it adds to the counts.
    pub(super) fn counts(&self) -> Counts {
        let Some(standing) = self.standing else { return Counts::default() };
        let has_conditions = !self.conditions().is_empty();
        let mut counts = Counts {
            expected: usize::from(self.is_expected()),
            reporting: usize::from(has_conditions),
            missing: usize::from(!has_conditions),
            silent: usize::from(has_conditions && self.silence.is_some()),
            ..Counts::default()
        };
        *counts.of(standing) = 1;
        counts
    }
}

/// A member of a fleet, as the index knows it.
///
/// ```
/// use allready_core::{Condition, Standing, Status, Time, condition_type, fleet::FleetIndex, reason};
///
/// let ready = Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH);
/// let mut fleet = FleetIndex::default();
/// fleet.apply("eu-1", [&ready]);
/// fleet.silence("eu-1", reason!("ClusterUnreachable"), "no heartbeat for 5 minutes");
///
/// let cluster = fleet.member("eu-1").unwrap();
/// assert_eq!(cluster.standing(), Some(Standing::Unknown));
/// assert_eq!(cluster.silence().unwrap().0, "ClusterUnreachable");
/// let last = cluster.report().next().unwrap();
/// assert_eq!((last.status, last.since), (Status::True, Some(Time::EPOCH)), "its last report is kept, with its age");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FleetMember<'a> {
    pub(super) name: &'a str,
    pub(super) record: &'a Record,
    pub(super) rules: Rules<'a>,
}

impl<'a> FleetMember<'a> {
    /// Its name.
    ///
    /// ```
    /// # use allready_core::fleet::FleetIndex;
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect("node-1");
    /// assert_eq!(fleet.members().next().unwrap().name(), "node-1");
    /// ```
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The worst of its conditions; none if it does not count.
    ///
    /// ```
    /// # use allready_core::{Standing, fleet::FleetIndex};
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect("node-1");
    /// assert_eq!(fleet.member("node-1").unwrap().standing(), Some(Standing::Unknown));
    /// ```
    pub fn standing(&self) -> Option<Standing> {
        self.record.standing
    }

    /// Whether it is expected.
    ///
    /// ```
    /// # use allready_core::{Condition, fleet::FleetIndex};
    /// let mut fleet = FleetIndex::default();
    /// fleet.apply("node-1", &[] as &[Condition]);
    /// assert!(!fleet.member("node-1").unwrap().is_expected(), "it has reported unasked");
    /// ```
    pub fn is_expected(&self) -> bool {
        self.record.is_expected()
    }

    /// Reason and message of its silence, if it is silent.
    ///
    /// ```
    /// # use allready_core::{fleet::FleetIndex, reason};
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect("node-1");
    /// fleet.silence("node-1", reason!("HeartbeatLost"), "last seen at 10:00");
    /// let (reason, message) = fleet.member("node-1").unwrap().silence().unwrap();
    /// assert_eq!((reason.as_str(), message.as_str()), ("HeartbeatLost", "last seen at 10:00"));
    /// ```
    pub fn silence(&self) -> Option<(&'a Reason, &'a Message)> {
        self.record.silence.as_deref().map(|silence| (&silence.reason, &silence.message))
    }

    /// Its last report, also while it is silent or does not count; empty if there is none.
    ///
    /// ```
    /// # use allready_core::fleet::FleetIndex;
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect("node-1");
    /// assert_eq!(fleet.member("node-1").unwrap().report().count(), 0, "it has not reported");
    /// ```
    pub fn report(&self) -> impl Iterator<Item = Input<'a>> {
        self.record.report(self.name, self.rules.generation)
    }

    /// What counts in the roll-up for it: its report and the types that it should have reported, or its silence.
    ///
    /// ```
    /// # use allready_core::{fleet::FleetIndex, rollup::Freshness};
    /// let mut fleet = FleetIndex::default();
    /// fleet.expect("node-1");
    /// let counted = fleet.member("node-1").unwrap().inputs().next().unwrap();
    /// assert_eq!(counted.freshness, Freshness::Missing, "its silence counts");
    /// ```
    pub fn inputs(&self) -> impl Iterator<Item = Input<'a>> {
        self.record.inputs(self.name, self.rules)
    }
}
