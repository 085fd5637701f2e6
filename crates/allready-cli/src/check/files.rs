//! Objects from files: one finds where they are, several judge, and one puts the answers together in order.

use std::{
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
};

use allready_inspect::health::Health;
#[cfg(test)]
use allready_inspect::{causes::Causes, graph::ObjectId};

use super::{
    collect::Collector,
    judged::{Judged, Plan},
    judgement::{By, Judgement},
    stream::Lesson,
};
use crate::{
    declared::{Declared, Known, Seen},
    failure::Failure,
    objects::{Batch, Extent, Piece, Source, Splitter, read},
};

/// How much text is judged at once.
const BATCH_BYTES: usize = 256 * 1024;
/// How many objects: a batch of small ones should not take long either.
const BATCH_OBJECTS: usize = 1_000;
/// How many batches wait for one who judges. What waits is held in memory.
const WAITING: usize = 2;
/// More than that are of no use: finding where the objects are takes its time too.
const MAX_JUDGES: usize = 8;

/// Some objects of a source, or that there is nothing in it.
enum Work {
    /// With what is known from this batch on, where that is more than before.
    Batch {
        source: String,
        batch: Batch,
        number: u64,
        known: Option<Arc<Known>>,
    },
    Failed(Failure),
}

/// Judges everything in these files.
pub(super) fn check(
    sources: &[Source],
    plan: &Plan<'_>,
    declared: Declared,
    collector: &mut Collector<'_>,
) -> Result<(), Failure> {
    let judges = thread::available_parallelism().map_or(2, usize::from).clamp(1, MAX_JUDGES);
    thread::scope(|scope| {
        let (mut to_judges, mut from_judges, mut threads) = (Vec::new(), Vec::new(), Vec::new());
        let keeps_track = sources.iter().any(|source| !source.is_rereadable());
        for _ in 0..judges {
            let (work, given) = sync_channel::<Work>(WAITING);
            let (done, answers) = sync_channel(WAITING);
            threads.push(scope.spawn(move || judge_all(&given, &done, plan, keeps_track)));
            to_judges.push(work);
            from_judges.push(answers);
        }
        let lesson = matches!(plan.by, By::Own(_)).then(|| Lesson::new(declared));
        let splitting = scope.spawn(move || split_all(sources, &to_judges, lesson));
        // Work is dealt out in turn, so that taking the answers in turn keeps the order.
        for answers in from_judges.iter().cycle() {
            match answers.recv() {
                Ok(answer) => collector.add(answer?),
                Err(_) => break,
            }
        }
        if let Ok(Some(lesson)) = splitting.join() {
            let seen: Vec<Seen> = threads.into_iter().filter_map(|thread| thread.join().ok()).collect();
            for problem in lesson.problems() {
                collector.problem(problem.clone());
            }
            for problem in lesson.too_late(&seen) {
                collector.too_late(problem);
            }
        }
        Ok(())
    })
}

/// Finds the objects of all sources and deals them out in turn. Where nobody takes them any more, there is nothing to do.
fn split_all(sources: &[Source], judges: &[SyncSender<Work>], mut lesson: Option<Lesson>) -> Option<Lesson> {
    let mut judges = judges.iter().cycle();
    let mut number = 0;
    for source in sources {
        let mut give = |work: Work| judges.next().is_some_and(|judge| judge.send(work).is_ok());
        let mut splitter = match source.open() {
            Ok(reader) => Splitter::new(reader),
            Err(failure) => {
                give(Work::Failed(failure));
                return lesson;
            }
        };
        loop {
            let mut batch = Batch::default();
            let mut is_open = true;
            while is_open && batch.size() < BATCH_BYTES && batch.pieces().len() < BATCH_OBJECTS {
                is_open = splitter.next(&mut batch);
            }
            number += 1;
            if let Some(lesson) = lesson.as_mut().filter(|_| !source.is_rereadable()) {
                lesson.read(&source.name(), &batch, number);
            }
            let known = lesson.as_ref().and_then(Lesson::known);
            if !batch.pieces().is_empty()
                && !give(Work::Batch { source: source.name(), batch, number, known })
            {
                return lesson;
            }
            if !is_open {
                break;
            }
        }
        if !splitter.has_content() {
            // Something that should have given objects gave none: that is no good news.
            let problem = format!("{}: there is nothing in it: give objects as JSON or YAML", source.name());
            give(Work::Failed(Failure::data(problem)));
            return lesson;
        }
    }
    lesson
}

fn judge_all(
    given: &Receiver<Work>,
    done: &SyncSender<Result<Judged, Failure>>,
    plan: &Plan<'_>,
    keeps_track: bool,
) -> Seen {
    let mut seen = Seen::default();
    while let Ok(work) = given.recv() {
        let answer = match work {
            Work::Failed(failure) => Err(failure),
            Work::Batch { source, batch, number, known } => {
                let by = known.as_deref().map_or(plan.by, By::Own);
                let plan = Plan { by, ..plan.clone() };
                let mut judged = Judged::default();
                for piece in batch.pieces() {
                    judge_piece(&source, &batch, piece, &plan, &mut judged, |judgement| {
                        if keeps_track {
                            seen.note(judgement.group(), &judgement.kind, number);
                        }
                    });
                }
                Ok(judged)
            }
        };
        if done.send(answer).is_err() {
            break;
        }
    }
    seen
}

fn judge_piece(
    source: &str,
    batch: &Batch,
    piece: &Piece,
    plan: &Plan<'_>,
    judged: &mut Judged,
    mut on_judgement: impl FnMut(&Judgement),
) {
    // A declaration of somebody's own may be about anything.
    let is_ours = match plan.by {
        By::Own(known) => known.is_builtin(),
        By::Kstatus => true,
    };
    let extent = if is_ours { Extent::WithoutTemplates } else { Extent::WithoutHistory };
    let objects = read(batch, piece, extent);
    let mut whole = None;
    for (index, object) in objects.into_iter().enumerate() {
        let (judgement, digest) = match object {
            Err(problem) => (Judgement::unreadable(format!("{source}: {}", piece.place), problem), None),
            Ok(object) => {
                let (judgement, digest) = Judgement::with_digest(object, plan.by, plan.now);
                if judgement.health() == Health::Healthy || !piece.has_history() {
                    (judgement, digest)
                } else {
                    // Who wrote it is known only from what was left out.
                    let whole = whole.get_or_insert_with(|| read(batch, piece, Extent::Whole));
                    match whole.get(index) {
                        Some(Ok(object)) => Judgement::with_digest(object.clone(), plan.by, plan.now),
                        _ => (judgement, digest),
                    }
                }
            }
        };
        on_judgement(&judgement);
        judged.add(judgement, digest, plan);
    }
}

/// Returns the verdict on the one object of a text.
#[cfg(test)]
pub(crate) fn said(text: &str, known: &Known, now: allready_core::Time) -> crate::agreement::Said {
    let reader: Box<dyn std::io::Read + Send> = Box::new(std::io::Cursor::new(text.to_owned().into_bytes()));
    let judged = judged(Splitter::new(reader), &plan(known, now));
    assert_eq!(judged.judgements.len(), 1, "{text}");
    crate::agreement::Said::of(&judged.judgements[0].verdict)
}

/// Returns the verdicts on the objects of a text in view of each other, and the texts of the causes.
#[cfg(test)]
pub(crate) fn said_together(
    text: &str,
    known: &Known,
    now: allready_core::Time,
) -> (std::collections::BTreeMap<ObjectId, crate::agreement::Said>, Vec<String>) {
    let reader: Box<dyn std::io::Read + Send> = Box::new(std::io::Cursor::new(text.to_owned().into_bytes()));
    let plan = plan(known, now);
    let mut causes = Causes::new(allready_inspect::graph::Extent::Everything);
    let judged = judged(Splitter::new(reader), &plan);
    judged.digests.into_iter().for_each(|digest| causes.add(digest));
    let found = causes.search(&known.registry, now);
    let said = |judgement: &super::judgement::Judgement| {
        let id = judgement.id();
        let verdict = found.verdicts.get(&id).unwrap_or(&judgement.verdict);
        (id, crate::agreement::Said::of(verdict))
    };
    let verdicts = judged.judgements.iter().map(said).collect();
    (verdicts, found.causes.iter().chain(&found.hints).map(|cause| cause.text.clone()).collect())
}

#[cfg(test)]
fn plan(known: &Known, now: allready_core::Time) -> Plan<'_> {
    Plan {
        by: By::Own(known),
        now,
        output: crate::output::Format::Table,
        shown: super::judged::Shown::All,
        tells_why: false,
        shows_objects: false,
        is_grouped: true,
        group_by: None,
        flags: String::new(),
    }
}

#[cfg(test)]
fn judged(mut splitter: Splitter<Box<dyn std::io::Read + Send>>, plan: &Plan<'_>) -> Judged {
    let mut batch = Batch::default();
    while splitter.next(&mut batch) {}
    let mut judged = Judged::default();
    for piece in batch.pieces() {
        judge_piece("text", &batch, piece, plan, &mut judged, |_| {});
    }
    judged
}
