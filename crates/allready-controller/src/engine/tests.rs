use std::collections::BTreeMap;

use allready_kube::backoff::Backoff;
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Wants every name to stand as it was last told to, from a time on; and what stands is what was written.
#[derive(Debug, Default)]
struct Names {
    wanted: BTreeMap<u8, (u32, Duration)>,
    standing: BTreeMap<u8, u32>,
}

impl Reconciler for Names {
    type Key = u8;
    type Target = u8;
    type Event = (u8, Option<(u32, Duration)>);

    fn namespace(_: &u8) -> &'static str {
        ""
    }

    fn observe(&mut self, (name, wanted): Self::Event, _: Now, due: &mut BTreeSet<u8>) {
        match wanted {
            Some(wanted) => self.wanted.insert(name, wanted),
            None => self.wanted.remove(&name),
        };
        due.insert(name);
    }

    fn reconcile(&mut self, key: &u8, now: Now) -> Desired<u8> {
        let mut desired = Desired::default();
        let Some((value, from)) = self.wanted.get(key) else { return desired };
        if *from > now.elapsed {
            desired.look_at(*from);
        } else if self.standing.get(key) != Some(value) {
            desired.write(*key, Write::calm(Some(json!(value))));
        }
        desired
    }

    fn written(&mut self, target: &u8, written: Written, _: u32, _: Now, _: &mut BTreeSet<u8>) {
        if let Ok(Some(value)) = written {
            self.standing.insert(*target, u32::try_from(value.as_u64().unwrap()).unwrap());
        }
    }

    fn keys(&self) -> Vec<u8> {
        self.wanted.keys().copied().collect()
    }

    fn watches(&self) -> BTreeMap<String, Result<(), String>> {
        BTreeMap::new()
    }
}

const MS: fn(u64) -> Duration = Duration::from_millis;

fn at(ms: u64) -> Now {
    Now { elapsed: MS(ms), time: Time::EPOCH, term: None }
}

fn engine() -> Engine<Names> {
    let backoff = Backoff { min: MS(100), max: Duration::from_secs(10) };
    Engine::new(Names::default(), Queue::new(Pace::default(), backoff, |_| 0))
}

#[test]
fn a_change_is_written_once_it_is_gathered_and_nothing_after_it_stands() {
    let mut engine = engine();
    engine.observe((1, Some((7, MS(0)))), at(0));
    assert_eq!(engine.step(true, at(0)), []);
    assert_eq!(engine.next_due(true), Some(MS(50)));
    assert_eq!(engine.step(true, at(50)), [(1, Some(json!(7)))]);
    engine.written(&1, Ok(Some(json!(7))), 1.0, at(60));
    assert_eq!(engine.step(true, at(60)), []);
    assert_eq!((engine.next_due(true), engine.queue().waiting(), engine.queue().in_flight()), (None, 0, 0));
}

#[test]
fn a_time_that_was_returned_is_not_forgotten() {
    let mut engine = engine();
    engine.observe((1, Some((7, MS(30_000)))), at(0));
    assert_eq!(engine.step(true, at(0)), []);
    assert_eq!(engine.next_due(true), Some(MS(30_000)));
    engine.step(true, at(30_000));
    assert_eq!(engine.step(true, at(30_050)), [(1, Some(json!(7)))]);
}

#[test]
fn a_write_that_failed_is_decided_again_after_the_backoff_or_as_long_as_the_server_asks() {
    let mut engine = engine();
    engine.observe((1, Some((7, MS(0)))), at(0));
    engine.step(true, at(0));
    engine.step(true, at(50));
    engine.written(&1, Err((Refusal::Busy { after: Some(MS(2_000)) }, String::new())), 1.0, at(60));
    assert_eq!(engine.step(true, at(60)), []);
    // Meanwhile something else is wanted: that is written, and not what failed.
    engine.observe((1, Some((8, MS(0)))), at(100));
    assert_eq!(engine.step(true, at(2_059)), []);
    assert_eq!(engine.step(true, at(2_060)), [(1, Some(json!(8)))]);
    assert_eq!(engine.queue().failures(&1), 1);
}

#[test]
fn a_write_that_is_not_wanted_any_more_is_dropped() {
    let mut engine = engine();
    engine.observe((1, Some((7, MS(0)))), at(0));
    engine.step(true, at(0));
    engine.observe((1, None), at(10));
    assert_eq!(engine.step(true, at(1_000)), []);
    assert_eq!(engine.next_due(true), None);
}

#[test]
fn one_write_at_a_time_goes_to_a_target() {
    let mut engine = engine();
    engine.observe((1, Some((7, MS(0)))), at(0));
    engine.step(true, at(0));
    engine.step(true, at(50));
    engine.observe((1, Some((8, MS(0)))), at(60));
    assert_eq!(engine.step(true, at(5_000)), []);
    engine.written(&1, Ok(Some(json!(7))), 1.0, at(5_000));
    engine.step(true, at(5_000));
    assert_eq!(engine.step(true, at(5_050)), [(1, Some(json!(8)))]);
}

#[test]
fn a_replica_that_does_not_lead_writes_nothing_and_looks_at_everything_when_it_begins_to() {
    let mut engine = engine();
    engine.observe((1, Some((7, MS(0)))), at(0));
    engine.step(false, at(0));
    assert_eq!(engine.step(false, at(1_000)), []);
    assert_eq!(engine.next_due(false), None, "there is nothing to do");
    let reconciles = engine.reconciles();
    let leads = Now { term: Some(3), ..at(2_000) };
    assert_eq!(engine.step(true, leads), [(1, Some(json!(7)))]);
    assert_eq!(engine.reconciles(), reconciles + 1);
}

#[test]
fn targets_of_a_lower_rank_go_first_when_there_is_no_room_for_all() {
    let mut queue: Queue<u16> =
        Queue::new(Pace::default(), Backoff::default(), |target| u8::from(*target < 1_000));
    for target in (0..100).chain([1_000]) {
        queue.want(&target, Some(Write::calm(Some(json!(1)))), MS(0));
    }
    let due: Vec<u16> = queue.take_due(MS(50)).into_iter().map(|(target, _)| target).collect();
    assert_eq!((due.len(), due[0], queue.next_due()), (32, 1_000, None));
}

#[test]
fn bad_news_does_not_wait_but_for_somebody_who_undoes_it_all_the_time() {
    let mut queue: Queue<u8> = Queue::new(Pace::default(), Backoff::default(), |_| 0);
    let bad = || Some(Write { body: Some(json!(1)), is_urgent: true });
    let mut writes = 0;
    for ms in 0..10_000 {
        queue.want(&1, bad(), MS(ms));
        for (target, _) in queue.take_due(MS(ms)) {
            writes += 1;
            queue.wrote(&target, Ok(()), 1.0, MS(ms));
        }
    }
    assert_eq!(writes, 10_000 / 50);
}

#[test]
fn changes_without_end_are_written_four_times_a_second() {
    let mut queue: Queue<u8> = Queue::new(Pace::default(), Backoff::default(), |_| 0);
    let mut writes = 0;
    for ms in 0..10_000 {
        queue.want(&1, Some(Write::calm(Some(json!(ms)))), MS(ms));
        for (target, _) in queue.take_due(MS(ms)) {
            writes += 1;
            queue.wrote(&target, Ok(()), 1.0, MS(ms));
        }
    }
    assert!((40..=45).contains(&writes), "{writes}");
}

proptest! {
    /// Whatever happens in whatever order, in the end everything stands as it is wanted, and nothing is left to do.
    #[test]
    fn in_the_end_everything_stands_as_it_is_wanted(
        steps in prop::collection::vec((0..4_u8, 0..5_u32, 0..500_u64, any::<bool>(), any::<bool>()), 1..60),
    ) {
        let mut engine = engine();
        let (mut ms, mut in_flight) = (0, Vec::new());
        for (name, value, later, fails, leads) in steps {
            ms += 37;
            let wanted = (value > 0).then_some((value, MS(ms + later)));
            engine.observe((name, wanted), at(ms));
            in_flight.extend(engine.step(leads, at(ms)));
            if !in_flight.is_empty() {
                let (target, body) = in_flight.remove(0);
                let written = if fails { Err((Refusal::Unanswered, String::new())) } else { Ok(body) };
                engine.written(&target, written, 0.5, at(ms));
            }
        }
        for (target, body) in in_flight {
            engine.written(&target, Ok(body), 0.5, at(ms));
        }
        for _ in 0..200 {
            for (target, body) in engine.step(true, at(ms)) {
                engine.written(&target, Ok(body), 0.5, at(ms));
            }
            let Some(due) = engine.next_due(true) else { break };
            ms = ms.max(u64::try_from(due.as_millis()).unwrap() + 1);
        }
        prop_assert_eq!(engine.next_due(true), None);
        let Names { wanted, standing } = &engine.reconciler;
        for (name, (value, _)) in wanted {
            prop_assert_eq!(standing.get(name), Some(value));
        }
    }
}

#[test]
fn a_write_that_somebody_else_was_faster_than_three_times_asks_for_no_version() {
    let backoff = Backoff { min: MS(100), max: Duration::from_secs(10) };
    let mut queue: Queue<u8> = Queue::new(Pace::default(), backoff, |_| 0);
    let body = json!({ "metadata": { "name": "web", "resourceVersion": "7" }, "status": {} });
    let mut now = MS(0);
    let mut send = |queue: &mut Queue<u8>, result| {
        now += Duration::from_secs(30);
        queue.want(&1, Some(Write::calm(Some(body.clone()))), now);
        let (_, sent) = queue.take_due(now + MS(50)).remove(0);
        queue.wrote(&1, result, 1.0, now + MS(60));
        sent.unwrap()["metadata"].get("resourceVersion").is_some()
    };
    let conflict = || Err(Refusal::Conflict);
    assert!(send(&mut queue, conflict()) && send(&mut queue, Err(Refusal::Unanswered)));
    assert!(send(&mut queue, conflict()) && send(&mut queue, conflict()), "two, and one more");
    assert!(!send(&mut queue, Err(Refusal::Unanswered)) && !send(&mut queue, Ok(())));
    assert!(send(&mut queue, Ok(())), "what was written ends it");
}

/// Objects of tenants, each at a version, which is written.
#[derive(Debug, Default)]
struct Tenants {
    wanted: BTreeMap<Owned, u32>,
    standing: BTreeMap<Owned, u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Owned(&'static str, u32);

impl fmt::Display for Owned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0, self.1)
    }
}

impl Reconciler for Tenants {
    type Key = Owned;
    type Target = Owned;
    type Event = Owned;

    fn namespace(key: &Owned) -> &'static str {
        key.0
    }

    fn observe(&mut self, object: Owned, _: Now, due: &mut BTreeSet<Owned>) {
        *self.wanted.entry(object.clone()).or_default() += 1;
        due.insert(object);
    }

    fn reconcile(&mut self, key: &Owned, _: Now) -> Desired<Owned> {
        let mut desired = Desired::default();
        let wanted = self.wanted[key];
        if self.standing.get(key) != Some(&wanted) {
            desired.write(key.clone(), Write::calm(Some(json!(wanted))));
        }
        desired
    }

    fn written(&mut self, target: &Owned, written: Written, _: u32, _: Now, _: &mut BTreeSet<Owned>) {
        if let Ok(Some(value)) = written {
            self.standing.insert(target.clone(), u32::try_from(value.as_u64().unwrap()).unwrap());
        }
    }

    fn keys(&self) -> Vec<Owned> {
        self.wanted.keys().cloned().collect()
    }

    fn watches(&self) -> BTreeMap<String, Result<(), String>> {
        BTreeMap::new()
    }
}

fn tenants() -> Engine<Tenants> {
    let queue = Queue::new(Pace::default(), Backoff::default(), |_| 0).fair(|target: &Owned| target.0);
    Engine::new(Tenants::default(), queue)
}

#[test]
fn a_tenant_with_twenty_thousand_objects_that_flap_delays_nobody_else() {
    let mut engine = tenants();
    for number in 0..20_000 {
        engine.observe(Owned("noisy", number), at(0));
    }
    let (mut in_flight, mut done, mut most) = (Vec::new(), None, 0);
    for ms in 0..600 {
        for number in 0..50 {
            engine.observe(Owned("noisy", u32::try_from(ms * 50 + number).unwrap() % 20_000), at(ms));
        }
        if ms == 300 {
            engine.observe(Owned("calm", 1), at(ms));
        }
        // Each write takes ten milliseconds.
        for (until, target, body) in std::mem::take(&mut in_flight) {
            if until > ms {
                in_flight.push((until, target, body));
                continue;
            }
            if target == Owned("calm", 1) {
                done.get_or_insert(ms);
            }
            engine.written(&target, Ok(body), 0.5, at(ms));
        }
        let before = engine.reconciles();
        let writes = engine.step(true, at(ms));
        most = most.max(engine.reconciles() - before);
        in_flight.extend(writes.into_iter().map(|(target, body)| (ms + 10, target, body)));
    }
    let delay = done.expect("it was written") - 300;
    // Changes are gathered for 50 ms, and one write of others is waited for.
    assert!(delay <= 75, "{delay} ms");
    assert!(most <= 256, "{most} decisions in one step");
    assert!(engine.reconciler.standing.len() > 1_000, "and the noisy one has its turns, too");
}

#[test]
fn nothing_is_written_that_is_about_to_be_decided_anew() {
    let mut engine = tenants();
    engine.observe(Owned("shop", 5_000), at(0));
    engine.step(true, at(0));
    // Its write is due at 50 ms, and behind many others it is decided anew only some steps later.
    for number in 0..1_000 {
        engine.observe(Owned("shop", number), at(54));
    }
    engine.observe(Owned("shop", 5_000), at(55));
    for ms in 55..200 {
        for (target, body) in engine.step(true, at(ms)) {
            assert!(target != Owned("shop", 5_000) || body == Some(json!(2)), "at {ms} ms: {body:?}");
            engine.written(&target, Ok(body), 0.5, at(ms));
        }
    }
    assert_eq!(engine.reconciler.standing[&Owned("shop", 5_000)], 2);
}
