//! Asks the API server who is looking, and what they may see. What it does not answer is not shown.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::{StreamExt as _, stream};
use http::HeaderMap;
use k8s_openapi::api::{
    authentication::v1::{TokenReview, TokenReviewSpec},
    authorization::v1::{ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec},
};
use kube::{Api, Client, api::PostParams};
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout},
};

use super::access::{
    Authentication, COOKIE, Credential, Question, SESSION, Sessions, Tokens, Viewer, credential, is_token,
};

/// The time in which a review is to be answered.
const ANSWER: Duration = Duration::from_secs(5);
/// The most reviews of tokens at a time, and of what one person may see.
const TOKENS: usize = 8;
const QUESTIONS: usize = 16;

/// Whoever looks.
#[derive(Clone, Debug)]
pub(super) enum Eyes {
    /// Somebody on this machine, where nobody is asked.
    Anybody,
    /// Somebody who has shown who they are, and for how long what they may see is believed.
    Viewer(Arc<Viewer>, Duration),
}

/// A reason why nothing is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stranger {
    /// There is no proof, or one that does not hold.
    Unknown,
    /// The API server does not say whether it holds.
    Unanswered,
}

/// Whom the view lets in.
pub(super) struct Guard {
    by: Authentication,
    client: Client,
    /// The time for which an answer of the API server is believed.
    believed: Duration,
    /// Set where cookies are sent over TLS alone.
    is_secure: bool,
    tokens: Mutex<Tokens>,
    sessions: Mutex<Sessions>,
    asking: Semaphore,
}

impl Guard {
    pub(super) fn new(by: Authentication, client: Client, believed: Duration, is_secure: bool) -> Self {
        Self {
            by,
            client,
            believed,
            is_secure,
            tokens: Mutex::default(),
            sessions: Mutex::default(),
            asking: Semaphore::new(TOKENS),
        }
    }

    pub(super) fn signs_in(&self) -> bool {
        self.by == Authentication::Token
    }

    /// The proof in a request. The headers of a proxy count on this machine alone.
    pub(super) fn credential(&self, headers: &HeaderMap, peer: IpAddr) -> Option<Credential> {
        if self.by == Authentication::Proxy && !peer.is_loopback() {
            return None;
        }
        credential(headers, self.by)
    }

    /// Finds out whose proof this is.
    pub(super) async fn viewer(&self, credential: &Credential) -> Result<Arc<Viewer>, Stranger> {
        let token = match credential {
            Credential::Named(viewer) => return Ok(Arc::new(viewer.clone())),
            Credential::Token(token) => token.clone(),
            Credential::Session(id) => {
                locked(&self.sessions).token(id, Instant::now()).ok_or(Stranger::Unknown)?.to_owned()
            }
        };
        if let Some(viewer) = locked(&self.tokens).viewer(&token, Instant::now(), self.believed) {
            return Ok(viewer);
        }
        let reviewed = {
            let _turn = self.asking.acquire().await.map_err(|_| Stranger::Unanswered)?;
            // The answer is as old as the question.
            let now = Instant::now();
            let viewer = review(&self.client, &token).await?.map(Arc::new);
            locked(&self.tokens).learn(&token, viewer.clone(), now, self.believed);
            viewer
        };
        reviewed.ok_or(Stranger::Unknown)
    }

    pub(super) fn eyes(&self, viewer: Arc<Viewer>) -> Eyes {
        Eyes::Viewer(viewer, self.believed)
    }

    /// Opens a session for a token: who it is, and the cookie.
    pub(super) async fn sign_in(&self, token: &str) -> Result<(Arc<Viewer>, String), Stranger> {
        if !self.signs_in() || !is_token(token) {
            return Err(Stranger::Unknown);
        }
        let viewer = self.viewer(&Credential::Token(token.to_owned())).await?;
        let mut random = [0; 32];
        let ring = rustls::crypto::ring::default_provider();
        ring.secure_random.fill(&mut random).map_err(|_| Stranger::Unanswered)?;
        let id = random.iter().fold(String::new(), |id, byte| id + &format!("{byte:02x}"));
        locked(&self.sessions).open(id.clone(), token.to_owned(), &viewer.user, Instant::now());
        Ok((viewer, self.cookie(&id, SESSION)))
    }

    /// Ends a session. Gives the cookie that takes the place of its own.
    pub(super) fn sign_out(&self, headers: &HeaderMap) -> String {
        if let Some(Credential::Session(id)) = credential(headers, self.by) {
            locked(&self.sessions).close(&id);
        }
        self.cookie("", Duration::ZERO)
    }

    fn cookie(&self, value: &str, lasts: Duration) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        format!("{COOKIE}={value}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{secure}", lasts.as_secs())
    }
}

fn locked<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks whose token this is.
async fn review(client: &Client, token: &str) -> Result<Option<Viewer>, Stranger> {
    let spec = TokenReviewSpec { token: token.to_owned(), ..TokenReviewSpec::default() };
    let review = TokenReview { spec, ..TokenReview::default() };
    let api = Api::<TokenReview>::all(client.clone());
    let status = match timeout(ANSWER, api.create(&PostParams::default(), &review)).await {
        Ok(Ok(review)) => review.status.unwrap_or_default(),
        Ok(Err(error)) => {
            // The whole answer might repeat the token.
            let why = match error {
                kube::Error::Api(status) => format!("{} {}", status.code, status.reason),
                _ => "no answer".to_owned(),
            };
            tracing::warn!("the live view cannot review tokens: {why}");
            return Err(Stranger::Unanswered);
        }
        Err(_) => return Err(Stranger::Unanswered),
    };
    if status.authenticated != Some(true) {
        return Ok(None);
    }
    let user = status.user.unwrap_or_default();
    Ok(user.username.filter(|name| !name.is_empty()).map(|name| Viewer {
        user: name,
        uid: user.uid.unwrap_or_default(),
        groups: user.groups.unwrap_or_default(),
        extra: user.extra.unwrap_or_default(),
    }))
}

/// Asks whether somebody may list these objects. What is not answered is none.
pub(super) async fn reviews(
    client: &Client,
    viewer: &Viewer,
    questions: Vec<Question>,
) -> Vec<(Question, Option<bool>)> {
    let api = Api::<SubjectAccessReview>::all(client.clone());
    let ask = |question: Question| {
        let api = api.clone();
        async move {
            let review =
                SubjectAccessReview { spec: spec(viewer, &question), ..SubjectAccessReview::default() };
            let may = match api.create(&PostParams::default(), &review).await {
                // Whoever denies has the last word.
                Ok(review) => review.status.map(|status| status.allowed && status.denied != Some(true)),
                Err(error) => {
                    tracing::warn!("the live view cannot review access: {error}");
                    None
                }
            };
            (question, may)
        }
    };
    let mut rest = questions.clone();
    let mut answers = Vec::with_capacity(questions.len());
    let asked = async {
        let mut asked = stream::iter(questions).map(ask).buffer_unordered(QUESTIONS);
        while let Some(answer) = asked.next().await {
            answers.push(answer);
        }
    };
    if timeout(ANSWER, asked).await.is_err() {
        rest.retain(|question| answers.iter().all(|(answered, _)| answered != question));
        answers.extend(rest.into_iter().map(|question| (question, None)));
    }
    answers
}

fn spec(viewer: &Viewer, question: &Question) -> SubjectAccessReviewSpec {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    SubjectAccessReviewSpec {
        user: Some(viewer.user.clone()),
        uid: some(&viewer.uid),
        groups: Some(viewer.groups.clone()),
        extra: (!viewer.extra.is_empty()).then(|| viewer.extra.clone()),
        resource_attributes: Some(ResourceAttributes {
            verb: Some("list".to_owned()),
            group: some(&question.group),
            resource: Some(question.plural.clone()),
            namespace: some(&question.namespace),
            // Every version that is served: RBAC does not tell them apart.
            version: Some("*".to_owned()),
            ..ResourceAttributes::default()
        }),
        ..SubjectAccessReviewSpec::default()
    }
}
