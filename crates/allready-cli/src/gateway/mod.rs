//! `allready gateway check`: the status that Gateway API manifests would get, and what would be wrong.

mod args;
mod ci;
mod cluster;
mod manifest;
mod output;
mod problem;
mod reference;
mod tree;
mod world;

use std::{collections::BTreeSet, process::ExitCode};

use allready_core::{Time, lint::Severity};

pub(crate) use self::args::GatewayArgs;
use self::{
    args::{CheckArgs, GatewayCommand},
    manifest::Manifests,
    problem::{Problem, problems},
    world::{Answer, Options, World},
};
use crate::{
    failure::Failure,
    objects::{self, lines::Origin},
    printer::Printer,
};

/// The outcome of a check.
struct Report {
    world: World,
    answer: Answer,
    problems: BTreeSet<Problem>,
    /// Documents and objects that cannot be read, with their origins.
    unreadable: Vec<(Option<Origin>, String)>,
    /// The number of objects that were checked.
    objects: usize,
    notes: Vec<String>,
    /// Kinds of the cluster that could not be read.
    unlisted: Vec<String>,
    from_cluster: bool,
}

pub(crate) fn run(args: &GatewayArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let GatewayCommand::Check(args) = &args.command;
    args.check()?;
    let sources = if args.recursive {
        objects::sources_below(&args.filename)?
    } else {
        objects::sources(&args.filename)?
    };
    let manifests = Manifests::read(&sources)?;
    let stored = if args.from_cluster {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::unavailable(format_args!("cannot start: {error}")))?;
        Some(runtime.block_on(cluster::read(args))?)
    } else {
        None
    };
    let report = check(args, manifests, stored, now);
    if report.objects == 0 && report.unreadable.is_empty() {
        return Err(Failure::data("there are no objects of the Gateway API to check"));
    }
    output::print(&report, args, printer)?;
    Ok(ExitCode::from(if report.errors() > 0 { 1 } else { u8::from(!report.unlisted.is_empty()) * 2 }))
}

fn check(args: &CheckArgs, manifests: Manifests, stored: Option<cluster::Stored>, now: Time) -> Report {
    let context = stored.as_ref().map(|stored| stored.namespace.clone());
    let options = Options {
        namespace: args.namespace.clone().or(context).unwrap_or_else(|| "default".to_owned()),
        assume: args.assume.iter().cloned().collect(),
        from_cluster: stored.is_some(),
    };
    let from_cluster = stored.is_some();
    let (stored, unlisted) = stored.map(|stored| (stored.objects, stored.problems)).unwrap_or_default();
    let is_about_files = !manifests.objects.is_empty();
    // Errors that are there without the manifests are not theirs.
    let before = if is_about_files && from_cluster {
        let world = World::new(stored.clone(), &options);
        problems(&world, &world.answer(now), &options)
    } else {
        BTreeSet::new()
    };
    let objects = stored.into_iter().chain(manifests.objects).collect();
    let mut world = World::new(objects, &options);
    let answer = world.answer(now);
    let mut found = problems(&world, &answer, &options);
    let is_given =
        |problem: &Problem| world.given.get(&problem.key).is_some_and(|given| given.text.is_some());
    found.retain(|problem| is_given(problem) || !before.contains(problem));
    let mut unreadable: Vec<(Option<Origin>, String)> = Vec::new();
    for one in manifests.unreadable {
        unreadable.push((Some(one.origin), one.problem));
    }
    for (nameless, kind) in &world.nameless {
        let origin = nameless.text.as_ref().map(|text| text.origin("/metadata"));
        unreadable.push((origin, format!("a {kind} without metadata.name: give it one")));
    }
    let checked = world.given.values().filter(|given| given.text.is_some() || !is_about_files).count();
    let mut notes = manifests.notes;
    notes.append(&mut world.notes);
    Report {
        objects: checked + world.nameless.len(),
        world,
        answer,
        problems: found,
        unreadable,
        notes,
        unlisted,
        from_cluster,
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
