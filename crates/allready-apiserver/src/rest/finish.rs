//! The last steps of a write before it is stored: what the server fills in, and what it refuses.

use serde_json::{Map, Value};

use super::{Scope, meta, names};
use crate::{
    builtin,
    resource::Endpoint,
    status::{Failure, FieldError},
};

const SUFFIX: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

impl Scope<'_> {
    /// Makes an object ready to be created, or refuses it. `attempt` varies what is random.
    pub(super) fn finish_create(
        &self,
        object: &mut Value,
        attempt: u8,
        warnings: &mut Vec<String>,
    ) -> Result<(), Failure> {
        meta::set(object, "selfLink", None);
        meta::set(object, "creationTimestamp", Some(self.now()));
        meta::set(object, "uid", Some(self.uid(attempt).into()));
        let generate = meta::text(object, "generateName").to_owned();
        if !generate.is_empty() && meta::text(object, "name").is_empty() {
            meta::set(object, "name", Some(self.generated(&generate, attempt).into()));
        }
        let strategy = &self.resource.strategy;
        let others = || self.others();
        strategy.admit(self.call.endpoint, object, None, (!self.is_dry()).then_some(&others))?;
        strategy.prepare_create(self.version, object, self.call);
        if strategy.moves_generation(object, object).is_some() {
            meta::set(object, "generation", strategy.first_generation().map(Value::from));
        }
        let rule = |name: &str, prefix: bool| {
            if prefix {
                strategy.name_problem(&names::mask_trailing_dash(name))
            } else {
                strategy.name_problem(name)
            }
        };
        let mut errors = meta::problems(object, self.resource.namespaced, &rule);
        if !self.is_custom() {
            errors.extend(meta::standard_finalizer_problems(object));
        }
        let mut forgiven = Vec::new();
        let errors =
            strategy.validate_after(errors, self.version, self.call.endpoint, object, None, &mut forgiven);
        self.refuse(&kind_of(object), object, &errors)?;
        if self.is("", "namespaces") {
            // A generated name is known only now.
            object["metadata"]["labels"]["kubernetes.io/metadata.name"] = object["metadata"]["name"].clone();
        }
        warnings.append(&mut forgiven);
        warnings.extend(strategy.warnings(self.version, object, None));
        super::json::whole_numbers(object);
        Ok(())
    }

    /// Makes an object ready to replace `old`, or refuses it.
    pub(super) fn finish_update(
        &self,
        object: &mut Value,
        old: &Value,
        warnings: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let endpoint = match self.call.endpoint {
            // A scale changes the object itself.
            Endpoint::Scale => Endpoint::Main,
            other => other,
        };
        let strategy = &self.resource.strategy;
        let before = old["metadata"]["generation"].as_i64();
        let sent = kind_of(object);
        if sent.iter().any(String::is_empty) {
            return Err(Failure::internal(
                "Object 'apiVersion' is missing in 'object has no apiVersion field'",
            ));
        }
        meta::set(object, "selfLink", None);
        meta::set(object, "generation", before.map(Value::from));
        let others = || self.others();
        strategy.admit(endpoint, object, Some(old), (!self.is_dry()).then_some(&others))?;
        strategy.prepare_update(self.version, endpoint, object, old);
        if self.is_custom() && endpoint == Endpoint::Status {
            keep_metadata(object, old);
        }
        if self.is("certificates.k8s.io", "certificatesigningrequests") {
            builtin::date_conditions(object, old, &timestamp(self.call.now));
        }
        // What counts as desired beside the spec counts only where the object itself is written.
        let counts = endpoint != Endpoint::Status || self.is_custom();
        if counts && strategy.moves_generation(object, old) == Some(true) {
            meta::set(object, "generation", Some((before.unwrap_or_default() + 1).into()));
        }
        let old_meta = &old["metadata"];
        if meta::text(object, "uid").is_empty() {
            meta::set(object, "uid", Some(old_meta["uid"].clone()));
        }
        for (field, always) in
            [("creationTimestamp", true), ("deletionTimestamp", true), ("deletionGracePeriodSeconds", false)]
        {
            let kept = !old_meta[field].is_null() && (always || object["metadata"][field].is_null());
            if kept {
                meta::set(object, field, Some(old_meta[field].clone()));
            }
        }
        let mut errors = meta::problems(object, self.resource.namespaced, &meta::any_name);
        let change = meta::change_problems(object, old);
        errors.extend(change.iter().cloned());
        // Every kind checks the change of its metadata again.
        let mut own = change;
        if self.checks_metadata_again() {
            own.extend(meta::problems(object, self.resource.namespaced, &meta::any_name));
            own.extend(meta::standard_finalizer_problems(object));
        }
        let mut forgiven = Vec::new();
        let own = strategy.validate_after(own, self.version, endpoint, object, Some(old), &mut forgiven);
        errors.extend(own);
        self.refuse(&sent, object, &errors)?;
        warnings.append(&mut forgiven);
        if endpoint != Endpoint::Status || self.is_custom() {
            warnings.extend(strategy.warnings(self.version, object, Some(old)));
        }
        super::json::whole_numbers(object);
        crate::fields::keep_times(old, object);
        Ok(())
    }

    pub(super) fn is_dry(&self) -> bool {
        self.call.all("dryRun").contains(&"All")
    }

    /// Every stored object of the kind.
    fn others(&self) -> Result<Vec<Value>, Failure> {
        let page = self.store().list(&self.resource.place, "", None);
        page.items.iter().map(|(_, stored)| stored.value()).collect()
    }

    /// Refuses an object that was sent as of a kind and an `apiVersion`.
    fn refuse(&self, sent: &[String; 2], object: &Value, errors: &[FieldError]) -> Result<(), Failure> {
        if errors.is_empty() {
            return Ok(());
        }
        let [kind, api_version] = sent;
        let group = match api_version.split_once('/') {
            Some((group, _)) if self.resource.place != "events" => group,
            _ => "",
        };
        Err(Failure::invalid(group, kind, meta::text(object, "name"), errors))
    }

    /// Some kinds check the whole object on an update, its metadata included.
    fn checks_metadata_again(&self) -> bool {
        let kinds = [
            "configmaps",
            "secrets",
            "services",
            "serviceaccounts",
            "pods",
            "roles",
            "clusterroles",
            "rolebindings",
            "clusterrolebindings",
        ];
        !self.is_custom() && kinds.contains(&self.resource.plural.as_str())
    }

    /// Refuses content for a namespace that does not exist or is going away.
    pub(super) fn check_namespace(&self, name: &str) -> Result<(), Failure> {
        if !self.resource.namespaced || self.resource.group == "authorization.k8s.io" {
            return Ok(());
        }
        let namespace = self.namespace();
        let Some(stored) = self.store().get("namespaces", namespace) else {
            return Err(Failure::not_found("namespaces", namespace));
        };
        if !stored.is_marked() {
            return Ok(());
        }
        let why =
            format!("unable to create new content in namespace {namespace} because it is being terminated");
        let mut failure = Failure::forbidden(&self.resource.qualified(), name, &why);
        failure.details.get_or_insert_default().causes.push(crate::status::Cause {
            reason: "NamespaceTerminating".into(),
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".into(),
        });
        Err(failure)
    }

    /// The moment of the call, as metadata shows it.
    pub(super) fn now(&self) -> Value {
        timestamp(self.call.now).into()
    }

    fn uid(&self, attempt: u8) -> String {
        let mut bytes = [0; 16];
        for (byte, random) in bytes.iter_mut().zip(self.call.random) {
            *byte = random ^ attempt;
        }
        uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
    }

    fn generated(&self, base: &str, attempt: u8) -> String {
        let mut end = base.len().min(58);
        while !base.is_char_boundary(end) {
            end -= 1;
        }
        let mut name = base.get(..end).unwrap_or_default().to_owned();
        let random = self.call.random.get(16 + usize::from(attempt % 8)..).unwrap_or_default();
        for byte in random.iter().chain(&[0; 5]).take(5) {
            let index = usize::from(byte.wrapping_add(attempt.wrapping_mul(31))) % SUFFIX.len();
            name.push(char::from(SUFFIX.get(index).copied().unwrap_or(b'x')));
        }
        name
    }
}

/// A moment as Kubernetes writes it, to the second.
pub(super) fn timestamp(now: jiff::Timestamp) -> String {
    // Before 1970 the fraction of a second counts backwards.
    let whole = now.as_second().saturating_sub(i64::from(now.subsec_nanosecond() < 0));
    let seconds = jiff::Timestamp::from_second(whole).unwrap_or(now);
    seconds.to_string()
}

/// Takes the namespace of the request into the object, or refuses one that differs.
pub(super) fn match_namespace(object: &mut Value, namespace: &str) -> Result<(), Failure> {
    let given = meta::text(object, "namespace");
    if given == namespace {
        return Ok(());
    }
    if !given.is_empty() && !namespace.is_empty() {
        let message = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Failure::bad_request(message));
    }
    meta::set(object, "namespace", Some(namespace.to_owned().into()).filter(|_| !namespace.is_empty()));
    Ok(())
}

/// Refuses an object whose name is not that of the path.
pub(super) fn match_name(object: &Value, name: &str) -> Result<(), Failure> {
    match meta::text(object, "name") {
        "" => Err(Failure::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        ))),
        given if given != name => Err(Failure::bad_request(format!(
            "the name of the object ({given}) does not match the name on the URL ({name})"
        ))),
        _ => Ok(()),
    }
}

/// Drops owner references that stand there twice.
pub(super) fn unique_owners(object: &mut Value, warnings: &mut Vec<String>, late: bool) {
    let Some(owners) = object.get_mut("metadata").and_then(|meta| meta.get_mut("ownerReferences")) else {
        return;
    };
    let Some(owners) = owners.as_array_mut() else { return };
    let mut unique: Vec<Value> = Vec::new();
    let mut twice = Vec::new();
    for owner in std::mem::take(owners) {
        if unique.contains(&owner) {
            twice.push(owner["uid"].as_str().unwrap_or_default().to_owned());
        } else {
            unique.push(owner);
        }
    }
    *owners = unique;
    if !twice.is_empty() {
        let uids = twice.join(", ");
        let after = if late { " after mutating admission happens" } else { "" };
        warnings.push(format!(
            ".metadata.ownerReferences contains duplicate entries{after}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {uids}"
        ));
    }
}

/// What an object says it is: its kind and its `apiVersion`.
fn kind_of(object: &Value) -> [String; 2] {
    ["kind", "apiVersion"].map(|field| object[field].as_str().unwrap_or_default().to_owned())
}

/// Everything of the metadata but who manages which field is as it was. Nearly always it is so already, and comparing is
/// much cheaper than copying.
fn keep_metadata(object: &mut Value, old: &Value) {
    let (Some(new), Some(old)) = (object["metadata"].as_object_mut(), old["metadata"].as_object()) else {
        object["metadata"] = old["metadata"].clone();
        return;
    };
    let own = |name: &str| matches!(name, "managedFields" | "resourceVersion");
    new.retain(|name, value| if own(name) { !value.is_null() } else { old.contains_key(name) });
    for (name, value) in old.iter().filter(|(name, _)| !own(name)) {
        if new.get(name) != Some(value) {
            new.insert(name.clone(), value.clone());
        }
    }
}

/// Whether two objects are the same but for their versions.
pub(super) fn same_content(new: &Value, old: &Value) -> bool {
    let (Some(new), Some(old)) = (new.as_object(), old.as_object()) else { return false };
    let nothing = Map::new();
    let new_meta = new.get("metadata").and_then(Value::as_object).unwrap_or(&nothing);
    let old_meta = old.get("metadata").and_then(Value::as_object).unwrap_or(&nothing);
    let rest = |map: &Map<String, Value>| map.keys().filter(|key| *key != "metadata").count();
    let counted = |map: &Map<String, Value>| map.keys().filter(|key| *key != "resourceVersion").count();
    rest(new) == rest(old)
        && counted(new_meta) == counted(old_meta)
        && new_meta.iter().all(|(key, value)| key == "resourceVersion" || old_meta.get(key) == Some(value))
        && new.iter().all(|(key, value)| key == "metadata" || old.get(key) == Some(value))
}
