//! Tokens of service accounts: `TokenRequest`, as `kubectl create token` posts it.
//!
//! A token is a random text that this server remembers, and no JWT: nobody else can check it. What it remembers is in the store,
//! at a place that nobody is served, and so saved with everything else.

use std::sync::{Arc, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Answer, Engine, Scope, decode, finish, key, meta,
    options::{WriteKind, WriteOptions},
};
use crate::{
    resource::User,
    status::{Failure, FieldError},
    store::{Draft, Expect},
};

/// Whom tokens are for: this server.
pub(super) const AUDIENCE: &str = "https://kubernetes.default.svc";

/// Seconds that a token lives when nobody asks for another time.
const USUAL: i64 = 3600;
const SHORTEST: i64 = 600;
const LONGEST: i64 = 1 << 32;

/// The place of the tokens that were given out, by their text.
const TOKENS: &str = "/tokens";

/// The service account that a token is for, and the end of its life.
#[derive(Serialize, Deserialize)]
pub(super) struct Issued {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    /// Absent where it lives as long as its secret.
    pub(super) until: Option<Timestamp>,
    /// Name and uid of the secret that holds it, where one does.
    pub(super) secret: Option<[String; 2]>,
}

impl Engine {
    /// Makes a token, and forgets those that hold no more.
    pub(super) fn issue_token(&self, issued: &Issued, now: Timestamp) -> Result<String, Failure> {
        for (known, stored) in self.store().list(TOKENS, "", None).items {
            if !stored.value().is_ok_and(|issued| self.token_holds(issued, now)) {
                // Whoever was faster has removed it.
                let _ = self.store().remove(TOKENS, &known, stored.version);
            }
        }
        // Not from the call, whose randomness also makes uids, which everybody sees.
        let token =
            [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()].map(|part| part.simple().to_string()).concat();
        let mut object = serde_json::to_value(issued).map_err(Failure::internal)?;
        object["metadata"] = json!({ "name": "" });
        let stored = self.store().put(TOKENS, &token, Expect::Absent, &Draft::new(&object));
        stored.map(|_| token).map_err(|_| Failure::internal("a token was made twice"))
    }

    /// Tells the server which users have which tokens, for those who ask it.
    pub(crate) fn know(&self, users: Arc<[(String, User)]>) {
        *self.inner.users.write().unwrap_or_else(PoisonError::into_inner) = users;
    }

    /// The owner of a token.
    pub(super) fn user(&self, token: &str, now: Timestamp) -> Option<User> {
        let users = self.inner.users.read().unwrap_or_else(PoisonError::into_inner).clone();
        let known = users.iter().rev().find(|(known, _)| known == token);
        known.map(|(_, user)| user.clone()).or_else(|| self.service_account(token, now))
    }

    /// The service account that a token is for: one that is still there, before the token expires.
    pub(crate) fn service_account(&self, token: &str, now: Timestamp) -> Option<User> {
        let issued = self.store().get(TOKENS, token)?.value().ok()?;
        let user = User::service_account(issued["namespace"].as_str()?, issued["name"].as_str()?);
        self.token_holds(issued, now).then_some(user)
    }

    fn token_holds(&self, issued: Value, now: Timestamp) -> bool {
        let Ok(issued) = Issued::deserialize(issued) else { return false };
        let is_there = |place: &str, name: &str, uid: &str| {
            let found = self.store().get(place, &key(&issued.namespace, name));
            found.and_then(|found| found.value().ok()).is_some_and(|found| meta::text(&found, "uid") == uid)
        };
        issued.until.is_none_or(|until| until > now)
            && is_there("serviceaccounts", &issued.name, &issued.uid)
            && issued.secret.as_ref().is_none_or(|[name, uid]| is_there("secrets", name, uid))
    }
}

impl Scope<'_> {
    /// Gives a token of the service account to whoever may ask for one.
    pub(super) fn request_token(&self, warnings: &mut Vec<String>) -> Result<Answer, Failure> {
        decode::check_size(self.call)?;
        let options = WriteOptions::read(self.call, WriteKind::Create)?;
        let registry = self.engine.registry();
        let api_version = "authentication.k8s.io/v1";
        let decoded = decode::object_as(self.call, self.version, &registry, "TokenRequest", api_version)?;
        warnings.extend(decoded.strict.into_warnings());
        let mut request = decoded.object;
        let account =
            self.store().get(&self.resource.place, &self.spot()?).ok_or_else(|| self.not_found())?;
        let account = account.value()?;
        let seconds = seconds(&request["spec"])?;
        meta::set(&mut request, "name", Some(self.name().into()));
        meta::set(&mut request, "namespace", Some(self.namespace().into()));
        self.admit_posted(&mut request, api_version, warnings)?;
        let until = SignedDuration::from_secs(seconds);
        let until = self.call.now.checked_add(until).map_err(Failure::internal)?;
        let issued = Issued {
            namespace: self.namespace().to_owned(),
            name: self.name().to_owned(),
            uid: meta::text(&account, "uid").into(),
            until: Some(until),
            secret: None,
        };
        let token =
            if options.dry_run { String::new() } else { self.engine.issue_token(&issued, self.call.now)? };
        request["metadata"] = json!({
            "name": self.name(), "namespace": self.namespace(),
            "creationTimestamp": finish::timestamp(self.call.now),
        });
        request["spec"] = json!({
            "audiences": [AUDIENCE], "expirationSeconds": seconds, "boundObjectRef": null,
        });
        request["status"] = json!({ "token": token, "expirationTimestamp": finish::timestamp(until) });
        Ok(Answer::object(201, request.to_string().into()))
    }
}

/// The seconds that a token is to live. Everything else that a request may ask for is refused, as it would not be given.
fn seconds(spec: &Value) -> Result<i64, Failure> {
    let mut errors = Vec::new();
    let field = "spec.expirationSeconds";
    let seconds = match &spec["expirationSeconds"] {
        Value::Null => USUAL,
        given => given
            .as_i64()
            .ok_or_else(|| Failure::bad_request(format!("{field} is no whole number: {given}")))?,
    };
    if seconds < SHORTEST {
        errors.push(FieldError::invalid(field, seconds, "may not specify a duration less than 10 minutes"));
    }
    if seconds > LONGEST {
        errors.push(FieldError::invalid(
            field,
            seconds,
            "may not specify a duration larger than 2^32 seconds",
        ));
    }
    if spec["audiences"].as_array().is_some_and(|audiences| !audiences.is_empty()) {
        errors.push(FieldError::forbidden("spec.audiences", "this server gives tokens for itself alone"));
    }
    if !spec["boundObjectRef"].is_null() {
        errors.push(FieldError::forbidden("spec.boundObjectRef", "this server binds tokens to no object"));
    }
    if errors.is_empty() {
        Ok(seconds)
    } else {
        Err(Failure::invalid("authentication.k8s.io", "TokenRequest", "", &errors))
    }
}
