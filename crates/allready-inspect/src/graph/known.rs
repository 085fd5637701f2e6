//! The objects that have been seen so far, and the answers to requests for more.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::{
    id::{Firmness, ObjectId, Reference, group_of, is_cluster_scoped, text},
    references, selectors,
};
use crate::judge::Verdict;

/// Something that would help to explain, and is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    /// One object.
    Get(Reference),
    /// Objects of one kind.
    List {
        /// The group of the kind.
        group: String,
        /// The kind.
        kind: String,
        /// In this namespace; in all where it is empty.
        namespace: String,
        /// With these labels: `app=web,tier=front`; all where it is empty.
        labels: String,
    },
    /// Whatever has an owner, of any kind: nothing says which kinds an object owns.
    Owned {
        /// In this namespace; in none where it is empty.
        namespace: String,
    },
    /// The events about an object.
    Events(ObjectId),
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// These are all of them; none where one object was asked for and is not there.
    Objects(Vec<Value>),
    /// These are some of them, and this is why not the others.
    Some(Vec<Value>, String),
    /// The server has no such kind.
    NotServed,
    /// Whoever asks is not allowed to.
    Forbidden,
    /// Something went wrong.
    Failed(String),
    /// Nobody asked: there have been enough requests.
    NotAsked,
}

/// The reason why something cannot be seen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// There is no such kind.
    NotServed,
    /// It may not be read.
    Forbidden,
    /// Reading it failed.
    Failed(String),
    /// There are more than were read, and why.
    Cut(String),
    /// It was not asked for.
    NotAsked,
    /// It is not in the files, which need not be all there is.
    NotGiven,
}

/// The meaning of what is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Only what was asked for and not found is missing: a cluster is behind this.
    #[default]
    Asked,
    /// Files: what is not there was not given: files, which may be a part.
    Part,
    /// Everything: what is not there does not exist: files that are said to be everything.
    Everything,
}

/// Everything that is known: objects, and answers.
///
/// ```
/// use allready_inspect::graph::{Extent, Known, ObjectId};
/// use serde_json::json;
///
/// let mut known = Known::new(Extent::Part);
/// known.add(json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "namespace": "shop" } }));
/// assert!(known.object(&ObjectId::new("", "Pod", "shop", "a")).is_some());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Known {
    extent: Extent,
    objects: BTreeMap<ObjectId, Kept>,
    /// By kind, namespace and name: the groups.
    groups: HashMap<(String, String, String), BTreeSet<String>>,
    /// By kind and name of the owner: what says that it is owned.
    owned: HashMap<(String, String), BTreeSet<ObjectId>>,
    /// By kind and name of what they are about.
    events: HashMap<(String, String), Vec<ObjectId>>,
    gaps: BTreeMap<Request, Option<Gap>>,
    /// Kinds that were listed whole, or could not be.
    lists: BTreeMap<(String, String), Listed>,
    /// Set if every kind was listed: what owns something is seen then.
    is_everything: bool,
}

/// A kind that was listed, and where.
#[derive(Clone, Debug)]
struct Listed {
    /// In one namespace only.
    namespace: Option<String>,
    gap: Option<Gap>,
}

/// Every kind, everywhere.
const EVERYTHING: Listed = Listed { namespace: None, gap: None };

/// What is kept of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// All of it; nothing where there is no need for more than the rest.
    object: Option<Value>,
    /// The verdict on it alone, where that is known already.
    verdict: Option<Box<Verdict>>,
    uid: Box<str>,
    labels: Labels,
    owners: Vec<Owner>,
    references: Vec<Reference>,
    /// The revision of a ReplicaSet.
    revision: Option<i64>,
    is_deleted: bool,
}

/// The labels of an object.
pub(super) type Labels = Vec<(Box<str>, Box<str>)>;

#[derive(Clone, Debug)]
struct Owner {
    group: Box<str>,
    kind: Box<str>,
    name: Box<str>,
    uid: Box<str>,
    is_controller: bool,
}

impl Kept {
    /// What is kept of an object that has been judged; its references too, where others may be why it is as it is.
    pub(crate) fn judged(id: &ObjectId, object: &Value, verdict: Verdict, has_references: bool) -> Self {
        let references = if has_references { references::of_object(id, object) } else { Vec::new() };
        Self { verdict: Some(Box::new(verdict)), references, ..Self::of(id, object) }
    }

    fn of(id: &ObjectId, object: &Value) -> Self {
        let metadata = &object["metadata"];
        let boxed = |value: &Value, field: &str| text(value, field).into();
        let owners = metadata["ownerReferences"].as_array().into_iter().flatten().map(|owner| Owner {
            group: group_of(text(owner, "apiVersion")).into(),
            kind: boxed(owner, "kind"),
            name: boxed(owner, "name"),
            uid: boxed(owner, "uid"),
            is_controller: owner["controller"] == Value::Bool(true),
        });
        // Other controllers number their ReplicaSets as Deployments do, under a domain of their own.
        let mut revisions = metadata["annotations"].as_object().into_iter().flatten();
        let revision = revisions.find_map(|(key, value)| {
            key.ends_with("/revision").then(|| value.as_str()?.parse().ok()).flatten()
        });
        Self {
            object: None,
            verdict: None,
            uid: boxed(metadata, "uid"),
            labels: selectors::labels(&metadata["labels"]),
            owners: owners.collect(),
            references: Vec::new(),
            revision: revision.filter(|_| id.kind == "ReplicaSet"),
            is_deleted: metadata["deletionTimestamp"].is_string(),
        }
    }
}

impl Gap {
    /// Says why something was not seen; nothing where there is nothing to see.
    pub(crate) fn why(&self, what: &str) -> Option<String> {
        Some(match self {
            Self::NotServed | Self::NotGiven => return None,
            Self::Forbidden => format!("not allowed to read {what}"),
            Self::Failed(message) => format!("reading {what} failed: {message}"),
            Self::Cut(why) => format!("not all of {what} was read: {why}"),
            Self::NotAsked => format!("no request was left to read {what}"),
        })
    }
}

impl Request {
    /// The kind that this is about, with its group and the namespace; nothing where that is not one.
    pub(crate) fn kind(&self) -> Option<(&str, &str, &str)> {
        match self {
            Self::Get(reference) => {
                let namespace = if is_cluster_scoped(&reference.kind) { "" } else { &*reference.namespace };
                Some((reference.group.as_deref()?, &reference.kind, namespace))
            }
            Self::List { group, kind, namespace, .. } => Some((group, kind, namespace)),
            Self::Owned { .. } | Self::Events(_) => None,
        }
    }

    /// The request for all objects of a kind, of a namespace or of all.
    pub(crate) fn all(group: &str, kind: &str, namespace: &str) -> Self {
        let [group, kind, namespace] = [group, kind, namespace].map(str::to_owned);
        Self::List { group, kind, namespace, labels: String::new() }
    }
}

impl Known {
    /// Nothing yet.
    pub fn new(extent: Extent) -> Self {
        Self { extent, ..Self::default() }
    }

    /// Learns of an object. What has no kind or name is not one.
    pub fn add(&mut self, object: Value) {
        let Some(id) = ObjectId::of(&object) else { return };
        let kept = Kept::of(&id, &object);
        self.keep(id, Kept { object: Some(object), ..kept });
    }

    /// Learns of an object that has been judged, and of all of it where that is given.
    pub(crate) fn add_kept(&mut self, id: ObjectId, kept: Kept, object: Option<Value>) {
        self.keep(id, Kept { object, ..kept });
    }

    fn keep(&mut self, id: ObjectId, kept: Kept) {
        self.remove(&id);
        let key = (id.kind.clone(), id.namespace.clone(), id.name.clone());
        self.groups.entry(key).or_default().insert(id.group.clone());
        for owner in &kept.owners {
            let key = (owner.kind.to_string(), owner.name.to_string());
            self.owned.entry(key).or_default().insert(id.clone());
        }
        if let Some(object) = kept.object.as_ref().filter(|_| id.kind == "Event") {
            let about = about(object);
            let key = (text(about, "kind").to_owned(), text(about, "name").to_owned());
            self.events.entry(key).or_default().push(id.clone());
        }
        self.objects.insert(id, kept);
    }

    /// Forgets an object.
    pub(crate) fn remove(&mut self, id: &ObjectId) {
        let Some(kept) = self.objects.remove(id) else { return };
        let key = (id.kind.clone(), id.namespace.clone(), id.name.clone());
        if let Some(groups) = self.groups.get_mut(&key) {
            groups.remove(&id.group);
            if groups.is_empty() {
                self.groups.remove(&key);
            }
        }
        for owner in &kept.owners {
            let key = (owner.kind.to_string(), owner.name.to_string());
            if let Some(owned) = self.owned.get_mut(&key) {
                owned.remove(id);
                if owned.is_empty() {
                    self.owned.remove(&key);
                }
            }
        }
        if let Some(object) = kept.object.as_ref().filter(|_| id.kind == "Event") {
            let about = about(object);
            let key = (text(about, "kind").to_owned(), text(about, "name").to_owned());
            if let Some(events) = self.events.get_mut(&key) {
                events.retain(|event| event != id);
                if events.is_empty() {
                    self.events.remove(&key);
                }
            }
        }
    }

    /// Forgets the answers to requests, and the objects in them: all but those that are wanted.
    pub(crate) fn forget_answers(&mut self, is_wanted: impl Fn(&ObjectId) -> bool) {
        self.gaps.clear();
        let others: Vec<ObjectId> = self.objects.keys().filter(|id| !is_wanted(id)).cloned().collect();
        for id in others {
            self.remove(&id);
        }
    }

    /// Takes an answer in.
    pub fn answer(&mut self, request: Request, answer: Answer) {
        let (objects, gap) = match answer {
            Answer::Objects(objects) => (objects, None),
            Answer::Some(objects, why) => (objects, Some(Gap::Cut(why))),
            Answer::NotServed => (Vec::new(), Some(Gap::NotServed)),
            Answer::Forbidden => (Vec::new(), Some(Gap::Forbidden)),
            Answer::Failed(message) => (Vec::new(), Some(Gap::Failed(message))),
            Answer::NotAsked => (Vec::new(), Some(Gap::NotAsked)),
        };
        for object in objects {
            // What has been judged already stays as it was then: one answer is about one instant.
            if ObjectId::of(&object).is_some_and(|id| !self.objects.contains_key(&id)) {
                self.add(object);
            }
        }
        self.gaps.insert(request, gap);
    }

    /// Notes that all objects of a kind have been added: those of one namespace, or of all; or why they have not.
    pub fn listed(&mut self, group: &str, kind: &str, namespace: Option<&str>, gap: Option<Gap>) {
        let namespace = namespace.map(str::to_owned);
        self.lists.insert((group.to_owned(), kind.to_owned()), Listed { namespace, gap });
    }

    /// Notes that objects of all kinds have been added.
    pub fn listed_everything(&mut self) {
        self.is_everything = true;
    }

    /// An object by its full name, if all of it is kept.
    pub fn object(&self, id: &ObjectId) -> Option<&Value> {
        self.objects.get(id)?.object.as_ref()
    }

    /// The verdict on an object alone, if it was judged when it was added.
    pub(crate) fn verdict(&self, id: &ObjectId) -> Option<&Verdict> {
        self.objects.get(id)?.verdict.as_deref()
    }

    /// Tells whether an object has been seen.
    pub(crate) fn has(&self, id: &ObjectId) -> bool {
        self.objects.contains_key(id)
    }

    /// Tells whether an object is being deleted.
    pub(crate) fn is_deleted(&self, id: &ObjectId) -> bool {
        self.objects.get(id).is_some_and(|kept| kept.is_deleted)
    }

    /// The revision of a ReplicaSet.
    pub(crate) fn revision(&self, id: &ObjectId) -> Option<i64> {
        self.objects.get(id)?.revision
    }

    /// A label of an object.
    pub(crate) fn label(&self, id: &ObjectId, key: &str) -> Option<&str> {
        let labels = &self.objects.get(id)?.labels;
        labels.iter().find(|(found, _)| **found == *key).map(|(_, value)| &**value)
    }

    /// The owner that controls an object.
    pub(crate) fn controller(&self, id: &ObjectId) -> Option<ObjectId> {
        let owner = self.objects.get(id)?.owners.iter().find(|owner| owner.is_controller)?;
        let namespace = if is_cluster_scoped(&owner.kind) { "" } else { &id.namespace };
        Some(ObjectId::new(&owner.group, &owner.kind, namespace, &owner.name))
    }

    /// The references of an object.
    pub(super) fn references(&self, id: &ObjectId) -> Vec<Reference> {
        let Some(kept) = self.objects.get(id) else { return Vec::new() };
        match &kept.object {
            Some(object) => references::of_object(id, object),
            None => kept.references.clone(),
        }
    }

    /// All objects.
    pub fn objects(&self) -> impl Iterator<Item = (&ObjectId, &Value)> {
        self.objects.iter().filter_map(|(id, kept)| Some((id, kept.object.as_ref()?)))
    }

    /// Finds what another object calls by this name, if it has been seen.
    pub fn find(&self, reference: &Reference) -> Option<ObjectId> {
        let in_namespace = |namespace: &str| {
            let key = (reference.kind.clone(), namespace.to_owned(), reference.name.clone());
            let groups = self.groups.get(&key)?;
            let group = reference.nearest(groups.iter().map(String::as_str))?;
            Some(ObjectId::new(group, &reference.kind, namespace, &reference.name))
        };
        in_namespace(&reference.namespace).or_else(|| in_namespace(""))
    }

    /// The objects of a kind, as far as all of them is kept.
    pub(crate) fn of_kind(&self, group: &str, kind: &str) -> impl Iterator<Item = (&ObjectId, &Value)> {
        self.range(group, kind, "").filter_map(|(id, kept)| Some((id, kept.object.as_ref()?)))
    }

    /// The objects of a kind in a namespace, as far as all of them is kept.
    pub(crate) fn of_kind_in(
        &self,
        group: &str,
        kind: &str,
        namespace: &str,
    ) -> impl Iterator<Item = (&ObjectId, &Value)> {
        let within = self.range(group, kind, namespace).take_while(move |(id, _)| id.namespace == namespace);
        within.filter_map(|(id, kept)| Some((id, kept.object.as_ref()?)))
    }

    /// The objects of a kind in a namespace whose labels a selector asks for.
    pub(crate) fn selected(
        &self,
        group: &str,
        kind: &str,
        namespace: &str,
        selector: &Value,
    ) -> impl Iterator<Item = &ObjectId> {
        self.range(group, kind, namespace)
            .take_while(move |(id, _)| id.namespace == namespace)
            .filter(move |(_, kept)| selectors::matches(selector, &kept.labels))
            .map(|(id, _)| id)
    }

    fn range(&self, group: &str, kind: &str, namespace: &str) -> impl Iterator<Item = (&ObjectId, &Kept)> {
        let first = ObjectId::new(group, kind, namespace, "");
        let (group, kind) = (first.group.clone(), first.kind.clone());
        self.objects.range(first..).take_while(move |(id, _)| id.group == group && id.kind == kind)
    }

    /// The objects that name this one as their owner, with whether it is its controller.
    pub(super) fn owned_by(&self, owner: &ObjectId) -> Vec<(ObjectId, bool)> {
        let uid = self.objects.get(owner).map_or("", |owner| &owner.uid);
        let children = self.owned.get(&(owner.kind.clone(), owner.name.clone()));
        let named = children.into_iter().flatten().filter_map(|child| {
            // An owner is in the namespace of what it owns, or in none.
            if !owner.namespace.is_empty() && owner.namespace != child.namespace {
                return None;
            }
            let reference = self.objects.get(child)?.owners.iter().find(|reference| {
                let is_named = *reference.kind == *owner.kind
                    && *reference.name == *owner.name
                    && *reference.group == *owner.group;
                // One of the same name that is gone was another one.
                is_named && (uid.is_empty() || reference.uid.is_empty() || *uid == *reference.uid)
            })?;
            Some((child.clone(), reference.is_controller))
        });
        named.collect()
    }

    /// The events about an object.
    pub(crate) fn events_of(&self, id: &ObjectId) -> impl Iterator<Item = &Value> {
        let events = self.events.get(&(id.kind.clone(), id.name.clone()));
        let uid = self.objects.get(id).map_or("", |kept| &*kept.uid);
        events.into_iter().flatten().filter_map(|event| self.object(event)).filter(move |event| {
            let about = about(event);
            let said = text(about, "uid");
            // One of the same name that is gone was another one. Node controllers write the name for the uid.
            let is_same = uid.is_empty() || said.is_empty() || said == uid || said == id.name;
            is_same && text(about, "namespace") == id.namespace
        })
    }

    /// Tells whether there is an answer to this already; files answer everything.
    pub(crate) fn is_answered(&self, request: &Request) -> bool {
        self.extent != Extent::Asked || self.list_of(request).is_some() || self.answer_to(request).is_some()
    }

    /// Tells whether this was asked, however it was answered.
    #[cfg(feature = "kube")]
    pub(crate) fn has_asked(&self, request: &Request) -> bool {
        self.gaps.contains_key(request)
    }

    /// The answer to this, or to a request for more than this.
    fn answer_to(&self, request: &Request) -> Option<&Option<Gap>> {
        self.gaps.get(request).or_else(|| {
            let (group, kind, namespace) = request.kind()?;
            let all = ["", namespace].map(|namespace| self.gaps.get(&Request::all(group, kind, namespace)));
            all.into_iter().flatten().find(|gap| matches!(gap, None | Some(Gap::NotServed)))
        })
    }

    /// The gap in the answer to this, if there is one.
    pub(crate) fn gap(&self, request: &Request) -> Option<Gap> {
        if let Some(listed) = self.list_of(request) {
            return listed.gap.clone();
        }
        match self.extent {
            Extent::Asked => self.answer_to(request).cloned().unwrap_or(Some(Gap::NotAsked)),
            Extent::Part => Some(Gap::NotGiven),
            Extent::Everything => None,
        }
    }

    /// The list that answers this, if there was one.
    fn list_of(&self, request: &Request) -> Option<&Listed> {
        let within = |listed: &Listed, namespace: &str| match &listed.namespace {
            Some(only) => namespace.is_empty() || only == namespace,
            None => true,
        };
        match request {
            Request::Owned { .. } => self.is_everything.then_some(&EVERYTHING),
            Request::Events(_) => None,
            Request::List { group, kind, namespace, .. } => {
                let listed = self.lists.get(&(group.clone(), kind.clone()))?;
                let is_all = listed.namespace.is_none() || !namespace.is_empty() || is_cluster_scoped(kind);
                (is_all && within(listed, namespace)).then_some(listed)
            }
            Request::Get(reference) => {
                let lists = self.lists.iter().filter(|((group, kind), _)| {
                    *kind == reference.kind && reference.group.as_ref().is_none_or(|said| said == group)
                });
                // Where no group is named, it may be of any that has the kind.
                let (_, listed) = lists.max_by_key(|(_, listed)| listed.gap.is_some())?;
                let is_sure = within(listed, &reference.namespace) || is_cluster_scoped(&reference.kind);
                is_sure.then_some(listed)
            }
        }
    }

    /// Tells whether an object that another needs is not there, as far as is known. A request where that is to be asked.
    pub(crate) fn is_missing(&self, reference: &Reference) -> Result<bool, Box<Request>> {
        if reference.firmness != Firmness::Needed || self.find(reference).is_some() {
            return Ok(false);
        }
        let request = Request::Get(reference.clone());
        if !self.is_answered(&request) {
            return Err(request.into());
        }
        Ok(matches!(self.gap(&request), None | Some(Gap::NotServed)))
    }

    /// Says why nobody knows whether an object is there.
    pub(crate) fn hidden(&self, reference: &Reference) -> Option<String> {
        if self.find(reference).is_some() {
            return None;
        }
        self.gap(&Request::Get(reference.clone()))?.why(&format!("{} {}", reference.kind, reference.name))
    }
}

/// The object that an event is about.
fn about(event: &Value) -> &Value {
    if event["regarding"].is_object() { &event["regarding"] } else { &event["involvedObject"] }
}
