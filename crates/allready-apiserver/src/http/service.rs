//! The service: one request in, one response out. It reads, waits and writes; what to do is decided elsewhere.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, StatusCode, header, request::Parts};
use http_body::Body;
use serde_json::Value;

use super::{
    auth::{self, Trust},
    body::{self, ResponseBody, ServiceError, Unread},
    deadline, headers, impersonate, info,
    negotiate::{self, Form, Place},
    path, protobuf,
    reply::{Reply, answer, beheaded, busy, json, page},
    route::{self, Route, Target},
    watch::{Source, View, Watch},
    work::{Done, Outcome, Work, guarded},
    write::{self, Style},
};
use crate::{
    fault::{self, Effect, Seen},
    http::Shared,
    resource::{Call, Endpoint, User, Verb},
    rest::yaml,
    status::Failure,
    table::Include,
};

/// The server as a [`tower::Service`]: what `kube::Client::new` takes, without a socket in between.
///
/// Whoever holds it is the user it was made for. An error is a connection that was cut, which happens only when a
/// [fault](crate::fault) asks for it.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let server = allready_apiserver::ApiServer::new();
/// use tower::ServiceExt as _;
///
/// let request = http::Request::get("/version").body(String::new()).unwrap();
/// let answer = server.service().oneshot(request).await.unwrap();
/// assert_eq!(answer.status(), 200);
/// # });
/// ```
#[derive(Clone)]
pub struct Service {
    shared: Arc<Shared>,
    trust: Arc<Trust>,
}

impl Service {
    pub(crate) fn new(shared: Arc<Shared>, trust: Trust) -> Self {
        Self { shared, trust: Arc::new(trust) }
    }
}

impl<B> tower::Service<Request<B>> for Service
where
    B: Body<Data = Bytes> + Send + 'static,
{
    type Response = Reply;
    type Error = ServiceError;
    type Future = Pin<Box<dyn Future<Output = Result<Reply, ServiceError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ServiceError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (shared, trust) = (Arc::clone(&self.shared), Arc::clone(&self.trust));
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let asked = Asked::read(&parts);
            let began = shared.endings();
            let mut reply = match asked.respond(&shared, &trust, body).await {
                Ok(reply) => reply,
                Err(Refusal::Failure(failure)) => asked.failure(&failure),
                Err(Refusal::Busy) => busy(),
                Err(Refusal::Cut) => return Err(ServiceError),
            };
            if began.cut_off(shared.endings()) {
                return Err(ServiceError);
            }
            headers::common(reply.headers_mut(), &shared.audit_id());
            Ok(if parts.method == Method::HEAD { beheaded(reply) } else { reply })
        })
    }
}

/// Why there is no ordinary answer.
enum Refusal {
    Failure(Failure),
    Busy,
    Cut,
}

impl From<Unread> for Refusal {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Busy => Self::Busy,
            Unread::Failure(failure) => Self::Failure(failure),
        }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// What the head of a request says.
pub(super) struct Asked {
    method: String,
    path: Option<String>,
    pub(super) query: Vec<(String, String)>,
    pub(super) accept: String,
    content_type: String,
    agent: String,
    authorization: Option<String>,
    impersonated: Result<Option<impersonate::Wanted>, Failure>,
    pub(super) pretty: bool,
}

impl Asked {
    fn read(parts: &Parts) -> Self {
        let text = |name| {
            let values = parts.headers.get_all(name).iter();
            let texts: Vec<_> =
                values.map(|value: &HeaderValue| String::from_utf8_lossy(value.as_bytes())).collect();
            texts.join(",")
        };
        let query = path::query(parts.uri.query().unwrap_or_default());
        let agent = text(header::USER_AGENT);
        let pretty = match path::first(&query, "pretty") {
            Some(value) if !value.is_empty() => matches!(value, "1" | "t" | "T" | "true" | "TRUE" | "True"),
            _ => ["curl", "Wget", "Mozilla/5.0"].iter().any(|human| agent.starts_with(human)),
        };
        Self {
            method: parts.method.as_str().to_owned(),
            path: path::decode(parts.uri.path()),
            query,
            accept: text(header::ACCEPT),
            content_type: text(header::CONTENT_TYPE),
            agent,
            authorization: parts
                .headers
                .contains_key(header::AUTHORIZATION)
                .then(|| text(header::AUTHORIZATION)),
            impersonated: impersonate::wanted(&parts.headers),
            pretty,
        }
    }

    async fn respond<B>(&self, shared: &Arc<Shared>, trust: &Trust, body: B) -> Result<Reply, Refusal>
    where
        B: Body<Data = Bytes> + Send,
    {
        let Some(path) = &self.path else {
            return Ok(page(StatusCode::BAD_REQUEST, "400 Bad Request"));
        };
        let info = info::read(&self.method, path, &self.query);
        deadline::check(&info, &self.query)?;
        let user = auth::authenticate(trust, self.authorization.as_deref(), |token| {
            shared.engine().service_account(token, shared.now())
        })?;
        let policy = || shared.engine().access();
        let user = match self.impersonated.clone()? {
            None => user,
            Some(wanted) => {
                auth::attempt(&info, &self.query, |attempt| wanted.allowed(&user, &attempt, policy))?
            }
        };
        guarded(|| auth::authorize(&user, &info, &self.query, policy))??;
        let registry = shared.engine().registry();
        match guarded(|| route::route(&self.method, &info, &registry))? {
            Route::Resource(target) => {
                let deprecation = target.deprecation();
                match self.resource(shared, target, user, body).await {
                    Err(Refusal::Failure(failure)) => Ok(self.warned_failure(&failure, &deprecation)),
                    other => other,
                }
            }
            Route::Refused(failure) => {
                let deprecation = info.resource.as_ref().map(|named| route::deprecation(named, &registry));
                Ok(self.warned_failure(&failure, &deprecation.unwrap_or_default()))
            }
            other => guarded(|| self.other(shared, &registry, other))?.map_err(Refusal::from),
        }
    }

    async fn resource<B>(
        &self,
        shared: &Arc<Shared>,
        target: Target,
        user: User,
        body: B,
    ) -> Result<Reply, Refusal>
    where
        B: Body<Data = Bytes> + Send,
    {
        let listing = matches!(target.verb, Verb::List | Verb::Watch);
        let place = if target.custom { Place::Custom } else { Place::Builtin { list: listing } };
        let mut wanted = negotiate::accept(&self.accept, place, target.verb == Verb::Watch)?;
        if target.resource.verbs == ["create"] {
            // A question has no columns.
            wanted.form = Form::Whole;
        }
        let include = match wanted.form {
            Form::Table { .. } => Include::parse(path::first(&self.query, "includeObject"))?,
            _ => Include::default(),
        };
        // What makes no sense is refused before it is read.
        negotiate::content_type(&self.content_type, target.verb, target.custom, b"{}")
            .or_else(|failure| if is_delete(target.verb) { Ok(String::new()) } else { Err(failure) })?;
        let (bytes, room) = match target.verb {
            Verb::Get | Verb::List | Verb::Watch => (Bytes::new(), None),
            _ => body::read(body, shared.patience(), shared.room()).await?,
        };
        let content_type = negotiate::content_type(&self.content_type, target.verb, target.custom, &bytes)?;
        let (bytes, content_type) = if content_type == negotiate::PROTOBUF {
            (guarded(|| from_protobuf(&target, &bytes))??, "application/json".to_owned())
        } else {
            (bytes, content_type)
        };
        if target.verb == Verb::Patch && target.name.is_none() {
            return Err(Failure::bad_request("name must be provided").into());
        }
        let began = shared.endings();
        let faults = shared.faults();
        let (seen, effects) = if faults.is_empty() {
            (self.seen(&target, &[], ""), Vec::new())
        } else {
            let seen = self.seen(&target, &bytes, &content_type);
            let effects = faults.decide(&seen);
            (seen, effects)
        };
        strike(shared, &effects, &seen).await?;

        let call = self.call(shared, &target, user, bytes, content_type);
        let view = (target.verb == Verb::Watch).then(|| View {
            resource: Arc::clone(&target.resource),
            version: target.version.clone(),
            form: wanted.form,
            include,
            clock: shared.clock(),
        });
        let style = Style { wanted, pretty: self.pretty };
        let cut = effects.contains(&Effect::ResetAfter);
        let work = Work { shared: Arc::clone(shared), target, style, include, cut, room };
        let Done { code, warnings, outcome } = work.perform(call).await?;
        let mut reply = match (outcome, view) {
            (Outcome::Cut, _) => return Err(Refusal::Cut),
            (Outcome::Written(written), _) => json(code, &written),
            (Outcome::List(pieces), _) => {
                let mut reply = self::answer(code, ResponseBody::list(pieces));
                headers::set(reply.headers_mut(), "content-type", "application/json");
                reply
            }
            (Outcome::Watch(_), None) => {
                return Err(Failure::internal("a watch that nobody asked for").into());
            }
            (Outcome::Watch(subscription), Some(view)) => {
                let endings = shared.listen_for_endings();
                let faults = faults.clone();
                let source = Source {
                    subscription: *subscription,
                    view,
                    faults,
                    seen,
                    endings,
                    began,
                    _open: shared.open_watch(),
                    started: false,
                    over: false,
                };
                let mut reply = self::answer(code, ResponseBody::watch(Watch::new(source)));
                headers::set(reply.headers_mut(), "content-type", "application/json");
                reply
            }
        };
        headers::warn(reply.headers_mut(), &warnings);
        Ok(reply)
    }

    fn call(&self, shared: &Shared, target: &Target, user: User, body: Bytes, content_type: String) -> Call {
        let mut query = self.query.clone();
        if let Some(name) = &target.watched_name {
            let selector = format!("metadata.name={name}");
            match query.iter_mut().find(|(key, _)| key == "fieldSelector") {
                Some((_, value)) => *value = format!("{value},{selector}"),
                None => query.push(("fieldSelector".to_owned(), selector)),
            }
        }
        Call {
            verb: target.verb,
            resource: Arc::clone(&target.resource),
            version: target.version.clone(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            endpoint: target.endpoint,
            query,
            body,
            content_type,
            user,
            agent: self.agent.clone(),
            now: shared.now(),
            random: shared.random(),
        }
    }

    fn seen(&self, target: &Target, body: &[u8], content_type: &str) -> Seen {
        let named = match (&target.name, target.verb) {
            (Some(name), _) => name.clone(),
            // The name of what is created stands in what is created.
            (None, Verb::Create) if !body.is_empty() => {
                let object = if content_type == negotiate::YAML {
                    guarded(|| yaml::parse(body)).ok().and_then(Result::ok).map(|parsed| parsed.value)
                } else {
                    serde_json::from_slice(body).ok()
                };
                object.unwrap_or(Value::Null)["metadata"]["name"].as_str().unwrap_or_default().to_owned()
            }
            _ => String::new(),
        };
        let subresource = match target.endpoint {
            Endpoint::Main => "",
            Endpoint::Status => "status",
            Endpoint::Scale => "scale",
            Endpoint::Other(other) => other,
        };
        Seen {
            verb: Some(target.verb),
            group: target.resource.group.clone(),
            resource: target.resource.plural.clone(),
            kind: target.resource.kind.clone(),
            namespace: target.namespace.clone().unwrap_or_default(),
            name: named,
            subresource: subresource.to_owned(),
            agent: self.agent.clone(),
        }
    }

    /// Using a deprecated version brings its warning, whatever comes of it.
    fn warned_failure(&self, failure: &Failure, warnings: &[String]) -> Reply {
        let mut reply = self.failure(failure);
        headers::warn(reply.headers_mut(), &[warnings, &failure.warnings].concat());
        reply
    }

    fn failure(&self, failure: &Failure) -> Reply {
        let code = StatusCode::from_u16(failure.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let format = negotiate::for_failure(&self.accept);
        let mut reply = json(code, &write::failure(failure, format, self.pretty));
        if code == StatusCode::FORBIDDEN {
            headers::set(reply.headers_mut(), "x-content-type-options", "nosniff");
        }
        if let Some(after) =
            failure.details.as_ref().map(|details| details.retry_after_seconds).filter(|s| *s > 0)
        {
            headers::set(reply.headers_mut(), "retry-after", &after.to_string());
        }
        reply
    }
}

/// Lets the faults that come before a call happen.
async fn strike(shared: &Shared, effects: &[Effect], seen: &Seen) -> Result<(), Refusal> {
    let late: Duration = effects
        .iter()
        .map(|effect| if let Effect::Latency(late) = effect { *late } else { Duration::ZERO })
        .fold(Duration::ZERO, Duration::saturating_add);
    if !late.is_zero() {
        tokio::time::sleep(late).await;
    }
    for effect in effects {
        match effect {
            Effect::ResetBefore => return Err(Refusal::Cut),
            Effect::Compact => shared.engine().compact(),
            other => {
                if let Some(failure) = fault::refusal(other, seen) {
                    return Err(failure.into());
                }
            }
        }
    }
    Ok(())
}

/// The JSON of a body in protobuf.
fn from_protobuf(target: &Target, body: &[u8]) -> Result<Bytes, Failure> {
    let read = protobuf::to_json(body);
    read.map(|object| object.to_string().into()).map_err(|why| {
        if is_delete(target.verb) {
            return Failure::bad_request(why.to_string());
        }
        // No more of the body is shown than the real server shows.
        let shown = String::from_utf8_lossy(body.get(..30).unwrap_or(body));
        let dots = if body.len() > 30 { " ..." } else { "" };
        let kind = &target.resource.kind;
        Failure::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): {why} ({shown}{dots})"
        ))
    })
}

fn is_delete(verb: Verb) -> bool {
    matches!(verb, Verb::Delete | Verb::DeleteCollection)
}
