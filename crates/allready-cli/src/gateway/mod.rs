//! `allready gateway check`: the status that Gateway API manifests would get, and what would be wrong.

mod args;
mod cluster;
mod manifest;
pub(crate) mod output;
mod problem;
mod reference;
mod schema;
mod tree;
mod world;

use std::{collections::BTreeSet, process::ExitCode};

use allready_core::Time;
use allready_inspect::lint::Severity;

pub(crate) use self::args::GatewayArgs;
use self::{
    args::{CheckArgs, GatewayCommand},
    manifest::{Manifests, origins},
    problem::{Problem, Problems, problems},
    schema::{Schemas, Validation},
    world::{Answer, Given, Options, World},
};
use crate::{failure::Failure, objects::lines::Origin, printer::Printer};

/// The outcome of a check.
struct Report {
    world: World,
    answer: Answer,
    problems: Problems,
    /// Documents and objects that cannot be read, with their origins.
    unreadable: Vec<(Origin, String)>,
    /// The number of objects that were checked.
    objects: usize,
    notes: Vec<String>,
    /// Sentences on the parts that could not be read or used.
    unlisted: Vec<String>,
    /// Kinds of the cluster that could not be read.
    unread: BTreeSet<String>,
    from_cluster: bool,
    /// Set if manifests were given: only what they touch is shown.
    is_about_files: bool,
}

pub(crate) fn run(args: &GatewayArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let GatewayCommand::Check(args) = &args.command;
    args.check()?;
    let sources = args.input.find()?;
    if let Some(nothing) = sources.nothing() {
        return Err(Failure::no_input(nothing));
    }
    let manifests = Manifests::read(&sources.files)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::unavailable(format_args!("cannot start: {error}")))?;
    let stored = if args.from_cluster { Some(runtime.block_on(cluster::read(args))?) } else { None };
    let mut report = runtime.block_on(check(args, manifests, stored, now));
    report.unlisted.extend(sources.left_out());
    if report.objects == 0 && report.unreadable.is_empty() {
        return Err(Failure::data("there are no objects of the Gateway API to check"));
    }
    output::print(&report, args, printer)?;
    Ok(ExitCode::from(if report.errors() > 0 { 1 } else { u8::from(!report.unlisted.is_empty()) * 2 }))
}

async fn check(args: &CheckArgs, manifests: Manifests, stored: Option<cluster::Stored>, now: Time) -> Report {
    let context = stored.as_ref().map(|stored| stored.namespace.clone());
    let unread = stored.as_ref().map(|stored| stored.unread.clone()).unwrap_or_default();
    let options = Options {
        namespace: args.namespace.clone().or(context).unwrap_or_else(|| "default".to_owned()),
        // Of a kind that may not be listed, nothing can be said to be missing.
        assume: args.assume.iter().chain(&unread).cloned().collect(),
        from_cluster: stored.is_some(),
    };
    let from_cluster = stored.is_some();
    let (stored, mut unlisted, served) =
        stored.map(|stored| (stored.objects, stored.problems, stored.served)).unwrap_or_default();
    let is_about_files = !manifests.objects.is_empty();
    // Errors that are there without the manifests are not theirs.
    let before = if is_about_files && from_cluster {
        let world = World::new(stored.clone(), &options);
        problems(&world, &world.answer(now), &options)
    } else {
        Problems::default()
    };
    let objects: Vec<_> = stored.into_iter().chain(manifests.objects).collect();
    let schemas = Schemas::new(&objects);
    let mut world = World::new(objects, &options);
    let answer = world.answer(now);
    let mut found = problems(&world, &answer, &options);
    let is_given =
        |problem: &Problem| world.given.get(&problem.key).is_some_and(|given| given.text.is_some());
    found.retain(|problem| is_given(problem) || !before.of(&problem.key).any(|one| one == problem));
    let Validation { problems: mut refused, mut unchecked, unusable } = schemas.validate(&world).await;
    if from_cluster {
        // A kind that is served and has no CRD here is one whose CRD may not be read, which was told.
        refused.extend(schema::unserved(&world, &unchecked, &served));
        unchecked.clear();
    }
    // The API server says better what is malformed.
    let is_said = |problem: &Problem, by: &Problem| {
        let malformed = world.given.get(&problem.key).and_then(|given| given.object.malformed.as_ref());
        by.pointer == problem.pointer || malformed == Some(&problem.message)
    };
    found.retain(|problem| !refused.of(&problem.key).any(|one| is_said(problem, one)));
    found.append(refused);
    unlisted.extend(unusable);
    let mut unreadable = manifests.unreadable;
    let nameless = origins(world.nameless.iter().map(|(text, _)| (text, "/metadata")));
    for (origin, (_, kind)) in nameless.into_iter().zip(&world.nameless) {
        unreadable.push((origin, format!("a {kind} without metadata.name: give it one")));
    }
    let is_checked = |given: &&Given| {
        if is_about_files {
            given.text.is_some()
        } else {
            given.object.key.kind.group() == allready_gateway::GROUP
        }
    };
    let checked = world.given.values().filter(is_checked).count();
    let mut notes = manifests.notes;
    notes.append(&mut world.notes);
    if !unchecked.is_empty() {
        let kinds = unchecked.into_iter().collect::<Vec<_>>().join(", ");
        notes.push(format!(
            "not checked against the schemas of their CRDs: {kinds}; add the CRDs with -f, or use those of a cluster with --from-cluster"
        ));
    }
    Report {
        objects: checked + world.nameless.len(),
        world,
        answer,
        problems: found,
        unreadable,
        notes,
        unlisted,
        from_cluster,
        unread,
        is_about_files,
    }
}

impl Report {
    fn errors(&self) -> usize {
        let errors = self.problems.iter().filter(|one| one.severity == Severity::Error).count();
        errors + self.unreadable.len()
    }

    fn warnings(&self) -> usize {
        self.problems.iter().filter(|one| one.severity != Severity::Error).count()
    }
}
