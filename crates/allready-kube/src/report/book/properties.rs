//! Whatever goes wrong, in whatever order: what was said last is what is stored in the end.

use std::collections::BTreeMap;

use allready_core::Status;
use proptest::{collection::vec, prelude::*};

use super::{tests::at, *};
use crate::report::SyncState;

const RECONCILERS: [&str; 3] = ["config", "node", "service"];

#[derive(Clone, Copy, Debug)]
enum Event {
    /// A reconciler says something.
    Report(usize, Said),
    /// The task does what the book says, and this happens to the request.
    Turn(Fate),
    /// Somebody deletes the object.
    Delete { is_noticed: bool },
    /// The process restarts.
    Restart,
    /// Time passes.
    Pass(u64),
}

type Said = (u8, u8, Option<u8>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Fine,
    /// No answer, whether the server did it or not.
    Lost {
        is_done: bool,
    },
    Refused(Refusal),
}

fn outcome((state, message, revision): Said) -> Outcome {
    let outcome = match state {
        0 => Outcome::success(),
        1 => SyncState::ReprocessAll.into(),
        2 => Outcome::error(format!("problem {message}")),
        3 => Outcome::error_no_retry(format!("problem {message}")),
        _ => Outcome::config_error(format!("problem {message}")),
    };
    match revision {
        Some(revision) => outcome.observed(revision.to_string()),
        None => outcome,
    }
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let fate = prop_oneof![
        4 => Just(Fate::Fine),
        2 => any::<bool>().prop_map(|is_done| Fate::Lost { is_done }),
        1 => Just(Fate::Refused(Refusal::Conflict)),
        1 => Just(Fate::Refused(Refusal::Forbidden)),
        1 => Just(Fate::Refused(Refusal::Invalid)),
        1 => Just(Fate::Refused(Refusal::Busy { after: Some(Duration::from_secs(3)) })),
    ];
    let said = (0..5_u8, 0..2_u8, proptest::option::of(0..2_u8));
    let event = prop_oneof![
        6 => (0..RECONCILERS.len(), said).prop_map(|(reconciler, said)| Event::Report(reconciler, said)),
        8 => fate.prop_map(Event::Turn),
        1 => any::<bool>().prop_map(|is_noticed| Event::Delete { is_noticed }),
        1 => Just(Event::Restart),
        4 => (1..40_u64).prop_map(Event::Pass),
    ];
    vec(event, 0..60)
}

/// A server with one object, as far as reporters see it.
#[derive(Default)]
struct Server {
    object: Option<Stored>,
    requests: usize,
}

#[derive(Clone, Default)]
struct Stored {
    conditions: BTreeMap<ConditionType, Condition>,
    owners: BTreeMap<ConditionType, Manager>,
    revision: Option<Box<str>>,
}

impl Server {
    fn serve(&mut self, ask: &Ask) -> Answer {
        self.requests += 1;
        match (ask, &mut self.object) {
            (Ask::Create, object) => {
                object.get_or_insert_default();
                Answer::Done
            }
            (_, None) => Answer::Refused(Refusal::NotFound),
            (Ask::Read, Some(stored)) => {
                Answer::Found(stored.conditions.values().cloned().collect(), stored.revision.clone())
            }
            (Ask::Write(write), Some(stored)) => {
                stored.apply(write);
                Answer::Done
            }
        }
    }
}

impl Stored {
    /// Server-side apply: what the manager owned and does not apply any more goes.
    fn apply(&mut self, write: &Write) {
        let gone: Vec<_> = self
            .owners
            .iter()
            .filter(|(_, owner)| **owner == write.manager)
            .map(|(type_, _)| type_.clone())
            .collect();
        for type_ in gone {
            self.owners.remove(&type_);
            self.conditions.remove(&type_);
        }
        for condition in &write.conditions {
            self.owners.insert(condition.type_.clone(), write.manager.clone());
            self.conditions.insert(condition.type_.clone(), condition.clone());
        }
        self.revision.clone_from(&write.revision);
    }
}

struct World {
    shape: Shape,
    server: Server,
    book: Book,
    said: BTreeMap<&'static str, Said>,
    now: u64,
}

impl World {
    fn new(shape: Shape) -> Self {
        let book = book(shape);
        // A shared object is there already, and somebody brings it back.
        let object = (shape == Shape::Shared).then(Stored::default);
        let server = Server { object, requests: 0 };
        Self { shape, server, book, said: BTreeMap::new(), now: 0 }
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs(self.now)
    }

    fn wall(&self) -> Time {
        at(i64::try_from(self.now).unwrap())
    }

    fn turn(&mut self, fate: Fate) -> Step {
        let step = self.book.next(self.elapsed(), 1.0);
        if let Step::Send(ask) = &step {
            let answer = match fate {
                Fate::Fine => self.server.serve(ask),
                Fate::Lost { is_done } => {
                    if is_done {
                        self.server.serve(ask);
                    }
                    Answer::Refused(Refusal::Unanswered)
                }
                Fate::Refused(refusal) => Answer::Refused(refusal),
            };
            let now = self.elapsed();
            self.book.answered(answer, now, 1.0);
        }
        step
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Report(reconciler, said) => {
                let reconciler = RECONCILERS[reconciler];
                self.said.insert(reconciler, said);
                let now = self.wall();
                self.book.report(reconciler, outcome(said), now);
            }
            Event::Turn(fate) => drop(self.turn(fate)),
            Event::Delete { is_noticed } => {
                self.server.object = (self.shape == Shape::Shared).then(Stored::default);
                if is_noticed {
                    self.book.lost();
                }
            }
            Event::Restart => {
                self.book = book(self.shape);
                self.said.clear();
            }
            Event::Pass(seconds) => self.now += seconds,
        }
    }

    /// Lets the book do all that it wants to, without faults. How many turns that took.
    fn settle(&mut self) -> usize {
        for turn in 0..200 {
            match self.turn(Fate::Fine) {
                Step::Send(_) => {}
                Step::Wait(Some(until)) if self.book.unwritten() > 0 => self.now = until.as_secs() + 1,
                _ => return turn,
            }
        }
        panic!("it does not come to rest: {:?}", self.book);
    }

    fn stored(&self, reconciler: &str) -> Option<(Status, String, String)> {
        let identity = Identity::of("speaker").on("n");
        let type_ = match self.shape {
            Shape::Shared => identity.condition_type(reconciler),
            Shape::Own { .. } => own_condition_type(reconciler),
        };
        let condition = self.server.object.as_ref()?.conditions.get(&type_)?;
        Some((condition.status, condition.reason.to_string(), condition.message.as_str().to_owned()))
    }
}

fn book(shape: Shape) -> Book {
    let backoff = Backoff { min: Duration::from_secs(1), max: Duration::from_secs(8) };
    Book::new(
        Identity::of("speaker").on("n"),
        shape,
        Pace { backoff, refresh: Some(Duration::from_mins(10)) },
    )
}

fn shapes() -> impl Strategy<Value = Shape> {
    prop_oneof![Just(Shape::Shared), Just(Shape::Own { renew: false }), Just(Shape::Own { renew: true })]
}

proptest! {
    #[test]
    fn what_was_said_last_is_what_is_stored_in_the_end(shape in shapes(), events in events()) {
        let mut world = World::new(shape);
        for event in events {
            world.happen(event);
        }
        // What was deleted behind its back comes back with the next refresh.
        world.settle();
        world.now += 1300;
        world.settle();
        for (reconciler, said) in world.said.clone() {
            let wanted = outcome(said);
            let wanted = (wanted.status(), wanted.reason().to_string(), wanted.message().to_owned());
            prop_assert_eq!(world.stored(reconciler), Some(wanted), "{}", reconciler);
        }
    }

    #[test]
    fn what_is_said_twice_costs_nothing_the_second_time(shape in shapes(), events in events()) {
        let mut world = World::new(shape);
        for event in events {
            world.happen(event);
        }
        world.settle();
        let requests = world.server.requests;
        for (reconciler, said) in world.said.clone() {
            let is_new = world.book.report(reconciler, outcome(said), at(1_000_000));
            prop_assert!(!is_new);
        }
        prop_assert_eq!(world.settle(), 0);
        prop_assert_eq!(world.server.requests, requests);
    }

    #[test]
    fn times_never_go_back_and_without_lost_answers_move_with_the_status_alone(
        shape in shapes(), events in events(),
    ) {
        let mut world = World::new(shape);
        let mut before = BTreeMap::new();
        let mut is_doubtful = false;
        for event in events {
            match event {
                Event::Turn(Fate::Lost { .. }) | Event::Restart => is_doubtful = true,
                Event::Delete { .. } => before.clear(),
                _ => {}
            }
            world.happen(event);
            let now = world.server.object.clone().unwrap_or_default().conditions;
            for (type_, condition) in &now {
                let Some(before): Option<&Condition> = before.get(type_) else { continue };
                prop_assert!(condition.last_transition_time >= before.last_transition_time);
                if condition.status == before.status && !is_doubtful {
                    prop_assert_eq!(condition.last_transition_time, before.last_transition_time);
                }
            }
            before.extend(now);
        }
    }

    #[test]
    fn what_is_stored_stays_until_the_object_is_deleted(shape in shapes(), events in events()) {
        let mut world = World::new(shape);
        for event in events {
            let before = world.server.object.clone().unwrap_or_default().conditions;
            world.happen(event);
            let now = world.server.object.clone().unwrap_or_default().conditions;
            let is_deleted = matches!(event, Event::Delete { .. });
            prop_assert!(is_deleted || before.keys().all(|type_| now.contains_key(type_)));
        }
    }

    #[test]
    fn a_restart_that_finds_the_same_keeps_every_time_and_sends_no_write(shape in shapes(), events in events()) {
        let mut world = World::new(if shape == Shape::Shared { shape } else { Shape::Own { renew: false } });
        for event in events {
            world.happen(event);
        }
        world.settle();
        world.now += 1300;
        world.settle();
        let stored = world.server.object.clone().unwrap_or_default().conditions;
        let said = std::mem::take(&mut world.said);
        world.happen(Event::Restart);
        world.settle();
        let requests = world.server.requests;
        for (reconciler, said) in said {
            world.book.report(reconciler, outcome(said), at(1_000_000));
        }
        world.settle();
        prop_assert_eq!(world.server.object.clone().unwrap_or_default().conditions, stored);
        // In an object of its own, one write may settle on a revision that was not agreed on before.
        let settling = usize::from(shape != Shape::Shared);
        prop_assert!(world.server.requests <= requests + settling);
    }

    #[test]
    fn memory_is_bounded_by_the_number_of_reconcilers(reports in vec((0..3_usize, 0..200_u8), 0..200)) {
        let mut book = book(Shape::Shared);
        for (reconciler, message) in reports {
            book.report(RECONCILERS[reconciler], Outcome::error(message), at(1));
        }
        prop_assert!(book.sheets.len() <= 3 && book.sheets.values().all(|sheet| sheet.entries.len() == 1));
    }
}
