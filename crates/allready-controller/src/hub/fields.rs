//! Numbers of many instances, combined one change at a time.

use std::collections::BTreeMap;

use allready_kube::kinds::{AggregatedField, Combine};
use serde_json::{Map, Value};

/// The planned numbers over all instances that count.
#[derive(Debug)]
pub(super) struct Totals(Vec<Total>);

#[derive(Debug)]
struct Total {
    combine: Combine,
    sum: i128,
    /// The number of times that each number occurs; not kept for a sum.
    numbers: BTreeMap<i64, usize>,
}

impl Totals {
    /// Of these fields, over no instances.
    pub(super) fn new(fields: &[AggregatedField]) -> Self {
        let total =
            |field: &AggregatedField| Total { combine: field.combine, sum: 0, numbers: BTreeMap::new() };
        Self(fields.iter().map(total).collect())
    }

    /// One instance more, with these numbers; those that it does not have are zero.
    pub(super) fn add(&mut self, numbers: &[i64]) {
        for (total, number) in self.0.iter_mut().zip(or_zero(numbers)) {
            total.sum += i128::from(number);
            if total.combine != Combine::Sum {
                *total.numbers.entry(number).or_default() += 1;
            }
        }
    }

    /// One instance less.
    pub(super) fn take(&mut self, numbers: &[i64]) {
        for (total, number) in self.0.iter_mut().zip(or_zero(numbers)) {
            total.sum -= i128::from(number);
            if let Some(count) = total.numbers.get_mut(&number) {
                *count -= 1;
                if *count == 0 {
                    total.numbers.remove(&number);
                }
            }
        }
    }

    /// The aggregated numbers, in the order of the plan.
    pub(super) fn values(&self) -> impl Iterator<Item = i64> {
        self.0.iter().map(|total| match total.combine {
            Combine::Sum => {
                i64::try_from(total.sum).unwrap_or(if total.sum < 0 { i64::MIN } else { i64::MAX })
            }
            Combine::Min => total.numbers.first_key_value().map_or(0, |(number, _)| *number),
            Combine::Max => total.numbers.last_key_value().map_or(0, |(number, _)| *number),
        })
    }
}

fn or_zero(numbers: &[i64]) -> impl Iterator<Item = i64> {
    numbers.iter().copied().chain(std::iter::repeat(0))
}

/// Writes a number into a status at a path such as `status.replicas.ready`. Where something else than a map stands on the way,
/// nothing is written.
pub(super) fn write(status: &mut Map<String, Value>, path: &str, number: i64) {
    let mut names = path.split('.').skip(1).peekable();
    let mut here = status;
    while let Some(name) = names.next() {
        if names.peek().is_none() {
            here.entry(name).or_insert(Value::from(number));
            return;
        }
        match here.entry(name).or_insert_with(|| Value::Object(Map::new())) {
            Value::Object(inner) => here = inner,
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn totals() -> Totals {
        let field = |combine| AggregatedField { path: "status.x".to_owned(), combine };
        Totals::new(&[Combine::Sum, Combine::Min, Combine::Max].map(field))
    }

    #[test]
    fn mc22_an_absent_number_is_zero_also_for_the_smallest() {
        let mut totals = totals();
        totals.add(&[3, 3, 3]);
        assert_eq!(totals.values().collect::<Vec<_>>(), [3, 3, 3]);
        totals.add(&[]);
        assert_eq!(totals.values().collect::<Vec<_>>(), [3, 0, 3]);
    }

    #[test]
    fn a_sum_that_is_too_large_stays_at_the_largest_number_and_comes_back() {
        let mut totals = totals();
        totals.add(&[i64::MAX]);
        totals.add(&[i64::MAX]);
        assert_eq!(totals.values().next(), Some(i64::MAX));
        totals.take(&[i64::MAX]);
        totals.add(&[-1]);
        assert_eq!(totals.values().next(), Some(i64::MAX - 1));
    }

    #[test]
    fn a_number_stands_at_its_path_and_replaces_nothing() {
        let mut status = Map::new();
        write(&mut status, "status.ready", 1);
        write(&mut status, "status.replicas.ready", 2);
        write(&mut status, "status.replicas.all", 3);
        write(&mut status, "status.ready.of", 4);
        assert_eq!(Value::Object(status), json!({ "ready": 1, "replicas": { "ready": 2, "all": 3 } }));
    }

    proptest! {
        #[test]
        fn what_is_left_after_some_were_taken_is_what_the_rest_comes_to(
            kept in prop::collection::vec([-5_i64..5, -5_i64..5, -5_i64..5], 0..8),
            taken in prop::collection::vec([-5_i64..5, -5_i64..5, -5_i64..5], 0..8),
        ) {
            let mut totals = totals();
            for numbers in taken.iter().chain(&kept) {
                totals.add(numbers);
            }
            for numbers in &taken {
                totals.take(numbers);
            }
            let column = |index: usize| kept.iter().map(move |numbers| numbers[index]);
            let expected = [
                column(0).sum(), column(1).min().unwrap_or(0), column(2).max().unwrap_or(0),
            ];
            prop_assert_eq!(totals.values().collect::<Vec<_>>(), expected);
        }
    }
}
