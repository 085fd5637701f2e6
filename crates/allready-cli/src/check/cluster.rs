//! Objects from a cluster: those that are named, and those of kinds, many kinds at a time.

use std::io::{IsTerminal as _, stdout};

use allready_inspect::health::Health;
use allready_kube::resources::{Listed, Resource, Selection, listing};
use futures::{StreamExt as _, stream};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::{
    Check,
    collect::Collector,
    judged::{Judged, Plan},
    judgement::Judgement,
    tally::Tally,
    turns::Turns,
};
use crate::{
    cluster::{Cluster, Patience},
    declared::{Declared, are_custom},
    failure::Failure,
    printer::Printer,
    target::{Asked, absent_namespace, discover, get, none_found, parse, resolve, unlisted},
};

/// How many kinds are listed, and how many objects are got, at a time.
const PARALLEL: usize = 8;

/// Judges what is asked for.
///
/// # RBAC
/// `list` on every kind that is asked for, and `get` on what is named. What is not permitted is said, and is not good.
pub(super) fn check(
    check: &Check<'_>,
    mut declared: Declared,
    printer: &mut Printer,
) -> Result<(Tally, Option<String>), Failure> {
    let args = check.args;
    let targets = parse(&args.targets).map_err(Failure::usage)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::unavailable(format_args!("cannot start: {error}")))?;
    runtime.block_on(async {
        let cluster = args.cluster.connect(Patience::Command).await?;
        let catalog = discover(&cluster).await?;
        let mut asked = resolve(&targets, &args.scope, &args.selector, &catalog, &cluster.namespace)?;
        if args.rules.is_none() && are_custom(asked.iter().map(|asked| &asked.resource)) {
            printer.warnings(&declared.ask(&cluster, &catalog).await.all());
        }
        let known = declared.known();
        let plan = check.plan(&known);
        let mut collector = Collector::new(&plan, args.is_grouped());
        if targets.is_empty() {
            // They tell what happened to others, and are no thing that could be well.
            asked.retain(|asked| asked.resource.plural != "events");
            for problem in &catalog.problems {
                collector.unlisted(problem.clone());
            }
        }
        let (named, kinds): (Vec<_>, Vec<_>) = asked.into_iter().partition(|asked| !asked.names.is_empty());
        let mut failures = named_objects(&cluster, &named, &plan, &mut collector, printer).await?;
        failures.extend(objects_of_kinds(&cluster, &kinds, &plan, &mut collector, printer).await?);
        let asked_by_name: usize = named.iter().map(|asked| asked.names.len()).sum();
        // Where nothing at all could be read, that is the answer.
        let is_all = failures.len() == kinds.len() + asked_by_name;
        match failures.into_iter().next() {
            Some(failure) if is_all => Err(failure),
            _ => {
                let tally = collector.finish(printer)?;
                let mut namespaces = named.iter().filter_map(|asked| asked.selection.namespace.as_deref());
                if let Some(namespace) = namespaces.next().filter(|_| tally.of(Health::Missing) > 0) {
                    printer.warnings(
                        &absent_namespace(&cluster, namespace).await.into_iter().collect::<Vec<_>>(),
                    );
                }
                let is_nothing = tally.total() == 0 && tally.unlisted == 0;
                let nothing =
                    if is_nothing { Some(none_found(&cluster, &targets, &kinds).await) } else { None };
                Ok((tally, nothing))
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
    printer: &mut Printer,
) -> Result<Vec<Failure>, Failure> {
    let names = asked.iter().flat_map(|asked| asked.names.iter().map(move |name| (asked, name)));
    let mut answers = stream::iter(names)
        .map(|(asked, name)| async move {
            let namespace = asked.selection.namespace.as_deref();
            (asked, name, get(&cluster.client, &asked.resource, namespace, name).await)
        })
        .buffered(PARALLEL);
    let mut failures = Vec::new();
    while let Some((asked, name, answer)) = answers.next().await {
        let judgement = match answer {
            Ok(Some(object)) => Judgement::of(&object, plan.by, plan.now),
            Ok(None) => missing(&asked.resource, &asked.selection, name),
            Err(failure) => {
                collector.unlisted(failure.to_string());
                failures.push(failure);
                continue;
            }
        };
        let mut judged = Judged::default();
        judged.add(judgement, plan);
        collector.add(judged, printer)?;
    }
    Ok(failures)
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
    printer: &mut Printer,
) -> Result<Vec<Failure>, Failure> {
    // All are asked for alike; where they are is left out of those that are nowhere.
    let some = asked.iter().find(|asked| asked.resource.is_namespaced).or_else(|| asked.first());
    let Some(selection) = some.map(|asked| &asked.selection) else { return Ok(Vec::new()) };
    let resources: Vec<&Resource> = asked.iter().map(|asked| &asked.resource).collect();
    let bar = progress(resources.len(), plan);
    let mut turns = Turns::new(resources.len());
    let mut failures = Vec::new();
    let mut listing = std::pin::pin!(listing(&cluster.client, resources.clone(), selection, PARALLEL));
    let mut count = 0;
    while let Some((resource, listed)) = listing.next().await {
        let Some(turn) = resources.iter().position(|known| std::ptr::eq(*known, resource)) else { continue };
        let due = match listed {
            Listed::Page(objects) => {
                count += objects.len();
                bar.set_message(format!("{count} objects"));
                turns.give(turn, Ok(page(objects, plan)))
            }
            Listed::Done => {
                bar.inc(1);
                turns.end(turn)
            }
            Listed::Failed(problem) => {
                bar.inc(1);
                let namespace = selection.namespace.as_deref().filter(|_| resource.is_namespaced);
                let mut due = turns.give(turn, Err(unlisted(resource, namespace, &problem)));
                due.extend(turns.end(turn));
                due
            }
        };
        for one in due {
            match one {
                Ok(judged) => collector.add(judged, printer)?,
                Err(failure) => {
                    collector.unlisted(failure.to_string());
                    failures.push(failure);
                }
            }
        }
    }
    bar.finish_and_clear();
    Ok(failures)
}

/// What the objects of a page come to, in the order in which a server keeps them: not every server lists them so.
fn page(mut objects: Vec<Value>, plan: &Plan<'_>) -> Judged {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    objects.sort_by_cached_key(|object| {
        let metadata = &object["metadata"];
        format!("{}/{}", text(&metadata["namespace"]), text(&metadata["name"]))
    });
    let mut judged = Judged::default();
    for object in &objects {
        judged.add(Judgement::of(object, plan.by, plan.now), plan);
    }
    judged
}

/// A bar for who waits: on a terminal only, and not where the answer itself is written meanwhile.
fn progress(kinds: usize, plan: &Plan<'_>) -> ProgressBar {
    if kinds < 2 || (plan.is_written_at_once() && stdout().is_terminal()) {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} kinds, {msg}");
    let bar = ProgressBar::new(kinds as u64);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())).with_message("no objects yet")
}
