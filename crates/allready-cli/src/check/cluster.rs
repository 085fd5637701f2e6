//! Objects from a cluster: those that are named, and those of kinds, many kinds at a time.

use allready_inspect::{
    causes::{Causes, Found},
    cluster::{Budget, find_causes},
    graph::{Extent, Gap},
    health::Health,
};
use allready_kube::resources::{Catalog, ListProblem, Listed, Resource, Selection, listing};
use std::time::Duration;

use futures::{StreamExt as _, stream};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::{
    Check,
    collect::Collector,
    judged::{Judged, Plan},
    judgement::{By, Judgement},
    tally::Tally,
};
use crate::{
    cluster::{Cluster, Patience},
    declared::{Declared, Known, are_custom},
    failure::Failure,
    printer::Printer,
    target::{Asked, absent_namespace, discover, get, none_found, parse, resolve, unlisted},
};

/// How many kinds are listed, and how many objects are got, at a time.
const PARALLEL: usize = 8;
/// The most that is asked to find causes, beside the lists.
const BUDGET: Budget = Budget { requests: 60, time: Duration::from_secs(10) };

/// Judges what is asked for.
///
/// # RBAC
/// `list` on every kind that is asked for, and `get` on what is named. What is not permitted is said, and is not good.
pub(super) fn check(
    check: &Check<'_>,
    mut declared: Declared,
    printer: &mut Printer,
) -> Result<(Tally, Option<String>, bool), Failure> {
    let args = check.args;
    let targets = parse(&args.targets).map_err(Failure::usage)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::unavailable(format_args!("cannot start: {error}")))?;
    runtime.block_on(async {
        let cluster = args.cluster.connect(Patience::Command).await?;
        let catalog = discover(&cluster).await?;
        let mut asked = resolve(&targets, &args.scope, &args.selector, &catalog, &cluster.namespace)?;
        if args.rules.is_none() && are_custom(asked.iter().map(|asked| &asked.resource)) {
            printer.warnings(&declared.ask(&cluster.client, &catalog).await.all());
        }
        let known = Known::of(&declared);
        let plan = check.plan(&known);
        let mut collector = Collector::new(&plan, Causes::new(Extent::Asked));
        if targets.is_empty() {
            // They tell what happened to others, and are no thing that could be well.
            asked.retain(|asked| asked.resource.plural != "events");
            // A group whose server is down may have nothing that matters here; its APIService says so.
            for problem in &catalog.problems {
                collector.unseen(problem.clone());
            }
        }
        let (named, kinds): (Vec<_>, Vec<_>) = asked.into_iter().partition(|asked| !asked.names.is_empty());
        let mut failures = named_objects(&cluster, &named, &plan, &mut collector).await;
        let is_everything = targets.is_empty();
        failures.extend(objects_of_kinds(&cluster, &kinds, &plan, &mut collector, is_everything).await);
        let asked_by_name: usize = named.iter().map(|asked| asked.names.len()).sum();
        // Where nothing at all could be read, that is the answer.
        let is_all = failures.len() == kinds.len() + asked_by_name;
        match failures.into_iter().next() {
            Some(failure) if is_all => Err(failure),
            _ => {
                let found = causes(&cluster, &catalog, &plan, &mut collector, is_everything).await;
                let tally = collector.finish(found.as_ref(), printer)?;
                let mut namespaces = named.iter().filter_map(|asked| asked.selection.namespace.as_deref());
                if let Some(namespace) = namespaces.next().filter(|_| tally.of(Health::Missing) > 0) {
                    printer.warnings(
                        &absent_namespace(&cluster, namespace).await.into_iter().collect::<Vec<_>>(),
                    );
                }
                let is_nothing = tally.total() == 0 && tally.unlisted == 0;
                let nothing =
                    if is_nothing { Some(none_found(&cluster, &targets, &kinds).await) } else { None };
                let has_hints = found.is_some_and(|found| !found.hints.is_empty());
                Ok((tally, nothing, has_hints))
            }
        }
    })
}

/// Judges objects by their names; one that is not there is missing. Gives what could not be got.
async fn named_objects(
    cluster: &Cluster,
    asked: &[Asked],
    plan: &Plan<'_>,
    collector: &mut Collector<'_>,
) -> Vec<Failure> {
    let names = asked.iter().flat_map(|asked| asked.names.iter().map(move |name| (asked, name)));
    let mut answers = stream::iter(names)
        .map(|(asked, name)| async move {
            let namespace = asked.selection.namespace.as_deref();
            (asked, name, get(&cluster.client, &asked.resource, namespace, name).await)
        })
        .buffered(PARALLEL);
    let mut failures = Vec::new();
    while let Some((asked, name, answer)) = answers.next().await {
        let (judgement, digest) = match answer {
            Ok(Some(object)) => Judgement::with_digest(object, plan.by, plan.now),
            Ok(None) => (missing(&asked.resource, &asked.selection, name), None),
            Err(failure) => {
                collector.unlisted(failure.to_string());
                failures.push(failure);
                continue;
            }
        };
        let mut judged = Judged::default();
        judged.add(judgement, digest, plan);
        collector.add(judged);
    }
    failures
}

/// Finds the causes of what is not well, and asks for what explains it.
async fn causes(
    cluster: &Cluster,
    catalog: &Catalog,
    plan: &Plan<'_>,
    collector: &mut Collector<'_>,
    is_everything: bool,
) -> Option<Found> {
    let By::Own(known) = plan.by else { return None };
    if is_everything {
        collector.causes.listed_everything();
    }
    let (client, causes) = (&cluster.client, &mut collector.causes);
    Some(find_causes(client, catalog, causes, &known.registry, plan.now, BUDGET).await)
}

fn missing(resource: &Resource, selection: &Selection, name: &str) -> Judgement {
    let namespace = selection.namespace.clone().unwrap_or_default();
    Judgement::missing(resource.api_version(), resource.kind.clone(), namespace, name.to_owned())
}

/// Judges all objects of kinds, page by page, in the order of the kinds. Gives what could not be listed.
async fn objects_of_kinds(
    cluster: &Cluster,
    asked: &[Asked],
    plan: &Plan<'_>,
    collector: &mut Collector<'_>,
    is_everything: bool,
) -> Vec<Failure> {
    // All are asked for alike; where they are is left out of those that are nowhere.
    let some = asked.iter().find(|asked| asked.resource.is_namespaced).or_else(|| asked.first());
    let Some(selection) = some.map(|asked| &asked.selection) else { return Vec::new() };
    let is_whole = selection.labels.is_none() && selection.fields.is_none();
    let resources: Vec<&Resource> = asked.iter().map(|asked| &asked.resource).collect();
    let bar = progress(resources.len());
    let mut pages: Vec<Vec<Judged>> = resources.iter().map(|_| Vec::new()).collect();
    let mut failures = Vec::new();
    let mut listing = std::pin::pin!(listing(&cluster.client, resources.clone(), selection, PARALLEL));
    let mut count = 0;
    while let Some((resource, listed)) = listing.next().await {
        let Some(turn) = resources.iter().position(|known| std::ptr::eq(*known, resource)) else { continue };
        let namespace = selection.namespace.as_deref().filter(|_| resource.is_namespaced);
        let mut seen = |gap| {
            if is_whole {
                collector.causes.listed(&resource.group, &resource.kind, namespace, gap);
            }
        };
        match listed {
            Listed::Page(objects) => {
                count += objects.len();
                bar.set_message(format!("{count} objects"));
                pages[turn].push(page(objects, plan));
            }
            Listed::Done => {
                bar.inc(1);
                seen(None);
            }
            Listed::Failed(problem) => {
                bar.inc(1);
                let is_forbidden = matches!(problem, ListProblem::Forbidden { .. });
                seen(Some(if is_forbidden { Gap::Forbidden } else { Gap::Failed(problem.to_string()) }));
                let failure = unlisted(resource, namespace, &problem);
                // Who may see a part of a cluster has asked for that part; pods and what makes them are always part of it.
                if is_everything && is_forbidden && !is_workload(resource) {
                    collector.unseen(resource.full_name());
                } else {
                    collector.unlisted(failure.to_string());
                }
                failures.push(failure);
            }
        }
    }
    bar.finish_and_clear();
    for judged in pages.into_iter().flatten() {
        collector.add(judged);
    }
    failures
}

/// Tells whether objects of this kind run something.
fn is_workload(resource: &Resource) -> bool {
    matches!(resource.group.as_str(), "apps" | "batch")
        || (resource.group.is_empty() && resource.kind == "Pod")
}

/// What the objects of a page come to, in the order in which a server keeps them: not every server lists them so.
fn page(mut objects: Vec<Value>, plan: &Plan<'_>) -> Judged {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    objects.sort_by_cached_key(|object| {
        let metadata = &object["metadata"];
        format!("{}/{}", text(&metadata["namespace"]), text(&metadata["name"]))
    });
    let mut judged = Judged::default();
    for object in objects {
        let (judgement, digest) = Judgement::with_digest(object, plan.by, plan.now);
        judged.add(judgement, digest, plan);
    }
    judged
}

/// A bar for who waits: on a terminal only.
fn progress(kinds: usize) -> ProgressBar {
    if kinds < 2 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} kinds, {msg}");
    let bar = ProgressBar::new(kinds as u64);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())).with_message("no objects yet")
}
