//! Limit ranges and quotas of namespaces, as they are in the store.
//!
//! Follows `plugin/pkg/admission/limitranger` of Kubernetes and `k8s.io/apiserver/pkg/admission/plugin/resourcequota`
//! (`controller.go`); where controllers run, also `pkg/controller/resourcequota`, which says in the status of a quota what it
//! limits and what is used. As on the real server, what was counted for an object that was then not stored stays counted until
//! the next removal.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::{Engine, Scope, convert, meta};
use crate::{
    builtin::{Quantity, limit_range, usage},
    fields::{self, Writer},
    resource::{Endpoint, Resource},
    status::Failure,
    store::{Draft, Expect, Store},
};

const QUOTAS: &str = "resourcequotas";

/// The objects of a place in a namespace, by name.
fn of_namespace(store: &Store, place: &str, namespace: &str) -> Vec<Value> {
    let page = store.list(place, &format!("{namespace}/"), None);
    page.items.iter().filter_map(|(_, stored)| stored.value().ok()).collect()
}

/// Tells whether quotas count the objects of a resource.
fn is_counted(resource: &Resource) -> bool {
    resource.namespaced && resource.verbs != ["create"] && resource.plural != "events"
}

fn shown(amounts: &usage::Amounts) -> String {
    amounts.iter().map(|(name, amount)| format!("{name}={amount}")).collect::<Vec<_>>().join(",")
}

impl Scope<'_> {
    fn is_limited(&self) -> bool {
        self.is("", "pods") || self.is("", "persistentvolumeclaims")
    }

    fn refused(&self, object: &Value, why: &str) -> Failure {
        let texts = [self.name(), meta::text(object, "name"), meta::text(object, "generateName"), "Unknown"];
        let name = texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        Failure::forbidden(&self.resource.qualified(), name, why)
    }

    /// Fills in what the limit ranges of the namespace say of a new pod.
    pub(super) fn fill_in_limits(&self, object: &mut Value, old: Option<&Value>) {
        let resized = self.call.endpoint == Endpoint::Other("resize");
        if self.is("", "pods") && (resized || old.is_none() && self.call.endpoint == Endpoint::Main) {
            for range in of_namespace(self.store(), "limitranges", self.namespace()) {
                limit_range::fill_in(&range, object);
            }
        }
    }

    /// Refuses what the limit ranges of the namespace do not allow.
    pub(super) fn check_limits(&self, object: &Value, old: Option<&Value>) -> Result<(), Failure> {
        let resized = self.call.endpoint == Endpoint::Other("resize");
        let written = self.call.endpoint == Endpoint::Main && (old.is_none() || !self.is("", "pods"));
        let goes = old.is_some_and(|old| !old["metadata"]["deletionTimestamp"].is_null());
        if !self.is_limited() || !(resized || written) || goes {
            return Ok(());
        }
        for range in of_namespace(self.store(), "limitranges", self.namespace()) {
            if let Some(why) = limit_range::refusal(&range, &self.resource.plural, object) {
                return Err(self.refused(object, &why));
            }
        }
        Ok(())
    }

    /// Tells whether a write can change what is used.
    fn is_charged(&self, object: &Value, old: Option<&Value>) -> bool {
        let main = self.call.endpoint == Endpoint::Main;
        is_counted(self.resource)
            && match old {
                None => main,
                Some(old) if self.is("", "pods") => {
                    self.call.endpoint == Endpoint::Other("resize")
                        || main && usage::terminates(old) != usage::terminates(object)
                }
                Some(_) => main && (self.is("", "services") || self.is("", "persistentvolumeclaims")),
            }
    }

    /// Counts an object in the quotas of its namespace, or refuses it.
    pub(super) fn charge(&self, object: &Value, old: Option<&Value>) -> Result<(), Failure> {
        if !self.is_charged(object, old) {
            return Ok(());
        }
        let mut quotas = of_namespace(self.store(), QUOTAS, self.namespace());
        let (group, plural) = (&self.resource.group, &self.resource.plural);
        quotas.retain(|quota| {
            let hard = quota["status"]["hard"].as_object().into_iter().flatten().map(|(name, _)| name);
            !usage::limited(hard, group, plural).is_empty() && usage::in_scopes(quota, group, plural, object)
        });
        for quota in &quotas {
            self.check_quota(quota, object)?;
        }
        let taken = usage::of(group, plural, object);
        let mut charges = Vec::new();
        for quota in &quotas {
            let [hard, used] = ["hard", "used"].map(|field| usage::amounts(&quota["status"][field]));
            let before = old.filter(|old| usage::in_scopes(quota, group, plural, old));
            let before = before.map(|old| usage::of(group, plural, old)).unwrap_or_default();
            let more = taken.iter().filter(|(name, _)| hard.contains_key(*name));
            let more = more.map(|(name, amount)| {
                (name.clone(), before.get(name).map_or(*amount, |before| amount.less(*before)))
            });
            let more: usage::Amounts = more.filter(|(_, amount)| !amount.is_zero()).collect();
            let sum = |name: &String| used.get(name).map_or(more[name], |used| used.plus(more[name]));
            let exceeded = |name: &&String| hard.get(*name).is_some_and(|hard| sum(name).exceeds(*hard));
            let over: Vec<&String> = more.keys().filter(exceeded).collect();
            if !over.is_empty() {
                let only = |amounts: &usage::Amounts| {
                    let found = amounts.iter().filter(|(name, _)| over.contains(name));
                    shown(&found.map(|(name, amount)| (name.clone(), *amount)).collect())
                };
                let name = meta::text(quota, "name");
                let (more, used, hard) = (only(&more), only(&used), only(&hard));
                let why = format!("exceeded quota: {name}, requested: {more}, used: {used}, limited: {hard}");
                return Err(self.refused(object, &why));
            }
            if !more.is_empty() {
                charges.push((meta::text(quota, "name").to_owned(), more));
            }
        }
        if self.is_dry() {
            return Ok(());
        }
        for (name, more) in charges {
            let writer = ("kube-apiserver", self.call.now);
            self.engine.amend_quota(self.namespace(), &name, writer, &|quota| {
                let used = usage::amounts(&quota["status"]["used"]);
                for (name, amount) in &more {
                    let sum = used.get(name).map_or(*amount, |used| used.plus(*amount));
                    quota["status"]["used"][name] = sum.to_string().into();
                }
            });
        }
        Ok(())
    }

    /// Refuses an object whose use a quota cannot know.
    fn check_quota(&self, quota: &Value, object: &Value) -> Result<(), Failure> {
        let hard = quota["status"]["hard"].as_object().into_iter().flatten().map(|(name, _)| name);
        let limited = usage::limited(hard, &self.resource.group, &self.resource.plural);
        let name = meta::text(quota, "name");
        let unspecified = self.is("", "pods").then(|| usage::unspecified(object, &limited)).flatten();
        if let Some(why) = unspecified {
            return Err(self.refused(object, &format!("failed quota: {name}: {why}")));
        }
        if limited.iter().any(|name| quota["status"]["used"][name].is_null()) {
            let names = limited.into_iter().collect::<Vec<_>>().join(",");
            let why = format!("status unknown for quota: {name}, resources: {names}");
            return Err(self.refused(object, &why));
        }
        Ok(())
    }
}

impl Engine {
    /// Changes the status of a stored quota, as a manager and at a time.
    fn amend_quota(
        &self,
        namespace: &str,
        name: &str,
        (manager, now): (&str, Timestamp),
        change: &dyn Fn(&mut Value),
    ) {
        let registry = self.registry();
        let Some(resource) = registry.get("", QUOTAS) else { return };
        let Some(version) = resource.version("v1") else { return };
        let writer = Writer { manager, endpoint: Endpoint::Status, api_version: "v1", now };
        let schemas = convert::PlaceSchemas { resource, version, registry: &registry };
        let reset = resource.strategy.reset_fields(version, Endpoint::Status);
        let key = super::key(namespace, name);
        while let Some(live) = self.store().get(&resource.place, &key) {
            let Ok(old) = convert::current(resource, &live) else { return };
            let mut new = old.clone();
            change(&mut new);
            if super::finish::same_content(&new, &old) {
                return;
            }
            fields::update(Some(&old), &mut new, &writer, &schemas, &reset);
            let draft = Draft::new(&new);
            if self.store().put(&resource.place, &key, Expect::Version(live.version), &draft).is_ok() {
                return;
            }
        }
    }

    /// Says in the quotas of a namespace what they limit, and counts anew what is used.
    pub(super) fn count_quotas(&self, namespace: &str, now: Timestamp) {
        let registry = self.registry();
        for quota in of_namespace(self.store(), QUOTAS, namespace) {
            let hard = usage::amounts(&quota["spec"]["hard"]);
            let mut used: usage::Amounts =
                hard.keys().map(|name| (name.clone(), Quantity::count(0))).collect();
            for resource in registry.iter().filter(|resource| is_counted(resource)) {
                let (group, plural) = (&resource.group, &resource.plural);
                if usage::limited(hard.keys(), group, plural).is_empty() {
                    continue;
                }
                let objects = of_namespace(self.store(), &resource.place, namespace);
                for object in objects.iter().filter(|object| usage::in_scopes(&quota, group, plural, object))
                {
                    for (name, amount) in usage::of(group, plural, object) {
                        if let Some(sum) = used.get_mut(&name) {
                            *sum = sum.plus(amount);
                        }
                    }
                }
            }
            let used: Map<String, Value> =
                used.into_iter().map(|(name, amount)| (name, amount.to_string().into())).collect();
            let writer = ("kube-controller-manager", now);
            self.amend_quota(namespace, meta::text(&quota, "name"), writer, &|quota| {
                quota["status"] = json!({ "hard": quota["spec"]["hard"], "used": used });
            });
        }
    }
}
