//! Objects whose verdict changes by itself: one that is Progressing now may be Degraded later.

use std::collections::HashMap;

use crate::{health::Health, judge::Verdict};
use allready_core::Time;
use jiff::SignedDuration;
use serde_json::Value;

use super::record::Key;

/// A verdict that does not change within this time does not change by itself.
const AGES: SignedDuration = SignedDuration::from_hours(24 * 30);
/// The number of objects of one kind that are kept at most.
const MAX_KEPT: usize = 2000;

/// Judges an object at a time.
type Judge = Box<dyn Fn(&Value, Time) -> Verdict + Send + Sync>;

/// The objects of one kind that have to be judged again as time passes.
pub struct Aging {
    judge: Judge,
    kept: HashMap<Key, (Health, Value)>,
}

impl Aging {
    /// Nothing is kept yet.
    pub fn new(judge: impl Fn(&Value, Time) -> Verdict + Send + Sync + 'static) -> Self {
        Self { judge: Box::new(judge), kept: HashMap::new() }
    }

    /// Judges an object, and keeps it if time alone can change the verdict.
    pub fn judge(&mut self, key: &Key, object: &Value, now: Time) -> Verdict {
        let verdict = (self.judge)(object, now);
        let later = (self.judge)(object, now.saturating_add(AGES));
        self.kept.remove(key);
        if later.health != verdict.health && self.kept.len() < MAX_KEPT {
            self.kept.insert(key.clone(), (verdict.health, object.clone()));
        }
        verdict
    }

    /// Returns true if all of an object is kept.
    pub fn keeps(&self, key: &Key) -> bool {
        self.kept.contains_key(key)
    }

    /// An object is gone.
    pub fn forget(&mut self, key: &Key) {
        self.kept.remove(key);
    }

    /// All of them are listed again.
    pub fn clear(&mut self) {
        self.kept.clear();
    }

    /// Those that have come to another health since they were judged last.
    pub fn changed(&mut self, now: Time) -> Vec<(Key, Value, Verdict)> {
        let mut changed = Vec::new();
        for (key, (health, object)) in &mut self.kept {
            let verdict = (self.judge)(object, now);
            if verdict.health != *health {
                *health = verdict.health;
                changed.push((key.clone(), object.clone(), verdict));
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::Rule;
    use serde_json::json;

    use super::*;

    fn at(second: i64) -> Time {
        Time::from_second(second).unwrap()
    }

    /// An object is given so many seconds before it is taken for broken.
    fn after_grace(object: &Value, now: Time) -> Verdict {
        let health = match object["grace"].as_i64() {
            None => Health::Healthy,
            Some(grace) if now < at(grace) => Health::Progressing,
            Some(_) => Health::Degraded,
        };
        let (field, reason, message) = (String::new(), String::new(), String::new());
        Verdict {
            health,
            rule: Rule::ConditionGood,
            field,
            reason,
            message,
            since: None,
            writer: None,
            lag: None,
        }
    }

    #[test]
    fn what_does_not_get_well_in_time_is_judged_again() {
        let mut aging = Aging::new(after_grace);
        let key = |name: &str| Key::new(0, "shop", name);
        let slow = json!({ "grace": 100, "metadata": { "uid": "1" } });
        assert_eq!(aging.judge(&key("slow"), &slow, at(0)).health, Health::Progressing);
        assert_eq!(aging.judge(&key("well"), &json!({}), at(0)).health, Health::Healthy);
        assert_eq!(aging.judge(&key("late"), &json!({ "grace": -1 }), at(0)).health, Health::Degraded);
        assert_eq!(aging.kept.len(), 1, "only what time can change");
        assert!(aging.changed(at(99)).is_empty());
        let changed = aging.changed(at(100));
        assert_eq!(changed.len(), 1);
        assert_eq!((&changed[0].0, &changed[0].1), (&key("slow"), &slow));
        assert_eq!(changed[0].2.health, Health::Degraded);
        assert!(aging.changed(at(101)).is_empty(), "once is enough");
    }

    #[test]
    fn what_got_well_or_is_gone_is_not_kept() {
        let mut aging = Aging::new(after_grace);
        let key = Key::new(0, "shop", "a");
        aging.judge(&key, &json!({ "grace": 100 }), at(0));
        aging.judge(&key, &json!({}), at(1));
        assert_eq!(aging.kept.len(), 0);
        aging.judge(&key, &json!({ "grace": 100 }), at(2));
        aging.forget(&key);
        assert!(aging.changed(at(200)).is_empty());
    }

    #[test]
    fn a_kind_of_which_everything_is_under_way_takes_bounded_memory() {
        let mut aging = Aging::new(after_grace);
        for number in 0..MAX_KEPT + 10 {
            aging.judge(&Key::new(0, "shop", &number.to_string()), &json!({ "grace": 100 }), at(0));
        }
        assert_eq!(aging.kept.len(), MAX_KEPT);
    }
}
