//! Bodies that are wrong in one way.

use serde_json::{Value, json};

use super::Maker;

impl Maker<'_> {
    /// Puts `null` somewhere, which takes away what is there.
    pub(super) fn nullify(&mut self, body: &mut Value) {
        self.at_random(body, |_, place| *place = Value::Null);
    }

    /// Now and then a body is wrong in one way.
    pub(super) fn spoil(&mut self, body: &mut Value) {
        if !self.random.percent(if self.wild { 16 } else { 5 }) {
            return;
        }
        match self.random.below(14) {
            0..2 => self.at_random(body, |maker, place| *place = maker.of_another_type()),
            2 => self.at_random(body, Self::repeat),
            3..5 => self.at_random(body, Self::add_unknown),
            5 => self.at_random(body, Self::lose_a_field),
            6 => self.at_random(body, Self::name_twice),
            7 => self.at_random(body, |_, place| *place = json!({})),
            8 => self.at_random(body, |_, place| *place = json!([])),
            9 => self.at_random(body, |_, place| *place = Value::Null),
            10 => body["metadata"]["resourceVersion"] = self.resource_version(),
            11 => body["metadata"]["uid"] = "00000000-0000-4000-8000-000000000009".into(),
            12 => body["metadata"]["name"] = self.random.one(&["", "other", "Bad_Name"]).into(),
            _ => match self.random.below(4) {
                0 => body["metadata"]["namespace"] = "elsewhere".into(),
                1 => body["kind"] = self.random.one(&["Other", "", "nest"]).into(),
                2 => {
                    body["apiVersion"] =
                        self.random.one(&["", "v1", "${group}/v9", "${group}/v2", "a/b/c"]).into();
                }
                _ => body["metadata"]["labels"] = json!({ "k": 1 }),
            },
        }
    }

    /// Changes a place somewhere in the spec or the status.
    fn at_random(&mut self, body: &mut Value, change: fn(&mut Self, &mut Value)) {
        let mut pointers = Vec::new();
        for part in ["spec", "status"] {
            if let Some(value) = body.get(part) {
                collect(value, format!("/{part}"), &mut pointers);
            }
        }
        let chosen = pointers.get(self.random.below(pointers.len()));
        if let Some(place) = chosen.and_then(|pointer| body.pointer_mut(pointer)) {
            change(self, place);
        }
    }

    fn of_another_type(&mut self) -> Value {
        match self.random.below(8) {
            0 => "text".into(),
            1 => 7.into(),
            2 => true.into(),
            3 => json!({ "z": "z" }),
            4 => json!(["z"]),
            5 => json!([["z"]]),
            6 => json!([{ "z": 1 }]),
            _ => json!(1.5),
        }
    }

    fn repeat(&mut self, place: &mut Value) {
        if let Value::Array(items) = place
            && let Some(item) = items.get(self.random.below(items.len())).cloned()
        {
            items.push(item);
        }
    }

    fn add_unknown(&mut self, place: &mut Value) {
        let name = self.random.one(&["unknown", "Text", "another", "x.y"]);
        match place {
            Value::Object(fields) => drop(fields.insert(name.to_owned(), self.anything(1))),
            Value::Array(items) => items.push(json!({ "unknown": 1 })),
            _ => {}
        }
    }

    fn lose_a_field(&mut self, place: &mut Value) {
        if let Value::Object(fields) = place {
            let names: Vec<String> = fields.keys().cloned().collect();
            if let Some(name) = names.get(self.random.below(names.len())) {
                fields.remove(name);
            }
        }
    }

    /// A key that its object has already.
    fn name_twice(&mut self, place: &mut Value) {
        if let Value::Object(fields) = place {
            let names: Vec<String> = fields.keys().cloned().collect();
            if let Some(name) = names.get(self.random.below(names.len())) {
                let again = if self.random.percent(50) { fields[name].clone() } else { self.word() };
                fields.insert(format!("{name}$again"), again);
            }
        }
    }
}

fn collect(value: &Value, at: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                collect(inner, format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), pointers);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                collect(inner, format!("{at}/{index}"), pointers);
            }
        }
        _ => {}
    }
    pointers.push(at);
}
