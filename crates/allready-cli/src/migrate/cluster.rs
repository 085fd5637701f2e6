//! The migration of a cluster: look, save, and only then change something.

use std::{fs::OpenOptions, io::Write as _, path::Path, process::ExitCode, time::Duration};

use allready_kube::kinds::SchemaDifference;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client, ResourceExt as _,
    api::{
        ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams,
        PostParams, Preconditions, TypeMeta,
    },
    runtime::{conditions::is_crd_established, wait::await_condition},
};
use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::{Converted, MigrateArgs, convert, named};
use crate::{
    cluster::{Cluster, Patience, list_all, refused},
    failure::Failure,
    output::{Format, document},
    printer::{DIM, Printer, tame},
    version,
};

/// The field manager of `kubectl apply --server-side`, with which CRDs are applied the next time: they are nobody else's.
const KUBECTL: &str = "kubectl";
/// The number of attempts to write an object that somebody else changes at the same time.
const ATTEMPTS: usize = 5;
/// The time in which a server has to serve a CRD that was changed.
const TIME_TO_SERVE: Duration = Duration::from_secs(30);

/// One of our kinds, as the cluster has it.
struct Found {
    resource: ApiResource,
    definition: CustomResourceDefinition,
    difference: SchemaDifference,
    objects: Vec<DynamicObject>,
}

/// The changes to a cluster, and their description.
#[derive(Default)]
struct Plan {
    crds: Vec<CustomResourceDefinition>,
    /// The objects that change, with their new spec; without one, a report that is deleted, as its spec cannot change.
    changes: Vec<(ApiResource, DynamicObject, Option<Value>)>,
    /// A sentence for each change.
    lines: Vec<String>,
    notes: Vec<String>,
    problems: Vec<String>,
}

pub(super) async fn migrate(args: &MigrateArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let cluster = args.cluster.connect(Patience::Command).await?;
    let client = &cluster.client;
    let found = look(client).await?;
    let plan = plan(&found);
    tell(&cluster, &plan, printer)?;
    if let Some(path) = &args.export {
        let count = export(path, &found)?;
        printer.text(&format!("Saved {count} objects to {}.\n", tame(&path.display().to_string())))?;
    }
    if !plan.problems.is_empty() {
        let how = "save the objects with --export, convert that file with -f, decide, and apply it after the new CRDs";
        printer.error(&format!("some objects need a decision; nothing was changed: {how}"));
        return Ok(ExitCode::FAILURE);
    }
    if plan.lines.is_empty() {
        let nothing = if found.is_empty() { "Nothing is installed." } else { "There is nothing to migrate." };
        printer.text(&format!("{DIM}{nothing}{DIM:#}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes {
        printer.text("Nothing was changed. To do this: allready migrate --export FILE --yes\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    for definition in &plan.crds {
        apply(client, definition).await?;
        printer.text(&format!("applied the CRD {}\n", definition.name_any()))?;
    }
    for (resource, object, spec) in &plan.changes {
        let name = tame(&named(&serde_json::to_value(object).unwrap_or_default()));
        let done = perform(client, resource, object, spec.as_ref()).await;
        let done = done.map_err(|error| refused(&format!("cannot migrate {name}"), &error))?;
        printer.text(&format!("{done} {name}\n"))?;
    }
    printer
        .text("Upgrade the controller and the reporters now; `allready version` says whether all fits.\n")?;
    Ok(ExitCode::SUCCESS)
}

/// Reads our kinds and all their objects.
async fn look(client: &Client) -> Result<Vec<Found>, Failure> {
    let mut all = Vec::new();
    for (definition, found) in version::definitions(client).await? {
        let (spec, version) = (&definition.spec, definition.spec.versions.first());
        let version = version.map(|it| it.name.as_str()).unwrap_or_default();
        let kind = GroupVersionKind::gvk(&spec.group, version, &spec.names.kind);
        let resource = ApiResource::from_gvk_with_plural(&kind, &spec.names.plural);
        let types = TypeMeta { api_version: resource.api_version.clone(), kind: resource.kind.clone() };
        let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
        let mut objects = list_all(&api, ListParams::default(), &resource.plural).await?;
        // Lists leave the kind of their items out.
        for object in &mut objects {
            object.types = Some(types.clone());
        }
        let difference = SchemaDifference::of(&definition, &found);
        all.push(Found { resource, definition, difference, objects });
    }
    Ok(all)
}

fn plan(found: &[Found]) -> Plan {
    let mut plan = Plan::default();
    for kind in found.iter().filter(|kind| !kind.difference.fits()) {
        let name = kind.definition.name_any();
        plan.lines.push(format!("would apply the CRD {name}: {}", kind.difference));
        plan.crds.push(kind.definition.clone());
    }
    let mut reports = 0_usize;
    for kind in found {
        for object in &kind.objects {
            let value = serde_json::to_value(object).unwrap_or_default();
            let is_hidden = kind.difference.fits() && is_without_target(&kind.resource.kind, &value);
            if kind.resource.kind == "StatusReport" {
                if is_hidden || convert(&value).is_changed {
                    reports += 1;
                    plan.changes.push((kind.resource.clone(), object.clone(), None));
                }
                continue;
            }
            if is_hidden {
                plan.problems.push(format!(
                    "{} has no targetRef: the new CRD hides the fields of the first alpha; apply the old CRD again, and begin anew",
                    named(&value)
                ));
                continue;
            }
            let Converted { object: made, is_changed, notes, problems } = convert(&value);
            let told = |text: &String| format!("{}: {text}", named(&value));
            // That statuses are computed anew is so in a cluster without saying it.
            plan.notes.extend(notes.iter().filter(|note| note.starts_with('.')).map(told));
            plan.problems.extend(problems.iter().map(told));
            if is_changed {
                plan.lines.push(format!("would convert {}", named(&value)));
                plan.changes.push((kind.resource.clone(), object.clone(), Some(made["spec"].clone())));
            }
        }
    }
    if reports > 0 {
        plan.lines.push(format!(
            "would delete {reports} StatusReports of the first alpha: reporters make them again"
        ));
    }
    plan
}

fn is_without_target(kind: &str, object: &Value) -> bool {
    matches!(kind, "StatusReport" | "StatusAggregation") && object["spec"]["targetRef"].is_null()
}

fn tell(cluster: &Cluster, plan: &Plan, printer: &mut Printer) -> Result<(), Failure> {
    let context = cluster.context.as_deref().map_or("of this pod".to_owned(), tame);
    printer.text(&format!("Context {context}, server {}\n", tame(&cluster.server)))?;
    for line in &plan.lines {
        printer.text(&format!("{}\n", tame(line)))?;
    }
    for note in &plan.notes {
        printer.warning(tame(note));
    }
    for problem in &plan.problems {
        printer.error(&tame(problem));
    }
    Ok(())
}

/// Saves all objects as they are, but for what the server sets: so they can be applied again.
fn export(path: &Path, found: &[Found]) -> Result<usize, Failure> {
    let name = tame(&path.display().to_string());
    let objects = found.iter().flat_map(|kind| kind.objects.iter().cloned());
    let values: Vec<Value> = objects
        .map(|mut object| {
            let metadata = &mut object.metadata;
            (metadata.managed_fields, metadata.resource_version, metadata.uid) = (None, None, None);
            (metadata.generation, metadata.creation_timestamp) = (None, None);
            serde_json::to_value(object).unwrap_or_default()
        })
        .collect();
    let text = document::objects(&values.iter().collect::<Vec<_>>(), Format::Yaml)?;
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let written = file.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.map_err(|error| Failure::output(format_args!("cannot save the objects to {name}: {error}")))?;
    Ok(values.len())
}

/// Applies a CRD, and waits until the server has taken it.
async fn apply(client: &Client, definition: &CustomResourceDefinition) -> Result<(), Failure> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = definition.name_any();
    let parameters = PatchParams::apply(KUBECTL).force();
    let applied = api.patch(&name, &parameters, &Patch::Apply(definition)).await;
    applied.map_err(|error| refused(&format!("cannot apply the CRD {name}"), &error))?;
    match timeout(TIME_TO_SERVE, await_condition(api, &name, is_crd_established())).await {
        Ok(Ok(_)) => Ok(()),
        _ => Err(Failure::unavailable(format_args!("the CRD {name} is applied, and not served: try again"))),
    }
}

/// Changes one object, and says what was done.
async fn perform(
    client: &Client,
    resource: &ApiResource,
    object: &DynamicObject,
    spec: Option<&Value>,
) -> Result<&'static str, kube::Error> {
    let api: Api<DynamicObject> = match object.namespace() {
        Some(namespace) => Api::namespaced_with(client.clone(), &namespace, resource),
        None => Api::all_with(client.clone(), resource),
    };
    let name = object.name_any();
    let Some(spec) = spec else {
        let listed = Preconditions { uid: object.uid(), resource_version: None };
        return match api.delete(&name, &DeleteParams::default().preconditions(listed)).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok("already gone:"),
            done => done.map(|_| "deleted"),
        };
    };
    let mut attempt = 1;
    loop {
        let mut now = api.get(&name).await?;
        now.data["spec"] = spec.clone();
        match api.replace(&name, &PostParams::default(), &now).await {
            // Somebody else was faster, or the server has not taken up the CRD everywhere yet.
            Err(kube::Error::Api(status)) if matches!(status.code, 409 | 422) && attempt < ATTEMPTS => {
                attempt += 1;
                sleep(Duration::from_millis(500)).await;
            }
            done => return done.map(|_| "converted"),
        }
    }
}
