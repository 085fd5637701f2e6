//! The end of a pass: untouched conditions, damping, and the top condition.

use std::borrow::Cow;

use super::{
    Role, Untouched, Upgrade,
    marks::Failure,
    pass::{Finished, Pass, Progress, Said},
};
use crate::{
    Condition, ConditionType, Polarity, Reason, Status, Time, condition,
    damping::{Damped, Held},
    rollup::{Context, Input},
};

impl Pass<'_> {
    pub(super) fn settle_untouched(&mut self) {
        let set = self.set;
        if self.untouched == Untouched::Keep {
            return;
        }
        if self.top.is_none() {
            return self.settle_untouched_list();
        }
        for (index, declared) in set.declared.iter().enumerate() {
            if self.touched.has(index) {
                continue;
            }
            if declared.role == Role::Informational && self.untouched == Untouched::Remove {
                self.take_out(declared.type_.as_str());
            } else {
                let Condition { status, reason, message, .. } =
                    Condition::unreported(declared.type_.clone(), self.at.now);
                self.write(index + 1, &declared.type_, status, reason, message.as_str());
            }
        }
    }

    /// The same for a list without a set, where every condition is the writer's own.
    fn settle_untouched_list(&mut self) {
        let is_touched = |condition: &Condition| self.touched_types.has(condition.type_.as_str());
        if self.untouched == Untouched::Remove {
            self.conditions.retain(|condition| {
                let stays = is_touched(condition);
                if !stays {
                    self.record.changing(condition);
                }
                stays
            });
            return self.index.clear();
        }
        let untouched: Vec<_> =
            self.conditions.iter().filter(|condition| !is_touched(condition)).cloned().collect();
        for condition in untouched {
            let observed = condition.observed_generation.unwrap_or_default();
            let unreported = Condition::unreported(condition.type_, self.at.now).observed(observed);
            self.put(usize::MAX, &unreported.type_, Said::from(&unreported));
        }
    }

    pub(super) fn settle(&mut self) -> Finished {
        self.index.catch_up(self.conditions);
        if self.at.deleting && !self.touched.is_empty() {
            self.carry_over_generations();
        }
        let held = self.settle_damping();
        let policy_looks_again = self.settle_top(&held);
        let (changed, transitions) = self.record.compare(self.conditions, &self.index);
        condition::sort(self.conditions, self.set.order, self.top.map_or("", ConditionType::as_str));
        self.progress = Progress::Settled;
        let look_again = held.iter().filter_map(|held| held.look_again).chain(policy_looks_again).min();
        Finished { changed, transitions, look_again }
    }

    /// Shows of the touched conditions what the rules let through; says what is held back of all of them.
    fn settle_damping(&mut self) -> Vec<Held> {
        let Some((rules, memory)) = self.damping.take() else { return Vec::new() };
        let mut all_held = Vec::new();
        for (index, declared) in self.set.declared.iter().enumerate() {
            let type_ = declared.type_.as_str();
            let Some(at) = self.locate(index + 1, type_) else {
                memory.forget(type_);
                continue;
            };
            let observed = &self.conditions[at]; // `locate` found it at this index
            if !self.touched.has(index) {
                all_held.extend(rules.remembered(declared.polarity, memory, observed, self.at.now));
                continue;
            }
            let shown = self.record.original(type_, observed);
            let Damped { condition, held } =
                rules.observe_as(declared.polarity, memory, shown, observed.clone(), self.at.now);
            all_held.extend(held);
            if condition != self.conditions[at] {
                self.record.changing(&self.conditions[at]);
                self.conditions[at] = condition;
            }
        }
        all_held
    }

    /// A deletion raises the generation by one although the spec has not changed. What was known of an older one is not
    /// known of this: there the spec did change.
    fn carry_over_generations(&mut self) {
        let set = self.set;
        for (index, declared) in set.declared.iter().enumerate() {
            let Some(at) = self.locate(index + 1, declared.type_.as_str()) else { continue };
            let condition = &mut self.conditions[at]; // `locate` found it at this index
            let is_about_the_same_spec = condition.observed_generation.is_some_and(|observed| {
                !observed.is_none() && observed.get().checked_add(1) == Some(self.at.generation.get())
            });
            if is_about_the_same_spec {
                self.record.changing(condition);
                condition.observed_generation = Some(self.at.generation);
            }
        }
    }

    /// Computes the top condition; says when it will be another just because time has passed.
    fn settle_top(&mut self, held: &[Held]) -> Option<Time> {
        let set = self.set;
        let index = self.locate(0, self.top?.as_str())?;
        let top = &self.conditions[index]; // `locate` found it at this index
        let context = Context {
            top: set.top.as_str(),
            polarity: Polarity::NormalTrue,
            generation: self.at.generation,
            now: self.at.now,
            previous: Some(top),
            good_reason: set.good_reason.as_ref().map(Reason::as_str),
        };
        let spared = self.spared_newcomer(top, &context);
        let look_again = set.policy.look_again(self.inputs(spared.is_some()), &context);
        let mut rollup = set.policy_in_order().roll_up(self.inputs(spared.is_some()), &context)?;
        if rollup.status == Status::True {
            // All may be shown as well, but not all is well.
            if let Some(held) = held.iter().find(|held| set.is_dependent(&held.type_)) {
                rollup.message =
                    Cow::Owned(format!("{}={} is held back: {}", held.type_, held.status, held.reason));
            } else if let Some(newcomer) = spared {
                rollup.message = Cow::Owned(format!("{newcomer} is new and has not been reported yet"));
            }
            // The reconcile did not get far enough to vouch for it.
            if let Some(Failure { reason, message }) = &self.failure {
                rollup.status = Status::Unknown;
                rollup.reason = Cow::Owned(reason.as_str().to_owned());
                rollup.message = Cow::Owned(message.as_str().to_owned());
            }
        }
        let observed = rollup.observed.filter(|observed| !observed.is_none());
        let same = top.status == rollup.status
            && top.reason == *rollup.reason
            && top.message == *rollup.message
            && top.observed_generation == observed
            && top.errors.is_empty()
            && top.warnings.is_empty();
        if !same {
            let mut new = rollup.into_condition(set.top.clone(), None, self.at.now);
            self.record.changing(top);
            new.last_transition_time = self.record.since(set.top.as_str(), new.status, self.at.now);
            self.conditions[index] = new;
        }
        look_again
    }

    /// The dependents as inputs, in the order of declaration.
    fn inputs(&self, without_newcomers: bool) -> impl Iterator<Item = Input<'_>> {
        self.set.declared.iter().enumerate().filter_map(move |(index, declared)| {
            if declared.role != Role::Dependent {
                return None;
            }
            if without_newcomers && self.newcomers.has(index) && !self.touched.has(index) {
                return None;
            }
            let input = match self.locate(index + 1, declared.type_.as_str()) {
                Some(at) => Input::from(&self.conditions[at]), // `locate` found it at this index
                None => Input::missing(declared.type_.as_str(), declared.polarity),
            };
            Some(input.with_polarity(declared.polarity))
        })
    }

    /// The first dependent that is new in this version of the set and does not count yet, because the pass ended early
    /// and nothing else is wrong.
    fn spared_newcomer(&self, top: &Condition, context: &Context<'_>) -> Option<&ConditionType> {
        if self.progress == Progress::Finished || self.set.upgrade != Upgrade::OnePassGrace {
            return None;
        }
        let is_spared = |index: usize| self.newcomers.has(index) && !self.touched.has(index);
        let (_, newcomer) = self.set.declared.iter().enumerate().find(|(index, _)| is_spared(*index))?;
        let current = top.observed_generation.is_none_or(|observed| observed >= self.at.generation);
        let rollup = self.set.policy.roll_up(self.inputs(true), context)?;
        (current && rollup.status == Status::True).then_some(&newcomer.type_)
    }
}
