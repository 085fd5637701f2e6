//! The state machine behind [`list_watch`](super::list_watch).

use std::{collections::VecDeque, sync::Arc, time::Duration};

use futures::{StreamExt, stream::BoxStream};
use k8s_openapi::serde::de::DeserializeOwned;
use kube::{
    Api, Resource, ResourceExt,
    api::{ListMeta, ListParams, WatchEvent, WatchParams},
    runtime::watcher,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, error::Elapsed, sleep, timeout, timeout_at},
};

use super::{
    BACKOFF, REQUEST_TIMEOUT, WatchError,
    overlap::{Overlap, later},
    page::{Pager, Progress},
};

/// How long one watch lasts, in seconds; a fifth less by chance, so that many do not end at once.
const WATCH_SECONDS: u64 = 8;
/// The time after its end at which a watch that is still open is dead. With it, one that hangs is noticed within ten seconds.
const MARGIN: Duration = Duration::from_secs(2);
/// After how long everything is listed again; a fifth less by chance.
const RELIST: Duration = Duration::from_mins(10);
/// How long a watch has to last so that it is none that failed: whoever ends each at once, or refuses it, is not asked without pause.
const LASTS: Duration = Duration::from_secs(1);

/// A watch that begins anew with a list whenever it fails, so that it is seen when it does not fail any more.
pub(super) struct ListWatch<K> {
    only: watcher::Config,
    pager: Pager<K>,
    overlap: Overlap,
    state: State<K>,
    /// How many times in a row nothing came of it: a list is not enough, since a watch has to follow it.
    failures: u32,
    /// The number of watches in a row that were open for too long, and told nothing.
    hangs: u32,
    /// When everything is listed again.
    relist: Instant,
    /// The pages that many may have at a time, where there is such a limit.
    pages: Option<Arc<Semaphore>>,
}

enum State<K> {
    /// Nothing is known.
    Begin,
    /// Objects of a list that are to be told, and what comes after them, after a pause.
    Listing {
        page: VecDeque<K>,
        rest: Rest,
        progress: Progress,
        pause: Duration,
        /// Held until all objects of the page have been told.
        held: Option<OwnedSemaphorePermit>,
    },
    /// All objects have been told up to this version.
    Listed { version: String },
    /// What happens is told, up to this version, by a watch that is dead if it is silent for so long.
    Watching {
        version: String,
        events: BoxStream<'static, Result<WatchEvent<K>, WatchError>>,
        patience: Duration,
        began: Instant,
    },
}

/// The outcome of one step.
enum Step<K> {
    Event(watcher::Event<K>),
    /// A watch is open.
    Opened,
    Nothing,
}

/// What of a list is still to be read.
enum Rest {
    All,
    From(String),
    /// Nothing: this is its version.
    Nothing(String),
}

impl Rest {
    /// The rest after another page, by what the page says of itself.
    fn after(&self, page: ListMeta) -> Result<Self, WatchError> {
        match (page.continue_, page.resource_version) {
            (Some(token), _) if !token.is_empty() => match self {
                Self::From(before) if *before == token => {
                    Err(WatchError::Unusable("does not get on with its list"))
                }
                _ => Ok(Self::From(token)),
            },
            (_, Some(version)) if !version.is_empty() => Ok(Self::Nothing(version)),
            _ => Err(WatchError::Unusable("does not say which version its list is")),
        }
    }
}

impl<K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static> ListWatch<K> {
    pub(super) fn new(api: Api<K>, only: watcher::Config) -> Self {
        let pager = Pager::new(api, only.page_size);
        let (overlap, state) = (Overlap::default(), State::Begin);
        Self { only, pager, overlap, state, failures: 0, hangs: 0, relist: Instant::now(), pages: None }
    }

    /// Takes one of these permits for each page.
    pub(super) fn sharing(self, pages: Arc<Semaphore>) -> Self {
        Self { pages: Some(pages), ..self }
    }

    /// The next event, or why nothing can be seen; `None` where a watch has been opened.
    pub(super) async fn next(&mut self) -> Result<Option<watcher::Event<K>>, WatchError> {
        loop {
            match self.step().await {
                Ok(Step::Event(event)) => return Ok(Some(event)),
                Ok(Step::Opened) => return Ok(None),
                Ok(Step::Nothing) => {}
                Err(why) => {
                    self.begin_anew();
                    return Err(why);
                }
            }
        }
    }

    /// Does one thing, and says what there is to tell of it.
    async fn step(&mut self) -> Result<Step<K>, WatchError> {
        match &mut self.state {
            State::Begin => {
                if self.failures > 0 {
                    sleep(BACKOFF.delay(self.failures - 1, fastrand::f64())).await;
                }
                let (page, progress) = (VecDeque::new(), Progress::default());
                self.state =
                    State::Listing { page, rest: Rest::All, progress, pause: Duration::ZERO, held: None };
                Ok(Step::Event(watcher::Event::Init))
            }
            State::Listing { page, rest, progress, pause, held } => {
                if let Some(object) = page.pop_front() {
                    return Ok(Step::Event(watcher::Event::InitApply(object)));
                }
                *held = None;
                if let Rest::Nothing(version) = rest {
                    self.state = State::Listed { version: std::mem::take(version) };
                    self.overlap = Overlap::default();
                    self.relist = Instant::now() + RELIST.mul_f64(jitter(fastrand::f64()));
                    return Ok(Step::Event(watcher::Event::InitDone));
                }
                sleep(std::mem::take(pause)).await;
                *held = permit(self.pages.as_ref()).await;
                let asked = self.pager.limit();
                let read = timeout(REQUEST_TIMEOUT, self.pager.read(list_params(&self.only, rest))).await;
                let Some(list) = read.map_err(|_| WatchError::NoAnswer)?? else { return Ok(Step::Nothing) };
                *rest = rest.after(list.metadata)?;
                if let Rest::From(_) = rest {
                    *pause = progress.page(asked, list.items.len())?;
                }
                page.extend(list.items);
                Ok(Step::Nothing)
            }
            State::Listed { version } => {
                let lasts = Duration::from_secs(WATCH_SECONDS).mul_f64(jitter(fastrand::f64()));
                let (params, from) = (watch_params(&self.only, lasts), self.overlap.begin(version));
                let asked = timeout(REQUEST_TIMEOUT, self.pager.watch(&params, &from)).await;
                let events = match asked {
                    Ok(Err(kube::Error::Api(status))) if status.code == EXPIRED => {
                        self.begin_anew();
                        return Ok(Step::Nothing);
                    }
                    asked => answered(asked)?,
                };
                let (version, patience) = (std::mem::take(version), lasts + MARGIN);
                self.state = State::Watching { version, events, patience, began: Instant::now() };
                Ok(Step::Opened)
            }
            State::Watching { version, events, patience, began } => {
                let now = Instant::now();
                let event = timeout_at(self.relist.min(now + *patience), events.next()).await;
                if began.elapsed() >= LASTS {
                    self.failures = 0;
                }
                let Ok(event) = event else {
                    // It hangs, and what it has not told is told by another one; or it is time to look at everything again.
                    let version = std::mem::take(version);
                    if Instant::now() >= self.relist {
                        self.state = State::Begin;
                        return Ok(Step::Nothing);
                    }
                    self.hang(version);
                    return Ok(Step::Nothing);
                };
                self.hangs = 0;
                match event {
                    Some(Ok(WatchEvent::Added(object) | WatchEvent::Modified(object))) => {
                        let is_news = told(&mut self.overlap, version, &object)?;
                        Ok(if is_news { Step::Event(watcher::Event::Apply(object)) } else { Step::Nothing })
                    }
                    Some(Ok(WatchEvent::Deleted(object))) => {
                        let is_news = told(&mut self.overlap, version, &object)?;
                        Ok(if is_news { Step::Event(watcher::Event::Delete(object)) } else { Step::Nothing })
                    }
                    Some(Ok(WatchEvent::Bookmark(bookmark))) => {
                        let told = bookmark.metadata.resource_version;
                        // Without a version a watch begins at any, and does not tell what went before.
                        if !told.is_empty() {
                            *version = later(version, told);
                        }
                        Ok(Step::Nothing)
                    }
                    Some(Ok(WatchEvent::Error(status))) if status.code == EXPIRED => {
                        self.begin_anew();
                        Ok(Step::Nothing)
                    }
                    Some(Ok(WatchEvent::Error(status))) => Err(WatchError::Request(kube::Error::Api(status))),
                    Some(Err(why)) => Err(why),
                    None => {
                        let is_brief = began.elapsed() < LASTS;
                        self.state = State::Listed { version: std::mem::take(version) };
                        if is_brief {
                            self.failures = self.failures.saturating_add(1);
                            sleep(BACKOFF.delay(self.failures - 1, fastrand::f64())).await;
                        }
                        Ok(Step::Nothing)
                    }
                }
            }
        }
    }

    /// Opens another watch in place of one that hangs. After two in a row, whatever is between us and the server lets no watch through:
    /// a list may get through.
    fn hang(&mut self, version: String) {
        self.hangs += 1;
        self.state = State::Listed { version };
        if self.hangs > 1 {
            self.hangs = 0;
            self.begin_anew();
        }
    }

    /// All objects are listed again, after a pause.
    fn begin_anew(&mut self) {
        self.state = State::Begin;
        self.failures = self.failures.saturating_add(1);
    }
}

/// The right to a page, where there is a limit of them.
async fn permit(pages: Option<&Arc<Semaphore>>) -> Option<OwnedSemaphorePermit> {
    // Nobody closes it.
    Arc::clone(pages?).acquire_owned().await.ok()
}

/// What a server answers that has forgotten a version: nothing is wrong, and a list shows what happened since.
const EXPIRED: u16 = 410;

fn answered<T>(answer: Result<kube::Result<T>, Elapsed>) -> Result<T, WatchError> {
    match answer {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(WatchError::Request(error)),
        Err(_) => Err(WatchError::NoAnswer),
    }
}

/// Takes the version of an object in an event. Returns false if the event has been told.
fn told(overlap: &mut Overlap, version: &mut String, object: &impl ResourceExt) -> Result<bool, WatchError> {
    let told = object.resource_version().filter(|version| !version.is_empty());
    let told = told.ok_or(WatchError::Unusable("sends objects without a version"))?;
    let name = format!("{}/{}", object.namespace().unwrap_or_default(), object.name_any());
    let is_news = overlap.is_news(name, &told);
    *version = later(version, told);
    Ok(is_news)
}

fn list_params(only: &watcher::Config, rest: &Rest) -> ListParams {
    let params = ListParams {
        label_selector: only.label_selector.clone(),
        field_selector: only.field_selector.clone(),
        ..ListParams::default()
    };
    match rest {
        Rest::From(token) => params.continue_token(token),
        Rest::All | Rest::Nothing(_) => params,
    }
}

fn watch_params(only: &watcher::Config, lasts: Duration) -> WatchParams {
    WatchParams {
        label_selector: only.label_selector.clone(),
        field_selector: only.field_selector.clone(),
        timeout: Some(u32::try_from(lasts.as_secs()).unwrap_or(u32::MAX)),
        ..WatchParams::default()
    }
}

/// Between four fifths and one, by a chance from 0 to 1.
fn jitter(chance: f64) -> f64 {
    1.0 - 0.2 * chance.clamp(0.0, 1.0)
}
