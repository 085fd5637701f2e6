//! Many replicas against one store, with requests and answers that are slow or lost, replicas that stand still, and clocks
//! that disagree: there is never more than one leader at one instant.

use std::{cmp::Reverse, collections::BinaryHeap, time::Duration};

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use proptest::prelude::*;
use tokio::time::Instant;

use crate::lease::{Answer, Election, Next, Now, Request, Timing};

/// Milliseconds of the true time, which nobody in the simulation knows.
type Moment = u64;

#[derive(Clone, Debug)]
struct Plan {
    seed: u64,
    /// Of each replica: what its clock shows at the beginning, on the wall and otherwise, and its rate in thousandths.
    clocks: Vec<(u64, i64, u64)>,
    /// The longest that a request or an answer takes.
    latency: Moment,
    /// Of a thousand requests, how many are lost on the way there, and as many on the way back.
    lost: u64,
    /// Of a thousand wake-ups, how many are followed by a standstill of up to twenty seconds.
    standstill: u64,
    /// Of a thousand wake-ups, how many are a crash, followed by a start under another name.
    crash: u64,
}

struct Replica {
    election: Election,
    incarnation: u32,
    sent: Option<Now>,
    try_number: u64,
    /// Killed, and not started again.
    is_dead: bool,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    /// A replica begins a try.
    Wake,
    /// A request arrives at the store.
    Arrive(u64, Boxed<Request>),
    /// An answer arrives at a replica, or its patience ends.
    Answer(u64, Boxed<Answer>),
}

/// Something that has no order and needs none: the queue is ordered by time and by number.
struct Boxed<T>(Box<T>);

impl<T> PartialEq for Boxed<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl<T> Eq for Boxed<T> {}
impl<T> PartialOrd for Boxed<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Boxed<T> {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

struct World {
    plan: Plan,
    timing: Timing,
    random: fastrand::Rng,
    base: Instant,
    now: Moment,
    queue: BinaryHeap<Reverse<(Moment, u64, usize, Happening)>>,
    queued: u64,
    store: Option<Lease>,
    version: u64,
    replicas: Vec<Replica>,
    terms: Vec<(Moment, String)>,
    /// The replica, its term and the fencing number of the last one that led.
    last: Option<(String, u64, u64)>,
    faults: bool,
}

impl World {
    fn new(plan: Plan) -> Self {
        Self::with(plan, Timing::default())
    }

    fn with(plan: Plan, timing: Timing) -> Self {
        let replicas = (0..plan.clocks.len()).map(|index| replica(index, 0, timing)).collect();
        let mut world = Self {
            random: fastrand::Rng::with_seed(plan.seed),
            base: Instant::now(),
            now: 0,
            queue: BinaryHeap::new(),
            queued: 0,
            store: None,
            version: 0,
            replicas,
            terms: Vec::new(),
            last: None,
            faults: true,
            plan,
            timing,
        };
        for index in 0..world.replicas.len() {
            let delay = world.random.u64(0..3000);
            world.after(delay, index, Happening::Wake);
        }
        world
    }

    fn after(&mut self, delay: Moment, replica: usize, happening: Happening) {
        self.queued += 1;
        self.queue.push(Reverse((self.now + delay, self.queued, replica, happening)));
    }

    fn chance(&mut self, thousandths: u64) -> bool {
        self.faults && self.random.u64(0..1000) < thousandths
    }

    /// What the clocks of a replica show at a moment of the true time.
    fn clock(&self, replica: usize, moment: Moment) -> Now {
        let (offset, wall, rate) = self.plan.clocks[replica];
        let passed = moment * rate / 1000;
        let wall = Timestamp::from_millisecond(1_700_000_000_000 + wall + i64::try_from(passed).unwrap());
        Now { instant: self.base + Duration::from_millis(offset + passed), wall: wall.unwrap() }
    }

    /// How long something takes by the true time that takes this long by the clock of a replica.
    fn truly(&self, replica: usize, by_its_clock: Duration) -> Moment {
        let milliseconds = u64::try_from(by_its_clock.as_millis()).unwrap();
        milliseconds * 1000 / self.plan.clocks[replica].2
    }

    fn run(&mut self, until: Moment) {
        while let Some(Reverse((moment, _, _, _))) = self.queue.peek()
            && *moment <= until
        {
            let Some(Reverse((moment, _, replica, happening))) = self.queue.pop() else { break };
            self.now = moment;
            match happening {
                Happening::Wake => self.wake(replica),
                Happening::Arrive(try_number, request) => self.serve(replica, try_number, *request.0),
                Happening::Answer(try_number, answer) => self.answered(replica, try_number, *answer.0),
            }
            self.check();
        }
        self.now = until;
    }

    fn wake(&mut self, index: usize) {
        if self.replicas[index].is_dead {
            return;
        }
        if self.chance(self.plan.crash) {
            let Replica { incarnation, try_number, .. } = self.replicas[index];
            // Numbers go on, so that no answer reaches the wrong incarnation.
            self.replicas[index] = Replica { try_number, ..replica(index, incarnation + 1, self.timing) };
            let delay = self.random.u64(0..5000);
            return self.after(delay, index, Happening::Wake);
        }
        if self.chance(self.plan.standstill) {
            let delay = self.random.u64(0..20_000);
            return self.after(delay, index, Happening::Wake);
        }
        let now = self.clock(index, self.now);
        let request = self.replicas[index].election.begin(now);
        self.send(index, request);
    }

    fn send(&mut self, index: usize, request: Request) {
        let now = self.clock(index, self.now);
        let patience = self.truly(index, self.timing.renew_deadline / 2);
        let replica = &mut self.replicas[index];
        replica.sent = Some(now);
        replica.try_number += 1;
        let number = replica.try_number;
        self.after(patience, index, Happening::Answer(number, Boxed(Box::new(Answer::Failed))));
        if !self.chance(self.plan.lost) {
            let delay = self.random.u64(0..=self.plan.latency);
            self.after(delay, index, Happening::Arrive(number, Boxed(Box::new(request))));
        }
    }

    /// The store compares and swaps, as the API server does. It serves requests of replicas that have long given up.
    fn serve(&mut self, index: usize, number: u64, request: Request) {
        let answer = match (request, &self.store) {
            (Request::Get, Some(lease)) => Answer::Lease(lease.clone()),
            (Request::Get, None) => Answer::Missing,
            (Request::Create(lease), None) => self.write(lease),
            (Request::Replace(lease), Some(stored))
                if lease.metadata.resource_version == stored.metadata.resource_version =>
            {
                self.write(lease)
            }
            _ => Answer::Failed,
        };
        if !self.chance(self.plan.lost) {
            let delay = self.random.u64(0..=self.plan.latency);
            self.after(delay, index, Happening::Answer(number, Boxed(Box::new(answer))));
        }
    }

    fn write(&mut self, mut lease: Lease) -> Answer {
        self.version += 1;
        lease.metadata.resource_version = Some(self.version.to_string());
        self.store = Some(lease.clone());
        Answer::Lease(lease)
    }

    fn answered(&mut self, index: usize, number: u64, answer: Answer) {
        if self.replicas[index].is_dead {
            return;
        }
        let now = self.clock(index, self.now);
        let replica = &mut self.replicas[index];
        // An answer after the patience, or to one who crashed, reaches nobody.
        let Some(sent) = replica.sent.take_if(|_| replica.try_number == number) else { return };
        match replica.election.take(sent, answer, now) {
            Next::Ask(request) => self.send(index, request),
            Next::Rest => {
                let wake = replica.election.next_try(now.instant, self.random.f64());
                // Rounded up, as a timer never fires early.
                let pause = self.truly(index, wake - now.instant) + 1;
                self.after(pause, index, Happening::Wake);
            }
        }
    }

    /// Asked after every change: in between, leaderships only end.
    fn check(&mut self) {
        let leading: Vec<usize> = (0..self.replicas.len()).filter(|index| self.leads(*index)).collect();
        assert!(leading.len() <= 1, "at {} ms these all lead: {leading:?}, {:?}", self.now, self.plan);
        if let [leader] = leading[..] {
            let name = name(leader, self.replicas[leader].incarnation);
            let election = &self.replicas[leader].election;
            let term = (name.clone(), election.term().unwrap(), election.fence().unwrap());
            if self.last.as_ref() != Some(&term) {
                if let Some(before) = &self.last {
                    assert!(before.2 < term.2, "{before:?} is followed by {term:?}, {:?}", self.plan);
                }
                self.last = Some(term);
            }
            if self.terms.last().is_none_or(|(_, before)| *before != name) {
                self.terms.push((self.now, name));
            }
        }
    }

    fn leads(&self, index: usize) -> bool {
        let replica = &self.replicas[index];
        !replica.is_dead && replica.election.leads(self.clock(index, self.now).instant)
    }

    fn leads_somebody(&self) -> bool {
        (0..self.replicas.len()).any(|index| self.leads(index))
    }

    /// Kills the leader, if there is one, and returns how long it takes until another leads.
    fn kill_the_leader(&mut self) -> Option<Duration> {
        let leader = (0..self.replicas.len()).find(|index| self.leads(*index))?;
        self.replicas[leader].is_dead = true;
        let killed = self.now;
        while !self.leads_somebody() {
            self.run(self.now + 1);
        }
        Some(Duration::from_millis(self.now - killed))
    }
}

fn name(index: usize, incarnation: u32) -> String {
    format!("replica-{index}-{incarnation}")
}

fn replica(index: usize, incarnation: u32, timing: Timing) -> Replica {
    let election = Election::new("default", "lock", name(index, incarnation), timing);
    Replica { election, incarnation, sent: None, try_number: 0, is_dead: false }
}

/// What our own controllers use; their tests compare it with what they have.
const CONTROLLERS: Timing = Timing {
    lease_duration: Duration::from_secs(6),
    renew_deadline: Duration::from_secs(4),
    retry_period: Duration::from_secs(1),
};

fn plans(rates: std::ops::RangeInclusive<u64>) -> impl Strategy<Value = Plan> {
    let clock = (0_u64..100_000_000, -86_400_000_i64..86_400_000, rates);
    let clocks = proptest::collection::vec(clock, 2..6);
    (any::<u64>(), clocks, 0_u64..8000, 0_u64..400, 0_u64..200, 0_u64..50).prop_map(
        |(seed, clocks, latency, lost, standstill, crash)| Plan {
            seed,
            clocks,
            latency,
            lost,
            standstill,
            crash,
        },
    )
}

const HOUR: Moment = 3_600_000;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn there_is_never_more_than_one_leader_however_clocks_are_set(plan in plans(1000..=1000)) {
        World::new(plan).run(HOUR);
    }

    #[test]
    fn rates_of_clocks_may_differ_by_less_than_the_lease_outlasts_the_deadline(plan in plans(850..=1150)) {
        World::new(plan).run(HOUR);
    }

    #[test]
    fn there_is_never_more_than_one_leader_with_the_timing_of_our_controllers(plan in plans(850..=1150)) {
        World::with(plan, CONTROLLERS).run(HOUR);
    }

    /// The largest latency here is one way: a round trip takes up to 400 ms.
    #[test]
    fn a_leader_that_is_killed_is_followed_within_the_time_that_its_timing_says(
        plan in plans(1000..=1000),
        latency in 0_u64..=200,
        moment in 20_000_u64..60_000,
    ) {
        let plan = Plan { latency, lost: 0, standstill: 0, crash: 0, ..plan };
        for timing in [Timing::default(), CONTROLLERS] {
            let mut world = World::with(plan.clone(), timing);
            world.run(moment);
            let waited = world.kill_the_leader().unwrap();
            // What is rounded up in the simulation: two timers.
            let most = timing.failover(Duration::from_millis(2 * latency)) + Duration::from_millis(2);
            prop_assert!(waited <= most, "{:?} with {:?} takes {:?}", timing, plan, waited);
            prop_assert!(timing != CONTROLLERS || waited <= Duration::from_secs(10), "{:?}", waited);
        }
    }

    #[test]
    fn once_the_faults_end_somebody_leads_and_stays(plan in plans(1000..=1000)) {
        let mut world = World::new(Plan { latency: plan.latency.min(300), ..plan });
        world.run(HOUR / 10);
        world.faults = false;
        // A standstill, a lease that runs out, and a candidate's pause.
        world.run(HOUR / 10 + 60_000);
        prop_assert!(world.leads_somebody());
        let terms = world.terms.len();
        world.run(HOUR / 5);
        prop_assert!(world.leads_somebody());
        prop_assert_eq!(world.terms.len(), terms, "nobody else took over: {:?}", world.terms);
    }
}

#[test]
fn leaders_that_crash_are_followed_by_others() {
    let plan = Plan {
        seed: 7,
        clocks: vec![(0, 0, 1000), (5_000_000, -80_000_000, 1000), (77, 80_000_000, 1000)],
        latency: 200,
        lost: 50,
        standstill: 10,
        crash: 20,
    };
    let mut world = World::new(plan);
    world.run(HOUR);
    let transitions = crate::lease::Record::of(world.store.as_ref().unwrap()).transitions;
    assert!(world.terms.len() > 10, "{:?}", world.terms);
    assert!(transitions >= i32::try_from(world.terms.len()).unwrap() - 1, "each is counted: {transitions}");
}

#[test]
fn a_simulation_in_which_leaders_do_not_stop_in_time_is_caught() {
    let plan = Plan {
        seed: 7,
        clocks: vec![(0, 0, 1000), (0, 0, 3000), (0, 0, 1000)],
        latency: 200,
        lost: 100,
        standstill: 100,
        crash: 0,
    };
    let caught = std::panic::catch_unwind(|| World::new(plan).run(HOUR));
    assert!(caught.is_err(), "a clock that is three times as fast takes over too early");
}
