//! Fields by derive under other names, and by path.

use allready_core::{reason, set::Untyped, transition::EventSeverity};
use allready_kube::{
    events::MemorySink,
    status::{Field, FieldMap, ReasonedError, Reconciled, StatusUpdater, UpdateError, Wrote},
};
use kube::{
    Api, Resource,
    api::{ApiResource, DynamicObject, PatchParams, PostParams},
};
use serde_json::{Value, json};

use super::{
    Cluster,
    kinds::{Nested, NestedSpec, Other, OtherSpec, Phase, Pool},
    quick, stored,
};

fn resource<K: Resource<DynamicType = ()>>() -> ApiResource {
    ApiResource::erase::<K>(&())
}

async fn create(cluster: &Cluster, resource: &ApiResource, spec: Value) -> DynamicObject {
    let object = DynamicObject::new("a", resource).data(json!({ "spec": spec }));
    let api: Api<DynamicObject> = Api::namespaced_with(cluster.client.clone(), "default", resource);
    api.create(&PostParams::default(), &object).await.unwrap()
}

type Updater = StatusUpdater<DynamicObject, Untyped, Value>;

async fn update(updater: &Updater, object: &DynamicObject) -> Reconciled {
    let work = updater.run(object, async |c| {
        c.mark_true("Synced", reason!("Ok"), "").unwrap();
        (c.reason, c.message) = (Some(reason!("Fine")), Some("all is well".into()));
        Ok(())
    });
    work.await
}

fn by_path(cluster: &Cluster, resource: ApiResource, fields: FieldMap) -> Updater {
    StatusUpdater::by_path(cluster.client.clone(), "pool-controller", resource, fields)
        .clock(cluster.clock())
        .retry(quick())
        .without_events()
        .phase_json(|_| Ok::<_, ReasonedError>("Succeeded".into()))
}

#[tokio::test]
async fn a_derived_status_is_written_under_its_own_names_and_in_its_own_structs() {
    let cluster = Cluster::new();
    let api = cluster.api::<Nested>();
    let object = api.create(&PostParams::default(), &Nested::new("a", NestedSpec {})).await.unwrap();
    let updater = StatusUpdater::<Nested>::new(cluster.client.clone(), "pool-controller")
        .clock(cluster.clock())
        .without_events()
        .phase(|_| Ok::<_, ReasonedError>(Phase::Succeeded));
    let work = updater.run(&object, async |c| {
        c.mark_true("Synced", reason!("Ok"), "").unwrap();
        (c.reason, c.message) = (Some(reason!("Fine")), Some("fine".into()));
        Ok(())
    });
    work.await.into_result().unwrap();

    let status = api.get("a").await.unwrap().status.unwrap();
    assert_eq!((status.seen, status.summary.overall_state), (Some(1), Some(Phase::Succeeded)));
    assert_eq!(status.summary.text.as_deref(), Some("fine"));
    assert_eq!((status.summary.message, status.summary.reason.as_deref()), (None, Some("Fine")));
    assert_eq!(status.checks[0].reason, "Ok");
}

#[tokio::test]
async fn an_object_without_a_type_is_written_by_path() {
    let cluster = Cluster::new();
    let object = create(&cluster, &resource::<Nested>(), json!({})).await;
    let fields = FieldMap::default()
        .named(Field::ObservedGeneration, "seen")
        .named(Field::Phase, "summary.state")
        .named(Field::Message, "text")
        .nested("summary", &[Field::Message, Field::Reason])
        .named(Field::Conditions, "checks")
        .without(&[Field::LastReconcileTime]);
    let updater = by_path(&cluster, resource::<Nested>(), fields);
    let done = update(&updater, &object).await;
    let written = done.stored.as_ref().unwrap();
    assert_eq!(
        stored(written),
        &json!({
            "seen": 1,
            "summary": { "state": "Succeeded", "text": "all is well", "reason": "Fine" },
            "checks": [{
                "type": "Synced", "status": "True", "reason": "Ok", "message": "", "observedGeneration": 1,
                "lastTransitionTime": "1970-01-01T00:16:40Z",
            }],
        })
    );
    assert_eq!(update(&updater, written).await.wrote.unwrap(), Wrote::Unchanged);
}

#[tokio::test]
async fn a_field_that_the_definition_does_not_have_is_an_error_that_names_it() {
    let cluster = Cluster::new();
    let object = create(&cluster, &resource::<Pool>(), json!({ "size": 1 })).await;
    let fields = FieldMap::default().named(Field::Phase, "phaze").named(Field::Reason, "sumary.reason");
    let updater = by_path(&cluster, resource::<Pool>(), fields);
    let done = update(&updater, &object).await;
    assert_eq!(stored(done.stored.as_ref().unwrap())["observedGeneration"], 1, "the rest is written");
    assert_eq!(
        done.wrote.unwrap_err().to_string(),
        "the API server dropped status.phaze, status.sumary.reason from the status of Pool default/a: its definition has \
         no such field; add it there, or map it to another name"
    );
}

#[tokio::test]
async fn a_field_of_another_type_is_an_error_that_names_it() {
    let cluster = Cluster::new();
    let object =
        cluster.api::<Other>().create(&PostParams::default(), &Other::new("a", OtherSpec {})).await.unwrap();
    let name = object.metadata.name.unwrap();
    let patch =
        json!({ "status": { "phase": { "name": "x" }, "summary": "text", "observedGeneration": "seven" } });
    let api: Api<DynamicObject> =
        Api::namespaced_with(cluster.client.clone(), "default", &resource::<Other>());
    let patch = kube::api::Patch::Merge(patch);
    let object = api.patch_status(&name, &PatchParams::default(), &patch).await.unwrap();
    let only = |field: Field, path: &str| {
        let off: Vec<Field> = Field::ALL.into_iter().filter(|other| *other != field).collect();
        FieldMap::default().without(&off).named(field, path)
    };
    for (fields, expected) in [
        (only(Field::Phase, "phase"), "status.phase is an object and should be a text"),
        (only(Field::Phase, "summary.phase"), "status.summary is the text \"text\" and should be an object"),
        (
            only(Field::ObservedGeneration, "observedGeneration"),
            "status.observedGeneration is the text \"seven\" and should be a whole number",
        ),
        (only(Field::Conditions, "phase"), "status.phase is an object and should be a list of conditions"),
        (only(Field::Message, "phase"), "status.phase is an object and should be a text"),
    ] {
        let updater = by_path(&cluster, resource::<Other>(), fields);
        let (done, requests) = cluster.counted(update(&updater, &object)).await;
        let error = done.wrote.unwrap_err();
        assert!(matches!(error, UpdateError::Field { .. }));
        let remedy = "map the field to its right place, or switch it off";
        assert_eq!(
            error.to_string(),
            format!("the status of Other default/a cannot be updated: {expected}: {remedy}")
        );
        assert_eq!(requests, 0);
    }
}

#[tokio::test]
async fn what_the_schema_does_not_take_is_refused_in_the_servers_words() {
    let cluster = Cluster::new();
    let object = create(&cluster, &resource::<Other>(), json!({})).await;
    let fields = FieldMap::none().named(Field::ObservedGeneration, "observedGeneration");
    let done = update(&by_path(&cluster, resource::<Other>(), fields), &object).await;
    let UpdateError::Refused { source, .. } = done.wrote.unwrap_err() else { panic!() };
    assert!(source.to_string().contains("status.observedGeneration"), "{source}");
}

#[tokio::test]
async fn a_set_that_is_known_at_run_time_says_which_events_warn() {
    let cluster = Cluster::new();
    let object = create(&cluster, &resource::<Pool>(), json!({ "size": 1 })).await;
    let events = MemorySink::default();
    let updater = by_path(&cluster, resource::<Pool>(), FieldMap::default().without(&[Field::Phase]))
        .set("Ready: !Degraded".parse().unwrap())
        .events(events.clone());
    let work = updater.reconcile(&object, async |c| {
        c.mark_false("Degraded", reason!("Fine"), "")?;
        Ok(())
    });
    work.await.unwrap();
    let recorded = events.recorded();
    assert!(recorded.iter().any(|event| event.note.note.starts_with("Degraded is False")), "{recorded:?}");
    assert!(recorded.iter().all(|event| event.note.severity == EventSeverity::Normal), "{recorded:?}");
}
