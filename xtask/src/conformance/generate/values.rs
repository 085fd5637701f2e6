//! What is written: values for every field of the fixture.

use serde_json::{Map, Value, json};

use super::{Maker, Making, WORDS};

/// Texts that are hard to print, to sort or to take for a text.
const ODD_WORDS: [&str; 16] = [
    "",
    " ",
    "é",
    "e\u{301}",
    "\u{1f600}",
    "<&>",
    "\"",
    "\\",
    "a\nb",
    "\u{2028}",
    "\u{7f}",
    "1",
    "true",
    "null",
    "~",
    "%s",
];

/// Keys, beside those of every day.
const ODD_KEYS: [&str; 12] = [
    "a.b",
    "a/b",
    "~",
    "ключ",
    "k\"q",
    "<&>",
    "0",
    "K",
    "\u{1f600}",
    " ",
    "x\\y",
    "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
];

/// Numbers as they are written.
const ODD_NUMBERS: [&str; 18] = [
    "0",
    "-1",
    "-0",
    "1.0",
    "1e3",
    "1E+2",
    "1.5",
    "-0.5",
    "0.1",
    "1e-7",
    "1e21",
    "2147483647",
    "2147483648",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "123456789.125",
];

impl Maker<'_> {
    pub(super) fn spec(&mut self, version: &str) -> Value {
        let mut spec = Map::new();
        let few = 4 + self.random.below(18);
        let mut field = |maker: &mut Self, name: &str, value: Making<Self>| {
            if maker.random.percent(few) {
                let value = value(maker);
                spec.insert(name.to_owned(), value);
            }
        };
        field(self, "text", Self::word);
        field(self, "number", Self::number);
        field(self, "replicas", Self::number);
        field(self, "filled", |maker| maker.random.one(&["full", "half"]).into());
        field(self, "maybeFilled", |maker| if maker.random.percent(50) { Value::Null } else { maker.word() });
        field(self, "either", |maker| if maker.random.percent(50) { 1.into() } else { "1".into() });
        field(self, "maybe", |maker| if maker.random.percent(50) { Value::Null } else { maker.word() });
        field(self, "flag", |maker| maker.random.percent(50).into());
        field(self, "real", Self::real);
        field(self, "long", Self::number);
        field(self, "chosen", |maker| maker.random.one(&["a", "b", "", "c"]).into());
        field(self, "moment", |maker| {
            maker.random.one(&["2020-01-01T00:00:00Z", "2020-01-01T01:00:00.5+01:00", "2020-01-01"]).into()
        });
        field(self, "granular", Self::words);
        field(self, "atomicMap", Self::words);
        field(self, "atomicStruct", Self::record);
        field(self, "set", Self::set);
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
        field(
            self,
            "maybeObject",
            |maker| {
                if maker.random.percent(25) { Value::Null } else { maker.record() }
            },
        );
        field(self, "maybeList", |maker| if maker.random.percent(25) { Value::Null } else { maker.set() });
        field(self, "filledObject", |maker| {
            maker.some(&[("x", Self::word), ("y", Self::word), ("set", Self::set)])
        });
        field(self, "filledSet", Self::set);
        field(self, "listOfSets", |maker| maker.list(2, false, Self::set));
        field(self, "mapOfSets", |maker| maker.some(&[("a", Self::set), ("b", Self::set)]));
        field(self, "mapOfMaps", |maker| maker.some(&[("a", Self::words), ("b", Self::words)]));
        field(self, "mapOfEither", |maker| maker.some(&[("a", Self::number), ("b", Self::word)]));
        field(self, "free", |maker| maker.anything(2));
        field(self, "anything", |maker| match maker.random.below(4) {
            0 => maker.word(),
            1 => maker.list(2, false, Self::word),
            _ => maker.anything(3),
        });
        field(self, "halfFree", |maker| {
            let mut free = maker.anything(1);
            if maker.random.percent(60) {
                free["set"] = maker.set();
            }
            free
        });
        field(self, "template", Self::embedded);
        field(self, "templates", |maker| maker.list(2, false, Self::embedded));
        field(self, "sealed", Self::word);
        field(self, "growing", Self::number);
        field(self, "items", Self::items);
        field(self, "items", Self::items);
        field(self, "items", Self::items);
        field(self, "pairs", Self::pairs);
        field(self, "pairs", Self::pairs);
        // Nothing with these in it can be applied.
        if self.wild && self.random.percent(2) {
            let value = self.list(2, true, |maker| maker.some(&[("x", Self::word)]));
            spec.insert("setOfStructs".to_owned(), value);
        }
        if self.wild && self.random.percent(2) {
            let value = self.list(2, true, Self::set);
            spec.insert("setOfLists".to_owned(), value);
        }
        if self.both && self.random.percent(8) {
            spec.insert(if version == "v1" { "firstOnly" } else { "secondOnly" }.to_owned(), self.word());
        }
        if self.both && self.random.percent(8) {
            spec.insert("differs".to_owned(), self.word());
        }
        if self.both && self.random.percent(8) {
            spec.insert("shifting".to_owned(), self.set());
        }
        spec.into()
    }

    pub(super) fn status(&mut self) -> Value {
        let mut status = self.some(&[
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
        ]);
        let seldom: [(&str, Making<Self>); 4] = [
            ("replicas", Self::number),
            ("selector", |maker| maker.random.one(&["a=b", "a in (b)", "!"]).into()),
            ("free", |maker| maker.anything(2)),
            ("sealed", Self::word),
        ];
        for (name, value) in seldom {
            if self.random.percent(12) {
                status[name] = value(self);
            }
        }
        status
    }

    fn items(&mut self) -> Value {
        self.keyed(&["a", "b", "c"], |maker, key| {
            let mut item = json!({ "key": key });
            let parts: [(&str, usize, Making<Self>); 7] = [
                ("part", 30, |maker| maker.random.one(&["main", "side"]).into()),
                ("value", 40, Self::number),
                ("filled", 10, |maker| maker.random.one(&["full", "half"]).into()),
                ("set", 20, Self::set),
                ("granular", 20, Self::words),
                ("atomicList", 15, |maker| maker.list(2, false, Self::word)),
                ("items", 35, |maker| {
                    maker.keyed(&["1", "2", "3"], |maker, key| {
                        let mut inner = json!({ "id": key.parse::<i64>().unwrap_or(0) });
                        if maker.random.percent(40) {
                            inner["weight"] = maker.number();
                        }
                        if maker.random.percent(30) {
                            inner["set"] = maker.set();
                        }
                        inner
                    })
                }),
            ];
            maker.add(&mut item, &parts);
            item
        })
    }

    fn pairs(&mut self) -> Value {
        self.keyed(&["1", "2", "4"], |maker, key| {
            let mut pair = json!({ "left": key.parse::<i64>().unwrap_or(0) });
            let parts: [(&str, usize, Making<Self>); 4] = [
                ("right", 50, |maker| maker.random.one(&["r", "s"]).into()),
                ("value", 40, |maker| maker.random.one(&["r", "t", "u"]).into()),
                ("struct", 25, Self::record),
                ("inner", 30, |maker| {
                    maker.keyed(&["p", "q"], |maker, key| {
                        let mut inner = json!({ "key": key });
                        if maker.random.percent(40) {
                            inner["list"] = maker.list(2, false, Self::word);
                        }
                        if maker.random.percent(30) {
                            inner["maybe"] =
                                if maker.random.percent(50) { Value::Null } else { maker.word() };
                        }
                        inner
                    })
                }),
            ];
            maker.add(&mut pair, &parts);
            pair
        })
    }

    fn add(&mut self, object: &mut Value, parts: &[(&str, usize, Making<Self>)]) {
        for (name, chance, value) in parts {
            if self.random.percent(*chance) {
                object[*name] = value(self);
            }
        }
    }

    fn embedded(&mut self) -> Value {
        let mut object = json!({ "apiVersion": "v1", "kind": "Inner" });
        if self.random.percent(70) {
            object["metadata"] = self.some(&[("name", Self::word), ("labels", Self::words)]);
            if self.random.percent(30) {
                self.some_metadata(&mut object["metadata"]);
            }
        }
        if self.random.percent(50) {
            object["spec"] = self.record();
        }
        if self.random.percent(15) {
            let field = self.random.one(&["kind", "apiVersion", "metadata"]);
            object[field] = match self.random.below(4) {
                0 => Value::Null,
                1 => 1.into(),
                2 => "".into(),
                _ => "a/b/c".into(),
            };
        }
        object
    }

    fn record(&mut self) -> Value {
        self.some(&[("x", Self::word), ("y", Self::word)])
    }

    /// Some of the keys, in any order.
    fn keyed(&mut self, keys: &[&str], item: fn(&mut Self, &str) -> Value) -> Value {
        let mut chosen: Vec<&str> = keys.iter().copied().filter(|_| self.random.percent(50)).collect();
        if chosen.len() > 1 && self.random.percent(30) {
            chosen.reverse();
        }
        chosen.into_iter().map(|key| item(self, key)).collect::<Vec<_>>().into()
    }

    pub(super) fn some(&mut self, fields: &[(&str, Making<Self>)]) -> Value {
        let mut object = Map::new();
        for (name, value) in fields {
            if self.random.percent(55) {
                object.insert((*name).to_owned(), value(self));
            }
        }
        object.into()
    }

    pub(super) fn list(&mut self, most: usize, distinct: bool, item: Making<Self>) -> Value {
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..self.random.below(most + 1) {
            let item = item(self);
            if !distinct || !items.contains(&item) {
                items.push(item);
            }
        }
        items.into()
    }

    pub(super) fn set(&mut self) -> Value {
        self.list(3, true, Self::word)
    }

    pub(super) fn words(&mut self) -> Value {
        let mut words = self.some(&[("k", Self::word), ("l", Self::word), ("m", Self::word)]);
        if self.wild && self.random.percent(20) {
            let key = self.random.one(&ODD_KEYS);
            words[key] = self.word();
        }
        words
    }

    pub(super) fn word(&mut self) -> Value {
        if self.wild && self.random.percent(8) {
            return self.random.one(&ODD_WORDS).into();
        }
        self.random.one(&WORDS).into()
    }

    pub(super) fn number(&mut self) -> Value {
        if self.wild && self.random.percent(10) {
            return self.odd_number();
        }
        (self.random.below(4) + 1).into()
    }

    fn real(&mut self) -> Value {
        if self.random.percent(50) { self.odd_number() } else { self.number() }
    }

    /// A number that stands in the body as it is written here.
    fn odd_number(&mut self) -> Value {
        format!("$literal({})", self.random.one(&ODD_NUMBERS)).into()
    }

    pub(super) fn anything(&mut self, depth: usize) -> Value {
        let mut object = Map::new();
        for name in ["p", "q", "r"] {
            if self.random.percent(45) {
                let value = match self.random.below(7) {
                    0 => self.number(),
                    1 => self.word(),
                    2 => self.list(2, false, Self::number),
                    3 => Value::Null,
                    4 if depth > 0 => json!([self.anything(depth - 1)]),
                    _ if depth > 0 => self.anything(depth - 1),
                    _ => true.into(),
                };
                object.insert(name.to_owned(), value);
            }
        }
        object.into()
    }
}
