//! Rendering of templates: `${…}` becomes what it refers to. Pure.
//!
//! A text that is one reference takes the referred value with its JSON type, so `replicas: ${schema.spec.replicas}` is a
//! number. References within a longer text become text.

use std::collections::BTreeMap;

use serde_json::Value;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// As it is.
    Text(&'a str),
    /// The path between `${` and `}`.
    Reference(&'a str),
}

/// Takes a text apart; a reference that is not closed is returned as the error, from its `${` on.
pub(crate) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, &str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("${") {
        let (path, after) = from.split_once('}').ok_or(&rest[before.len()..])?;
        if !before.is_empty() {
            found.push(Piece::Text(before));
        }
        found.push(Piece::Reference(path.trim()));
        rest = after;
    }
    if !rest.is_empty() {
        found.push(Piece::Text(rest));
    }
    Ok(found)
}

/// A reference that leads to nothing now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// The instance does not have the field: it is for its author to set it.
    #[error("${{{0}}} is not set")]
    NotSet(String),
    /// A resource does not exist, or does not have the field yet.
    #[error("${{{0}}} is not there yet")]
    NotYet(String),
}

/// The objects that references lead to: the instance as `schema`, and the resources by their ids.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    instance: &'a Value,
    resources: BTreeMap<&'a str, &'a Value>,
}

impl<'a> Scope<'a> {
    /// A scope of an instance and of those of its resources that exist.
    pub fn new(instance: &'a Value, resources: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Self {
        Self { instance, resources: resources.into_iter().collect() }
    }

    /// Renders a template.
    pub fn render(&self, template: &Value) -> Result<Value, Unresolved> {
        Ok(match template {
            Value::String(text) => self.render_text(text)?,
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.render(item)).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let field = |(key, value): (&String, &Value)| Ok((key.clone(), self.render(value)?));
                Value::Object(fields.iter().map(field).collect::<Result<_, _>>()?)
            }
            other => other.clone(),
        })
    }

    fn render_text(&self, text: &str) -> Result<Value, Unresolved> {
        // A graph with an open reference is not valid, and nothing is rendered of it.
        let pieces = pieces(text).unwrap_or_else(|_| vec![Piece::Text(text)]);
        if let [Piece::Reference(path)] = pieces[..] {
            return self.resolve(path).cloned();
        }
        let mut rendered = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => rendered.push_str(text),
                Piece::Reference(path) => match self.resolve(path)? {
                    Value::String(text) => rendered.push_str(text),
                    other => rendered.push_str(&other.to_string()),
                },
            }
        }
        Ok(rendered.into())
    }

    fn resolve(&self, path: &str) -> Result<&'a Value, Unresolved> {
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        let object = if name == "schema" { Some(self.instance) } else { self.resources.get(name).copied() };
        let fields = rest.split('.').filter(|field| !field.is_empty());
        let found = fields.fold(object, |value, field| match value? {
            Value::Array(items) => items.get(field.parse::<usize>().ok()?),
            value => value.get(field),
        });
        found.filter(|value| !value.is_null()).ok_or_else(|| match name {
            "schema" => Unresolved::NotSet(path.to_owned()),
            _ => Unresolved::NotYet(path.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn render(template: &Value) -> Result<Value, Unresolved> {
        let instance =
            json!({ "metadata": { "name": "shop" }, "spec": { "replicas": 3, "zones": ["a", "b"] } });
        let net = json!({ "metadata": { "name": "net" }, "status": { "id": "net-1", "gateway": null } });
        Scope::new(&instance, [("net", &net)]).render(template)
    }

    #[test]
    fn a_text_that_is_one_reference_takes_the_value_with_its_type() {
        let rendered = render(&json!({
            "replicas": "${schema.spec.replicas}", "zones": "${ schema.spec.zones }", "first": "${schema.spec.zones.0}",
            "id": "${net.status.id}", "plain": [true, 1, null, "text"],
        }));
        let expected = json!({
            "replicas": 3, "zones": ["a", "b"], "first": "a", "id": "net-1", "plain": [true, 1, null, "text"],
        });
        assert_eq!(rendered, Ok(expected));
    }

    #[test]
    fn references_within_a_text_become_text() {
        let rendered = render(&json!(
            "${schema.metadata.name}-${net.status.id}: ${schema.spec.replicas}${schema.spec.zones}."
        ));
        assert_eq!(rendered, Ok(json!("shop-net-1: 3[\"a\",\"b\"].")));
    }

    #[test]
    fn a_field_of_the_instance_is_not_set_and_that_of_a_resource_not_there_yet() {
        for path in
            ["net.status.address", "net.status.gateway", "net.status.id.of", "web.metadata.name", "web"]
        {
            let unresolved = render(&json!([format!("at ${{{path}}}")])).unwrap_err();
            assert_eq!(unresolved, Unresolved::NotYet(path.to_owned()));
        }
        let unresolved = render(&json!({ "zone": "${schema.spec.zone}" })).unwrap_err();
        assert_eq!(unresolved.to_string(), "${schema.spec.zone} is not set");
    }

    #[test]
    fn an_open_reference_is_found_where_it_begins() {
        assert_eq!(pieces("a ${b} ${c"), Err("${c"));
        assert_eq!(pieces("a ${ b }"), Ok(vec![Piece::Text("a "), Piece::Reference("b")]));
    }
}
