//! The named policies and what they have in common: how staleness counts, and what generation the answer is about.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, Serializer, de};

use super::{Context, Freshness, GroupedOptions, Input, Rollup, grouped, newest_cause};
use crate::{Generation, Status};

/// How a roll-up is computed: which form the answer takes, and what an outdated input is worth.
///
/// | name | status | reason and message | like |
/// |---|---|---|---|
/// | `newest-cause` | worst input | those of the worst, then newest input | KRO, Knative |
/// | `grouped` | worst input | fixed reasons; counts, and each cause with the first names | - |
///
/// Peers' own names give the policy with the peer's answer also where our default differs: `knative`, `kro`.
///
/// ```
/// use allready_core::rollup::{Policy, Stale};
///
/// assert_eq!("newest-cause".parse::<Policy>().unwrap(), Policy::default());
/// assert_eq!("knative".parse::<Policy>().unwrap().stale, Stale::Ignored);
/// assert!("loudest".parse::<Policy>().unwrap_err().to_string().contains("newest-cause"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// The form of the answer.
    pub form: Form,
    /// What an input about an older generation is worth.
    pub stale: Stale,
    /// The status of the answer where nothing at all is in scope.
    pub empty: Status,
}

/// The form of a roll-up's answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Form {
    /// Reason and message of the worst input, the newest of them: Knative, KRO.
    NewestCause,
    /// Fixed reasons, and every cause once with how many members have it: for many members. Never good where nothing is
    /// in scope, whatever [`Policy::empty`] says.
    Grouped(GroupedOptions),
}

/// What an input is worth that is about an older generation than the object has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stale {
    /// It counts as `Unknown`, and the answer is about the oldest generation among the inputs.
    #[default]
    Unknown,
    /// It is taken at its word (Knative, Cluster API, Flux, library-go).
    Ignored,
    /// It is taken at its word if it is bad; if nothing is wrong but staleness, the top condition stays as it is (KRO).
    HoldsTop,
}

/// A policy name that nobody knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no roll-up policy {found:?}: use one of {}", Policy::NAMES.join(", "))]
pub struct PolicyError {
    /// The name that was asked for.
    pub found: String,
}

impl Default for Policy {
    fn default() -> Self {
        Self::newest_cause()
    }
}

impl Policy {
    /// Every name that [`FromStr`] understands.
    pub const NAMES: &'static [&'static str] = &["newest-cause", "grouped", "knative", "kro"];

    const fn of(form: Form) -> Self {
        Self { form, stale: Stale::Unknown, empty: Status::Unknown }
    }

    /// The default: the worst input, and of those the newest, gives reason and message.
    pub const fn newest_cause() -> Self {
        Self::of(Form::NewestCause)
    }

    /// For many members: every cause once, with counts and the first names, bounded in bytes.
    pub const fn grouped() -> Self {
        Self::of(Form::Grouped(GroupedOptions::DEFAULT))
    }

    /// The same policy with another view of staleness.
    pub fn with_stale(self, stale: Stale) -> Self {
        Self { stale, ..self }
    }

    /// The name of the form.
    pub fn name(&self) -> &'static str {
        match self.form {
            Form::NewestCause => "newest-cause",
            Form::Grouped(_) => "grouped",
        }
    }

    /// Computes the top condition.
    ///
    /// `None` means that there is nothing to say, and that nothing should be written; only forms that say so in their
    /// documentation do that.
    pub fn roll_up<'a>(
        &self,
        inputs: impl IntoIterator<Item = Input<'a>>,
        context: &Context<'a>,
    ) -> Option<Rollup<'a>> {
        let mut observed = Observed::default();
        let inputs = inputs.into_iter().map(|input| {
            observed.see(&input);
            match self.stale {
                Stale::Unknown => input.against(context.generation),
                Stale::Ignored | Stale::HoldsTop => input,
            }
        });
        let mut rollup = match &self.form {
            Form::NewestCause => newest_cause::roll_up(inputs, context, self),
            Form::Grouped(options) => grouped::roll_up(inputs, context, self, options),
        }?;
        rollup.observed = Some(match self.stale {
            Stale::Unknown => observed.oldest(context.generation),
            Stale::Ignored | Stale::HoldsTop => context.generation,
        });
        Some(rollup)
    }
}

/// The oldest generation among the inputs that track one.
#[derive(Default)]
struct Observed(Option<Generation>);

impl Observed {
    fn see(&mut self, input: &Input<'_>) {
        if input.freshness == Freshness::Missing {
            return;
        }
        if let Some(generation) = input.observed.filter(|generation| !generation.is_none()) {
            self.0 = Some(self.0.map_or(generation, |oldest| oldest.min(generation)));
        }
    }

    fn oldest(&self, current: Generation) -> Generation {
        self.0.map_or(current, |oldest| oldest.min(current))
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(name: &str) -> Result<Self, PolicyError> {
        Ok(match name {
            "newest-cause" => Self::newest_cause(),
            "grouped" => Self::grouped(),
            "knative" => Self { stale: Stale::Ignored, empty: Status::True, ..Self::newest_cause() },
            "kro" => Self::newest_cause().with_stale(Stale::HoldsTop),
            other => return Err(PolicyError { found: crate::condition::excerpt(other) }),
        })
    }
}

impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
