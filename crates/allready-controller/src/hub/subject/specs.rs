//! The specs of all instances: each text once, and whether it contains the spec of the hub object.

use std::{collections::HashMap, sync::Arc};

use allready_core::Generation;

use super::super::{HubFacts, Instance, seen_generation};

/// The specs of all instances. Most of them are equal, so each text is kept once, and compared once.
#[derive(Debug, Default)]
pub(super) struct Specs(HashMap<Arc<str>, Text>);

#[derive(Debug, Default)]
struct Text {
    users: usize,
    /// True if it contains the hub's spec; none where that has not been asked.
    contains: Option<bool>,
}

impl Specs {
    /// One more instance has this spec. Returns the text to keep.
    pub(super) fn take(&mut self, spec: &Arc<str>) -> Arc<str> {
        let kept = self.0.get_key_value(spec).map_or(spec, |(kept, _)| kept).clone();
        self.0.entry(kept.clone()).or_default().users += 1;
        kept
    }

    /// One instance less has this spec.
    pub(super) fn release(&mut self, spec: &Arc<str>) {
        if let Some(text) = self.0.get_mut(spec) {
            text.users -= 1;
            if text.users == 0 {
                self.0.remove(spec);
            }
        }
    }

    /// The hub object has another spec.
    pub(super) fn forget_comparisons(&mut self) {
        for text in self.0.values_mut() {
            text.contains = None;
        }
    }

    /// The generation of the hub object that an instance was made from, as far as that is known.
    pub(super) fn seen(&mut self, hub: &HubFacts, instance: &Instance) -> Option<Generation> {
        if instance.hub_generation.is_some() {
            return instance.hub_generation;
        }
        let contains = || seen_generation(hub, instance).is_some();
        let contains = match self.0.get_mut(&instance.spec) {
            Some(text) => *text.contains.get_or_insert_with(contains),
            None => contains(),
        };
        contains.then_some(hub.generation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(specs: &mut Specs, spec: &str) -> Instance {
        Instance { spec: specs.take(&spec.into()), ..Instance::default() }
    }

    #[test]
    fn equal_texts_are_kept_once_and_until_nobody_has_them() {
        let mut specs = Specs::default();
        let (one, other) = (instance(&mut specs, "{}"), instance(&mut specs, "{}"));
        assert!(Arc::ptr_eq(&one.spec, &other.spec));
        specs.release(&one.spec);
        assert_eq!(specs.0.len(), 1);
        specs.release(&other.spec);
        assert_eq!(specs.0.len(), 0);
    }

    #[test]
    fn a_text_is_compared_once_for_each_spec_of_the_hub() {
        let hub = |spec: &str| HubFacts { generation: 2.into(), spec: spec.into(), ..HubFacts::default() };
        let mut specs = Specs::default();
        let instance = instance(&mut specs, r#"{"a":1,"b":2}"#);
        assert_eq!(specs.seen(&hub(r#"{"a":1}"#), &instance), Some(2.into()));
        assert_eq!(
            specs.seen(&hub(r#"{"a":9}"#), &instance),
            Some(2.into()),
            "it was not told of another spec"
        );
        specs.forget_comparisons();
        assert_eq!(specs.seen(&hub(r#"{"a":9}"#), &instance), None);
    }
}
