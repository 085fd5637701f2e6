//! Random sequences of writes by several managers to one object.
//!
//! Values come from small sets, so that managers meet each other often: that is where ownership is decided.

use serde_json::{Map, Value, json};

use super::random::Random;
use super::script::{Script, Step};

const OBJECT: &str = "namespaces/${ns}/nests/${name}";
const APPLIERS: [&str; 3] = ["anna", "bert", "cleo"];
const UPDATERS: [&str; 3] = ["dora", "emil", "anna"];
const WORDS: [&str; 4] = ["a", "b", "c", "d"];

/// The sequence of one index of a seed.
pub fn sequence(seed: u64, index: u64) -> Script {
    let mut random = Random::of(seed, index);
    let length = 5 + random.below(26).min(random.below(26));
    // Most sequences stay in one version; where fields differ between versions is a story of its own.
    let both = random.percent(30);
    let mut steps = Vec::new();
    for number in 1..=length {
        let mut step = Maker { random: &mut random, both }.step(number == 1);
        step.name = format!("step {number}");
        let shows_the_object = !step.request.as_ref().is_some_and(|request| request.starts_with("DELETE"));
        if shows_the_object {
            step.capture.insert("last".to_owned(), String::new());
        }
        if random.percent(20) && shows_the_object {
            step.capture.insert("old".to_owned(), String::new());
        }
        steps.push(step);
    }
    steps.push(Step {
        name: "in the end".to_owned(),
        request: Some(format!("GET {}", path("v1", ""))),
        ..Step::default()
    });
    Script {
        topic: format!("Sequence {index} of seed {seed}"),
        crds: vec!["nests".to_owned()],
        steps,
        name: "sequence".to_owned(),
    }
}

fn path(version: &str, subresource: &str) -> String {
    format!("/apis/${{group}}/{version}/{OBJECT}{subresource}")
}

/// Makes one value.
type Making<M> = fn(&mut M) -> Value;

struct Maker<'a> {
    random: &'a mut Random,
    both: bool,
}

impl Maker<'_> {
    fn step(&mut self, first: bool) -> Step {
        let version = if self.both && self.random.percent(40) { "v2" } else { "v1" };
        let status = !first && self.random.percent(25);
        match self.random.below(100) {
            _ if first => {
                if self.random.percent(70) {
                    self.apply(version, false)
                } else {
                    self.create(version)
                }
            }
            0..50 => self.apply(version, status),
            50..65 => self.update(version, status),
            65..78 => self.merge_patch(version, status),
            78..88 => self.json_patch(version, status),
            88..91 => self.create(version),
            91..94 => Step { request: Some(format!("DELETE {}", path(version, ""))), ..Step::default() },
            94..96 => Step {
                request: Some(format!("PATCH {}", path(version, ""))),
                content_type: Some("merge".to_owned()),
                body: Some(json!({ "metadata": { "managedFields": [{}] } })),
                ..Step::default()
            },
            _ => Step { request: Some(format!("GET {}", path(version, ""))), ..Step::default() },
        }
    }

    fn apply(&mut self, version: &str, status: bool) -> Step {
        let mut query = format!("?fieldManager={}", self.random.one(&APPLIERS));
        if self.random.percent(35) {
            query.push_str("&force=true");
        }
        query.push_str(self.common_query());
        let mut body = Self::identified(version);
        if self.random.percent(25) {
            body["metadata"]["labels"] = self.words();
        }
        if self.random.percent(8) {
            body["metadata"]["annotations"] = self.words();
        }
        if self.random.percent(if status { 15 } else { 92 }) {
            body["spec"] = self.spec(version);
        }
        if self.random.percent(if status { 90 } else { 8 }) {
            body["status"] = self.status();
        }
        self.spoil(&mut body);
        self.write("PATCH", version, status, &query, Some("apply"), body)
    }

    fn update(&mut self, version: &str, status: bool) -> Step {
        let base = if self.random.percent(12) { "old" } else { "last" };
        let mut change = json!({ "apiVersion": format!("${{group}}/{version}") });
        self.change(&mut change, version, status);
        let body = json!({ "$from": base, "$merge": change });
        let query = self.updater_query();
        self.write("PUT", version, status, &query, None, body)
    }

    fn merge_patch(&mut self, version: &str, status: bool) -> Step {
        let mut body = json!({});
        self.change(&mut body, version, status);
        let query = self.updater_query();
        self.write("PATCH", version, status, &query, Some("merge"), body)
    }

    fn change(&mut self, body: &mut Value, version: &str, status: bool) {
        if self.random.percent(15) {
            body["metadata"]["labels"] = self.words();
        }
        if self.random.percent(if status { 15 } else { 90 }) {
            body["spec"] = self.spec(version);
        }
        if self.random.percent(if status { 90 } else { 8 }) {
            body["status"] = self.status();
        }
        for part in ["spec", "status"] {
            if let Some(Value::Object(fields)) = body.get_mut(part)
                && self.random.percent(30)
            {
                let names: Vec<String> = fields.keys().cloned().collect();
                if let Some(name) = names.get(self.random.below(names.len())) {
                    fields.insert(name.clone(), Value::Null);
                }
            }
        }
        self.spoil(body);
    }

    fn json_patch(&mut self, version: &str, status: bool) -> Step {
        let spec = if status { self.status() } else { self.spec(version) };
        let root = if status { "/status" } else { "/spec" };
        let mut operations = Vec::new();
        for (name, value) in spec.as_object().into_iter().flatten().take(3) {
            operations.push(match self.random.below(10) {
                0..6 => json!({ "op": "add", "path": format!("{root}/{name}"), "value": value }),
                6 => json!({ "op": "replace", "path": format!("{root}/{name}"), "value": value }),
                7 => json!({ "op": "remove", "path": format!("{root}/{name}") }),
                8 => {
                    json!({ "op": "add", "path": format!("{root}/set/-"), "value": self.random.one(&WORDS) })
                }
                _ => json!({ "op": "remove", "path": format!("{root}/items/0") }),
            });
        }
        if self.random.percent(5) {
            operations.insert(0, json!({ "op": "test", "path": format!("{root}/number"), "value": 1 }));
        }
        let query = self.updater_query();
        self.write("PATCH", version, status, &query, Some("json-patch"), operations.into())
    }

    fn create(&mut self, version: &str) -> Step {
        let mut body = Self::identified(version);
        body["spec"] = self.spec(version);
        if self.random.percent(20) {
            body["status"] = self.status();
        }
        self.spoil(&mut body);
        let query = self.updater_query();
        let collection = path(version, "").trim_end_matches("/${name}").to_owned();
        let mut step = self.write("POST", version, false, &query, None, body);
        step.request = Some(format!("POST {collection}{query}"));
        step
    }

    fn write(
        &mut self,
        method: &str,
        version: &str,
        status: bool,
        query: &str,
        media: Option<&str>,
        body: Value,
    ) -> Step {
        let subresource = if status { "/status" } else { "" };
        Step {
            request: Some(format!("{method} {}{query}", path(version, subresource))),
            content_type: media.map(str::to_owned),
            agent: (!query.contains("fieldManager")).then(|| format!("{}/v1", self.random.one(&UPDATERS))),
            body: Some(body),
            ..Step::default()
        }
    }

    fn updater_query(&mut self) -> String {
        let manager = self.random.percent(50).then(|| format!("fieldManager={}", self.random.one(&UPDATERS)));
        let common = self.common_query().trim_start_matches('&').to_owned();
        let parts: Vec<String> = manager.into_iter().chain((!common.is_empty()).then_some(common)).collect();
        if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
    }

    fn common_query(&mut self) -> &'static str {
        match self.random.below(100) {
            0..3 => "&dryRun=All",
            3..8 => "&fieldValidation=Strict",
            8..11 => "&fieldValidation=Ignore",
            _ => "",
        }
    }

    fn identified(version: &str) -> Value {
        json!({ "apiVersion": format!("${{group}}/{version}"), "kind": "Nest", "metadata": { "name": "${name}" } })
    }

    fn spec(&mut self, version: &str) -> Value {
        let mut spec = Map::new();
        let few = 8 + self.random.below(25);
        let mut field = |maker: &mut Self, name: &str, value: fn(&mut Self) -> Value| {
            if maker.random.percent(few) {
                let value = value(maker);
                spec.insert(name.to_owned(), value);
            }
        };
        field(self, "text", Self::word);
        field(self, "number", Self::number);
        field(self, "filled", |maker| maker.random.one(&["full", "half"]).into());
        field(self, "either", |maker| if maker.random.percent(50) { 1.into() } else { "1".into() });
        field(self, "maybe", |maker| if maker.random.percent(50) { Value::Null } else { maker.word() });
        field(self, "granular", Self::words);
        field(self, "atomicMap", Self::words);
        field(self, "atomicStruct", |maker| maker.some(&[("x", Self::word), ("y", Self::word)]));
        field(self, "set", Self::set);
        field(self, "numbers", |maker| maker.list(3, true, Self::number));
        field(self, "atomicList", |maker| maker.list(3, false, Self::word));
        field(self, "plainList", |maker| {
            maker.list(2, false, |maker| maker.some(&[("x", Self::word), ("y", Self::number)]))
        });
        field(self, "object", |maker| {
            maker.some(&[
                ("x", Self::word),
                ("inner", |maker| maker.some(&[("y", Self::word), ("z", Self::number)])),
            ])
        });
        field(self, "free", |maker| maker.anything(2));
        field(self, "halfFree", |maker| {
            let mut free = maker.anything(1);
            if maker.random.percent(60) {
                free["set"] = maker.set();
            }
            free
        });
        field(self, "mapOfMaps", |maker| maker.some(&[("a", Self::words), ("b", Self::words)]));
        field(self, "items", Self::items);
        field(self, "items", Self::items);
        if self.both && self.random.percent(8) {
            spec.insert(if version == "v1" { "firstOnly" } else { "secondOnly" }.to_owned(), self.word());
        }
        spec.into()
    }

    fn status(&mut self) -> Value {
        self.some(&[
            ("number", Self::number),
            ("granular", Self::words),
            ("filled", |maker| maker.random.one(&["full", "half"]).into()),
            ("conditions", |maker| {
                maker.keyed(&["A", "B", "C"], |maker, key| {
                    let mut condition =
                        json!({ "type": key, "status": maker.random.one(&["True", "False"]) });
                    if maker.random.percent(40) {
                        condition["reason"] = maker.word();
                    }
                    if maker.random.percent(40) {
                        condition["message"] = maker.word();
                    }
                    condition
                })
            }),
        ])
    }

    fn items(&mut self) -> Value {
        self.keyed(&["a", "b", "c"], |maker, key| {
            let mut item = json!({ "key": key });
            if maker.random.percent(30) {
                item["part"] = maker.random.one(&["main", "side"]).into();
            }
            if maker.random.percent(40) {
                item["value"] = maker.number();
            }
            if maker.random.percent(10) {
                item["filled"] = maker.random.one(&["full", "half"]).into();
            }
            if maker.random.percent(20) {
                item["set"] = maker.set();
            }
            if maker.random.percent(20) {
                item["granular"] = maker.words();
            }
            if maker.random.percent(15) {
                item["atomicList"] = maker.list(2, false, Self::word);
            }
            if maker.random.percent(35) {
                item["items"] = maker.keyed(&["1", "2", "3"], |maker, key| {
                    let mut inner = json!({ "id": key.parse::<i64>().unwrap_or(0) });
                    if maker.random.percent(40) {
                        inner["weight"] = maker.number();
                    }
                    if maker.random.percent(30) {
                        inner["set"] = maker.set();
                    }
                    inner
                });
            }
            item
        })
    }

    /// Some of the keys, in any order.
    fn keyed(&mut self, keys: &[&str], item: fn(&mut Self, &str) -> Value) -> Value {
        let mut chosen: Vec<&str> = keys.iter().copied().filter(|_| self.random.percent(50)).collect();
        if chosen.len() > 1 && self.random.percent(30) {
            chosen.reverse();
        }
        chosen.into_iter().map(|key| item(self, key)).collect::<Vec<_>>().into()
    }

    fn some(&mut self, fields: &[(&str, Making<Self>)]) -> Value {
        let mut object = Map::new();
        for (name, value) in fields {
            if self.random.percent(55) {
                object.insert((*name).to_owned(), value(self));
            }
        }
        object.into()
    }

    fn list(&mut self, most: usize, distinct: bool, item: fn(&mut Self) -> Value) -> Value {
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..self.random.below(most + 1) {
            let item = item(self);
            if !distinct || !items.contains(&item) {
                items.push(item);
            }
        }
        items.into()
    }

    fn set(&mut self) -> Value {
        self.list(3, true, Self::word)
    }

    fn words(&mut self) -> Value {
        self.some(&[("k", Self::word), ("l", Self::word), ("m", Self::word)])
    }

    fn word(&mut self) -> Value {
        self.random.one(&WORDS).into()
    }

    fn number(&mut self) -> Value {
        (self.random.below(4) + 1).into()
    }

    fn anything(&mut self, depth: usize) -> Value {
        let mut object = Map::new();
        for name in ["p", "q", "r"] {
            if self.random.percent(45) {
                let value = match self.random.below(6) {
                    0 => self.number(),
                    1 => self.word(),
                    2 => self.list(2, false, Self::number),
                    3 => Value::Null,
                    _ if depth > 0 => self.anything(depth - 1),
                    _ => true.into(),
                };
                object.insert(name.to_owned(), value);
            }
        }
        object.into()
    }

    /// Now and then a body is wrong in one way.
    fn spoil(&mut self, body: &mut Value) {
        if !self.random.percent(7) {
            return;
        }
        let spec = body.get_mut("spec").filter(|spec| spec.is_object());
        match (self.random.below(9), spec) {
            (0, Some(spec)) => spec["unknown"] = 1.into(),
            (1, Some(spec)) => spec["set"] = json!(["a", "b", "a"]),
            (2, Some(spec)) => spec["items"] = json!([{ "key": "a" }, { "key": "a", "part": "main" }]),
            (3, Some(spec)) => spec["items"] = json!([{ "value": 1 }]),
            (4, Some(spec)) => spec["number"] = 77.into(),
            (5, Some(spec)) => spec["granular"] = json!(["a"]),
            (6, Some(spec)) => spec["items"] = json!([{ "key": "a", "value": "x" }]),
            (7, Some(spec)) => spec["text"] = "too long".into(),
            (_, _) => body["metadata"]["resourceVersion"] = "1".into(),
        }
    }
}
