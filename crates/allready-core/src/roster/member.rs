//! One member: as much of what it says as can ever be told.

use std::borrow::Cow;

use crate::{
    Generation, Polarity, Standing,
    rollup::{Freshness, Input, Semicolon},
};

/// A member of a roster, as it is told.
///
/// ```
/// use allready_core::{Condition, Standing, Status, Time, condition_type, reason, roster::{Roster, RosterMember}};
///
/// let mut roster = Roster::default();
/// roster.set("cluster-1", &Condition::new(condition_type!("Ready"), Status::False, reason!("Down"), "no route", Time::EPOCH));
/// let member = RosterMember { name: "cluster-1", standing: Standing::Bad, text: "no route".into() };
/// assert_eq!(roster.member("cluster-1"), Some(member));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RosterMember<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it counts as, at the generation of the roster.
    pub standing: Standing,
    /// What it says, or why it cannot be taken at its word: in one line, and cut as [`Semicolon::each`] says. Empty for a
    /// good one, and for one that says nothing.
    pub text: Cow<'a, str>,
}

/// What is kept of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// With the polarity taken out, as it was stated: a later generation may make it unknown.
    standing: Standing,
    observed: Option<Generation>,
    freshness: Freshness,
    /// Already in the words that are told, so that a long text is looked at once; empty where it never is told.
    pub(super) text: Box<str>,
}

impl Record {
    pub(super) fn new(input: &Input<'_>, form: &Semicolon) -> Self {
        let standing = input.standing();
        let is_told = standing != Standing::Good && input.freshness == Freshness::Fresh;
        Self {
            standing,
            observed: input.observed,
            freshness: input.freshness,
            text: if is_told { form.words(input).into() } else { Box::default() },
        }
    }

    /// What it counts as at this generation, in words that stay as they are when they are told.
    pub(super) fn input<'a>(&'a self, name: &'a str, generation: Generation) -> Input<'a> {
        let polarity = Polarity::NormalTrue;
        let input = Input {
            status: polarity.status(self.standing),
            message: Cow::Borrowed(&self.text),
            observed: self.observed,
            freshness: self.freshness,
            ..Input::missing("", polarity).from_member("", name)
        };
        input.against(generation)
    }

    pub(super) fn view<'a>(
        &'a self,
        name: &'a str,
        generation: Generation,
        form: &Semicolon,
    ) -> RosterMember<'a> {
        let input = self.input(name, generation);
        let text = match input.freshness {
            Freshness::Fresh => Cow::Borrowed(&*self.text),
            Freshness::Stale | Freshness::Missing => {
                Cow::Owned(form.account(&input, generation).into_owned())
            }
        };
        RosterMember { name, standing: input.standing(), text }
    }
}
