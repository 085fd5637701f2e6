//! One replica's part in an election: requests out, answers in, no I/O.

use k8s_openapi::{api::coordination::v1::Lease, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use tokio::time::Instant;

use super::{
    decide::{Decision, decide},
    record::{Observed, Record},
    timing::{Now, Timing},
};

/// A replica in an election: what it knows, and what it asks next.
///
/// The loop of [`Candidate`](super::Candidate) sends its requests; so does a simulation that proves it right.
///
/// ```
/// use allready_kube::lease::{Answer, Election, Next, Now, Request, Timing};
///
/// let mut election = Election::new("default", "pool-controller", "replica-1", Timing::default());
/// let now = Now { instant: tokio::time::Instant::now(), wall: jiff::Timestamp::UNIX_EPOCH };
///
/// assert_eq!(election.begin(now), Request::Get);
/// let Next::Ask(create @ Request::Create(_)) = election.take(now, Answer::Missing, now) else { panic!() };
/// let Request::Create(lease) = create else { panic!() };
/// assert_eq!(election.take(now, Answer::Lease(lease), now), Next::Rest);
/// assert!(election.leads(now.instant));
/// ```
#[derive(Clone, Debug)]
pub struct Election {
    namespace: String,
    name: String,
    me: String,
    timing: Timing,
    lease: Option<Lease>,
    observed: Option<Observed>,
    term: Option<Term>,
    terms: u64,
    /// The number of the last term, if there was one.
    fence: Option<u64>,
    /// The largest count of transitions that was ever seen.
    transitions: Option<i32>,
    asked: Asked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Term {
    number: u64,
    fence: u64,
    until: Instant,
}

/// What the answer is an answer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Get,
    /// A renewal without a look at the lease first, as nobody else should have written.
    Hopefully,
    Write,
}

/// What to send to the API server.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Read the lease.
    Get,
    /// Make it.
    Create(Lease),
    /// Replace it, if it still has its resource version.
    Replace(Lease),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum Answer {
    /// The lease, as it is now.
    Lease(Lease),
    /// There is no such lease.
    Missing,
    /// Refused, cut off, or too late. **A write may have taken effect.**
    Failed,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum Next {
    /// Send this now.
    Ask(Request),
    /// Nothing until the next try.
    Rest,
}

impl Election {
    /// A replica that knows nothing yet. `me` has to be another for every replica that ever runs.
    pub fn new(
        namespace: impl Into<String>,
        name: impl Into<String>,
        me: impl Into<String>,
        timing: Timing,
    ) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
            me: me.into(),
            timing,
            lease: None,
            observed: None,
            term: None,
            terms: 0,
            fence: None,
            transitions: None,
            asked: Asked::Get,
        }
    }

    /// Begins a try: a leader renews at once, everybody else looks first.
    pub fn begin(&mut self, now: Now) -> Request {
        self.lapse(now.instant);
        let hopeful = self.term.and_then(|_| self.renewal(now));
        self.asked = if hopeful.is_some() { Asked::Hopefully } else { Asked::Get };
        hopeful.unwrap_or(Request::Get)
    }

    /// Takes the answer to the last request, which was sent at `sent`.
    pub fn take(&mut self, sent: Now, answer: Answer, now: Now) -> Next {
        self.lapse(now.instant);
        let next = self.react(sent, answer, now);
        if next == Next::Rest {
            self.asked = Asked::Get;
        }
        next
    }

    fn react(&mut self, sent: Now, answer: Answer, now: Now) -> Next {
        match (self.asked, answer) {
            (Asked::Get, Answer::Lease(lease)) => self.looked(lease, now),
            (Asked::Get, Answer::Missing) => {
                (self.lease, self.observed) = (None, None);
                self.act(now)
            }
            (Asked::Hopefully | Asked::Write, Answer::Lease(lease)) => {
                if self.won(lease, sent, now) {
                    return Next::Rest;
                }
                self.asked = Asked::Get;
                Next::Ask(Request::Get)
            }
            // Somebody wrote, the lease is gone, or nobody knows what came of it: look.
            (Asked::Hopefully, _) => {
                self.asked = Asked::Get;
                Next::Ask(Request::Get)
            }
            (Asked::Get | Asked::Write, _) => Next::Rest,
        }
    }

    /// Whether this replica may act at this instant.
    pub fn leads(&self, now: Instant) -> bool {
        self.until().is_some_and(|until| now < until)
    }

    /// Until when it may act, if nothing is renewed.
    pub fn until(&self) -> Option<Instant> {
        self.term.map(|term| term.until)
    }

    /// Which of its terms this is, while it leads.
    pub fn term(&self) -> Option<u64> {
        self.term.map(|term| term.number)
    }

    /// The fencing number of this term, while it leads: see [`Token::fence`](super::Token::fence).
    pub fn fence(&self) -> Option<u64> {
        self.term.map(|term| term.fence)
    }

    /// Who holds the lease, as far as is known; `None` if nobody does.
    pub fn holder(&self) -> Option<&str> {
        self.observed.as_ref().map(|observed| observed.record.holder.as_str()).filter(|it| !it.is_empty())
    }

    /// When to try again: after a pause, or where something runs out before that (this replica's term, or somebody else's lease),
    /// then. `chance` is from 0 to 1.
    pub fn next_try(&self, now: Instant, chance: f64) -> Instant {
        let pause = now + self.timing.pause(self.term.is_some(), chance);
        let end = match self.term {
            Some(term) => Some(term.until),
            None => self.observed.as_ref().map(|observed| observed.expires(&self.timing)),
        };
        // What has run out already was tried in vain.
        end.filter(|end| *end > now).map_or(pause, |end| end.min(pause))
    }

    /// Whether a write was sent whose answer has not been taken.
    pub fn is_writing(&self) -> bool {
        self.asked != Asked::Get
    }

    /// Stops leading; the lease is given up by the requests of [`released`](Self::released).
    pub fn resign(&mut self) {
        self.term = None;
    }

    /// The lease without a holder, to be written if `lease` is still ours.
    pub fn released(&self, mut lease: Lease, now: Now) -> Option<Lease> {
        let record = Record::of(&lease);
        if record.holder != self.me {
            return None;
        }
        record.released_at(now).write(&mut lease);
        Some(lease)
    }

    fn lapse(&mut self, now: Instant) {
        self.term = self.term.filter(|term| now < term.until);
    }

    fn looked(&mut self, lease: Lease, now: Now) -> Next {
        let record = Record::of(&lease);
        if record.holder != self.me {
            // client-go goes on until its deadline; whoever is not the holder has no reason to.
            self.term = None;
        }
        self.transitions = self.transitions.max(Some(record.transitions));
        self.observed = Some(Observed::after(self.observed.take(), record, now.instant));
        self.lease = Some(lease);
        self.act(now)
    }

    fn act(&mut self, now: Now) -> Next {
        self.asked = Asked::Write;
        match decide(self.observed.as_ref(), &self.me, now, &self.timing) {
            Decision::Wait { .. } => Next::Rest,
            Decision::Create(mut record) => {
                // Whoever deleted the lease did not mean to make numbers come twice.
                record.transitions = match self.term {
                    Some(_) => self.transitions.unwrap_or_default(),
                    None => self.transitions.map_or(0, |before| before.saturating_add(1)),
                };
                let (name, namespace) = (Some(self.name.clone()), Some(self.namespace.clone()));
                let metadata = ObjectMeta { name, namespace, ..ObjectMeta::default() };
                Next::Ask(Request::Create(written(Lease { metadata, spec: None }, &record)))
            }
            Decision::Renew(mut record) | Decision::Acquire(mut record) => {
                // It is ours, and we do not lead: a term was lost, or an earlier process had our name. The next term has another
                // number. client-go counts only new names.
                if self.term.is_none() && self.holder() == Some(self.me.as_str()) {
                    record.transitions = record.transitions.saturating_add(1);
                }
                // A record was observed, so there is a lease; without one, the next try looks again.
                let lease = self.lease.clone();
                lease.map_or(Next::Rest, |lease| Next::Ask(Request::Replace(written(lease, &record))))
            }
        }
    }

    /// The renewal of a lease that was ours when we last saw it, and has not run out.
    fn renewal(&self, now: Now) -> Option<Request> {
        let (observed, lease) = (self.observed.as_ref()?, self.lease.as_ref()?);
        if now.instant >= observed.expires(&self.timing) {
            return None;
        }
        match decide(Some(observed), &self.me, now, &self.timing) {
            Decision::Renew(record) => Some(Request::Replace(written(lease.clone(), &record))),
            _ => None,
        }
    }

    /// Takes a write that was accepted. A renewal whose term has ended before the answer came is in vain: a term that was lost does not
    /// come back, and the next one has a number of its own.
    fn won(&mut self, lease: Lease, sent: Now, now: Now) -> bool {
        // From before the write: others cannot have seen it earlier than that.
        let until = sent.instant + self.timing.renew_deadline;
        let number = self.term.map(|term| term.number);
        let record = Record::of(&lease);
        let fence = u64::try_from(record.transitions).unwrap_or_default();
        self.transitions = self.transitions.max(Some(record.transitions));
        self.observed = Some(Observed { record, since: now.instant });
        self.lease = Some(lease);
        if self.term.is_none() && self.fence == Some(fence) {
            return false;
        }
        self.fence = Some(fence);
        self.term = (now.instant < until).then(|| {
            let number = number.unwrap_or_else(|| {
                self.terms += 1;
                self.terms
            });
            Term { number, fence, until }
        });
        true
    }
}

fn written(mut lease: Lease, record: &Record) -> Lease {
    record.write(&mut lease);
    lease
}
