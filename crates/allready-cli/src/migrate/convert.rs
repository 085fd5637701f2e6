//! One object of the first alpha, as the second has it.

use serde_json::{Map, Value, json};

/// An object after the conversion.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Converted {
    /// The object: converted, or as it was.
    pub(super) object: Value,
    /// Set if it was one of the first alpha.
    pub(super) is_changed: bool,
    /// Notes on fields that were left out, or mean something else now.
    pub(super) notes: Vec<String>,
    /// Decisions that somebody has to make before this can be applied.
    pub(super) problems: Vec<String>,
}

/// The kinds that changed.
const KINDS: [&str; 3] = ["ConfigurationStatus", "StatusReport", "StatusAggregation"];

/// The parts of metadata that a server sets, and the text that kubectl remembers of the first alpha.
const SET_BY_SERVER: [&str; 5] =
    ["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"];
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Converts an object. One that is not of the first alpha of our kinds stays as it is.
pub(super) fn convert(object: &Value) -> Converted {
    let unchanged = || Converted { object: object.clone(), ..Converted::default() };
    let group = object["apiVersion"].as_str().unwrap_or_default().split('/').next().unwrap_or_default();
    let kind = object["kind"].as_str().unwrap_or_default();
    let is_ours =
        KINDS.contains(&kind) && (group == "allready.dev" || (group == "metallb.io" && kind == KINDS[0]));
    if !is_ours || !is_first_alpha(kind, &object["spec"]) {
        return unchanged();
    }
    let mut spec = Fields::of(&object["spec"], ".spec");
    let made = match kind {
        "ConfigurationStatus" => configuration_status(&mut spec),
        "StatusReport" => report(&mut spec),
        _ => aggregation(&mut spec),
    };
    let (made, mut notes, problems) = spec.end(made);
    let mut converted = object.clone();
    converted["spec"] = made;
    if converted.as_object_mut().is_some_and(|fields| fields.remove("status").is_some()) {
        notes.push("the status is left out: it is computed anew".to_owned());
    }
    if let Some(metadata) = converted["metadata"].as_object_mut() {
        metadata.retain(|name, _| !SET_BY_SERVER.contains(&name.as_str()));
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove(LAST_APPLIED);
            if annotations.is_empty() {
                metadata.remove("annotations");
            }
        }
    }
    Converted { object: converted, is_changed: true, notes, problems }
}

/// Tells the alphas apart, by fields that only one of them has.
fn is_first_alpha(kind: &str, spec: &Value) -> bool {
    let has = |name: &str| !spec[name].is_null();
    let items = |name: &str| spec[name].as_array().into_iter().flatten();
    if kind != "ConfigurationStatus" {
        return has("target");
    }
    has("silentAfterSeconds")
        || items("components").any(|it| it["instances"].is_object() && it["instances"]["type"].is_null())
        || items("sources").any(|it| {
            it["component"]["type"].is_null()
                || (it["instance"].is_object() && it["instance"]["type"].is_null())
                || !it["negative"].is_null()
                || it["conditions"].as_array().into_iter().flatten().any(Value::is_string)
        })
}

/// Fields of the first alpha that are still to be converted.
struct Fields {
    path: String,
    left: Map<String, Value>,
    notes: Vec<String>,
    problems: Vec<String>,
}

impl Fields {
    fn of(value: &Value, path: &str) -> Self {
        let left = value.as_object().cloned().unwrap_or_default();
        Self { path: path.to_owned(), left, notes: Vec::new(), problems: Vec::new() }
    }

    /// Takes a field; null is none.
    fn take(&mut self, name: &str) -> Option<Value> {
        self.left.remove(name).filter(|value| !value.is_null())
    }

    /// Moves fields over that mean the same.
    fn same(&mut self, names: &[&str], made: &mut Map<String, Value>) {
        for name in names {
            made.extend(self.take(name).map(|value| ((*name).to_owned(), value)));
        }
    }

    /// Moves a field over under another name, converted.
    fn moved(
        &mut self,
        from: &str,
        made: &mut Map<String, Value>,
        to: &str,
        convert: impl FnOnce(Value) -> Value,
    ) {
        insert(made, to, self.take(from).map(convert));
    }

    /// Converts the fields within a field.
    fn within(
        &mut self,
        value: &Value,
        path: &str,
        converted: impl FnOnce(&mut Self) -> Map<String, Value>,
    ) -> Value {
        let mut fields = Self::of(value, &format!("{}.{path}", self.path));
        let made = converted(&mut fields);
        let (made, notes, problems) = fields.end(made);
        self.notes.extend(notes);
        self.problems.extend(problems);
        made
    }

    /// Converts the items of a list.
    fn each(&mut self, name: &str, make: impl Fn(&mut Self) -> Map<String, Value>) -> Option<Value> {
        let items = self.take(name)?;
        let items = items.as_array().into_iter().flatten().enumerate();
        Some(items.map(|(at, item)| self.within(item, &format!("{name}[{at}]"), &make)).collect())
    }

    /// The converted fields, with unknown ones as they were: the server says what is wrong with them.
    fn end(mut self, mut made: Map<String, Value>) -> (Value, Vec<String>, Vec<String>) {
        for (name, value) in std::mem::take(&mut self.left) {
            if !value.is_null() {
                self.problems
                    .push(format!("{}.{name} is no field of the first alpha, and stays as it is", self.path));
                made.insert(name, value);
            }
        }
        (Value::Object(made), self.notes, self.problems)
    }

    fn note(&mut self, text: impl std::fmt::Display) {
        self.notes.push(format!("{}{text}", self.path));
    }

    fn problem(&mut self, text: impl std::fmt::Display) {
        self.problems.push(format!("{}{text}", self.path));
    }
}

fn insert(made: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    made.extend(value.map(|value| (name.to_owned(), value)));
}

fn configuration_status(spec: &mut Fields) -> Map<String, Value> {
    let mut made = Map::new();
    let components = spec.each("components", |component| {
        let mut made = Map::new();
        component.same(&["name", "reconcilers"], &mut made);
        let instances = component.take("instances").map(|it| component.within(&it, "instances", instances));
        insert(&mut made, "instances", instances);
        made
    });
    insert(&mut made, "components", components);
    let sources = spec.each("sources", source);
    let states_none = sources.as_ref().is_some_and(|sources| sources != &json!([]))
        || spec.left.get("preset").is_some_and(|preset| !preset.is_null());
    insert(&mut made, "sources", sources);
    spec.same(&["preset"], &mut made);
    match spec.take("revision") {
        Some(revision) if states_none => spec.note(format_args!(
            ".revision {revision} is left out: objects that sources and presets read state no revision"
        )),
        revision => insert(&mut made, "revision", revision),
    }
    spec.moved("silentAfterSeconds", &mut made, "heartbeat", |seconds| json!({ "timeoutSeconds": seconds }));
    made
}

/// A field that was one of several, the type that it is now, and its value with that.
type Form = (&'static str, &'static str, fn(Value) -> Option<Value>);

/// A choice between fields before, and a type with one of them now.
fn one_of(fields: &mut Fields, forms: &[Form]) -> Map<String, Value> {
    let mut made = Map::new();
    let mut found = 0;
    for (name, type_, convert) in forms {
        let Some(value) = fields.take(name) else { continue };
        found += 1;
        made.insert("type".to_owned(), (*type_).into());
        insert(&mut made, name, convert(value));
    }
    if found != 1 {
        let names: Vec<&str> = forms.iter().map(|(name, ..)| *name).collect();
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        fields.problem(format_args!(" has {found} of {} and {last}: choose one", others.join(", ")));
    }
    made
}

/// The instances of a component.
fn instances(fields: &mut Fields) -> Map<String, Value> {
    let forms: [Form; 4] = [
        ("daemonSet", "DaemonSet", |name| Some(json!({ "name": name }))),
        ("nodes", "Nodes", |selector| Some(json!({ "selector": selector }))),
        ("names", "Names", Some),
        ("discovered", "Discovered", |_| None),
    ];
    one_of(fields, &forms)
}

/// The origin of a name.
fn name_from(fields: &mut Fields) -> Map<String, Value> {
    one_of(fields, &[("label", "Label", Some), ("value", "Value", Some), ("name", "Name", |_| None)])
}

fn source(source: &mut Fields) -> Map<String, Value> {
    let mut made = Map::new();
    source.same(&["apiVersion", "kind", "selector"], &mut made);
    for name in ["component", "instance"] {
        let value = source.take(name).map(|value| source.within(&value, name, name_from));
        insert(&mut made, name, value);
    }
    let list = |value: Option<Value>| value.and_then(|value| value.as_array().cloned()).unwrap_or_default();
    let (counted, negative) = (list(source.take("conditions")), list(source.take("negative")));
    let listed = |type_: &Value| {
        if negative.contains(type_) {
            json!({ "type": type_, "polarity": "Negative" })
        } else {
            json!({ "type": type_ })
        }
    };
    if counted.is_empty() && !negative.is_empty() {
        source.problem(
            ".negative is set and .conditions is not: only the conditions that are listed count now, so list the others too",
        );
        insert(&mut made, "conditions", Some(negative.iter().map(listed).collect()));
    } else if !counted.is_empty() {
        insert(&mut made, "conditions", Some(counted.iter().map(listed).collect()));
        for type_ in negative.iter().filter(|type_| !counted.contains(type_)) {
            source.note(format_args!(
                ".negative {type_} is left out: it did not count, since .conditions does not list it"
            ));
        }
    }
    made
}

fn report(spec: &mut Fields) -> Map<String, Value> {
    let mut made = Map::new();
    let mut target = Map::new();
    insert(&mut target, "name", spec.take("target"));
    if let Some(kind) = spec.take("targetKind") {
        if kind["kind"] != "ConfigurationStatus" {
            spec.problem(
                ".targetKind: what a hub knows of objects and clusters has kinds of its own, which it writes itself: delete this report",
            );
        }
        target.extend(kind.as_object().cloned().unwrap_or_default());
    }
    made.insert("targetRef".to_owned(), Value::Object(target));
    spec.same(&["component", "instance"], &mut made);
    made
}

/// An instance that has left was kept for ten times this, unless it was said otherwise.
const TTL: u64 = 60;

fn aggregation(spec: &mut Fields) -> Map<String, Value> {
    let mut made = Map::new();
    if let Some(target) = spec.take("target") {
        let reference = spec.within(&target, "target", |target| {
            let mut reference = Map::new();
            target.same(&["apiVersion", "kind"], &mut reference);
            target.same(&["namespaces", "selector"], &mut made);
            reference
        });
        made.insert("targetRef".to_owned(), reference);
    }
    if let Some(clusters) = spec.take("clusters") {
        let kept = spec.within(&clusters, "clusters", |clusters| {
            let mut kept = Map::new();
            clusters.same(&["names", "selector", "instances"], &mut kept);
            clusters.moved("placement", &mut made, "placement", |type_| json!({ "type": type_ }));
            kept
        });
        if kept != json!({}) {
            made.insert("clusters".to_owned(), kept);
        }
    }
    let mut rows = Vec::new();
    for (name, row) in [("addresses", "Addresses"), ("listeners", "Listeners")] {
        if spec.take(name) == Some(Value::Bool(true)) {
            rows.push(Value::from(row));
        }
    }
    insert(&mut made, "rows", (!rows.is_empty()).then_some(Value::Array(rows)));
    spec.same(&["conditions"], &mut made);
    let fields = spec.each("fields", |field| {
        let mut made = Map::new();
        field.same(&["combine"], &mut made);
        field.moved("path", &mut made, "path", |path| {
            format!(".{}", path.as_str().unwrap_or_default()).into()
        });
        made
    });
    insert(&mut made, "fields", fields);
    let dns = spec.take("dns").map(|dns| spec.within(&dns, "dns", dns_output));
    insert(&mut made, "dns", dns);
    let modes = [("three-valued", "KeepUnknown"), ("strict", "TreatAsBad")];
    spec.moved("mode", &mut made, "unknown", |mode| renamed(mode, &modes));
    spec.moved("reports", &mut made, "instanceStatuses", |reports| reports);
    spec.moved("unreachableAfterSeconds", &mut made, "clusterTimeoutSeconds", |seconds| seconds);
    made
}

fn dns_output(dns: &mut Fields) -> Map<String, Value> {
    let mut made = Map::new();
    dns.same(&["graceSeconds", "labels", "providerSpecific", "ttlSeconds"], &mut made);
    dns.moved("unhealthy", &mut made, "onUnhealthy", |value| renamed(value, &[("Prune", "Remove")]));
    dns.moved("unreachable", &mut made, "onUnreachable", |value| renamed(value, &[("Leave", "Remove")]));
    if let Some(ttl) = made.get("ttlSeconds").and_then(Value::as_u64).filter(|ttl| *ttl != TTL)
        && !made.contains_key("graceSeconds")
    {
        let grace = ttl.saturating_mul(10).min(2_147_483_647);
        dns.note(format_args!(".graceSeconds is set to {grace}, ten times the TTL: that was its default"));
        made.insert("graceSeconds".to_owned(), grace.into());
    }
    made
}

fn renamed(value: Value, names: &[(&str, &str)]) -> Value {
    let known = names.iter().find(|(old, _)| value == *old);
    known.map_or(value, |(_, new)| Value::from(*new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(kind: &str, spec: &Value) -> Value {
        json!({ "apiVersion": "allready.dev/v1alpha1", "kind": kind, "metadata": { "name": "a" }, "spec": spec })
    }

    fn made(kind: &str, spec: &Value) -> Converted {
        let made = convert(&object(kind, spec));
        assert!(made.is_changed);
        // What is converted is not converted again.
        assert!(!convert(&made.object).is_changed, "{}", made.object);
        made
    }

    #[test]
    fn negative_conditions_without_a_list_are_somebodys_decision() {
        let name = json!({ "name": {} });
        let source = json!({ "apiVersion": "a/v1", "kind": "K", "component": name, "negative": ["Broken"] });
        let Converted { object, problems, .. } = made("ConfigurationStatus", &json!({ "sources": [source] }));
        assert_eq!(
            object["spec"]["sources"][0]["conditions"],
            json!([{ "type": "Broken", "polarity": "Negative" }])
        );
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].starts_with(".spec.sources[0].negative is set and .conditions is not"),
            "{problems:?}"
        );
    }

    #[test]
    fn a_revision_beside_sources_is_left_out_and_told() {
        let spec = json!({ "preset": "MetalLB", "revision": "7", "silentAfterSeconds": 30 });
        let Converted { object, notes, problems, .. } = made("ConfigurationStatus", &spec);
        assert_eq!(object["spec"], json!({ "preset": "MetalLB", "heartbeat": { "timeoutSeconds": 30 } }));
        assert_eq!(
            notes,
            [".spec.revision \"7\" is left out: objects that sources and presets read state no revision"]
        );
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn the_grace_period_stays_what_it_was() {
        let target = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" });
        let grace = |dns: &Value| {
            made("StatusAggregation", &json!({ "target": target, "dns": dns })).object["spec"]["dns"]["graceSeconds"].clone()
        };
        assert_eq!(grace(&json!({ "ttlSeconds": 300 })), 3000);
        assert_eq!(grace(&json!({ "ttlSeconds": 300, "graceSeconds": 5 })), 5);
        assert_eq!(grace(&json!({ "ttlSeconds": 60 })), Value::Null);
        assert_eq!(grace(&json!({})), Value::Null);
    }

    #[test]
    fn what_is_not_known_stays_and_is_told() {
        let spec = json!({ "target": "config-status", "component": "a", "colour": "red" });
        let Converted { object, problems, .. } = made("StatusReport", &spec);
        assert_eq!(object["spec"]["colour"], "red");
        assert_eq!(problems, [".spec.colour is no field of the first alpha, and stays as it is"]);
    }

    #[test]
    fn what_is_not_ours_or_new_already_stays_as_it_is() {
        for other in [
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "data": { "target": "x" } }),
            json!({ "apiVersion": "example.com/v1", "kind": "StatusReport", "spec": { "target": "x" } }),
            object("ConfigurationStatus", &json!({})),
            object(
                "ConfigurationStatus",
                &json!({ "components": [{ "name": "a", "instances": { "type": "Discovered" } }] }),
            ),
            object("StatusReport", &json!({ "targetRef": { "name": "x" }, "component": "a" })),
        ] {
            assert_eq!(convert(&other), Converted { object: other.clone(), ..Converted::default() });
        }
    }
}
