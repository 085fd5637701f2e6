//! What can be served: resources, their versions and subresources, and what is special about each kind.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use serde_json::Value;

use crate::{
    schema::Schema,
    status::{Failure, FieldError},
};

mod call;

pub(crate) use call::{Call, Stamp};
pub use call::{User, Verb};

/// A served resource: one plural in one API group.
pub(crate) struct Resource {
    /// API group; empty for the core group.
    pub group: String,
    /// `pods`.
    pub plural: String,
    /// `pod`.
    pub singular: String,
    /// `Pod`.
    pub kind: String,
    /// `PodList`.
    pub list_kind: String,
    /// `po`.
    pub short_names: Vec<String>,
    /// `all`.
    pub categories: Vec<String>,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// Served versions, the preferred one first.
    pub versions: Vec<Version>,
    /// The `apiVersion` under which objects are stored.
    pub storage_version: String,
    /// Where its objects are stored. Two resources with one place show the same objects, as the two kinds of events do.
    pub place: String,
    /// What can be done with it; empty means every verb. A review kind has `create` alone.
    pub verbs: Vec<&'static str>,
    /// What is special about the kind.
    pub strategy: Arc<dyn Strategy>,
}

/// One served version of a [`Resource`].
pub(crate) struct Version {
    /// `v1`.
    pub name: String,
    /// What an object looks like in it, metadata included.
    pub schema: LazySchema,
    /// Whether there is a status subresource.
    pub status: bool,
    /// The scale subresource.
    pub scale: Option<Scale>,
    /// Printer columns of a custom kind; built-in kinds print themselves.
    pub columns: Vec<Column>,
    /// Fields beyond `metadata.name` and `metadata.namespace` that a field selector may name, as JSON paths.
    pub selectable: Vec<String>,
    /// The warning that using this version brings.
    pub deprecation: Option<String>,
    /// The schema as its author wrote it (custom kinds), for OpenAPI.
    pub published: Option<Arc<Value>>,
}

/// A schema that is read when it is first asked for: most servers never serve most built-in kinds.
pub(crate) type LazySchema = LazyLock<Arc<Schema>, Box<dyn FnOnce() -> Arc<Schema> + Send>>;

/// A schema that is there already.
pub(crate) fn ready(schema: Arc<Schema>) -> LazySchema {
    LazyLock::new(Box::new(move || schema))
}

/// The paths of a scale subresource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scale {
    /// `.spec.replicas`.
    pub spec_replicas: String,
    /// `.status.replicas`.
    pub status_replicas: String,
    /// `.status.selector`.
    pub label_selector: Option<String>,
}

/// One printer column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Column {
    /// Heading.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean`, `date`.
    pub kind: String,
    /// `int32` and so on; may be empty.
    pub format: String,
    /// For `kubectl` help.
    pub description: String,
    /// 0 is always shown, more only with `-o wide`.
    pub priority: i64,
    /// Where the value stands.
    pub json_path: String,
}

impl Resource {
    /// `pods`, or `widgets.lab.example`: how messages name it.
    pub(crate) fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }

    /// `v1` or `group/v1` for a version of this resource.
    pub(crate) fn api_version(&self, version: &str) -> String {
        if self.group.is_empty() { version.to_owned() } else { format!("{}/{version}", self.group) }
    }

    /// A served version by its name.
    pub(crate) fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }
}

/// Which endpoint of an object a write came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Endpoint {
    /// The object itself.
    Main,
    /// `/status`.
    Status,
    /// `/scale`.
    Scale,
    /// Another named subresource, such as `/finalize`, `/eviction` or `/binding`.
    Other(&'static str),
}

/// What is special about a kind. The defaults are those of a kind with nothing special: `rest` calls these in the order
/// in which they stand here.
pub(crate) trait Strategy: Send + Sync {
    /// Says why an object cannot be decoded into the kind, such as a wrong JSON type; the caller frames it in a 400.
    /// Unknown and duplicate fields are not its business.
    fn decode(&self, _version: &Version, _object: &Value) -> Result<(), String> {
        Ok(())
    }

    /// Drops what the kind does not know although its schema cannot tell, and names it.
    fn unknown(&self, _object: &mut Value) -> Vec<String> {
        Vec::new()
    }

    /// What a custom kind was made from: as long as it stays, so does everything else here.
    fn definition(&self) -> Option<&Value> {
        None
    }

    /// The schema of a version that is known but not served.
    fn unserved(&self, _version: &str) -> Option<Arc<Schema>> {
        None
    }

    /// Whether an object that was written in the stored version, at this resourceVersion, is shown just as it is stored.
    fn shown_as_stored(&self, _written: u64) -> bool {
        true
    }

    /// Whether [`Strategy::refresh`] would leave an object as it is. A `false` may be wrong.
    fn is_fresh(&self, _object: &Value) -> bool {
        false
    }

    /// Brings an object that is not shown as it is stored to what its own version looks like today.
    fn refresh(&self, _object: &mut Value) {}

    /// What [`Self::decode`] is to JSON, for the result of a strategic merge; the error is the bare reason.
    fn convert(&self, _version: &Version, _object: &mut Value) -> Result<(), String> {
        Ok(())
    }

    /// For a built-in kind: the result of a patch as a message shows it; `touched` is the tree of what the patch speaks of.
    fn show_patched(&self, object: &Value, _touched: &Value) -> String {
        crate::status::json_text(object)
    }

    /// Set if a webhook converts between the versions of the kind, so that reading may take long, too.
    fn calls_webhook(&self) -> bool {
        false
    }

    /// An object of one version as one of another, before [`Self::store_from`] or [`Self::serve_as`].
    fn to_version(&self, object: Value, api_version: &str) -> Result<Value, Failure> {
        Ok(renamed(object, api_version))
    }

    /// Turns an object of a served version into the stored version. It has its new `apiVersion` already.
    fn store_from(&self, _from: &Version, _object: &mut Value) {}

    /// Turns a stored object into a served version. It has its new `apiVersion` already.
    fn serve_as(&self, _to: &Version, _object: &mut Value) {}

    /// For a custom kind: does what decoding into a type does to others, by the schema of the version that the object says it
    /// has. Returns the paths of what was unknown.
    fn coerce(&self, _object: &mut Value) -> Vec<String> {
        Vec::new()
    }

    /// Fills in what the server fills in beyond the defaults in the schema; all defaults of a custom kind.
    fn default(&self, _version: &Version, _object: &mut Value) {}

    /// The first that a write meets: refuses what admission refuses, and gives what must be unique among the objects of the
    /// kind. `others` gives those that are stored, `old` among them; there are none where nothing will be stored.
    fn admit(
        &self,
        _endpoint: Endpoint,
        _object: &mut Value,
        _old: Option<&Value>,
        _others: Option<&dyn Fn() -> Result<Vec<Value>, Failure>>,
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether writes of this kind follow one another, because [`Self::admit`] gives what must be unique.
    fn in_turn(&self) -> bool {
        false
    }

    /// Whether replacing an object that does not exist makes it.
    fn creates_on_update(&self) -> bool {
        false
    }

    /// True if a deletion answers with the object that went, and not with a `Status`.
    fn returns_deleted(&self) -> bool {
        false
    }

    /// True if an update must say which version it replaces.
    fn needs_version(&self) -> bool {
        false
    }

    /// Before a create: what a client may not choose is reset. `metadata` is dealt with elsewhere.
    fn prepare_create(&self, _version: &Version, _object: &mut Value, _call: &Call) {}

    /// Before an update through an endpoint: what may not change through it is taken from `old`.
    fn prepare_update(&self, _version: &Version, _endpoint: Endpoint, _new: &mut Value, _old: &Value) {}

    /// Whether going from `old` to `new` moves `metadata.generation`. Kinds without a generation return `None`.
    fn moves_generation(&self, new: &Value, old: &Value) -> Option<bool>;

    /// The generation of a new object, for a kind that has one.
    fn first_generation(&self) -> Option<i64> {
        Some(1)
    }

    /// Whether a name is legal, with the sentence that says why not. DNS subdomain unless the kind says otherwise.
    fn name_problem(&self, name: &str) -> Vec<String> {
        crate::names::dns_subdomain(name)
    }

    /// What is wrong with an object, beyond its metadata.
    fn validate(
        &self,
        version: &Version,
        endpoint: Endpoint,
        new: &Value,
        old: Option<&Value>,
    ) -> Vec<FieldError>;

    /// As [`Strategy::validate`], after what is wrong with the metadata has been found: some kinds check less then. What is
    /// wrong and forgiven becomes a warning.
    fn validate_after(
        &self,
        found: Vec<FieldError>,
        version: &Version,
        endpoint: Endpoint,
        new: &Value,
        old: Option<&Value>,
        _warnings: &mut Vec<String>,
    ) -> Vec<FieldError> {
        let mut errors = found;
        errors.extend(self.validate(version, endpoint, new, old));
        errors
    }

    /// Further warnings that a write brings in its `Warning` headers.
    fn warnings(&self, _version: &Version, _new: &Value, _old: Option<&Value>) -> Vec<String> {
        Vec::new()
    }

    /// The value of a selectable field; `None` when the kind does not have that field as one.
    fn selectable(&self, _version: &Version, _object: &Value, _field: &str) -> Option<String> {
        None
    }

    /// Paths (`["status"]`, `["spec", "nodeName"]`) that a write through the endpoint never owns, because it cannot
    /// change them.
    fn reset_fields(&self, version: &Version, endpoint: Endpoint) -> Vec<Vec<&'static str>>;
}

/// An object that is said to be of another version.
pub(crate) fn renamed(mut object: Value, api_version: &str) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.insert("apiVersion".into(), api_version.into());
    }
    object
}

/// Everything that is served at one moment.
#[derive(Default, Clone)]
pub(crate) struct Registry {
    resources: BTreeMap<(String, String), Arc<Resource>>,
}

impl Registry {
    /// Adds a resource, or replaces the one of the same group and plural.
    pub(crate) fn insert(&mut self, resource: Arc<Resource>) {
        self.resources.insert((resource.group.clone(), resource.plural.clone()), resource);
    }

    /// Stops serving a resource.
    pub(crate) fn remove(&mut self, group: &str, plural: &str) -> Option<Arc<Resource>> {
        self.resources.remove(&(group.to_owned(), plural.to_owned()))
    }

    /// A resource by group and plural.
    pub(crate) fn get(&self, group: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.resources.get(&(group.to_owned(), plural.to_owned()))
    }

    /// Every resource, by group and plural.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.resources.values()
    }
}
