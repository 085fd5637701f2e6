//! Objects and definitions from a cluster.

use std::pin::pin;

use allready_kube::resources::{Catalog, Listed, Selection, listing};
use futures::StreamExt as _;
use serde_json::Value;

use super::{
    args::LintArgs,
    session::{Begin, Report, Session},
    watch,
};
use crate::{
    cluster::{Cluster, Patience},
    declared::{Declared, Heard, are_custom},
    failure::Failure,
    printer::{Printer, tame},
    target::{self, Asked},
};

/// The number of kinds that are read at the same time.
const PARALLEL: usize = 8;

/// Checks what is asked for.
///
/// # RBAC
/// `list` on each kind; with --watch also `watch`. For conditions about nodes, `list` on nodes: without it these are not
/// compared. To know what definitions declare of their kinds, `list` on customresourcedefinitions.
pub(super) async fn lint(
    args: &LintArgs,
    begin: &Begin<'_>,
    mut declared: Declared,
    printer: &mut Printer,
) -> Result<(Report, Option<String>), Failure> {
    let targets = target::parse(&args.targets).map_err(Failure::usage)?;
    let cluster = args.cluster.connect(Patience::Command).await?;
    let catalog = target::discover(&cluster).await?;
    let asked = target::resolve(&targets, &args.scope, &args.selector, &catalog, &cluster.namespace)?;
    let heard = if are_custom(asked.iter().map(|asked| &asked.resource)) {
        declared.ask(&cluster.client, &catalog).await
    } else {
        Heard::default()
    };
    // Who may not read definitions can look at objects all the same; one that cannot be understood is somebody's mistake.
    printer.warnings(&heard.gap.into_iter().collect::<Vec<_>>());
    let mut session = Session::new(begin, declared);
    for problem in heard.problems {
        session.problem(tame(&problem));
    }
    if targets.is_empty() {
        catalog.problems.iter().for_each(|problem| session.problem(tame(problem)));
    }
    if args.watch.is_some() {
        watch::run(args, &cluster, asked, &mut session, printer).await?;
        return Ok((session.finish(args.unmet()), None));
    }
    for one in &asked {
        if one.names.is_empty() {
            continue;
        }
        named(&cluster, one, &mut session).await?;
    }
    // Those with the same selection are read together.
    let whole: Vec<&Asked> = asked.iter().filter(|asked| asked.names.is_empty()).collect();
    let mut failures = Vec::new();
    let is_all = targets.is_empty() && args.scope.all_namespaces && args.selector.is_empty();
    for selection in selections(&whole) {
        let resources =
            whole.iter().filter(|asked| asked.selection == *selection).map(|asked| &asked.resource).collect();
        let mut pages = pin!(listing(&cluster.client, resources, selection, PARALLEL));
        while let Some((resource, listed)) = pages.next().await {
            match listed {
                Listed::Page(objects) => objects.iter().for_each(|object| {
                    session.look(object, None, None);
                }),
                Listed::Done => {}
                Listed::Failed(problem) => {
                    let namespace = selection.namespace.as_deref().filter(|_| resource.is_namespaced);
                    let failure = target::unlisted(resource, namespace, &problem);
                    session.problem(failure.to_string());
                    failures.push(failure);
                }
            }
        }
    }
    // Where nothing at all could be read, that is the answer.
    if failures.len() == asked.len()
        && let Some(failure) = failures.into_iter().next()
    {
        return Err(failure);
    }
    if is_all {
        session.cover();
    }
    nodes(&cluster, &catalog, &mut session).await;
    let report = session.finish(args.unmet());
    let is_nothing = report.objects == 0 && report.problems.is_empty();
    let nothing = if is_nothing { Some(target::none_found(&cluster, &targets, &asked).await) } else { None };
    Ok((report, nothing))
}

fn selections<'a>(asked: &[&'a Asked]) -> Vec<&'a Selection> {
    let mut selections: Vec<&Selection> = Vec::new();
    for one in asked {
        if !selections.contains(&&one.selection) {
            selections.push(&one.selection);
        }
    }
    selections
}

/// Objects that are named have to be there.
async fn named(cluster: &Cluster, asked: &Asked, session: &mut Session<'_>) -> Result<(), Failure> {
    let namespace = asked.selection.namespace.as_deref();
    for name in &asked.names {
        let Some(object) = target::get(&cluster.client, &asked.resource, namespace, name).await? else {
            return Err(target::no_object(cluster, &asked.resource, namespace, name).await);
        };
        session.look(&object, None, None);
    }
    Ok(())
}

/// Reads the nodes where conditions may be about them. Without permission there are fewer findings, and no wrong ones.
async fn nodes(cluster: &Cluster, catalog: &Catalog, session: &mut Session<'_>) {
    let Some(nodes) = catalog.of_kind("v1", "Node").filter(|_| session.needs_nodes()) else { return };
    let everything = Selection::default();
    let mut found: Vec<Value> = Vec::new();
    let read = allready_kube::resources::list_pages(&cluster.client, nodes, &everything, &mut |page| {
        found.extend(page);
    })
    .await;
    if read.is_ok() {
        for node in &found {
            session.node(node);
        }
    }
}
