//! Which generations the inputs of an index are about, kept up to date one input at a time.

use std::collections::BTreeMap;

use super::Input;
use crate::Generation;

/// How often each generation was observed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Generations(BTreeMap<Generation, usize>);

impl Generations {
    /// Counts an input in.
    pub(crate) fn add(&mut self, input: &Input<'_>) {
        if let Some(generation) = input.tracked() {
            *self.0.entry(generation).or_default() += 1;
        }
    }

    /// Counts an input out that was counted in.
    pub(crate) fn take(&mut self, input: &Input<'_>) {
        if let Some(generation) = input.tracked() {
            take_one(&mut self.0, &generation);
        }
    }

    /// The oldest generation that was observed, if it is older than this.
    pub(crate) fn oldest(&self, current: Generation) -> Generation {
        self.0.keys().next().map_or(current, |oldest| current.min(*oldest))
    }
}

/// Takes one off a number, and the number away when it is the last.
pub(crate) fn take_one<K, Q>(numbers: &mut BTreeMap<K, usize>, key: &Q)
where
    K: Ord + std::borrow::Borrow<Q>,
    Q: Ord + ?Sized,
{
    match numbers.get_mut(key) {
        Some(number) if *number > 1 => *number -= 1,
        Some(_) => {
            numbers.remove(key);
        }
        None => {}
    }
}
