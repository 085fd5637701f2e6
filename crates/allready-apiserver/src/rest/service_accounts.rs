//! Tokens of service accounts: `TokenRequest`, as `kubectl create token` posts it.
//!
//! A token is a random text that this server remembers, and no JWT: nobody else can check it.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{
    Answer, Engine, Scope, decode, finish, key, meta,
    options::{WriteKind, WriteOptions},
};
use crate::{
    resource::User,
    status::{Failure, FieldError},
};

/// Seconds that a token lives when nobody asks for another time.
const USUAL: i64 = 3600;
const SHORTEST: i64 = 600;
const LONGEST: i64 = 1 << 32;

/// The tokens that were given out, by their text.
#[derive(Default)]
pub(super) struct Tokens(Mutex<HashMap<String, Issued>>);

/// The service account that a token is for, and the end of its life.
struct Issued {
    namespace: String,
    name: String,
    uid: String,
    until: Timestamp,
}

impl Tokens {
    fn issue(&self, issued: Issued, now: Timestamp) -> String {
        // Not from the call, whose randomness also makes uids, which everybody sees.
        let token =
            [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()].map(|part| part.simple().to_string()).concat();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, issued| issued.until > now);
        known.insert(token.clone(), issued);
        token
    }
}

impl Engine {
    /// The service account that a token is for: one that is still there, before the token expires.
    pub(crate) fn service_account(&self, token: &str, now: Timestamp) -> Option<User> {
        let known = self.inner.tokens.0.lock().unwrap_or_else(PoisonError::into_inner);
        let issued = known.get(token).filter(|issued| issued.until > now)?;
        let account =
            self.store().get("serviceaccounts", &key(&issued.namespace, &issued.name))?.value().ok()?;
        let same = meta::text(&account, "uid") == issued.uid;
        same.then(|| User::service_account(&issued.namespace, &issued.name))
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
            until,
        };
        let token = if options.dry_run {
            String::new()
        } else {
            self.engine.inner.tokens.issue(issued, self.call.now)
        };
        request["metadata"] = json!({
            "name": self.name(), "namespace": self.namespace(),
            "creationTimestamp": finish::timestamp(self.call.now),
        });
        request["spec"] = json!({
            "audiences": ["https://kubernetes.default.svc"], "expirationSeconds": seconds, "boundObjectRef": null,
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
