//! Objects from a cluster: those that are named, and those of kinds, many kinds at a time.

use std::io::{IsTerminal as _, stdout};

use allready::resources::{ListProblem, Listed, Resource, Selection, listing};
use futures::{StreamExt as _, stream};
use indicatif::{ProgressBar, ProgressStyle};

use super::{
    Check,
    collect::Collector,
    judged::{Judged, Plan},
    judgement::Judgement,
    tally::Tally,
};
use crate::{
    cluster::{Cluster, Patience},
    declared::{Declared, are_custom},
    failure::Failure,
    printer::Printer,
    target::{Asked, discover, get, parse, resolve},
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
) -> Result<Tally, Failure> {
    let args = check.args;
    let targets = parse(&args.targets).map_err(Failure::usage)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::unavailable(format_args!("cannot start: {error}")))?;
    runtime.block_on(async {
        let cluster = args.cluster.connect(Patience::Command).await?;
        let catalog = discover(&cluster).await?;
        let mut asked = resolve(&targets, &args.scope, &args.selector, &catalog, &cluster.namespace)?;
        if args.judge_as.is_none() && are_custom(asked.iter().map(|asked| &asked.resource)) {
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
                if tally.total() == 0 {
                    // Nothing is not the same as all well, though no reason to fail.
                    let place = args.scope.namespace(&cluster.namespace);
                    let place = place.map_or_else(String::new, |name| format!(" in namespace {name}"));
                    printer.warning(format_args!("no objects were found{place}"));
                }
                Ok(tally)
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

/// Judges all objects of kinds, page by page. Gives what could not be listed.
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
    let mut failures = Vec::new();
    let mut listing = std::pin::pin!(listing(&cluster.client, resources, selection, PARALLEL));
    let mut count = 0;
    while let Some((resource, listed)) = listing.next().await {
        match listed {
            Listed::Page(objects) => {
                let mut judged = Judged::default();
                count += objects.len();
                bar.set_message(format!("{count} objects"));
                for object in objects {
                    judged.add(Judgement::of(&object, plan.by, plan.now), plan);
                }
                collector.add(judged, printer)?;
            }
            Listed::Done => bar.inc(1),
            Listed::Failed(problem) => {
                bar.inc(1);
                let said = format!("{}: {problem}", resource.full_name());
                failures.push(match problem {
                    ListProblem::Forbidden { .. } => Failure::permission(&said),
                    _ => Failure::unavailable(&said),
                });
                collector.unlisted(said);
            }
        }
    }
    bar.finish_and_clear();
    Ok(failures)
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
