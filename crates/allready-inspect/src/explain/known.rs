//! The objects that have been seen so far, and the answers to requests for more.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::id::{ObjectId, Reference, group_of, text};

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
/// use allready_inspect::explain::{Extent, Known, ObjectId};
/// use serde_json::json;
///
/// let mut known = Known::new(Extent::Part);
/// known.add(json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "namespace": "shop" } }));
/// assert!(known.object(&ObjectId::new("", "Pod", "shop", "a")).is_some());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Known {
    extent: Extent,
    objects: BTreeMap<ObjectId, Value>,
    /// By kind, namespace and name: the groups.
    groups: HashMap<(String, String, String), BTreeSet<String>>,
    /// By kind and name of the owner: what says that it is owned.
    owned: HashMap<(String, String), BTreeSet<ObjectId>>,
    /// By kind and name of what they are about.
    events: HashMap<(String, String), Vec<ObjectId>>,
    /// By group and kind.
    kinds: BTreeMap<(String, String), BTreeSet<ObjectId>>,
    gaps: BTreeMap<Request, Option<Gap>>,
}

impl Known {
    /// Nothing yet.
    pub fn new(extent: Extent) -> Self {
        Self { extent, ..Self::default() }
    }

    /// Learns of an object. What has no kind or name is not one.
    pub fn add(&mut self, object: Value) {
        let Some(id) = ObjectId::of(&object) else { return };
        let key = (id.kind.clone(), id.namespace.clone(), id.name.clone());
        self.groups.entry(key).or_default().insert(id.group.clone());
        for owner in object["metadata"]["ownerReferences"].as_array().into_iter().flatten() {
            let key = (text(owner, "kind").to_owned(), text(owner, "name").to_owned());
            self.owned.entry(key).or_default().insert(id.clone());
        }
        if id.kind == "Event" {
            let about = if object["regarding"].is_object() {
                &object["regarding"]
            } else {
                &object["involvedObject"]
            };
            let key = (text(about, "kind").to_owned(), text(about, "name").to_owned());
            self.events.entry(key).or_default().push(id.clone());
        }
        self.kinds.entry((id.group.clone(), id.kind.clone())).or_default().insert(id.clone());
        self.objects.insert(id, object);
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
            self.add(object);
        }
        self.gaps.insert(request, gap);
    }

    /// An object by its full name.
    pub fn object(&self, id: &ObjectId) -> Option<&Value> {
        self.objects.get(id)
    }

    /// All objects.
    pub fn objects(&self) -> impl Iterator<Item = (&ObjectId, &Value)> {
        self.objects.iter()
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

    /// The objects of a kind.
    pub(super) fn of_kind(&self, group: &str, kind: &str) -> impl Iterator<Item = (&ObjectId, &Value)> {
        let ids = self.kinds.get(&(group.to_owned(), kind.to_owned()));
        ids.into_iter().flatten().filter_map(|id| Some((id, self.objects.get(id)?)))
    }

    /// The objects that name this one as their owner, with whether it is its controller.
    pub(super) fn owned_by(&self, owner: &ObjectId) -> Vec<(ObjectId, bool)> {
        let uid = self.objects.get(owner).map_or("", |owner| text(&owner["metadata"], "uid"));
        let children = self.owned.get(&(owner.kind.clone(), owner.name.clone()));
        let named = children.into_iter().flatten().filter_map(|child| {
            // An owner is in the namespace of what it owns, or in none.
            if !owner.namespace.is_empty() && owner.namespace != child.namespace {
                return None;
            }
            let references = self.objects.get(child)?["metadata"]["ownerReferences"].as_array()?;
            let reference = references.iter().find(|reference| {
                let is_named = text(reference, "kind") == owner.kind
                    && text(reference, "name") == owner.name
                    && group_of(text(reference, "apiVersion")) == owner.group;
                let said = text(reference, "uid");
                // One of the same name that is gone was another one.
                is_named && (uid.is_empty() || said.is_empty() || uid == said)
            })?;
            Some((child.clone(), reference["controller"] == Value::Bool(true)))
        });
        named.collect()
    }

    /// The events about an object.
    pub(super) fn events_of(&self, id: &ObjectId) -> impl Iterator<Item = &Value> {
        let events = self.events.get(&(id.kind.clone(), id.name.clone()));
        events.into_iter().flatten().filter_map(|event| self.objects.get(event)).filter(|event| {
            let about =
                if event["regarding"].is_object() { &event["regarding"] } else { &event["involvedObject"] };
            text(about, "namespace") == id.namespace
        })
    }

    /// Tells whether there is an answer to this already; files answer everything.
    pub(super) fn is_answered(&self, request: &Request) -> bool {
        self.extent != Extent::Asked || self.gaps.contains_key(request)
    }

    /// The gap in the answer to this, if there is one.
    pub(super) fn gap(&self, request: &Request) -> Option<Gap> {
        match self.extent {
            Extent::Asked => self.gaps.get(request).cloned().unwrap_or(Some(Gap::NotAsked)),
            Extent::Part => Some(Gap::NotGiven),
            Extent::Everything => None,
        }
    }
}
