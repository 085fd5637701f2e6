//! What every clone of a server, every service and every connection shares.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::watch;

use super::boot;
use crate::{
    builtin::Ranges,
    fault::{Faults, mix},
    http::{
        auth,
        body::{BUDGET, Room},
        watch::Endings,
    },
    resource::{Stamp, User},
    rest::Engine,
    status::Failure,
    store::{Draft, Everything, Window},
};

pub(crate) type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The settings of a server.
pub(crate) struct Setup {
    pub(crate) token: Option<String>,
    pub(crate) users: Vec<(String, User)>,
    pub(crate) clock: Clock,
    pub(crate) seed: Option<u64>,
    pub(crate) patience: Duration,
    pub(crate) window: Window,
    pub(crate) ranges: Ranges,
}

/// By group and version: the hash it was built for, and the text.
type Documents = HashMap<(String, String), (String, Bytes)>;

/// What every clone of a server shares.
pub(crate) struct Shared {
    engine: Engine,
    faults: Faults,
    /// The settings that it began with.
    given: Mutex<Vec<Value>>,
    token: String,
    /// Who is known over a socket, by token.
    users: Arc<[(String, User)]>,
    clock: Clock,
    patience: Duration,
    room: Room,
    dice: Dice,
    endings: watch::Sender<Endings>,
    /// Held by every open watch.
    watches: Arc<()>,
    address: Mutex<String>,
    pub(crate) documents: Mutex<Documents>,
}

/// What comes at random, and from the same seed comes the same again.
struct Dice {
    seed: [u64; 2],
    drawn: AtomicU64,
}

impl Dice {
    fn draw(&self) -> [u8; 32] {
        let draw = self.drawn.fetch_add(1, Ordering::Relaxed);
        let [first, second] = self.seed;
        let mut state = first ^ mix(draw ^ second);
        let mut bytes = [0; 32];
        for chunk in bytes.chunks_exact_mut(8) {
            state = mix(state ^ second);
            chunk.copy_from_slice(&state.to_le_bytes());
        }
        bytes
    }
}

impl Shared {
    pub(crate) fn new(setup: Setup) -> Self {
        let Setup { token, mut users, clock, seed, patience, window, ranges } = setup;
        // A token is a secret even where everything else is to be foreseen.
        let token = token.unwrap_or_else(|| uuid::Uuid::new_v4().simple().to_string());
        users.push((token.clone(), auth::admin()));
        let random = uuid::Uuid::new_v4();
        let seed = seed.map_or(random.as_u64_pair(), |seed| (seed, mix(seed)));
        let dice = Dice { seed: [seed.0, seed.1], drawn: AtomicU64::new(0) };
        let users: Arc<[(String, User)]> = users.into();
        let engine = Engine::new(boot::registry(ranges), window, &|| (clock(), dice.draw()));
        engine.know(Arc::clone(&users));
        Self {
            engine,
            faults: Faults::seeded(seed.0),
            given: Mutex::default(),
            token,
            users,
            clock,
            patience,
            room: Room::new(BUDGET),
            dice,
            endings: watch::Sender::new(Endings::default()),
            watches: Arc::default(),
            address: Mutex::new("localhost".to_owned()),
            documents: Mutex::default(),
        }
    }

    pub(crate) fn define(&self, crd: Value) -> Result<(), Failure> {
        boot::define(&self.engine, &crd, self.stamp())?;
        self.given.lock().unwrap_or_else(PoisonError::into_inner).push(crd);
        Ok(())
    }

    /// Makes an object that the server begins with. With `anew`, one that is there already stays as it is.
    pub(crate) fn give(&self, object: Value, anew: bool) -> Result<(), Failure> {
        match boot::create(&self.engine, &object, &|| self.stamp()) {
            Err(failure) if anew && failure.reason == "AlreadyExists" => {}
            other => other?,
        }
        self.given.lock().unwrap_or_else(PoisonError::into_inner).push(object);
        Ok(())
    }

    /// The number of random values that were drawn.
    pub(crate) fn drawn(&self) -> u64 {
        self.dice.drawn.load(Ordering::Relaxed)
    }

    /// Goes on from everything that another server had.
    pub(crate) fn resume(&self, everything: Everything<(u64, Draft)>, drawn: u64) {
        self.dice.drawn.fetch_max(drawn, Ordering::Relaxed);
        self.engine.resume(everything, &|| self.stamp());
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn faults(&self) -> &Faults {
        &self.faults
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(crate) fn users(&self) -> Arc<[(String, User)]> {
        Arc::clone(&self.users)
    }

    pub(crate) fn clock(&self) -> Clock {
        Arc::clone(&self.clock)
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// The room for the bodies of requests.
    pub(crate) fn room(&self) -> &Room {
        &self.room
    }

    /// 32 bytes that have not been drawn before.
    pub(crate) fn random(&self) -> [u8; 32] {
        self.dice.draw()
    }

    /// A name for one request.
    pub(crate) fn audit_id(&self) -> String {
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(self.random()).for_each(|(byte, random)| *byte = random);
        uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
    }

    pub(crate) fn stamp(&self) -> Stamp {
        (self.now(), self.random())
    }

    pub(crate) fn endings(&self) -> Endings {
        *self.endings.borrow()
    }

    pub(crate) fn listen_for_endings(&self) -> watch::Receiver<Endings> {
        self.endings.subscribe()
    }

    /// What a watch holds for as long as it is open.
    pub(crate) fn open_watch(&self) -> Arc<()> {
        Arc::clone(&self.watches)
    }

    pub(crate) fn watches(&self) -> usize {
        Arc::strong_count(&self.watches).saturating_sub(1)
    }

    pub(crate) fn close_watches(&self) {
        self.endings.send_modify(|endings| endings.closed += 1);
    }

    pub(crate) fn restart(&self, keep_data: bool) {
        // Nobody is to see what stands only half: who asks from here on until the end is cut off.
        self.endings.send_modify(|endings| {
            endings.cut += 1;
            endings.restarting = true;
        });
        self.engine.restart(keep_data, &|| self.stamp());
        if !keep_data {
            for object in self.given.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                // It was accepted once.
                let _ = boot::create(&self.engine, object, &|| self.stamp());
            }
        }
        self.endings.send_modify(|endings| {
            endings.cut += 1;
            endings.restarting = false;
        });
    }

    /// Where the server listens, as discovery says it.
    pub(crate) fn address(&self) -> String {
        self.address.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn listens_on(&self, address: String, authority: Option<&str>) {
        if let Some(authority) = authority {
            self.engine.trust(authority, self.now());
        }
        *self.address.lock().unwrap_or_else(PoisonError::into_inner) = address;
    }

    /// A document that takes long to build, built once for as long as its hash stays. Those of groups that are no longer
    /// served are forgotten.
    pub(crate) fn document(
        &self,
        group: &str,
        version: &str,
        hash: &str,
        served: impl Fn(&str, &str) -> bool,
        build: impl FnOnce() -> Bytes,
    ) -> Bytes {
        let key = (group.to_owned(), version.to_owned());
        let known = || {
            let documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
            documents.get(&key).filter(|(known, _)| known == hash).map(|(_, text)| text.clone())
        };
        known().unwrap_or_else(|| {
            let text = build();
            let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
            documents.retain(|(group, version), _| served(group, version));
            documents.insert(key.clone(), (hash.to_owned(), text.clone()));
            text
        })
    }
}
