//! The story: a resource graph is created, accepted, changed, broken and mended.

use allready::{
    Condition, ConditionSet, Time, condition, reason,
    rollup::{Context, Input, Policy},
    set::{At, Finished, TypedSet},
};

use super::{fleet, scene::Scene};

/// The conditions of a resource graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ConditionSet)]
#[conditions(good_reason = "AllReady")]
enum GraphConditions {
    /// The graph has no cycle, and its references resolve.
    #[mark(graph_valid: True, reason = "Accepted")]
    GraphAccepted,
    /// The kind is served by the API server.
    #[mark(kind_served: True, reason = "Established")]
    KindReady,
    /// Every resource of the graph is ready.
    #[mark(resources_applying: Unknown, reason = "Applying")]
    #[mark(resource_failed: False, reason = "ApplyFailed")]
    ResourcesReady,
    /// A replica is lost.
    #[condition(abnormal_true)]
    #[mark(replica_lost: True, reason = "ReplicaLost")]
    Degraded,
    /// The graph is in the cache.
    #[condition(informational)]
    Cached,
}

/// Scene after scene, each ready to print.
pub(super) fn tell() -> Vec<String> {
    let mut object = Object { conditions: Vec::new(), generation: 1, created: dawn(), now: dawn() };
    vec![
        opening(),
        object.is_created(),
        object.progresses(),
        object.is_ready(),
        object.stays(),
        object.changes(),
        object.breaks(),
        policies(&object),
        object.is_mended(),
        fleet::tell(object.now),
    ]
}

/// 2026-03-01T10:00:00Z, when the story begins.
fn dawn() -> Time {
    Time::from_second(1_772_359_200).unwrap_or(Time::EPOCH)
}

fn opening() -> String {
    let set = GraphConditions::set();
    Scene::new("allready: is everything all ready? If not: what, since when, who says so, and why?")
        .says(&format!("\nA controller author describes a resource's conditions once:\n\n  {set}\n"))
        .says("Ready is computed from the others and cannot be set by hand. `!` is bad when True; `( )` only informs.")
        .done()
}

/// The object whose status the story is about, and the clock of the story.
struct Object {
    conditions: Vec<Condition>,
    generation: u32,
    created: Time,
    now: Time,
}

impl Object {
    /// A reconcile pass, some seconds later.
    fn pass(&mut self, seconds: i64) -> GraphConditionsPass<'_> {
        self.now = Time::from_second(self.now.as_second() + seconds).unwrap_or(self.now);
        let at = At::new(self.generation, self.now).created(self.created);
        GraphConditions::pass(&mut self.conditions, at)
    }

    fn scene(&self, title: &str, says: &str, finished: &Finished) -> String {
        let set = GraphConditions::set();
        Scene::new(title).says(says).shows(set, &self.conditions, self.now).records(set, finished).done()
    }

    fn is_created(&mut self) -> String {
        let finished = self.pass(2).abandon();
        self.scene(
            "1. A new object is never ambiguous",
            "The first pass ends before it has found anything out. Every declared condition is there, and Unknown.",
            &finished,
        )
    }

    fn progresses(&mut self) -> String {
        let mut pass = self.pass(3);
        mark_all_ready(&mut pass);
        pass.mark_resources_applying("5 of 13 resources are ready");
        let finished = pass.finish();
        self.scene(
            "2. On its way",
            "Unknown means that work is going on; Ready takes over the cause of the worst condition.",
            &finished,
        )
    }

    fn is_ready(&mut self) -> String {
        let mut pass = self.pass(40);
        mark_all_ready(&mut pass);
        let finished = pass.finish();
        let says = "The times of Ready and ResourcesReady move, because their status does.";
        self.scene("3. All ready", says, &finished)
    }

    fn stays(&mut self) -> String {
        let mut pass = self.pass(30);
        mark_all_ready(&mut pass);
        let finished = pass.finish();
        Scene::new("4. The same again").records(GraphConditions::set(), &finished).done()
    }

    fn changes(&mut self) -> String {
        self.generation = 2;
        let mut pass = self.pass(10);
        pass.mark_graph_valid("13 resources in the graph");
        let finished = pass.abandon();
        self.scene(
            "5. The spec changes, and the pass ends early",
            "Three that count are still about generation 1. Nothing is lost, and Ready does not claim what nobody checked.",
            &finished,
        )
    }

    fn breaks(&mut self) -> String {
        let mut pass = self.pass(10);
        mark_all_ready(&mut pass);
        pass.mark_resource_failed("Secret default/db-password is missing");
        pass.mark_replica_lost("1 of 3 replicas is gone");
        let finished = pass.finish();
        self.scene("6. It breaks", "Two problems at once; Cached would not count.", &finished)
    }

    fn is_mended(&mut self) -> String {
        let mut pass = self.pass(90);
        mark_all_ready(&mut pass);
        let finished = pass.finish();
        self.scene("8. It is mended", "Warnings tell of what became bad; recovery is Normal.", &finished)
    }
}

fn mark_all_ready(pass: &mut GraphConditionsPass<'_>) {
    pass.mark_graph_valid("13 resources in the graph");
    pass.mark_kind_served("MyCustomKind is served");
    pass.mark_resources_ready(reason!("AllReady"), "13 of 13 resources are ready");
    pass.mark_not_degraded(reason!("Healthy"), "");
    pass.mark_cached(reason!("Warm"), "");
}

/// The broken object as every form of roll-up tells it.
fn policies(broken: &Object) -> String {
    let mut scene = Scene::new("7. One engine, many voices")
        .says("What Ready reads like now under each form of roll-up:\n");
    for name in Policy::NAMES {
        // Peers' names give the same forms with other views of what is stale or missing.
        let Some(policy) = name.parse::<Policy>().ok().filter(|policy| policy.name() == *name) else {
            continue;
        };
        let context = Context::new("Ready", broken.now).at_generation(broken.generation.into());
        let inputs = GraphConditions::set().dependents().filter_map(|declared| {
            let condition = condition::find(&broken.conditions, declared.type_.as_str())?;
            Some(Input::from(condition).with_polarity(declared.polarity))
        });
        if let Some(rollup) = policy.roll_up(inputs, &context) {
            let message = rollup.message.replace('\n', "\n                         ");
            let head = format!("  {name:<15} {:<7} {}", rollup.status, rollup.reason);
            scene = scene.says(&format!("{head}\n                         {message}"));
        }
    }
    scene.done()
}
