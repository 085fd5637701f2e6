//! The loop that takes part in an election.

use std::{sync::Arc, time::Duration};

use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, Client, api::PostParams};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until, timeout_at},
};

use super::{
    candidacy::{Candidacy, Leadership},
    election::{Answer, Election, Next, Request},
    term::Terms,
    timing::{Now, Timing, TimingError},
};
use crate::{clock::Clock, refusal::Refusal};

/// A replica that would like to lead. [`start`](Self::start) makes it take part.
///
/// # RBAC
/// `get`, `create` and `update` on `leases` in `coordination.k8s.io`, in the namespace of the lease; the role is written
/// out in the [module](super).
///
/// ```
/// use allready_kube::lease::{Candidate, CandidateError, Leadership, Timing};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
/// let candidacy = Candidate::new(client, "default", "pools", "pools-x2k").start().unwrap();
/// assert!(candidacy.elected().await.unwrap().is_leading(tokio::time::Instant::now()));
/// # });
/// ```
#[derive(Clone)]
#[must_use]
pub struct Candidate {
    client: Client,
    namespace: String,
    name: String,
    identity: String,
    timing: Timing,
    clock: Clock,
}

/// Why a candidate cannot take part.
///
/// ```
/// use allready_kube::lease::{Candidate, CandidateError, Leadership, Timing};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
/// let nobody = Candidate::new(client, "default", "pools", "").start();
/// assert!(matches!(nobody.err(), Some(CandidateError::NoIdentity { .. })));
/// # });
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CandidateError {
    /// The durations do not go together.
    #[error("lease {namespace}/{name}: {source}")]
    Timing {
        /// The namespace of the lease.
        namespace: String,
        /// The name of the lease.
        name: String,
        /// What is wrong with them.
        source: TimingError,
    },
    /// A candidate without a name cannot be told from nobody.
    #[error(
        "lease {namespace}/{name}: a candidate needs an identity that no other replica has, such as its pod's name"
    )]
    NoIdentity {
        /// The namespace of the lease.
        namespace: String,
        /// The name of the lease.
        name: String,
    },
}

impl Candidate {
    /// A candidate for the lease of this name. The identity has to be another for every replica: the name of the pod.
    ///
    /// ```
    /// use allready_kube::lease::{Candidate, CandidateError, Leadership, Timing};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// assert!(Candidate::new(client, "default", "pools", "pools-x2k").start().is_ok());
    /// # });
    /// ```
    pub fn new(
        client: Client,
        namespace: impl Into<String>,
        name: impl Into<String>,
        identity: impl Into<String>,
    ) -> Self {
        let (namespace, name, identity) = (namespace.into(), name.into(), identity.into());
        Self { client, namespace, name, identity, timing: Timing::default(), clock: Clock::system() }
    }

    /// Other durations.
    ///
    /// ```
    /// use allready_kube::lease::{Candidate, CandidateError, Leadership, Timing};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// let never = Timing { lease_duration: std::time::Duration::ZERO, ..Timing::default() };
    /// assert!(Candidate::new(client, "default", "pools", "pools-x2k").timing(never).start().is_err());
    /// # });
    /// ```
    pub fn timing(self, timing: Timing) -> Self {
        Self { timing, ..self }
    }

    /// Another source of the time that is written into the lease. It decides nothing.
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Takes part, in a task of its own, until the [`Candidacy`] is released or dropped.
    ///
    /// ```
    /// use allready_kube::lease::{Candidate, CandidateError, Leadership, Timing};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// let candidacy = Candidate::new(client, "default", "pools", "pools-x2k").start().unwrap();
    /// assert_eq!(candidacy.elected().await.unwrap().term(), 1);
    /// # });
    /// ```
    pub fn start(self) -> Result<Candidacy, CandidateError> {
        let (namespace, name) = (self.namespace, self.name);
        if self.identity.is_empty() {
            return Err(CandidateError::NoIdentity { namespace, name });
        }
        let timing = match self.timing.checked() {
            Ok(timing) => timing,
            Err(source) => return Err(CandidateError::Timing { namespace, name, source }),
        };
        let terms = Terms::default();
        let leadership = Arc::new(watch::Sender::new(Leadership::Following { holder: None }));
        let (stop, stopped) = watch::channel(false);
        let part = Part {
            leases: Api::namespaced(self.client, &namespace),
            election: Election::new(&namespace, &name, self.identity, timing),
            lease: format!("{namespace}/{name}"),
            name,
            timing,
            clock: self.clock,
            terms: terms.clone(),
            leadership: Arc::clone(&leadership),
            stopped,
            complained: None,
        };
        Ok(Candidacy::new(tokio::spawn(part.run()), terms, leadership, stop))
    }
}

/// The running part of a candidate.
struct Part {
    leases: Api<Lease>,
    election: Election,
    lease: String,
    name: String,
    timing: Timing,
    clock: Clock,
    terms: Terms,
    leadership: Arc<watch::Sender<Leadership>>,
    stopped: watch::Receiver<bool>,
    complained: Option<Refusal>,
}

impl Part {
    async fn run(mut self) {
        let mut stopped = self.stopped.clone();
        tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => {}
            () = self.take_part() => {}
        }
        self.step_down().await;
        self.leadership.send_replace(Leadership::Stopped);
    }

    async fn take_part(&mut self) {
        loop {
            self.try_once().await;
            sleep_until(self.election.next_try(Instant::now(), fastrand::f64())).await;
        }
    }

    async fn try_once(&mut self) {
        let mut request = self.election.begin(self.now());
        self.publish();
        loop {
            let sent = self.now();
            let answer = self.ask(request, self.patience(sent.instant)).await;
            let next = self.election.take(sent, answer, self.now());
            self.publish();
            match next {
                Next::Ask(another) => request = another,
                Next::Rest => return,
            }
        }
    }

    /// No request takes so long that a leader has no second chance, or does not notice the end of its term.
    fn patience(&self, sent: Instant) -> Instant {
        let half = sent + self.timing.renew_deadline / 2;
        self.election.until().map_or(half, |until| until.min(half))
    }

    async fn ask(&mut self, request: Request, until: Instant) -> Answer {
        let parameters = PostParams::default();
        let answer = match &request {
            Request::Get => timeout_at(until, self.leases.get(&self.name)).await,
            Request::Create(lease) => timeout_at(until, self.leases.create(&parameters, lease)).await,
            Request::Replace(lease) => {
                timeout_at(until, self.leases.replace(&self.name, &parameters, lease)).await
            }
        };
        match answer {
            Ok(Ok(lease)) => {
                self.complained = None;
                Answer::Lease(lease)
            }
            Ok(Err(error)) => {
                let refusal = Refusal::of(&error);
                match refusal {
                    Refusal::NotFound if request == Request::Get => return Answer::Missing,
                    // Somebody was faster, which is what an election is.
                    Refusal::Conflict | Refusal::AlreadyExists => {}
                    _ => self.complain(refusal, &error),
                }
                Answer::Failed
            }
            Err(elapsed) => {
                self.complain(Refusal::Unanswered, &elapsed);
                Answer::Failed
            }
        }
    }

    /// Once per kind of failure: an election goes on for ever.
    fn complain(&mut self, refusal: Refusal, error: &(dyn std::error::Error + 'static)) {
        if self.complained.replace(refusal) != Some(refusal) {
            tracing::warn!(lease = self.lease, error, "cannot read or write the lease; trying again");
        }
    }

    /// Says what changed: to whoever asks for the term first, as waking comes after knowing.
    fn publish(&self) {
        let current = (self.election.term(), self.election.fence(), self.election.until());
        let leadership = if let (Some(term), Some(fence), Some(until)) = current {
            self.terms.extend(term, fence, until);
            Leadership::Leading { term }
        } else {
            self.terms.end();
            Leadership::Following { holder: self.election.holder().map(str::to_owned) }
        };
        self.leadership.send_if_modified(|before| {
            if *before == leadership {
                return false;
            }
            tracing::info!(lease = self.lease, ?leadership, "leadership changed");
            *before = leadership;
            true
        });
    }

    /// Stops leading, and lets the next replica lead at once.
    async fn step_down(&mut self) {
        if self.election.until().is_none() && !self.election.is_writing() {
            return;
        }
        self.election.resign();
        self.publish();
        let limit = Instant::now() + self.timing.renew_deadline;
        while Instant::now() < limit && !self.released(limit).await {
            sleep_until(Instant::now() + Duration::from_millis(100)).await;
        }
    }

    /// Whether there is nothing left to release.
    async fn released(&mut self, limit: Instant) -> bool {
        let lease = match self.ask(Request::Get, limit).await {
            Answer::Lease(lease) => lease,
            Answer::Missing => return true,
            Answer::Failed => return false,
        };
        match self.election.released(lease, self.now()) {
            None => true,
            Some(lease) => matches!(self.ask(Request::Replace(lease), limit).await, Answer::Lease(_)),
        }
    }

    fn now(&self) -> Now {
        Now { instant: Instant::now(), wall: self.clock.instant() }
    }
}
