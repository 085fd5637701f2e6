//! A policy: the form of the answer, and what all forms have in common, which is how staleness and absence count.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    Bullets, Context, FirstIssue, Freshness, Grouped, Inertia, Input, Rollup, Semicolon, Union,
    list_unhealthy, lists, newest_cause,
};
use crate::{ConditionType, Generation, Standing, Status, Time};

/// How a roll-up is computed: which form the answer takes, and what an outdated or absent input is worth.
///
/// | name | status | reason and message | stale | missing | nothing in scope |
/// |---|---|---|---|---|---|
/// | `newest-cause` | worst | those of the worst, then newest input | Unknown | Unknown | Unknown |
/// | `knative` | worst | the same | at its word | Unknown | True |
/// | `kro` | worst | the same | holds the top | Unknown | Unknown |
/// | `list-unhealthy`, `operatorpkg` | worst | fixed; `B=False, A=Unknown`, newest first | Unknown | Unknown | Unknown |
/// | `bullets`, `cluster-api` | worst | fixed; a bullet for each problem ([`Bullets`]) | at its word | Unknown | Unknown |
/// | `union` | worst; `…Degraded` only after 2 minutes | `A_Reason::B_Reason`; `Type: line` ([`Union`]) | at its word | Unknown | Unknown |
/// | `library-go` | the same | the same | at its word | ignored | Unknown |
/// | `first-issue`, `flux` | **may be good with `Unknown` inputs** | those of the first of the top group ([`FirstIssue`]) | at its word | ignored | no answer |
/// | `semicolon` | worst | fixed; `name message; name message` ([`Semicolon`]) | Unknown | Unknown | Unknown |
/// | `kuadrant` | good or bad: what is not good is bad | the same, with `name (unknown)` | Unknown | Unknown | Unknown |
/// | `grouped` | worst | fixed; counts, and each cause once with the first names ([`Grouped`]) | Unknown | Unknown | Unknown |
///
/// A form that belongs to one peer gives that peer's answer, also where the defaults of this project differ: only
/// `newest-cause`, `list-unhealthy`, `semicolon` and `grouped` count what is stale as `Unknown`. [`Policy::with_stale`] makes any
/// other do so. What was decided where a peer contradicts itself or the API server stands in the [module](super).
///
/// ```
/// use allready_core::rollup::{Policy, Stale};
///
/// assert_eq!("newest-cause".parse::<Policy>().unwrap(), Policy::default());
/// assert_eq!("knative".parse::<Policy>().unwrap().stale, Stale::Ignored);
/// assert!("loudest".parse::<Policy>().unwrap_err().to_string().contains("newest-cause"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The form of the answer.
    pub form: Form,
    /// What an input about an older generation is worth.
    pub stale: Stale,
    /// What an input is worth that has not been reported.
    pub missing: Missing,
    /// The status of the answer where nothing at all is in scope, as for a normal-true type. [`Form::FirstIssue`] gives
    /// no answer then.
    pub empty: Status,
}

/// The form of a roll-up's answer.
///
/// ```
/// use allready_core::rollup::{Form, Policy, Semicolon, Tells};
///
/// let semicolon = Semicolon { tells: Tells::Everything, ..Semicolon::default() };
/// assert_eq!(Policy::from(Form::Semicolon(semicolon)).name(), "semicolon");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Reason and message of the worst input, the newest of them: Knative, KRO.
    NewestCause,
    /// Everything that is not good as `Type=Status`, the newest first: operatorpkg.
    ListUnhealthy,
    /// A bullet for each problem: Cluster API v1beta2.
    Bullets(Bullets),
    /// Every problem's reason and lines: library-go.
    Union(Union),
    /// Reason and message of the first of the most important: Flux, Cluster API v1beta1. Mind its warning.
    FirstIssue(FirstIssue),
    /// The failing members and their messages in one line: Kuadrant.
    Semicolon(Semicolon),
    /// Fixed reasons, and every cause once with how many members have it: for many members.
    Grouped(Grouped),
}

/// What an input is worth that is about an older generation than the object has.
///
/// ```
/// use allready_core::{Condition, Generation, Status, Time, condition_type, reason};
/// use allready_core::rollup::{Context, Input, Policy, Stale};
///
/// let synced = Condition::new(condition_type!("Synced"), Status::True, reason!("Applied"), "", Time::EPOCH).observed(1);
/// let context = Context::new("Ready", Time::EPOCH).at_generation(Generation::from(2));
/// let status = |stale| Policy::default().with_stale(stale).roll_up([Input::from(&synced)], &context).unwrap().status;
/// assert_eq!((status(Stale::Unknown), status(Stale::Ignored)), (Status::Unknown, Status::True));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stale {
    /// It counts as `Unknown`, and the answer is about the oldest generation among the inputs. In the form
    /// [`ListUnhealthy`](Form::ListUnhealthy) so does what is about a generation that the object does not have yet (operatorpkg).
    #[default]
    Unknown,
    /// It is taken at its word (Knative, Cluster API, Flux, library-go).
    Ignored,
    /// It is taken at its word if it is bad; if nothing is wrong but staleness, the top condition stays as it is (KRO). What is about
    /// a generation that the object does not have yet is stale, too.
    HoldsTop,
}

/// What an input is worth that has not been reported.
///
/// ```
/// use allready_core::{Polarity, Status, Time, condition_type};
/// use allready_core::rollup::{Context, Input, Missing, Policy};
///
/// let policy = Policy { missing: Missing::IgnoredOf(vec![condition_type!("Paused")]), ..Policy::default() };
/// let context = Context::new("Ready", Time::EPOCH);
/// let rollup = |type_| policy.roll_up([Input::missing(type_, Polarity::NormalTrue)], &context).unwrap();
/// assert_eq!(rollup("Paused").reason, "NothingDeclared", "it does not count");
/// assert_eq!(rollup("Synced").reason, "AwaitingReconciliation");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// It counts as `Unknown`.
    #[default]
    Unknown,
    /// It does not count (Flux, library-go).
    Ignored,
    /// If it is of one of these types it does not count; otherwise it counts as `Unknown` (Cluster API's opt-out).
    IgnoredOf(Vec<ConditionType>),
}

impl Missing {
    pub(super) fn ignores(&self, input: &Input<'_>) -> bool {
        input.freshness == Freshness::Missing
            && match self {
                Self::Unknown => false,
                Self::Ignored => true,
                Self::IgnoredOf(types) => lists(types, input.type_),
            }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::newest_cause()
    }
}

impl From<Form> for Policy {
    /// The form with what the policy of its name says of stale and missing inputs.
    fn from(form: Form) -> Self {
        Self::of(form)
    }
}

impl Policy {
    const fn of(form: Form) -> Self {
        let (stale, missing) = match form {
            Form::FirstIssue(_) => (Stale::Ignored, Missing::Ignored),
            Form::Bullets(_) | Form::Union(_) => (Stale::Ignored, Missing::Unknown),
            _ => (Stale::Unknown, Missing::Unknown),
        };
        Self { form, stale, missing, empty: Status::Unknown }
    }

    /// The default: the worst input, and of those the newest, gives reason and message.
    ///
    /// ```
    /// # use allready_core::rollup::Policy;
    /// assert_eq!(Policy::newest_cause(), Policy::default());
    /// ```
    pub const fn newest_cause() -> Self {
        Self::of(Form::NewestCause)
    }

    /// Everything that is not good, listed as `Type=Status`.
    ///
    /// ```
    /// use allready_core::{Polarity, Time, rollup::{Context, Input, Policy}};
    ///
    /// let inputs = [Input::missing("Synced", Polarity::NormalTrue)];
    /// let top = Policy::list_unhealthy().roll_up(inputs, &Context::new("Ready", Time::EPOCH)).unwrap();
    /// assert!(top.message.contains("Synced=Unknown"));
    /// ```
    pub const fn list_unhealthy() -> Self {
        Self::of(Form::ListUnhealthy)
    }

    /// A bullet for each problem; see [`Bullets`].
    ///
    /// ```
    /// use allready_core::{Polarity, Time, rollup::{Context, Input, Policy}};
    ///
    /// let inputs = [Input::missing("Synced", Polarity::NormalTrue)];
    /// let top = Policy::bullets().roll_up(inputs, &Context::new("Ready", Time::EPOCH)).unwrap();
    /// assert!(top.message.starts_with("* Synced"));
    /// ```
    pub const fn bullets() -> Self {
        Self::of(Form::Bullets(Bullets::new()))
    }

    /// Every problem's reason and lines; see [`Union`]. What counts for `Degraded` has library-go's two minutes of inertia.
    ///
    /// ```
    /// use allready_core::rollup::{Form, Policy};
    ///
    /// let Form::Union(union) = Policy::union().form else { panic!("that is its form") };
    /// assert_eq!(union.inertia.for_type("PoolDegraded").as_secs(), 120);
    /// ```
    pub fn union() -> Self {
        Self::of(Form::Union(Union { inertia: Inertia::NONE.except("*Degraded", Duration::from_mins(2)) }))
    }

    /// The first of the most important; see the warning at [`FirstIssue`].
    ///
    /// ```
    /// use allready_core::{Time, rollup::{Context, Policy}};
    ///
    /// assert!(Policy::first_issue().roll_up([], &Context::new("Ready", Time::EPOCH)).is_none(), "there is nothing to say");
    /// ```
    pub const fn first_issue() -> Self {
        Self::of(Form::FirstIssue(FirstIssue::new()))
    }

    /// The failing members and their messages in one line; see [`Semicolon`].
    ///
    /// ```
    /// # use allready_core::rollup::Policy;
    /// assert_eq!("semicolon".parse(), Ok(Policy::semicolon()));
    /// ```
    pub const fn semicolon() -> Self {
        Self::of(Form::Semicolon(Semicolon::new()))
    }

    /// Every cause once, with counts and the first names, bounded in bytes; see [`Grouped`].
    ///
    /// ```
    /// # use allready_core::rollup::Policy;
    /// assert_eq!("grouped".parse(), Ok(Policy::grouped()));
    /// ```
    pub const fn grouped() -> Self {
        Self::of(Form::Grouped(Grouped::new()))
    }

    /// The same policy with another view of staleness.
    ///
    /// ```
    /// use allready_core::rollup::{Policy, Stale};
    ///
    /// assert_eq!(Policy::bullets().with_stale(Stale::Unknown).stale, Stale::Unknown, "unlike Cluster API");
    /// ```
    pub fn with_stale(self, stale: Stale) -> Self {
        Self { stale, ..self }
    }

    /// The same policy with another view of what has not been reported.
    ///
    /// ```
    /// use allready_core::rollup::{Missing, Policy};
    ///
    /// assert_eq!(Policy::union().with_missing(Missing::Ignored), "library-go".parse().unwrap());
    /// ```
    pub fn with_missing(self, missing: Missing) -> Self {
        Self { missing, ..self }
    }

    /// Computes the top condition.
    ///
    /// `None` means that there is nothing to say, and that nothing should be written; only forms that say so in their
    /// documentation do that, and [`Stale::HoldsTop`] where no top condition stands yet.
    ///
    /// ```
    /// use allready_core::{Condition, Polarity, Status, Time, condition_type, reason};
    /// use allready_core::rollup::{Context, Input, Policy};
    ///
    /// let synced = Condition::new(condition_type!("Synced"), Status::True, reason!("Applied"), "", Time::EPOCH);
    /// let inputs = [Input::from(&synced), Input::missing("Healthy", Polarity::NormalTrue)];
    /// let top = Policy::newest_cause().roll_up(inputs, &Context::new("Ready", Time::EPOCH)).unwrap();
    /// assert_eq!((top.status, &*top.message), (Status::Unknown, "Healthy has not been reported yet"));
    /// ```
    pub fn roll_up<'a>(
        &self,
        inputs: impl IntoIterator<Item = Input<'a>>,
        context: &Context<'a>,
    ) -> Option<Rollup<'a>> {
        let mut seen = Seen::default();
        let inputs = inputs.into_iter().filter(|input| !self.is_itself(input, context)).map(|input| {
            seen.see(&input, self.is_stale(&input, context.generation));
            self.view(input, context)
        });
        let counts = |input: &Input<'a>| !self.missing.ignores(input);
        let rollup = match &self.form {
            Form::NewestCause => newest_cause::roll_up(inputs.filter(counts), context, self),
            Form::ListUnhealthy => list_unhealthy::roll_up(inputs.filter(counts).collect(), context, self),
            Form::Bullets(bullets) => bullets.roll_up(inputs.filter(counts).collect(), context, self),
            Form::Union(union) => union.roll_up(inputs.filter(counts).collect(), context, self),
            Form::FirstIssue(first_issue) => first_issue.roll_up(inputs.collect(), context, self)?,
            Form::Semicolon(semicolon) => semicolon.roll_up(inputs.filter(counts).collect(), context, self),
            Form::Grouped(grouped) => grouped.roll_up(inputs.filter(counts), context, self),
        };
        match self.stale {
            Stale::Unknown => Some(Rollup { observed: Some(seen.oldest(context.generation)), ..rollup }),
            // KRO: staleness alone neither raises nor lowers what stands there, nor makes it newer than it is.
            Stale::HoldsTop
                if seen.any_stale && context.polarity.standing(rollup.status) == Standing::Good =>
            {
                context.previous.map(Rollup::held)
            }
            Stale::Ignored | Stale::HoldsTop => Some(Rollup { observed: Some(context.generation), ..rollup }),
        }
    }

    /// The instant at which the same inputs will give another answer just because time has passed, if there is one.
    ///
    /// Only [`Inertia`](super::Inertia) makes an answer depend on the time; this is the exact end of it, for a controller
    /// to come back at.
    ///
    /// ```
    /// use std::time::Duration;
    /// use allready_core::{Condition, Status, Time, condition_type, reason};
    /// use allready_core::rollup::{Context, Form, Inertia, Input, Policy, Union};
    ///
    /// let at = |second| Time::from_second(second).unwrap();
    /// let policy = Policy::from(Form::Union(Union { inertia: Inertia::of(Duration::from_secs(120)) }));
    /// let synced = Condition::new(condition_type!("Synced"), Status::False, reason!("Lag"), "", at(100));
    /// let status = |now| policy.roll_up([Input::from(&synced)], &Context::new("Ready", now)).unwrap().status;
    ///
    /// let end = policy.look_again([Input::from(&synced)], &Context::new("Ready", at(130))).unwrap();
    /// assert_eq!(end, at(221), "the first second in which 120 seconds have passed and more");
    /// assert_eq!((status(at(220)), status(end)), (Status::True, Status::False));
    /// ```
    pub fn look_again<'a>(
        &self,
        inputs: impl IntoIterator<Item = Input<'a>>,
        context: &Context<'a>,
    ) -> Option<Time> {
        let Form::Union(union) = &self.form else { return None };
        let inputs = inputs.into_iter().filter(|input| !self.missing.ignores(input));
        union.look_again(inputs.map(|input| self.view(input, context)), context)
    }

    /// An input with staleness as this policy sees it.
    fn view<'a>(&self, input: Input<'a>, context: &Context<'_>) -> Input<'a> {
        match self.stale {
            // Where Unknown counts least, to count an outdated problem as Unknown would hide it.
            Stale::Unknown if matches!(self.form, Form::FirstIssue(_)) && input.is_bad_news() => {
                input.at_its_word()
            }
            Stale::Unknown if self.is_stale(&input, context.generation) => {
                Input { freshness: Freshness::Stale, ..input }
            }
            Stale::Unknown => input,
            Stale::Ignored | Stale::HoldsTop => input.at_its_word(),
        }
    }

    /// Returns true if an input is not about the current generation, as this policy counts it.
    ///
    /// ```
    /// use allready_core::{Condition, Generation, Status, Time, condition_type, reason, rollup::{Input, Policy}};
    ///
    /// let ahead = Condition::new(condition_type!("Synced"), Status::True, reason!("Applied"), "", Time::EPOCH).observed(3);
    /// let is_stale = |policy: &str| {
    ///     policy.parse::<Policy>().unwrap().is_stale(&Input::from(&ahead), Generation::from(2))
    /// };
    /// assert!(is_stale("operatorpkg") && is_stale("kro") && !is_stale("newest-cause"));
    /// ```
    pub fn is_stale(&self, input: &Input<'_>, generation: Generation) -> bool {
        if self.stale == Stale::HoldsTop || matches!(self.form, Form::ListUnhealthy) {
            input.is_about_another(generation)
        } else {
            input.is_behind(generation)
        }
    }

    /// Whether an input is the top condition itself, where the form's peer does not let it count for itself.
    fn is_itself(&self, input: &Input<'_>, context: &Context<'_>) -> bool {
        matches!(self.form, Form::Bullets(_) | Form::FirstIssue(_))
            && input.member.is_none()
            && input.type_ == context.top
    }
}

/// What the inputs say of generations.
#[derive(Default)]
struct Seen {
    /// The oldest generation among the inputs that track one.
    oldest: Option<Generation>,
    any_stale: bool,
}

impl Seen {
    fn see(&mut self, input: &Input<'_>, is_stale: bool) {
        self.any_stale |= is_stale;
        if let Some(generation) = input.tracked() {
            self.oldest = Some(self.oldest.map_or(generation, |oldest| oldest.min(generation)));
        }
    }

    fn oldest(&self, current: Generation) -> Generation {
        self.oldest.map_or(current, |oldest| oldest.min(current))
    }
}
