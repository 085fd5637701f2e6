//! One declaration, as it stands in a file.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de};

use super::{ConditionRole, Semantics};
use crate::health::Health;
use allready_core::{ConditionSet, Polarity, set::Role};

/// What is declared of some kinds: every key but `groups` may be left out, and a later declaration for the same kind
/// wins key by key.
///
/// Paths are dotted, from the object's root: `status.phase`, `spec.replicas`, `metadata.labels.KEY`,
/// `metadata.annotations.KEY`. Where a list of `path=value` is asked for, `path` alone means that something is there.
///
/// ```
/// use allready_inspect::{health::Health, registry::{Entry, Registry}};
///
/// let entry: Entry = serde_json::from_str(r#"{
///     "groups": ["*.example.com"],
///     "kinds": ["Widget"],
///     "conditions": {
///         "Ready": "summary",
///         "Synced": {"role": "dependent", "bad": "Progressing", "grace": 60},
///         "Burning": "abnormal"
///     },
///     "states": {"status.mood": {"Cheerful": "Healthy", "Sulking": "Degraded", "*": "ignore"}},
///     "requires": ["Ready"]
/// }"#).unwrap();
/// let registry = Registry::empty().with([entry]);
/// let synced = registry.condition("shop.example.com", "Widget", "Synced");
/// assert_eq!((synced.on_bad, synced.grace), (Some(Health::Progressing), Some(60)));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entry {
    /// API groups; `*` stands for anything, and the empty group is the core one.
    #[serde(alias = "group", deserialize_with = "one_or_more")]
    #[cfg_attr(feature = "schemars", schemars(with = "super::schema::OneOrMore"))]
    pub groups: Vec<String>,
    /// Kinds; `*` stands for anything. All kinds of the groups when absent.
    #[serde(
        alias = "kind",
        default,
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[cfg_attr(feature = "schemars", schemars(with = "super::schema::OneOrMore"))]
    pub kinds: Vec<String>,
    /// Condition types, in which `*` stands for anything, and what they mean.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, ConditionMeaning>,
    /// By condition type (or `*`), what the bad status with this reason means.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<String, BTreeMap<String, Health>>,
    /// By path, what the words found there mean; `*` is any other word.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<String, BTreeMap<String, StateMeaning>>,
    /// Condition types of which one must be there before it can be healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires: Option<Vec<String>>,
    /// Whether it runs to an end, so that `Running` is not the end. Read off the kind's name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_to_completion: Option<bool>,
    /// Whether a condition such as `Complete`, `Failed` or `Suspended` ends it, and nothing else does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_by_condition: Option<bool>,
    /// Whether its `status.conditions` are a history or speak of something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_conditions: Option<bool>,
    /// Whether conditions below the top level speak of something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_nested: Option<bool>,
    /// The reason why words within lists and sub-objects of the status speak of something else. Empty where they speak for the whole after
    /// all, good news too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_items: Option<String>,
    /// Whether it has no status by design, so that having none is healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_status: Option<bool>,
    /// `path=value`: then having no status is healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_status_if: Option<Vec<String>>,
    /// `path` or `path=value`: a sign of life where nothing else speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub healthy_if: Option<Vec<String>>,
    /// What it always is: for kinds that cannot be well or unwell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always: Option<Health>,
    /// What `status: {}` means; progressing when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty_status: Option<Health>,
    /// `path=value`: then it rests on purpose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspended_if: Vec<String>,
    /// Numbers of which one must reach the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Vec<Count>>,
    /// Values that must be equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal: Option<Vec<Equal>>,
    /// Values that must be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present: Option<Vec<Present>>,
    /// Pairs of generations besides `status.observedGeneration` and `metadata.generation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generations: Option<Vec<Generations>>,
    /// Fields of other objects that name the first of these kinds without saying so: `issuerRef`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub referred_by: Vec<String>,
    /// From where this is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The rule of a kind that Kubernetes itself brings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builtin: Option<Builtin>,
    /// Whether there is a declaration of it that cannot be read: what it says may be bad news, so nothing is healthy.
    #[serde(skip)]
    pub is_unreadable: bool,
}

/// The source of a declaration.
///
/// ```
/// use allready_inspect::registry::Source;
/// use serde_json::json;
///
/// let source = json!({ "project": "Widgets", "read": "api/v1/widget_types.go", "version": "v1.4.0" });
/// assert_eq!(serde_json::from_value::<Source>(source).unwrap().version, "v1.4.0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Source {
    /// The project whose kinds these are.
    pub project: String,
    /// The file of the project, or the name of the page, that was read.
    pub read: String,
    /// The version, commit or date of it; `unrecorded` where nobody wrote it down.
    pub version: String,
}

/// What a condition type means, as declared: a role alone (`"summary"`, `"dependent"`, `"activity"`, `"suspension"`,
/// `"informational"`, or `"abnormal"` for a dependent of which `True` is bad), or an object with details.
///
/// ```
/// use allready_core::Polarity;
/// use allready_inspect::registry;
/// use serde_json::json;
///
/// let file = json!([{ "group": "example.com", "kind": "Widget", "conditions": { "Jammed": "abnormal" } }]);
/// let entries = registry::read(&file).unwrap();
/// assert_eq!(entries[0].conditions["Jammed"].polarity, Polarity::AbnormalTrue);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConditionMeaning {
    /// What it is for.
    pub role: ConditionRole,
    /// Which status of it is good.
    pub polarity: Polarity,
    /// What its bad status means, whatever the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad: Option<Health>,
    /// What `Unknown` means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Health>,
    /// For how many seconds a broken one is still taken to be under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace: Option<u32>,
}

/// What a word in a field means.
///
/// ```
/// use allready_inspect::registry::StateMeaning;
///
/// assert_eq!(serde_json::from_str::<StateMeaning>("\"ignore\"").unwrap(), StateMeaning::Ignore);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum StateMeaning {
    /// It is as it should be.
    Healthy,
    /// It rests on purpose.
    Suspended,
    /// It is on its way.
    Progressing,
    /// Nobody knows.
    Unknown,
    /// It should be there and is not.
    Missing,
    /// It is broken.
    Degraded,
    /// It says nothing about the object's health.
    #[serde(rename = "ignore")]
    Ignore,
}

impl StateMeaning {
    /// The health, unless it is to be ignored.
    ///
    /// ```
    /// use allready_inspect::{health::Health, registry::StateMeaning};
    /// assert_eq!(StateMeaning::Degraded.health(), Some(Health::Degraded));
    /// assert_eq!(StateMeaning::Ignore.health(), None);
    /// ```
    pub const fn health(self) -> Option<Health> {
        match self {
            Self::Healthy => Some(Health::Healthy),
            Self::Suspended => Some(Health::Suspended),
            Self::Progressing => Some(Health::Progressing),
            Self::Unknown => Some(Health::Unknown),
            Self::Missing => Some(Health::Missing),
            Self::Degraded => Some(Health::Degraded),
            Self::Ignore => None,
        }
    }
}

/// A number that must reach another; `list[].field` is the sum over a list.
///
/// ```
/// use allready_inspect::{health::Health, registry::Count};
/// use serde_json::json;
///
/// let count = json!({ "have": "status.readyReplicas", "want": "spec.replicas", "short": "Progressing" });
/// assert_eq!(serde_json::from_value::<Count>(count).unwrap().short, Health::Progressing);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Count {
    /// Where the number is.
    pub have: String,
    /// Where the other is.
    pub want: String,
    /// What it means that it is less.
    pub short: Health,
}

/// Two values that must be equal; `list[].field` compares item by item, and `one|other` takes the first that is there.
///
/// ```
/// use allready_inspect::{health::Health, registry::Equal};
/// use serde_json::json;
///
/// let equal = json!({ "path": "status.version", "other": "spec.version", "different": "Progressing" });
/// assert_eq!(serde_json::from_value::<Equal>(equal).unwrap().different, Health::Progressing);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Equal {
    /// Where one is.
    pub path: String,
    /// Where the other is.
    pub other: String,
    /// What it means that they differ.
    pub different: Health,
}

/// A value that must be there and not empty.
///
/// ```
/// use allready_inspect::{health::Health, registry::Present};
/// use serde_json::json;
///
/// let present = json!({ "path": "status.address", "absent": "Progressing" });
/// assert_eq!(serde_json::from_value::<Present>(present).unwrap().absent, Health::Progressing);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Present {
    /// Where it is.
    pub path: String,
    /// What it means that it is not.
    pub absent: Health,
}

/// A pair of generations: while the first is less than the second, the status is about an older wish.
///
/// ```
/// use allready_inspect::registry::Generations;
/// use serde_json::json;
///
/// let pair = json!({ "observed": "status.observedGeneration", "wanted": "metadata.generation" });
/// assert_eq!(serde_json::from_value::<Generations>(pair).unwrap().wanted, "metadata.generation");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Generations {
    /// Where the observed one is.
    pub observed: String,
    /// Where the wanted one is.
    pub wanted: String,
}

/// The kinds of Kubernetes itself, which have rules of their own because their status is older than conditions.
///
/// ```
/// use allready_inspect::registry::{Builtin, Registry};
///
/// assert_eq!(Registry::builtin().kind("apps", "Deployment").declared().builtin, Some(Builtin::Deployment));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Builtin {
    /// `Pod`
    Pod,
    /// `Deployment`
    Deployment,
    /// `ReplicaSet` and `ReplicationController`
    ReplicaSet,
    /// `StatefulSet`
    StatefulSet,
    /// `DaemonSet`
    DaemonSet,
    /// `Job`
    Job,
    /// `CronJob`
    CronJob,
    /// `PersistentVolumeClaim`
    Claim,
    /// `PersistentVolume`
    Volume,
    /// `Service`
    Service,
    /// `Ingress`
    Ingress,
    /// `HorizontalPodAutoscaler`
    Autoscaler,
    /// `CustomResourceDefinition`
    Definition,
    /// `PodDisruptionBudget`
    DisruptionBudget,
    /// `Node`
    Node,
    /// `Namespace`
    Namespace,
}

impl Entry {
    /// The same declaration for one kind of one group.
    ///
    /// ```
    /// use allready_core::ConditionSet;
    /// use allready_inspect::registry::{Entry, Registry};
    ///
    /// let set: ConditionSet = "Ready: Synced, !Degraded, (Cached)".parse().unwrap();
    /// let registry = Registry::empty().with([Entry::from(&set).for_kind("example.com", "Widget")]);
    /// assert!(registry.condition("example.com", "Widget", "Cached").is_declared);
    /// ```
    pub fn for_kind(mut self, group: &str, kind: &str) -> Self {
        self.groups = vec![group.to_owned()];
        self.kinds = vec![kind.to_owned()];
        self
    }

    /// That there is a declaration for this kind which cannot be read: nothing of the kind is healthy until somebody stronger
    /// says what it means.
    ///
    /// ```
    /// use allready_core::Time;
    /// use allready_inspect::{health::Health, judge::judge, registry::{Entry, Registry}};
    /// use serde_json::json;
    ///
    /// let registry = Registry::builtin().clone().with([Entry::unreadable("example.com", "Widget")]);
    /// let ready = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a" },
    ///     "status": { "conditions": [{ "type": "Ready", "status": "True" }] } });
    /// assert_eq!(judge(&ready, Registry::builtin(), Time::EPOCH).health, Health::Healthy);
    /// assert_eq!(judge(&ready, &registry, Time::EPOCH).health, Health::Unknown);
    /// ```
    pub fn unreadable(group: &str, kind: &str) -> Self {
        Self { is_unreadable: true, ..Self::default() }.for_kind(group, kind)
    }

    pub(super) fn is_about(&self, group: &str, kind: &str) -> bool {
        let any =
            |patterns: &[String], text| patterns.iter().any(|pattern| super::glob::matches(pattern, text));
        any(&self.groups, group) && (self.kinds.is_empty() || any(&self.kinds, kind))
    }
}

/// A table generated by `#[derive(ConditionSet)]`, or read from an annotation, is one more declaration: for every kind
/// until [`Entry::for_kind`] says which.
impl From<&ConditionSet> for Entry {
    fn from(set: &ConditionSet) -> Self {
        let mut conditions = BTreeMap::new();
        let top = ConditionMeaning { role: ConditionRole::Summary, ..ConditionMeaning::default() };
        conditions.insert(set.top().as_str().to_owned(), top);
        for declared in set.declared() {
            let role = match declared.role {
                Role::Dependent => ConditionRole::Dependent,
                Role::Informational => ConditionRole::Informational,
            };
            let meaning =
                ConditionMeaning { role, polarity: declared.polarity, ..ConditionMeaning::default() };
            conditions.insert(declared.type_.as_str().to_owned(), meaning);
        }
        let any = vec!["*".to_owned()];
        Self {
            groups: any,
            conditions,
            requires: Some(vec![set.top().as_str().to_owned()]),
            ..Self::default()
        }
    }
}

impl From<ConditionMeaning> for Semantics {
    fn from(meaning: ConditionMeaning) -> Self {
        let declared = Self::declared(meaning.role, meaning.polarity);
        Self {
            on_bad: meaning.bad,
            on_unknown: meaning.unknown.unwrap_or(declared.on_unknown),
            grace: meaning.grace,
            ..declared
        }
    }
}

impl<'de> Deserialize<'de> for ConditionMeaning {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        struct Details {
            #[serde(default)]
            role: ConditionRole,
            #[serde(default)]
            polarity: Polarity,
            bad: Option<Health>,
            unknown: Option<Health>,
            grace: Option<u32>,
        }

        struct RoleOrDetails;

        impl<'de> de::Visitor<'de> for RoleOrDetails {
            type Value = ConditionMeaning;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(
                    "a role such as \"summary\", or an object with role, polarity, bad, unknown, grace",
                )
            }

            fn visit_str<E: de::Error>(self, role: &str) -> Result<ConditionMeaning, E> {
                if role == "abnormal" {
                    let polarity = Polarity::AbnormalTrue;
                    return Ok(ConditionMeaning { polarity, ..ConditionMeaning::default() });
                }
                let role = ConditionRole::deserialize(de::value::StrDeserializer::new(role))?;
                Ok(ConditionMeaning { role, ..ConditionMeaning::default() })
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<ConditionMeaning, A::Error> {
                let found = Details::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(ConditionMeaning {
                    role: found.role,
                    polarity: found.polarity,
                    bad: found.bad,
                    unknown: found.unknown,
                    grace: found.grace,
                })
            }
        }

        deserializer.deserialize_any(RoleOrDetails)
    }
}

fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct OneOrMore;

    impl<'de> de::Visitor<'de> for OneOrMore {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a text or a list of texts")
        }

        fn visit_str<E: de::Error>(self, one: &str) -> Result<Vec<String>, E> {
            Ok(vec![one.to_owned()])
        }

        fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<Vec<String>, A::Error> {
            Vec::deserialize(de::value::SeqAccessDeserializer::new(seq))
        }
    }

    deserializer.deserialize_any(OneOrMore)
}
