//! How what a peer says compares with the verdicts.

use std::collections::BTreeMap;

use allready_inspect::registry::export::Wanted;
use allready_inspect::{
    health::Health,
    judge::{Rule, Verdict},
};
use serde_json::Value;

use super::Words;
use crate::printer;

/// How many objects of a sort are shown.
const SHOWN: usize = 5;

pub(super) struct Tally {
    name: &'static str,
    words: &'static Words,
    kinds: usize,
    objects: usize,
    agreements: usize,
    /// Healthy for us.
    healthy: usize,
    pub(super) false_greens: usize,
    /// The engine gave up.
    failures: usize,
    /// Healthy for us and not for the peer, by the rule of ours that it does not know enough of.
    less: BTreeMap<Rule, usize>,
    /// Of these, those that it calls broken.
    false_reds: usize,
    /// Green for nobody, and in other words.
    worded: usize,
    left_out: BTreeMap<String, usize>,
    /// Objects of each sort, as examples.
    examples: BTreeMap<&'static str, Vec<String>>,
}

impl Tally {
    pub(super) fn new(name: &'static str, words: &'static Words) -> Self {
        Self {
            name,
            words,
            kinds: 0,
            objects: 0,
            agreements: 0,
            healthy: 0,
            false_greens: 0,
            failures: 0,
            less: BTreeMap::new(),
            false_reds: 0,
            worded: 0,
            left_out: BTreeMap::new(),
            examples: BTreeMap::new(),
        }
    }

    pub(super) fn left_out(&mut self, _: &Wanted, why: String) {
        *self.left_out.entry(why).or_default() += 1;
    }

    pub(super) fn count(
        &mut self,
        wanted: &Wanted,
        objects: &[Value],
        verdicts: &[Verdict],
        said: &[String],
    ) {
        self.kinds += 1;
        for ((object, verdict), said) in objects.iter().zip(verdicts).zip(said) {
            self.objects += 1;
            let is_failure = said.starts_with("error: ");
            self.failures += usize::from(is_failure);
            let expected = self.words.of(verdict.health);
            let is_less = verdict.health == Health::Healthy;
            self.healthy += usize::from(is_less);
            let sort = match said.as_str() {
                said if said == expected => {
                    self.agreements += 1;
                    continue;
                }
                said if said == self.words.green => {
                    self.false_greens += 1;
                    "false green"
                }
                _ if is_failure && !self.words.may_fail => "failed",
                _ if is_failure && !is_less && self.words.of(verdict.health) != self.words.broken => {
                    self.agreements += 1;
                    continue;
                }
                said if is_less => {
                    *self.less.entry(verdict.rule).or_default() += 1;
                    if said == self.words.broken {
                        self.false_reds += 1;
                        "false red"
                    } else {
                        "less"
                    }
                }
                _ => {
                    self.worded += 1;
                    "other word"
                }
            };
            let examples = self.examples.entry(sort).or_default();
            if examples.len() < SHOWN * 40 {
                examples.push(format!(
                    "{wanted}: {said}, ours {} by {} {}: {object}",
                    verdict.health, verdict.rule, verdict.field
                ));
            }
        }
    }

    /// Whether nothing is green that should not be, and everything ran.
    pub(super) fn holds(&self) -> bool {
        self.false_greens == 0 && self.kinds > 0 && (self.words.may_fail || self.failures == 0)
    }

    /// What an export is worth: how often it is green where the verdict is.
    #[expect(clippy::cast_precision_loss, reason = "figures to read")]
    pub(super) fn show_real(&self, all: bool) {
        let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        let less: usize = self.less.values().sum();
        let green = self.healthy - less;
        printer::line(format!(
            "{:<8} {:>4} kinds {:>5} objects  the same {:>4} ({:.1} %)  green {green} of {} that are healthy ({:.1} %)  false green {}",
            self.name,
            self.kinds,
            self.objects,
            self.agreements,
            share(self.agreements, self.objects),
            self.healthy,
            share(green, self.healthy),
            self.false_greens,
        ));
        self.show_examples(all);
    }

    #[expect(clippy::cast_precision_loss, reason = "figures to read")]
    pub(super) fn show(&self, all: bool) {
        let share = |count: usize| 100.0 * count as f64 / self.objects.max(1) as f64;
        let less: usize = self.less.values().sum();
        printer::line(format!(
            "{:<8} {:>4} kinds {:>7} objects  the same {:>6} ({:.1} %)  not green where ours is {:>6} ({:.1} %), of these red {}  \
             other words {:>6} ({:.1} %)  engine gave up {}  false green {}",
            self.name,
            self.kinds,
            self.objects,
            self.agreements,
            share(self.agreements),
            less,
            share(less),
            self.false_reds,
            self.worded,
            share(self.worded),
            self.failures,
            self.false_greens,
        ));
        let rules: Vec<String> = self.less.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        if !rules.is_empty() {
            printer::line(format!("         not green where ours is, by our rule: {}", rules.join(", ")));
        }
        for (why, count) in &self.left_out {
            printer::line(format!("         left out: {count} kinds: {why}"));
        }
        self.show_examples(all);
    }

    fn show_examples(&self, all: bool) {
        for (sort, examples) in &self.examples {
            if all || matches!(*sort, "false green" | "failed") {
                let shown = if all { examples.len() } else { SHOWN };
                // Spread over all kinds, rather than the first of them.
                let step = examples.len().div_ceil(shown).max(1);
                examples.iter().step_by(step).for_each(|one| printer::line(format!("  {sort}: {one}")));
            }
        }
    }
}
