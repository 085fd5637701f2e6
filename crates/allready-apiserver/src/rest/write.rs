//! create and update.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    Answer, Scope, convert, decode,
    decode::Strict,
    finish, key, meta,
    options::{Validation, WriteKind, WriteOptions, unsigned},
    service_accounts::AUDIENCE,
};
use crate::{
    access,
    fields::{self, Writer},
    resource::{Endpoint, User},
    schema,
    status::{Failure, FieldError},
    store::{Expect, Refused, Stored},
};

const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";
/// How often a generated name is tried.
const NAMES: u8 = 8;

/// What a write came to.
pub(super) struct Written {
    /// The object in the version of the call.
    pub(super) object: Value,
    /// Its JSON.
    pub(super) bytes: Bytes,
    /// Whether it is new.
    pub(super) created: bool,
}

/// What is worked out from the live object: the new one, in the version of the call, with its managed fields.
pub(super) type Make<'a> = &'a dyn Fn(Option<&Value>, &mut Vec<String>) -> Result<Value, Failure>;

impl Scope<'_> {
    /// Makes an object.
    pub(super) fn create(&self, warnings: &mut Vec<String>) -> Result<Answer, Failure> {
        if self.call.endpoint != Endpoint::Main {
            return Err(Failure::method_not_allowed());
        }
        decode::check_size(self.call)?;
        let options = WriteOptions::read(self.call, WriteKind::Create)?;
        let registry = self.engine.registry();
        let decoded = decode::object(self.call, self.version, &registry)?;
        let mut object = decoded.object;
        self.settle(&mut object, decoded.strict, options.validation, warnings)?;
        for field in
            ["creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"]
        {
            meta::set(&mut object, field, None);
        }
        finish::match_namespace(&mut object, self.namespace())?;
        finish::unique_owners(&mut object, warnings, false);
        self.manage(None, &mut object, &options);
        let shown = [meta::text(&object, "name"), meta::text(&object, "generateName")];
        self.check_namespace(shown.into_iter().find(|name| !name.is_empty()).unwrap_or_default())?;
        self.check_definition(meta::text(&object, "name"))?;
        self.mutate(&mut object, None, warnings)?;
        finish::unique_owners(&mut object, warnings, true);
        if self.resource.verbs == ["create"] {
            self.admit(&object, None, warnings)?;
            return self.review(object);
        }
        self.refuse_escalation(&object, None)?;
        let generated = meta::text(&object, "name").is_empty();
        let mut attempt = 0;
        loop {
            let mut object = object.clone();
            let mut more = Vec::new();
            let _turn = self.turn();
            self.finish_create(&mut object, attempt, &mut more)?;
            let admitted = self.admit(&object, None, &mut more);
            more.retain(|warning| !warnings.contains(warning));
            warnings.append(&mut more);
            admitted?;
            let version = unsigned(meta::text(&object, "resourceVersion"));
            if !options.dry_run && version.is_ok_and(|version| version != 0) {
                return Err(Failure::new(
                    500,
                    "",
                    "resourceVersion should not be set on objects to be created",
                ));
            }
            let name = meta::text(&object, "name").to_owned();
            match self.put_new(&object, &name, options.dry_run)? {
                Some(bytes) => {
                    if !options.dry_run {
                        self.engine.after_write(
                            self.resource,
                            &key(self.namespace(), &name),
                            &object,
                            None,
                            self.call,
                        );
                    }
                    return Ok(Answer::object(201, bytes));
                }
                None if generated && attempt + 1 < NAMES => attempt += 1,
                None => {
                    let wanted = !meta::text(&object, "generateName").is_empty();
                    return Err(self.taken(&name, wanted));
                }
            }
        }
    }

    /// Whoever says how to generate a name is told that it did not work, even if they also gave one.
    fn taken(&self, name: &str, generates: bool) -> Failure {
        let taken = if generates { Failure::generated_name_taken } else { Failure::already_exists };
        let mut failure = taken(&self.resource.qualified(), name);
        let found = self.store().get(&self.resource.place, &key(self.namespace(), name));
        if found.is_some_and(|found| found.is_marked()) {
            failure.message.insert_str(0, "object is being deleted: ");
        }
        failure
    }

    /// Stores a new object; `None` when there is one already. What was checked before may have changed until now: only the
    /// store can tell, and then it is checked again.
    fn put_new(&self, object: &Value, name: &str, dry_run: bool) -> Result<Option<Bytes>, Failure> {
        let key = key(self.namespace(), name);
        if dry_run {
            let free = self.store().get(&self.resource.place, &key).is_none();
            let written = convert::Written::new(self.resource, Some(self.version), object)?;
            let served = written.served(self.resource, self.version)?;
            return Ok(free.then(|| served.as_ref().unwrap_or(object).to_string().into()));
        }
        let draft = convert::Written::new(self.resource, Some(self.version), object)?.draft(self.resource);
        loop {
            match self.store().put(&self.resource.place, &key, Expect::Room, &draft) {
                Ok(stored) => {
                    return convert::served_bytes(self.resource, self.version, &stored).map(Some);
                }
                Err(Refused::Moved) => return Ok(None),
                Err(Refused::Shut) => {
                    self.check_namespace(name)?;
                    self.check_definition(name)?;
                    std::thread::yield_now();
                }
            }
        }
    }

    /// A kind that is a question: it is answered and not stored.
    fn review(&self, mut object: Value) -> Result<Answer, Failure> {
        self.resource.strategy.prepare_create(self.version, &mut object, self.call);
        let shown = |user: &User| json!({ "username": user.name, "groups": user.groups });
        match self.resource.kind.as_str() {
            "SelfSubjectReview" => {
                // What was sent is not looked at.
                let review = json!({
                    "kind": object["kind"], "apiVersion": object["apiVersion"],
                    "metadata": { "creationTimestamp": self.now() },
                    "status": { "userInfo": shown(&self.call.user) },
                });
                return Ok(Answer::object(201, review.to_string().into()));
            }
            "TokenReview" => {
                let token = object["spec"]["token"].as_str().unwrap_or_default();
                if token.is_empty() {
                    let why = "token is required for TokenReview in authentication";
                    return Err(Failure::bad_request(why));
                }
                object["status"] = match self.engine.user(token, self.call.now) {
                    Some(user) => json!({
                        "authenticated": true, "user": shown(&user), "audiences": [AUDIENCE],
                    }),
                    None => json!({ "user": {}, "error": "invalid bearer token" }),
                };
                return Ok(Answer::object(201, object.to_string().into()));
            }
            _ => {}
        }
        access::answer(&self.engine.access(), &self.resource.kind, &mut object, &self.call.user)?;
        Ok(Answer::object(201, object.to_string().into()))
    }

    /// Roles and bindings grant no more than their writer has.
    fn refuse_escalation(&self, object: &Value, old: Option<&Value>) -> Result<(), Failure> {
        let user = &self.call.user;
        if self.resource.group != access::GROUP || access::is_master(user) {
            return Ok(());
        }
        let about = (self.resource.plural.as_str(), self.namespace(), self.name());
        access::refuse_escalation(&self.engine.access(), user, about, object, old)
    }

    /// Replaces an object.
    pub(super) fn update(&self, warnings: &mut Vec<String>) -> Result<Answer, Failure> {
        decode::check_size(self.call)?;
        let options = WriteOptions::read(self.call, WriteKind::Update)?;
        let registry = self.engine.registry();
        let decoded = decode::object(self.call, self.version, &registry)?;
        let mut object = decoded.object;
        self.settle(&mut object, decoded.strict, options.validation, warnings)?;
        finish::match_namespace(&mut object, self.namespace())?;
        finish::match_name(&object, self.name())?;
        finish::unique_owners(&mut object, warnings, false);
        let uid = Some(meta::text(&object, "uid").to_owned()).filter(|uid| !uid.is_empty());
        let make = |live: Option<&Value>, _: &mut Vec<String>| {
            let mut new = object.clone();
            self.manage(live, &mut new, &options);
            Ok(new)
        };
        let may_create = matches!(self.call.endpoint, Endpoint::Main | Endpoint::Status)
            && self.resource.strategy.creates_on_update();
        let written = self.write(&make, may_create, uid.as_deref(), options.dry_run, warnings)?;
        Ok(Answer::object(if written.created { 201 } else { 200 }, written.bytes))
    }

    /// Prunes and fills in what was decoded, and does about unknown and duplicate fields what was asked for.
    pub(super) fn settle(
        &self,
        object: &mut Value,
        mut strict: Strict,
        validation: Validation,
        warnings: &mut Vec<String>,
    ) -> Result<(), Failure> {
        strict.fields.extend(self.prune(object));
        if !strict.is_empty() {
            if !self.is_custom() {
                strict.sort_as_in(&self.call.body);
            }
            match validation {
                Validation::Ignore => {}
                Validation::Warn => warnings.extend(strict.into_warnings()),
                Validation::Strict => {
                    return Err(decode::cannot_object(object, &self.resource.kind, &strict.joined()));
                }
            }
        }
        let (found, expected) = (object["apiVersion"].as_str().unwrap_or_default(), self.api_version());
        if self.is_custom() && found != expected {
            return Err(Failure::bad_request(format!(
                "the API version in the data ({found}) does not match the expected API version ({expected})"
            )));
        }
        self.fill_in(object);
        Ok(())
    }

    /// Drops what the schema does not know, and names it.
    pub(super) fn prune(&self, object: &mut Value) -> Vec<String> {
        let strategy = &self.resource.strategy;
        if self.is_custom() {
            return unknown_texts(strategy.coerce(object));
        }
        let mut unknown = schema::prune(&self.version.schema, object);
        unknown.extend(strategy.unknown(object));
        unknown_texts(unknown)
    }

    /// Fills in defaults.
    pub(super) fn fill_in(&self, object: &mut Value) {
        // Other kinds fill in everything themselves.
        if self.resource.group == "apiextensions.k8s.io" {
            schema::default(&self.version.schema, object);
        }
        self.resource.strategy.default(self.version, object);
    }

    /// Whether it is known what the fields of a custom object are: of another kind they are not, nor of a version that its
    /// kind does not have.
    fn knows_kind_of(&self, object: &Value) -> bool {
        let found = object["apiVersion"].as_str().unwrap_or_default();
        let (group, version) = found.split_once('/').unwrap_or(("", found));
        object["kind"] == *self.resource.kind
            && group == self.resource.group
            && (version == self.version.name || self.resource.strategy.unserved(version).is_some())
    }

    /// Notes who manages which field of a written object.
    pub(super) fn manage(&self, live: Option<&Value>, new: &mut Value, options: &WriteOptions) {
        if self.is_custom() && !self.knows_kind_of(new) {
            return meta::set(new, "managedFields", None);
        }
        let registry = self.engine.registry();
        let manager = options.manager(&self.call.agent);
        let api_version = self.api_version();
        let writer = Writer {
            manager: &manager,
            endpoint: self.call.endpoint,
            api_version: &api_version,
            now: self.call.now,
        };
        let schemas =
            convert::PlaceSchemas { resource: self.resource, version: self.version, registry: &registry };
        let reset = self.resource.strategy.reset_fields(self.version, self.call.endpoint);
        fields::update(live, new, &writer, &schemas, &reset);
    }

    /// Works out a new object from the live one and stores it, again and again while others are faster.
    pub(super) fn write(
        &self,
        make: Make<'_>,
        may_create: bool,
        uid: Option<&str>,
        dry_run: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Written, Failure> {
        let key = self.spot()?;
        loop {
            let _turn = self.turn();
            let live = self.store().get(&self.resource.place, &key);
            let mut more = Vec::new();
            let attempt = match &live {
                None if !may_create => return Err(self.not_found()),
                None if uid.is_some() => return Err(self.another_uid(uid.unwrap_or_default(), "")),
                None => self.write_new(make, dry_run, &mut more),
                Some(live) => self.write_over(live, make, uid, dry_run, &mut more),
            };
            if let Some(outcome) = attempt.transpose() {
                warnings.extend(more);
                return outcome;
            }
        }
    }

    fn write_new(
        &self,
        make: Make<'_>,
        dry_run: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Written>, Failure> {
        let mut object = make(None, warnings)?;
        self.mutate(&mut object, None, warnings)?;
        self.refuse_escalation(&object, None)?;
        let uid = meta::text(&object, "uid");
        if !uid.is_empty() {
            let why = format!(
                "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            );
            return Err(Failure::conflict(&self.resource.qualified(), self.name(), &why));
        }
        finish::match_namespace(&mut object, self.namespace())?;
        finish::match_name(&object, self.name())?;
        self.check_namespace(self.name())?;
        self.check_definition(self.name())?;
        finish::unique_owners(&mut object, warnings, true);
        let given = meta::text(&object, "resourceVersion");
        if !given.is_empty() {
            version_number(given)?;
        }
        self.finish_create(&mut object, 0, warnings)?;
        self.admit(&object, None, warnings)?;
        // What is only tried keeps the version that it came with.
        if !dry_run {
            meta::set(&mut object, "resourceVersion", None);
        }
        let Some(bytes) = self.put_new(&object, self.name(), dry_run)? else {
            // Someone else made it meanwhile.
            return Ok(None);
        };
        if !dry_run {
            self.engine.after_write(
                self.resource,
                &key(self.namespace(), self.name()),
                &object,
                None,
                self.call,
            );
        }
        Ok(Some(Written { object, bytes, created: true }))
    }

    fn write_over(
        &self,
        live: &Stored,
        make: Make<'_>,
        uid: Option<&str>,
        dry_run: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Written>, Failure> {
        let old = convert::served(self.resource, self.version, live)?;
        let qualified = self.resource.qualified();
        if let Some(uid) = uid
            && uid != meta::text(&old, "uid")
        {
            return Err(self.another_uid(uid, meta::text(&old, "uid")));
        }
        let mut new = make(Some(&old), warnings)?;
        if self.call.endpoint != Endpoint::Scale {
            self.mutate(&mut new, Some(&old), warnings)?;
        }
        self.refuse_escalation(&new, Some(&old))?;
        finish::match_namespace(&mut new, self.namespace())?;
        finish::match_name(&new, self.name())?;
        finish::unique_owners(&mut new, warnings, true);
        match meta::text(&new, "resourceVersion") {
            "" | "0" if self.needs_version() => {
                let why = "must be specified for an update";
                let errors = [FieldError::invalid("metadata.resourceVersion", 0, why)];
                let (group, plural) = (&self.resource.group, &self.resource.plural);
                return Err(Failure::invalid(group, plural, self.name(), &errors));
            }
            "" | "0" => meta::set(&mut new, "resourceVersion", Some(live.version.to_string().into())),
            given => {
                if version_number(given)? != live.version {
                    return Err(Failure::conflict(&qualified, self.name(), MODIFIED));
                }
            }
        }
        self.finish_update(&mut new, &old, warnings)?;
        self.admit(&new, Some(&old), warnings)?;
        let old_meta = &old["metadata"];
        let emptied = meta::texts(&new, "finalizers").is_empty()
            && !old_meta["deletionTimestamp"].is_null()
            && old_meta["deletionGracePeriodSeconds"].as_i64().unwrap_or_default() == 0
            && !self.holds_namespace(&new);
        if emptied {
            return Ok(self.write_last(live, new, dry_run));
        }
        let written = convert::Written::new(self.resource, Some(self.version), &new)?;
        let as_stored = convert::shows_as_stored(self.resource, self.version, live.version);
        if written.is_same_as(live, as_stored.then_some(&old))? {
            let bytes = convert::served_bytes(self.resource, self.version, live)?;
            return Ok(Some(Written { object: old, bytes, created: false }));
        }
        let served = written.served(self.resource, self.version)?;
        if dry_run {
            let object = served.unwrap_or(new);
            let bytes = object.to_string().into();
            return Ok(Some(Written { object, bytes, created: false }));
        }
        let spot = key(self.namespace(), self.name());
        let draft = written.draft(self.resource);
        let mut object = served.unwrap_or(new);
        let Ok(stored) = self.store().put(&self.resource.place, &spot, Expect::Version(live.version), &draft)
        else {
            return Ok(None);
        };
        meta::set(&mut object, "resourceVersion", Some(stored.version.to_string().into()));
        self.engine.after_write(self.resource, &spot, &object, Some(&old), self.call);
        let bytes = convert::served_bytes(self.resource, self.version, &stored)?;
        Ok(Some(Written { object, bytes, created: false }))
    }

    /// The write was meant for another object of the same name.
    fn another_uid(&self, wanted: &str, found: &str) -> Failure {
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}",
            self.etcd_key(),
        );
        Failure::conflict(&self.resource.qualified(), self.name(), &why)
    }

    /// Some kinds are replaced only by who says which version is replaced.
    fn needs_version(&self) -> bool {
        self.is_custom()
            || self.resource.strategy.needs_version()
            || self.is("apiextensions.k8s.io", "customresourcedefinitions")
    }

    /// Nothing new for a definition that is going away.
    fn check_definition(&self, name: &str) -> Result<(), Failure> {
        if !self.is_custom() {
            return Ok(());
        }
        let qualified = self.resource.qualified();
        if !self.engine.is_terminating(&qualified) {
            let registry = self.engine.registry();
            let served = registry.get(&self.resource.group, &self.resource.plural);
            return served.map(drop).ok_or_else(Failure::no_such_resource);
        }
        let why = "create not allowed while custom resource definition is terminating";
        Err(Failure::forbidden(&qualified, name, why))
    }

    /// The last finalizer is gone: what was to be stored is the last that is seen of the object.
    fn write_last(&self, live: &Stored, new: Value, dry_run: bool) -> Option<Written> {
        if !dry_run {
            let key = key(self.namespace(), self.name());
            if self.store().remove(&self.resource.place, &key, live.version).is_err() {
                return None;
            }
            self.engine.after_removal(self.resource, self.namespace(), &new, self.call);
        }
        let bytes = new.to_string().into();
        Some(Written { object: new, bytes, created: false })
    }

    /// A namespace that is being deleted stays while its own finalizers do.
    fn holds_namespace(&self, object: &Value) -> bool {
        self.is("", "namespaces")
            && object["spec"]["finalizers"].as_array().is_some_and(|finalizers| !finalizers.is_empty())
    }

    /// Where the real server would keep the object: it says so in one message.
    fn etcd_key(&self) -> String {
        let resource = match (self.resource.group.as_str(), self.resource.plural.as_str()) {
            ("", "nodes") => "minions".to_owned(),
            ("", "services") => "services/specs".to_owned(),
            ("", "endpoints") => "services/endpoints".to_owned(),
            (group, plural) if self.is_custom() || group == "apiextensions.k8s.io" => {
                format!("{group}/{plural}")
            }
            (_, plural) => plural.to_owned(),
        };
        // Who only tries does not get as far as the prefix.
        let prefix = if self.is_dry() { "" } else { "/registry" };
        format!("{prefix}/{resource}/{}", key(self.namespace(), self.name()))
    }
}

fn unknown_texts(paths: Vec<String>) -> Vec<String> {
    paths.into_iter().map(|path| format!("unknown field \"{path}\"")).collect()
}

/// What the real server says of a resourceVersion that is none.
/// A resourceVersion in an object.
fn version_number(version: &str) -> Result<u64, Failure> {
    unsigned(version).map_err(|why| {
        let message = format!("strconv.ParseUint: parsing {}: {why}", crate::status::quote(version));
        Failure::new(500, "", message)
    })
}
