use jiff::SignedDuration;

use super::*;

/// Versions of one object: seconds after the start, and the fields of its conditions.
struct Story {
    history: History,
    version: u32,
    told: Vec<String>,
}

impl Story {
    fn new() -> Self {
        Self { history: History::default(), version: 0, told: Vec::new() }
    }

    fn then(mut self, seconds: i64, conditions: &[Value]) -> Self {
        let object = widget(conditions);
        self.feed(seconds, object);
        self
    }

    fn feed(&mut self, seconds: i64, mut object: Value) {
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        let at = now().saturating_add(SignedDuration::from_secs(seconds));
        let findings = self.history.feed(&object, &Context::at(at));
        self.told.extend(findings.iter().map(|finding| format!("{} {}", finding.rule.id, finding.place)));
    }
}

/// A condition with a status since so many seconds after the start.
fn since(type_: &str, status: &str, seconds: i64) -> Value {
    let at = now().saturating_add(SignedDuration::from_secs(seconds));
    condition(&json!({ "type": type_, "status": status, "lastTransitionTime": at.to_string() }))
}

const NOTHING: [&str; 0] = [];

#[test]
fn w01_a_time_that_moves_alone_is_told_once_and_counted() {
    let story = Story::new()
        .then(0, &[since("Ready", "True", 0)])
        .then(5, &[since("Ready", "True", 5)])
        .then(10, &[since("Ready", "True", 10)]);
    assert_eq!(story.told, ["W01 status.conditions[Ready].lastTransitionTime"]);
    assert_eq!(story.history.breaches()["W01"], 2);
    let moved = Story::new().then(0, &[since("Ready", "True", 0)]).then(5, &[since("Ready", "False", 5)]);
    assert_eq!(moved.told, NOTHING);
    let default = condition(
        &json!({ "status": "Unknown", "reason": "Pending", "lastTransitionTime": "1970-01-01T00:00:00Z" }),
    );
    let taken = Story::new().then(0, &[default]).then(5, &[since("Ready", "Unknown", 5)]);
    assert_eq!(taken.told, NOTHING, "somebody took over the default");
}

#[test]
fn w02_a_status_that_changes_without_its_time_is_told() {
    let story = Story::new().then(60, &[since("Ready", "True", 0)]).then(65, &[since("Ready", "False", 0)]);
    assert_eq!(story.told, ["W02 status.conditions[Ready].lastTransitionTime"]);
    let quick = Story::new().then(0, &[since("Ready", "True", 0)]).then(0, &[since("Ready", "False", 0)]);
    assert_eq!(quick.told, NOTHING, "both may have happened in that second");
}

#[test]
fn w03_flapping_is_told_when_it_is_too_much_within_the_window() {
    let flap = |every: i64| {
        (0..8).fold(Story::new(), |story, at| {
            let status = if at % 2 == 0 { "True" } else { "False" };
            story.then(at * every, &[since("Ready", status, at * every)])
        })
    };
    assert_eq!(flap(10).told, ["W03 status.conditions[Ready].status"]);
    assert_eq!(flap(300).told, NOTHING, "only three fall into ten minutes");
}

#[test]
fn w04_writes_that_say_nothing_new_are_told() {
    let write = |every: i64, reasons: bool| {
        (0..13).fold(Story::new(), |story, at| {
            let reason = if reasons { format!("Step{at}") } else { "Step".to_owned() };
            let fields = json!({ "message": format!("attempt {at}"), "reason": reason });
            story.then(at * every, &[condition(&fields)])
        })
    };
    assert_eq!(write(5, false).told, ["W04 status"]);
    assert_eq!(write(120, false).told, NOTHING, "that is slow enough");
    assert_eq!(write(5, true).told, NOTHING, "another reason is news");
}

#[test]
fn w05_a_condition_that_vanishes_is_told_unless_that_is_its_way() {
    let both = [since("Ready", "True", 0), since("Synced", "True", 0)];
    let story = Story::new().then(0, &both).then(5, &both[..1]);
    assert_eq!(story.told, ["W05 status.conditions[Synced]"]);
    let emptied = Story::new().then(0, &both).then(5, &[]);
    assert_eq!(emptied.told, ["W05 status.conditions[Ready]", "W05 status.conditions[Synced]"]);

    for type_ in ["Degraded", "Reconciling", "Stalled"] {
        let with = [since("Ready", "True", 0), since(type_, "True", 0)];
        assert_eq!(Story::new().then(0, &with).then(5, &with[..1]).told, NOTHING, "{type_}");
    }
    let mut changed = Story::new().then(0, &both);
    let mut object = widget(&both[..1]);
    object["metadata"]["generation"] = json!(3);
    changed.feed(5, object);
    assert_eq!(changed.told, NOTHING, "the object is another");
}

#[test]
fn w06_what_has_ended_stays_ended() {
    let story =
        Story::new().then(0, &[since("Succeeded", "True", 0)]).then(60, &[since("Succeeded", "False", 60)]);
    assert_eq!(story.told, ["W06 status.conditions[Succeeded].status"]);
    let living = Story::new().then(0, &[since("Ready", "True", 0)]).then(60, &[since("Ready", "False", 60)]);
    assert_eq!(living.told, NOTHING);
    let mut again = Story::new().then(0, &[since("Succeeded", "True", 0)]);
    let mut object = widget(&[since("Succeeded", "Unknown", 60)]);
    object["metadata"]["generation"] = json!(3);
    again.feed(60, object);
    assert_eq!(again.told, NOTHING, "a new generation begins anew");
}

#[test]
fn o08_a_generation_that_was_watched_waiting_is_told_once() {
    let at = |seconds: i64| Context::at(now().saturating_add(SignedDuration::from_secs(seconds)));
    let told = |story: &mut Story, seconds: i64| of_rule(&story.history.overdue(&at(seconds)), "O08");
    let (current, behind) = (condition(&json!({})), condition(&json!({ "observedGeneration": 1 })));
    let mut story =
        Story::new().then(0, std::slice::from_ref(&current)).then(10, std::slice::from_ref(&behind));
    assert_eq!(told(&mut story, 200), NOTHING, "it has five minutes");
    assert_eq!(told(&mut story, 400), ["warning status"]);
    assert_eq!(told(&mut story, 500), NOTHING, "it was told");
    let mut story = story.then(600, &[current]).then(610, std::slice::from_ref(&behind));
    assert_eq!(told(&mut story, 1_000), ["warning status"], "it has caught up in between");
    let mut old = Story::new().then(0, &[behind]);
    assert_eq!(told(&mut old, 1_000), NOTHING, "since when was not seen, and the object alone tells it");
}

#[test]
fn another_object_of_the_same_name_begins_anew() {
    let with_uid = |uid: &str, seconds: i64| {
        let mut object = widget(&[since("Ready", "True", seconds)]);
        object["metadata"]["uid"] = json!(uid);
        object
    };
    let mut story = Story::new();
    story.feed(0, with_uid("a", 0));
    story.feed(10, with_uid("b", 10));
    assert_eq!(story.told, NOTHING);
    assert_eq!(story.history.len(), 1);
    story.history.forget(&with_uid("b", 10));
    assert!(story.history.is_empty());
}
