//! The memory that reports may take, whatever the cluster holds.
//!
//! Of a report only the parts are kept that decide or can be shown. Where all of them together are more than the budget, further ones are
//! kept in brief: a red condition stays red, with its type and reason; everything else is Unknown, `ReportOverBudget`. Where there is no
//! room even for that, the report is not kept, and whoever counts the reports of the namespace has a gap, which makes Ready Unknown.
//! A report is never good for want of memory, and never absent.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use allready_core::{
    Condition, ConditionType, Message, Reason, Standing, Status, Time, condition_type, reason,
};

use super::{Report, TargetedReport};

const MIB: usize = 1024 * 1024;

/// The most bytes of reports, as estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The most bytes of those that are kept in full.
    pub full: usize,
    /// The most bytes of those that are kept in brief.
    pub brief: usize,
}

impl Limit {
    /// The limit of one namespace: room for 5,000 reporters with 31 conditions each.
    pub const NAMESPACE: Self = Self { full: 80 * MIB, brief: 32 * MIB };
    /// The limit of all namespaces together: below the memory limit of the chart, with room for everything else.
    pub const TOTAL: Self = Self { full: 160 * MIB, brief: 64 * MIB };
}

/// The most words that are shared: types and reasons are few in all fleets but hostile ones.
const SHARED_WORDS: usize = 1_000;
/// The words for a report that is not kept in full.
const OVER_BUDGET: &str = "the reports of the namespace, or of all, need more memory than there is for them; they are not kept in full";

/// The bytes that reports take: those in full, and those in brief. They are counted apart, so that many in brief take no room away from
/// those in full when these are listed again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bytes {
    full: usize,
    brief: usize,
}

impl Bytes {
    /// The bytes of a report under this name, and of everything that is kept for it.
    pub(super) fn of(name: &str, report: &TargetedReport) -> Self {
        let bytes = cost(name, report);
        if report.is_brief { Self { full: 0, brief: bytes } } else { Self { full: bytes, brief: 0 } }
    }

    /// Takes bytes in place of others.
    pub(super) fn replace(&mut self, released: Self, taken: Self) {
        self.full = self.full.saturating_sub(released.full) + taken.full;
        self.brief = self.brief.saturating_sub(released.brief) + taken.brief;
    }

    fn is_within(self, limit: Limit) -> bool {
        self.full <= limit.full && self.brief <= limit.brief
    }
}

/// The bytes that are taken, by namespace and in total.
#[derive(Debug)]
pub(super) struct Budget {
    limits: [Limit; 2],
    namespaces: BTreeMap<String, Bytes>,
    total: Bytes,
    types: BTreeSet<ConditionType>,
    reasons: BTreeSet<Reason>,
}

impl Budget {
    /// A budget for each namespace, and for all.
    pub(super) fn new(namespace: Limit, total: Limit) -> Self {
        Self {
            limits: [namespace, total],
            namespaces: BTreeMap::new(),
            total: Bytes::default(),
            types: BTreeSet::new(),
            reasons: BTreeSet::new(),
        }
    }

    /// The report as far as there is room for it, in place of one that takes so many bytes. None where there is no room at all.
    pub(super) fn fit(
        &mut self,
        namespace: &str,
        name: &str,
        report: &TargetedReport,
        replaced: Bytes,
        standing: impl Fn(&Condition) -> Standing,
    ) -> Option<Arc<TargetedReport>> {
        for is_brief in [false, true] {
            let reduce = if is_brief { brief } else { shown };
            let kept = Arc::new(self.shared(reduce(&report.report, &standing)));
            let kept = TargetedReport { target: report.target.clone(), report: kept, is_brief };
            if self.has_room(namespace, Bytes::of(name, &kept), replaced) {
                return Some(Arc::new(kept));
            }
        }
        None
    }

    fn has_room(&self, namespace: &str, taken: Bytes, replaced: Bytes) -> bool {
        let namespace = self.namespaces.get(namespace).copied().unwrap_or_default();
        [namespace, self.total].into_iter().zip(self.limits).all(|(mut bytes, limit)| {
            bytes.replace(replaced, taken);
            bytes.is_within(limit)
        })
    }

    /// Counts bytes in place of others.
    pub(super) fn replace(&mut self, namespace: &str, released: Bytes, taken: Bytes) {
        let bytes = self.namespaces.entry(namespace.to_owned()).or_default();
        bytes.replace(released, taken);
        if *bytes == Bytes::default() {
            self.namespaces.remove(namespace);
        }
        self.total.replace(released, taken);
    }

    /// The report with one copy of each word for all reports.
    fn shared(&mut self, mut report: Report) -> Report {
        for condition in &mut report.conditions {
            condition.type_ = shared(&mut self.types, &condition.type_);
            condition.reason = shared(&mut self.reasons, &condition.reason);
        }
        report
    }
}

fn shared<T: Ord + Clone>(words: &mut BTreeSet<T>, word: &T) -> T {
    if let Some(known) = words.get(word) {
        return known.clone();
    }
    if words.len() >= SHARED_WORDS {
        words.clear();
    }
    words.insert(word.clone());
    word.clone()
}

/// The bytes of a report and of everything that is kept for it: in the store of the watch, and in the fleet of the
/// ConfigurationStatus that it is for. Counted generously, so that the sum is a bound.
pub(super) fn cost(name: &str, kept: &TargetedReport) -> usize {
    /// Entries of trees, and the blocks that they are allocated in.
    const REPORT: usize = 1_024;
    const CONDITION: usize = 320;
    /// The name of an object, and of a reporter, are keys of several trees.
    const NAMES: usize = 6;
    let Report { component, instance, conditions, revision } = &*kept.report;
    let names = name.len() + component.len() + instance.as_ref().map_or(0, String::len);
    let texts = kept.target.as_ref().map_or(0, String::len) + revision.as_ref().map_or(0, String::len);
    let condition = |condition: &Condition| {
        let words = condition.type_.as_str().len() + condition.reason.as_str().len();
        // The fleet has a copy of its own.
        CONDITION + 2 * (words + condition.message.as_str().len())
    };
    REPORT + NAMES * names + texts + conditions.iter().map(condition).sum::<usize>()
}

/// The report without the messages of conditions that are good, which nobody is ever shown.
fn shown(report: &Report, standing: &dyn Fn(&Condition) -> Standing) -> Report {
    let mut report = report.clone();
    for condition in &mut report.conditions {
        if standing(condition) == Standing::Good {
            condition.message = Message::EMPTY;
        }
    }
    report
}

/// A red condition of the report, if there is one, and that the rest is not known.
fn brief(report: &Report, standing: &dyn Fn(&Condition) -> Standing) -> Report {
    let since = report.conditions.iter().map(|condition| condition.last_transition_time).max();
    let unknown = Condition::new(
        condition_type!("Ready"),
        Status::Unknown,
        reason!("ReportOverBudget"),
        Message::from(OVER_BUDGET),
        since.unwrap_or(Time::EPOCH),
    );
    let red = report.conditions.iter().find(|condition| standing(condition) == Standing::Bad);
    let red = red.map(|red| Condition { message: OVER_BUDGET.into(), ..red.clone() });
    // A list has each type once.
    let conditions = match red {
        Some(red) if red.type_ == unknown.type_ => vec![red],
        Some(red) => vec![red, unknown],
        None => vec![unknown],
    };
    let Report { component, instance, revision, .. } = report.clone();
    Report { component, instance, conditions, revision }
}
