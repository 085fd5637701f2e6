//! Secrets with the token of a service account: filled in, and gone with the account.
//!
//! Follows `pkg/controller/serviceaccount/tokens_controller.go` of Kubernetes.

use std::sync::{Arc, PoisonError};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Task;
use crate::{
    resource::Resource,
    rest::{Engine, delete::split, key, meta, service_accounts::Issued},
};

const TYPE: &str = "kubernetes.io/service-account-token";
const NAME: &str = "kubernetes.io/service-account.name";
const UID: &str = "kubernetes.io/service-account.uid";

pub(super) fn is_token_secret(resource: &Resource, object: &Value) -> bool {
    resource.group.is_empty() && resource.plural == "secrets" && object["type"] == TYPE
}

pub(super) fn is_account(resource: &Resource) -> bool {
    resource.group.is_empty() && resource.plural == "serviceaccounts"
}

/// Name and uid of the account that a secret is for; an empty uid stands for any.
fn account_of(secret: &Value) -> [&str; 2] {
    [NAME, UID].map(|field| secret["metadata"]["annotations"][field].as_str().unwrap_or_default())
}

impl Engine {
    /// Remembers the certificate authority that clients trust, which every such secret tells.
    pub(crate) fn trust(&self, authority: &str, now: Timestamp) {
        let mut known = self.inner.authority.write().unwrap_or_else(PoisonError::into_inner);
        *known = Some(authority.to_owned());
        drop(known);
        let secrets = self.store().list("secrets", "", None).items.into_iter();
        let tasks = secrets.filter(|(_, stored)| stored.value().is_ok_and(|secret| secret["type"] == TYPE));
        let tasks = tasks.map(|(key, _)| Task::Written { place: "secrets".into(), key: key.into() });
        self.keep(tasks.collect(), now);
    }

    /// Fills in what a secret lacks, or removes it where its account is not there.
    pub(super) fn keep_token_secret(&self, secrets: &Arc<Resource>, spot: &str, now: Timestamp) -> Vec<Task> {
        let Some(stored) = self.store().get(&secrets.place, spot) else { return Vec::new() };
        let Ok(secret) = stored.value() else { return Vec::new() };
        let namespace = split(spot).0;
        let [name, uid] = account_of(&secret);
        let account = self.store().get("serviceaccounts", &key(namespace, name));
        let account = account.and_then(|account| account.value().ok());
        let account = account.filter(|account| uid.is_empty() || meta::text(account, "uid") == uid);
        let Some(account) = account else {
            // Whoever changes it meanwhile has it looked at again.
            return self.discard_at(secrets, spot, stored.version, now).unwrap_or_default();
        };
        let uid = meta::text(&account, "uid");
        let authority = self.inner.authority.read().unwrap_or_else(PoisonError::into_inner).clone();
        let authority = authority.map(|authority| BASE64_STANDARD.encode(authority));
        let data = &secret["data"];
        let has = |field: &str| data[field].as_str().is_some_and(|text| !text.is_empty());
        let knows = authority.as_deref().is_none_or(|authority| data["ca.crt"] == authority);
        if knows && has("namespace") && has("token") {
            return Vec::new();
        }
        let token = if has("token") {
            None
        } else {
            let issued = Issued {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                uid: uid.to_owned(),
                until: None,
                secret: Some(["name", "uid"].map(|field| meta::text(&secret, field).to_owned())),
            };
            let Ok(token) = self.issue_token(&issued, now) else { return Vec::new() };
            Some(BASE64_STANDARD.encode(token))
        };
        let namespace = BASE64_STANDARD.encode(namespace);
        self.amend(secrets, spot, |object| {
            // What somebody else has changed meanwhile is looked at again.
            if object["metadata"]["resourceVersion"] != secret["metadata"]["resourceVersion"] {
                return;
            }
            if object["data"].is_null() {
                object["data"] = json!({});
            }
            for (field, text) in [("ca.crt", &authority), ("token", &token)] {
                if let Some(text) = text {
                    object["data"][field] = text.as_str().into();
                }
            }
            if !has("namespace") {
                object["data"]["namespace"] = namespace.as_str().into();
            }
            object["metadata"]["annotations"][UID] = uid.into();
        })
    }

    /// Removes the secrets of an account that is gone.
    pub(super) fn discard_tokens_of(&self, namespace: &str, account: &Value, now: Timestamp) -> Vec<Task> {
        let registry = self.registry();
        let Some(secrets) = registry.get("", "secrets") else { return Vec::new() };
        let mut tasks = Vec::new();
        for (spot, stored) in self.store().list(&secrets.place, &format!("{namespace}/"), None).items {
            let Ok(secret) = stored.value() else { continue };
            let [name, uid] = account_of(&secret);
            let is_its = secret["type"] == TYPE
                && name == meta::text(account, "name")
                && (uid.is_empty() || uid == meta::text(account, "uid"));
            if is_its {
                tasks.extend(self.discard_at(secrets, &spot, stored.version, now).unwrap_or_default());
            }
        }
        tasks
    }
}
