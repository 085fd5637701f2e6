//! The story: a resource graph is created, accepted, changed, broken and mended.

use allready_core::{
    Condition, ConditionSet, Reason, Status, Time, condition, condition_type, reason,
    rollup::{Context, Input, Policy},
    set::{At, Declared, Finished, Pass},
};

use super::{fleet, scene::Scene};

/// Scene after scene, each ready to print.
pub(super) fn tell() -> Vec<String> {
    let mut object = Object::new();
    vec![
        opening(&object.set),
        object.created(),
        object.progressing(),
        object.ready(),
        object.unchanged(),
        object.outdated(),
        object.broken(),
        object.mended(),
        policies(&object),
        fleet::tell(time(0)),
    ]
}

/// The object whose status the story is about, and the clock of the story.
struct Object {
    set: ConditionSet,
    conditions: Vec<Condition>,
    generation: u32,
    created: Time,
    now: Time,
}

const DAWN: i64 = 1_772_359_200; // 2026-03-01T10:00:00Z

fn time(seconds_after_dawn: i64) -> Time {
    Time::from_second(DAWN + seconds_after_dawn).unwrap_or(Time::EPOCH)
}

fn the_set() -> ConditionSet {
    let declared = |type_, meaning: &'static str| Declared::new(type_).described(meaning);
    ConditionSet::living()
        .dependent(declared(
            condition_type!("GraphAccepted"),
            "The graph has no cycle and its references resolve.",
        ))
        .dependent(declared(condition_type!("KindReady"), "The kind is served by the API server."))
        .dependent(declared(condition_type!("ResourcesReady"), "Every resource of the graph is ready."))
        .dependent(declared(condition_type!("Degraded"), "A replica is lost.").abnormal_true())
        .informational(declared(condition_type!("Cached"), "The graph is in the cache."))
        .good_reason(reason!("AllReady"))
        .build()
        .unwrap_or_else(|error| unreachable!("the story's own set is legal: {error}"))
}

fn opening(set: &ConditionSet) -> String {
    Scene::new("allready: is everything all ready? If not: what, since when, who says so, and why?")
        .says(&format!("\nA controller author describes a resource's conditions once:\n\n  {set}\n"))
        .says("Ready is computed from the others and cannot be set by hand. `!` is bad when True; `( )` only informs.")
        .done()
}

impl Object {
    fn new() -> Self {
        Self { set: the_set(), conditions: Vec::new(), generation: 1, created: time(0), now: time(0) }
    }

    /// One reconcile pass, some seconds later.
    fn pass(&mut self, seconds: i64, finish: Finish, marks: impl FnOnce(&mut Pass<'_>)) -> Finished {
        self.now = Time::from_second(self.now.as_second() + seconds).unwrap_or(self.now);
        let at = At::new(self.generation, self.now).created(self.created);
        let mut pass = self.set.pass(&mut self.conditions, at);
        marks(&mut pass);
        match finish {
            Finish::Done => pass.finish(),
            Finish::Early => pass.abandon(),
        }
    }

    fn scene(&self, title: &str, says: &str, finished: &Finished) -> String {
        Scene::new(title)
            .says(says)
            .shows(&self.set, &self.conditions, self.now)
            .records(&self.set, finished)
            .done()
    }

    fn created(&mut self) -> String {
        let finished = self.pass(2, Finish::Early, |_| ());
        self.scene(
            "1. A new object is never ambiguous",
            "The first pass ends before it has found anything out. Every declared condition is there, and Unknown.",
            &finished,
        )
    }

    fn progressing(&mut self) -> String {
        let finished = self.pass(3, Finish::Done, |pass| {
            mark(pass, "GraphAccepted", Status::True, reason!("Accepted"), "12 resources in the graph");
            mark(pass, "KindReady", Status::True, reason!("Established"), "MyCustomKind is served");
            mark(pass, "ResourcesReady", Status::Unknown, reason!("Applying"), "5 of 12 resources are ready");
            mark(pass, "Degraded", Status::False, reason!("Healthy"), "");
            mark(pass, "Cached", Status::True, reason!("Warm"), "");
        });
        self.scene(
            "2. On its way",
            "Unknown means that work is going on; Ready takes over the cause of the worst condition.",
            &finished,
        )
    }

    fn ready(&mut self) -> String {
        let finished = self.pass(40, Finish::Done, all_ready);
        self.scene(
            "3. All ready",
            "The times of Ready and ResourcesReady move, because their status does.",
            &finished,
        )
    }

    fn unchanged(&mut self) -> String {
        let finished = self.pass(30, Finish::Done, all_ready);
        Scene::new("4. The same again").records(&self.set, &finished).done()
    }

    fn outdated(&mut self) -> String {
        self.generation = 2;
        let finished = self.pass(10, Finish::Early, |pass| {
            mark(pass, "GraphAccepted", Status::True, reason!("Accepted"), "13 resources in the graph");
        });
        self.scene(
            "5. The spec changes, and the pass ends early",
            "Three conditions are still about generation 1. Nothing is lost, and Ready does not claim what nobody checked.",
            &finished,
        )
    }

    fn broken(&mut self) -> String {
        let finished = self.pass(10, Finish::Done, |pass| {
            all_ready(pass);
            mark(
                pass,
                "ResourcesReady",
                Status::False,
                reason!("ApplyFailed"),
                "Secret default/db-password is missing",
            );
            mark(pass, "Degraded", Status::True, reason!("ReplicaLost"), "1 of 3 replicas is gone");
        });
        self.scene(
            "6. It breaks",
            "Two problems at once; the informational condition would not count.",
            &finished,
        )
    }

    fn mended(&mut self) -> String {
        let finished = self.pass(90, Finish::Done, all_ready);
        self.scene("7. It is mended", "Warnings tell of what became bad; recovery is Normal.", &finished)
    }
}

/// Whether a pass comes to its end.
#[derive(Clone, Copy)]
enum Finish {
    Done,
    Early,
}

fn all_ready(pass: &mut Pass<'_>) {
    mark(pass, "GraphAccepted", Status::True, reason!("Accepted"), "13 resources in the graph");
    mark(pass, "KindReady", Status::True, reason!("Established"), "MyCustomKind is served");
    mark(pass, "ResourcesReady", Status::True, reason!("AllReady"), "13 of 13 resources are ready");
    mark(pass, "Degraded", Status::False, reason!("Healthy"), "");
    mark(pass, "Cached", Status::True, reason!("Warm"), "");
}

fn mark(pass: &mut Pass<'_>, type_: &str, status: Status, reason: Reason, message: &str) {
    if let Err(error) = pass.mark(type_, status, reason, message) {
        unreachable!("the story marks only what it declared: {error}");
    }
}

/// The same broken object as every policy tells it.
fn policies(object: &Object) -> String {
    let mut broken = Object { conditions: object.conditions.clone(), ..Object::new() };
    broken.generation = object.generation;
    broken.now = object.now;
    let _ = broken.broken();
    let mut scene = Scene::new("8. One engine, many voices")
        .says("What Ready would read like in scene 6 under each form of roll-up:\n");
    for name in Policy::NAMES {
        // Peers' names give the same forms with other views of what is stale or missing.
        let Some(policy) = name.parse::<Policy>().ok().filter(|policy| policy.name() == *name) else {
            continue;
        };
        let context = Context::new("Ready", broken.now).at_generation(broken.generation.into());
        let inputs = broken.set.dependents().filter_map(|declared| {
            let condition = condition::find(&broken.conditions, declared.type_.as_str())?;
            Some(Input::from(condition).with_polarity(declared.polarity))
        });
        if let Some(rollup) = policy.roll_up(inputs, &context) {
            let message = rollup.message.replace('\n', "\n                         ");
            scene = scene.says(&format!(
                "  {name:<15} {:<7} {}\n                         {message}",
                rollup.status, rollup.reason
            ));
        }
    }
    scene.done()
}
