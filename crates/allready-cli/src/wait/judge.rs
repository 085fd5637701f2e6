//! Whether an object is as wished, at one instant.

use allready_core::{Time, found};
use allready_inspect::{
    health::Health,
    judge::{self, judge as judge_health},
    registry::Registry,
    view::View,
};
use allready_kube::wait::{Expectation, Pending, Verdict, has_condition};
use serde_json::Value;

use super::{field::Seen, wish::Wish};

/// Types of conditions that are told to who waits for one that is not there.
const MAX_TYPES: usize = 20;

/// What is wished, and what ends waiting for it.
#[derive(Debug)]
pub(super) struct Rules {
    /// What is wished; at least one.
    pub(super) wishes: Vec<Wish>,
    /// Whether one of them is enough.
    pub(super) any: bool,
    /// Whether a terminal state ends it.
    pub(super) fail_fast: bool,
    /// What is known of kinds.
    pub(super) registry: Registry,
}

/// What one wish comes to.
#[derive(Clone, Debug)]
enum Said {
    Conditions(Verdict),
    Health(Box<judge::Verdict>),
    Words(String),
}

/// What all of them come to.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    /// Whether the object is as wished.
    pub(super) is_met: bool,
    /// Why it will not be, if nothing changes.
    terminal: Option<Said>,
    any: bool,
    parts: Vec<(bool, Said)>,
    /// The types of conditions that the object has, where one is waited for that it has not.
    types: Option<Vec<String>>,
}

impl Rules {
    pub(super) fn wishes(&self, wish: &Wish) -> bool {
        self.wishes.contains(wish)
    }

    /// An object that is there.
    pub(super) fn judge(&self, object: &Value, now: Time) -> Judged {
        let verdict = judge_health(object, &self.registry, now);
        let mut unfit = None;
        let parts: Vec<(bool, Said)> = self
            .wishes
            .iter()
            .map(|wish| match wish {
                Wish::Healthy => (
                    matches!(verdict.health, Health::Healthy | Health::Suspended),
                    Said::Health(Box::new(verdict.clone())),
                ),
                Wish::Create => (true, Said::Words("it is there".to_owned())),
                Wish::Delete => (false, Said::Words(still_there(object))),
                Wish::Condition(condition) => {
                    let said = Expectation::from((**condition).clone()).judge(object);
                    (said.is_met(), Said::Conditions(said))
                }
                Wish::Field(field) => match field.judge(object) {
                    Seen::Met(words) => (true, Said::Words(words)),
                    Seen::Waiting(words) => (false, Said::Words(words)),
                    Seen::Unfit(words) => {
                        unfit = Some(Said::Words(words.clone()));
                        (false, Said::Words(words))
                    }
                },
            })
            .collect();
        let mut judged = self.together(parts);
        if !judged.is_met && judged.parts.iter().any(|(_, said)| said.is_absent()) {
            let lists = View::new(object);
            let lists = lists.lists().iter().filter(|list| list.is_top);
            let read = lists.map(|list| found::read(list.value));
            let types = read
                .flat_map(|list| list.conditions().iter().map(|it| it.type_.to_string()).collect::<Vec<_>>());
            judged.types = Some(types.take(MAX_TYPES).collect());
        }
        let can_fail = !self.wishes(&Wish::Delete);
        if !judged.is_met && self.fail_fast && can_fail {
            // Another wish may still come true where any will do.
            judged.terminal = unfit.filter(|_| !self.any).or_else(|| terminal(object, &verdict));
        }
        judged
    }

    /// An object that is not there.
    pub(super) fn judge_absent(&self) -> Judged {
        let words = |text: &str| Said::Words(text.to_owned());
        let parts = self.wishes.iter().map(|wish| match wish {
            Wish::Delete => (true, words("it is gone")),
            _ => (false, words("it is not there")),
        });
        let mut parts: Vec<_> = parts.collect();
        if !parts.iter().any(|(is_met, _)| *is_met) {
            parts.truncate(1);
        }
        self.together(parts)
    }

    /// An object that cannot be judged yet.
    pub(super) fn not_yet(&self, why: String) -> Judged {
        let parts = vec![(false, Said::Words(why))];
        Judged { is_met: false, terminal: None, any: self.any, parts, types: None }
    }

    fn together(&self, parts: Vec<(bool, Said)>) -> Judged {
        let mut met = parts.iter().map(|(is_met, _)| *is_met);
        let is_met = if self.any { met.any(|met| met) } else { met.all(|met| met) && !parts.is_empty() };
        Judged { is_met, terminal: None, any: self.any, parts, types: None }
    }
}

impl Judged {
    /// The verdict on the health of the object, where that is waited for.
    #[cfg(test)]
    pub(super) fn verdict(&self) -> Option<&judge::Verdict> {
        self.parts.iter().find_map(|(_, said)| match said {
            Said::Health(verdict) => Some(&**verdict),
            _ => None,
        })
    }

    /// Whether health is all that is waited for.
    pub(super) fn is_about_health(&self) -> bool {
        self.parts.iter().all(|(_, said)| matches!(said, Said::Health(_)))
    }

    /// Whether it will not be as wished, if nothing changes.
    pub(super) fn is_terminal(&self) -> bool {
        self.terminal.is_some()
    }

    /// Why it will not be, if nothing changes.
    pub(super) fn describe_terminal(&self, now: Time) -> Option<String> {
        self.terminal.as_ref().map(|said| said.describe(now))
    }

    /// What says that it is as wished, or what is missing. With how long it has been so, unless the time is the epoch.
    pub(super) fn describe(&self, now: Time) -> String {
        let telling = self.parts.iter().filter(|(is_met, _)| *is_met == self.is_met);
        let told: Vec<String> = telling.map(|(_, said)| said.describe(now)).collect();
        let told = told.join(if self.any && !self.is_met { " or " } else { "; " });
        match self.types.as_deref() {
            None => told,
            Some([]) => format!("{told}; the object has no conditions"),
            Some(types) => format!("{told}; the object has: {}", types.join(", ")),
        }
    }
}

impl Said {
    /// Returns true if a condition is waited for that the object does not have.
    fn is_absent(&self) -> bool {
        fn lacks(pending: &Pending) -> bool {
            match pending {
                Pending::Condition(unmet) => unmet.found.is_none(),
                Pending::All(parts) | Pending::Any(parts) => parts.iter().any(lacks),
                _ => false,
            }
        }
        matches!(self, Self::Conditions(Verdict::Waiting(pending)) if lacks(pending))
    }

    fn describe(&self, now: Time) -> String {
        match self {
            Self::Words(words) => words.clone(),
            Self::Health(verdict) => health(verdict, now),
            Self::Conditions(Verdict::Waiting(pending)) => pending.describe(now),
            Self::Conditions(Verdict::Met(seen) | Verdict::Failed(seen)) => {
                seen.iter().map(|seen| seen.describe(now)).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// A verdict in words.
fn health(verdict: &judge::Verdict, now: Time) -> String {
    let mut text = verdict.health.to_string();
    if verdict.health == Health::Suspended {
        text.push_str(" on purpose");
    }
    let message = allready_core::condition::cut(verdict.message.trim(), 300);
    match (verdict.reason.as_str(), &*message) {
        ("", "") => {}
        ("", said) | (said, "") => text = format!("{text} ({said})"),
        (reason, message) => text = format!("{text} ({reason}: {message})"),
    }
    if !verdict.field.is_empty() {
        text = format!("{text} by {}", verdict.field);
    }
    match verdict.since.filter(|since| *since <= now) {
        Some(since) => format!("{text} for {:#}", now.since(since)),
        None => text,
    }
}

/// Why an object will not come to what is wished by itself: a condition that says so, or else the verdict on it.
fn terminal(object: &Value, verdict: &judge::Verdict) -> Option<Said> {
    let is_job =
        object["kind"] == "Job" && object["apiVersion"].as_str().is_some_and(|it| it.starts_with("batch/"));
    let ends = [Some("Stalled"), is_job.then_some("Failed")].into_iter().flatten();
    let told = ends.map(|type_| has_condition(type_).judge(object)).find(Verdict::is_met);
    // What is missing now and may come back is for those to end who have looked behind it.
    let may_pass = matches!(verdict.rule, judge::Rule::Outage | judge::Rule::Stalled)
        || (object["kind"] == "Pod" && object["apiVersion"] == "v1" && object["status"]["phase"] != "Failed");
    let is_degraded = verdict.health == Health::Degraded && !may_pass;
    told.map(Said::Conditions).or_else(|| is_degraded.then(|| Said::Health(Box::new(verdict.clone()))))
}

fn still_there(object: &Value) -> String {
    let metadata = &object["metadata"];
    if metadata["deletionTimestamp"].is_null() {
        return "it exists, and is not being deleted".to_owned();
    }
    let finalizers: Vec<&str> =
        metadata["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if finalizers.is_empty() {
        return "it is being deleted".to_owned();
    }
    format!("it is being deleted, and kept by its finalizers: {}", finalizers.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    pub(crate) fn rules(wishes: &[&str], any: bool) -> Rules {
        let wishes = wishes.iter().map(|wish| wish.parse().unwrap()).collect();
        Rules { wishes, any, fail_fast: true, registry: Registry::builtin().clone() }
    }

    fn object(conditions: &[(&str, &str)]) -> Value {
        let conditions: Vec<Value> = conditions
            .iter()
            .map(|(type_, status)| json!({ "type": type_, "status": status, "reason": "Told", "message": "so" }))
            .collect();
        json!({ "apiVersion": "example.com/v1", "kind": "Widget", "status": { "conditions": conditions } })
    }

    #[test]
    fn early_conditions_of_the_gateway_api_are_waited_for_by_their_polarity() {
        use allready_core::Standing;
        use allready_inspect::registry::gateway::{GROUPS, OLD};

        let healthy = rules(&["Healthy"], false);
        for old in OLD {
            for (standing, expected) in [(Standing::Good, true), (Standing::Bad, false)] {
                let status = old.polarity.status(standing);
                let mut gateway = object(&[("Ready", "True"), (old.type_, status.as_str())]);
                gateway["apiVersion"] = json!(format!("{}/v1", GROUPS[0]));
                gateway["kind"] = json!("Gateway");
                let judged = healthy.judge(&gateway, Time::EPOCH);
                assert_eq!(judged.is_met, expected, "{}={status}", old.type_);
            }
        }
    }

    #[test]
    fn several_wishes_are_all_wished_unless_any_will_do() {
        let half = object(&[("Ready", "True"), ("Synced", "Unknown")]);
        let all = rules(&["Ready", "Synced"], false).judge(&half, Time::EPOCH);
        assert_eq!(
            (all.is_met, all.describe(Time::EPOCH).as_str()),
            (false, "Synced is Unknown (Told: so), not True")
        );
        let any = rules(&["Ready", "Synced"], true).judge(&half, Time::EPOCH);
        assert_eq!((any.is_met, any.describe(Time::EPOCH).as_str()), (true, "Ready is True (Told: so)"));
        let none = rules(&["A", "B"], true).judge(&half, Time::EPOCH);
        assert_eq!(
            none.describe(Time::EPOCH),
            "A is not reported or B is not reported; the object has: Ready, Synced"
        );
    }

    #[test]
    fn a_terminal_state_is_told_only_while_the_wish_is_not_met() {
        let stalled = object(&[("Ready", "Unknown"), ("Stalled", "True")]);
        let judged = rules(&["Ready"], false).judge(&stalled, Time::EPOCH);
        assert!(judged.is_terminal(), "{judged:?}");
        assert!(!rules(&["Stalled"], false).judge(&stalled, Time::EPOCH).is_terminal());
        assert!(!rules(&["delete"], false).judge(&stalled, Time::EPOCH).is_terminal());
        let patient = Rules { fail_fast: false, ..rules(&["Ready"], false) };
        assert!(!patient.judge(&stalled, Time::EPOCH).is_terminal());
    }

    #[test]
    fn a_failed_job_is_terminal_and_a_failed_condition_elsewhere_need_not_be() {
        let mut job = object(&[("Failed", "True")]);
        job["kind"] = json!("Job");
        job["apiVersion"] = json!("batch/v1");
        assert!(rules(&["Complete"], false).judge(&job, Time::EPOCH).is_terminal());
    }

    #[test]
    fn a_field_is_wished_beside_conditions_and_a_path_that_does_not_fit_is_terminal() {
        let mut ready = object(&[("Ready", "True")]);
        ready["status"]["phase"] = json!("Starting");
        let both = rules(&["Ready", "jsonpath={.status.phase}=Running"], false).judge(&ready, Time::EPOCH);
        assert_eq!(
            (both.is_met, both.is_terminal(), both.describe(Time::EPOCH).as_str()),
            (false, false, "{.status.phase} is Starting, not Running")
        );
        let either = ["condition=Ready", "jsonpath={.status}=Running"];
        assert!(rules(&either, true).judge(&ready, Time::EPOCH).is_met);
        let both = rules(&either, false).judge(&ready, Time::EPOCH);
        assert!(both.is_terminal() && !both.is_met, "{both:?}");
        assert!(
            !rules(&["Late", "jsonpath={.status}=Running"], true).judge(&ready, Time::EPOCH).is_terminal()
        );
    }

    #[test]
    fn what_is_gone_is_as_wished_only_for_who_wished_that() {
        assert!(rules(&["delete"], false).judge_absent().is_met);
        assert!(rules(&["Ready", "delete"], true).judge_absent().is_met);
        let absent = rules(&["create", "Ready"], false).judge_absent();
        assert_eq!((absent.is_met, absent.describe(Time::EPOCH).as_str()), (false, "it is not there"));
    }

    #[test]
    fn what_keeps_a_deleted_object_is_said() {
        let rules = rules(&["delete"], false);
        let kept =
            json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a.dev/b"] } });
        assert_eq!(
            rules.judge(&kept, Time::EPOCH).describe(Time::EPOCH),
            "it is being deleted, and kept by its finalizers: a.dev/b"
        );
    }
}
