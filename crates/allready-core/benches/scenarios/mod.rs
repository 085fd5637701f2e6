//! Fleets for benchmarks: what their members say, and how that changes. The same on every run.

use allready_core::{Condition, ConditionType, Status, Time, condition_type, fleet::FleetIndex, reason};

pub(crate) const SIZES: [usize; 3] = [500, 5_000, 50_000];

/// The size that the limits are for.
pub(crate) const LIMITED: usize = 5_000;

pub(crate) const SCENARIOS: [(&str, Scenario); 3] =
    [("mixed", Scenario::Mixed), ("one cause", Scenario::OneCause), ("own causes", Scenario::OwnCauses)];

static TYPES: [ConditionType; 4] = [
    condition_type!("configReconcilerValid"),
    condition_type!("poolReconcilerValid"),
    condition_type!("serviceReconcilerValid"),
    condition_type!("nodeReconcilerValid"),
];

#[derive(Clone, Copy)]
pub(crate) enum Scenario {
    /// Most are good; single conditions fail, become unknown, and recover.
    Mixed,
    /// Every condition of every member fails with the same cause; members recover and fail again.
    OneCause,
    /// Every condition of every member has a cause of its own; they change.
    OwnCauses,
}

/// What a condition is made to say.
#[derive(Clone, Copy)]
pub(crate) enum Says {
    Good,
    Waiting,
    SharedFailure,
    OwnFailure(u64),
}

/// A fleet as it is before anything changes.
pub(crate) struct Start {
    pub(crate) names: Vec<String>,
    pub(crate) said: Vec<[Says; 4]>,
    pub(crate) reports: Vec<[Condition; 4]>,
}

impl Start {
    pub(crate) fn new(scenario: Scenario, members: usize, random: &mut Random) -> Self {
        let names = (0..members).map(|number| format!("worker-{number:05}.example.internal")).collect();
        let said: Vec<_> = (0..members).map(|_| [(); 4].map(|()| scenario.start(random))).collect();
        let reports = said.iter().map(report).collect();
        Self { names, said, reports }
    }

    /// The index of this fleet, every member expected and reporting.
    pub(crate) fn build(&self) -> FleetIndex {
        let mut fleet = FleetIndex::default();
        for (name, report) in self.names.iter().zip(&self.reports) {
            fleet.expect(name);
            fleet.apply(name, report);
        }
        fleet
    }
}

impl Scenario {
    pub(crate) fn start(self, random: &mut Random) -> Says {
        match self {
            Self::Mixed => match random.below(100) {
                0 => Says::SharedFailure,
                1 => Says::OwnFailure(random.next()),
                2 => Says::Waiting,
                _ => Says::Good,
            },
            Self::OneCause => Says::SharedFailure,
            Self::OwnCauses => Says::OwnFailure(random.next()),
        }
    }

    pub(crate) fn change(self, said: &mut [Says; 4], random: &mut Random) {
        let one = &mut said[random.below(4)];
        match (self, *one) {
            (Self::Mixed, Says::Good) => {
                *one = match random.below(3) {
                    0 => Says::SharedFailure,
                    1 => Says::OwnFailure(random.next()),
                    _ => Says::Waiting,
                }
            }
            (Self::Mixed, _) => *one = Says::Good,
            (Self::OneCause, Says::Good) => *said = [Says::SharedFailure; 4],
            (Self::OneCause, _) => *said = [Says::Good; 4],
            (Self::OwnCauses, _) => *one = Says::OwnFailure(random.next()),
        }
    }
}

pub(crate) fn report(said: &[Says; 4]) -> [Condition; 4] {
    std::array::from_fn(|position| {
        let (status, reason, message) = match said[position] {
            Says::Good => (Status::True, reason!("SyncStateSuccess"), String::new()),
            Says::Waiting => {
                (Status::Unknown, reason!("SyncStateReprocessAll"), "waiting for the next pass".to_owned())
            }
            Says::SharedFailure => {
                let message = "pool \"production\" overlaps pool \"staging\" in 10.20.0.0/16".to_owned();
                (Status::False, reason!("ConfigError"), message)
            }
            Says::OwnFailure(number) => {
                let message = format!("failed to open a session with peer {number:016x}: connection refused");
                (Status::False, reason!("SyncStateError"), message)
            }
        };
        Condition::new(TYPES[position].clone(), status, reason, message, Time::EPOCH).observed(7)
    })
}

/// `SplitMix64`: the same changes on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 32).unwrap_or(0) % limit
    }
}
