//! get, list and watch.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    Answer, Body, ListBody, Scope, convert, key,
    options::{ListOptions, unsigned},
    selector::{Fields, Labels},
    token::Token,
};
use crate::{
    resource::{Resource, Version},
    status::Failure,
    store::{Page, Start, Stored, View},
};

/// What the real server says when a page can no longer be shown as it was.
const INCONSISTENT: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/// How many objects are looked at in one go for a page of those that are selected.
const CHUNK: usize = 256;

impl Scope<'_> {
    /// One object.
    pub(super) fn get(&self) -> Result<Answer, Failure> {
        let stored = self.find()?;
        let bytes = convert::served_bytes(self.resource, self.version, &stored)?;
        Ok(Answer::object(200, bytes))
    }

    /// The stored object that the call names, no older than the call wants it.
    pub(super) fn find(&self) -> Result<Stored, Failure> {
        let wanted = self.call.first("resourceVersion").unwrap_or_default();
        let wanted = parse_version(wanted).map_err(|error| Failure::new(500, "", error))?;
        self.not_ahead(wanted)?;
        self.store().get(&self.resource.place, &self.spot()?).ok_or_else(|| self.not_found())
    }

    /// Refuses a version that has not come yet.
    fn not_ahead(&self, wanted: Option<u64>) -> Result<(), Failure> {
        let current = self.store().revision();
        match wanted {
            Some(wanted) if wanted > current => Err(Failure::version_too_large(wanted, current)),
            _ => Ok(()),
        }
    }

    /// Many objects, or a page of them.
    pub(super) fn list(&self) -> Result<Answer, Failure> {
        let options = ListOptions::read(self.call, false)?;
        let list = self.select(&options)?;
        let items =
            list.items.iter().map(|(_, stored)| convert::served_bytes(self.resource, self.version, stored));
        let body = ListBody {
            items: items.collect::<Result<_, _>>()?,
            resource_version: list.revision,
            continue_token: list.token,
            remaining: list.remaining,
        };
        Ok(Answer::new(200, Body::List(body)))
    }

    /// What a list consists of.
    pub(super) fn select(&self, options: &ListOptions) -> Result<Selection, Failure> {
        let selector = self.selector(options)?;
        let (from, at) = self.start(options)?;
        let namespace = match selector.namespace() {
            Some(namespace) if self.namespace().is_empty() && self.resource.namespaced => {
                namespace.to_owned()
            }
            _ => self.namespace().to_owned(),
        };
        let prefix = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
        let from =
            from.map(|from| if self.namespace().is_empty() { from } else { format!("{prefix}{from}") });
        // Version 0 is answered from the cache, which does not page.
        let limit =
            if options.version == "0" { 0 } else { usize::try_from(options.limit).unwrap_or(usize::MAX) };
        // One object by its name needs no walk over the others.
        let single = selector.name().filter(|_| !self.resource.namespaced || !namespace.is_empty());
        if let Some(name) = single.filter(|_| at.is_none() && from.is_none()) {
            return self.select_one(&selector, key(&namespace, name));
        }
        let everything = selector.is_empty();
        let chunk = match limit {
            0 => usize::MAX,
            limit if everything => limit,
            limit => limit.max(CHUNK),
        };
        let mut page = self.page(options, &prefix, from.as_deref(), chunk, at)?;
        let mut selection = Selection { revision: page.revision, ..Selection::default() };
        let mut last = None;
        loop {
            let total = page.items.len() + page.more;
            for (index, (key, stored)) in page.items.into_iter().enumerate() {
                if limit > 0 && selection.items.len() == limit {
                    selection.remaining = everything.then(|| (total - index) as u64);
                    selection.token = self.token(&prefix, page.revision, last.as_deref().unwrap_or_default());
                    return Ok(selection);
                }
                let matches = everything || selector.matches(&key, &stored)?;
                if limit > 0 {
                    last = Some(key.clone());
                }
                if matches {
                    selection.items.push((key, stored));
                }
            }
            let Some(end) = page.end.filter(|_| page.more > 0) else { return Ok(selection) };
            if selection.items.len() == limit {
                selection.remaining = everything.then_some(page.more as u64);
                selection.token = self.token(&prefix, page.revision, &end);
                return Ok(selection);
            }
            // The rest of the page as it was when the page began, or as it is where that is forgotten meanwhile.
            let (place, from) = (&self.resource.place, format!("{end}\0"));
            let then = self.store().page_at(place, &prefix, Some(&from), chunk, selection.revision);
            page = then.unwrap_or_else(|| self.store().page(place, &prefix, Some(&from), chunk));
        }
    }

    /// The version is read first: a watch from it may show the object once more, but misses nothing.
    fn select_one(&self, selector: &Selector, key: String) -> Result<Selection, Failure> {
        let revision = self.store().revision();
        let mut items = Vec::new();
        if let Some(stored) = self.store().get(&self.resource.place, &key)
            && selector.matches(&key, &stored)?
        {
            items.push((key.into_boxed_str(), stored));
        }
        Ok(Selection { items, revision, ..Selection::default() })
    }

    fn page(
        &self,
        options: &ListOptions,
        prefix: &str,
        from: Option<&str>,
        chunk: usize,
        at: Option<u64>,
    ) -> Result<Page, Failure> {
        let (store, place) = (self.store(), &self.resource.place);
        let Some(version) = at else { return Ok(store.page(place, prefix, from, chunk)) };
        store.page_at(place, prefix, from, chunk, version).ok_or_else(|| {
            if options.token.is_empty() {
                Failure::expired("The resourceVersion for the provided list is too old.")
            } else {
                self.inconsistent(options)
            }
        })
    }

    /// Where the page after this key starts.
    fn token(&self, prefix: &str, version: u64, last: &str) -> String {
        let own = if self.namespace().is_empty() { "" } else { prefix };
        let start = format!("{}\0", last.strip_prefix(own).unwrap_or(last));
        let slash = !self.is_custom() && !self.namespace().is_empty();
        Token { version: Some(version), start }.encode(slash)
    }

    fn start(&self, options: &ListOptions) -> Result<(Option<String>, Option<u64>), Failure> {
        if options.token.is_empty() {
            let version = parse_version(&options.version)
                .map_err(|error| Failure::bad_request(format!("invalid resource version: {error}")))?;
            self.not_ahead(version)?;
            return Ok((None, version.filter(|version| options.exact && *version > 0)));
        }
        let invalid = |error: String| Failure::bad_request(format!("invalid continue token: {error}"));
        let token = Token::decode(&options.token).map_err(invalid)?;
        if !matches!(options.version.as_str(), "" | "0") {
            let message = "specifying resource version is not allowed when using continue";
            return Err(Failure::bad_request(message));
        }
        self.not_ahead(token.version).map_err(|mut failure| {
            failure.details.get_or_insert_default().retry_after_seconds = 0;
            failure
        })?;
        Ok((Some(token.start), token.version))
    }

    fn inconsistent(&self, options: &ListOptions) -> Failure {
        let slash = !self.is_custom() && !self.namespace().is_empty();
        let token = Token::decode(&options.token).map(|token| Token { version: None, ..token }.encode(slash));
        let mut failure = Failure::expired(INCONSISTENT);
        failure.details.get_or_insert_default().continue_token = token.unwrap_or_default();
        failure
    }

    /// Follows changes.
    pub(super) fn watch(&self) -> Result<Answer, Failure> {
        let options = ListOptions::read(self.call, true)?;
        let selector = self.selector(&options)?;
        let version = parse_version(&options.version).map_err(|error| Failure::new(500, "", error))?;
        let start = Start {
            version,
            initial: options.initial,
            bookmarks: options.bookmarks,
            timeout: options.timeout,
            expired: options.expired,
        };
        let namespace = Some(self.namespace().to_owned()).filter(|namespace| !namespace.is_empty());
        let namespace = namespace
            .or_else(|| selector.namespace().filter(|_| self.resource.namespaced).map(str::to_owned));
        let name = self.call.name.clone().or_else(|| selector.name().map(str::to_owned));
        let needs_look = selector.needs_object();
        let version_name = self.version.name.clone();
        let resource = self.resource.clone();
        let convert = move |bytes: &Bytes, written: u64| match resource.version(&version_name) {
            Some(version) => convert::served_bytes_of(&resource, version, bytes, written),
            None => Ok(bytes.clone()),
        };
        let view = View {
            namespace,
            name,
            matches: needs_look.then(|| {
                let selector = Arc::new(selector);
                let look = move |key: &str, stored: &Stored| selector.matches(key, stored);
                Arc::new(look) as Arc<dyn Fn(&str, &Stored) -> Result<bool, Failure> + Send + Sync>
            }),
            convert: Some(Arc::new(convert)),
            api_version: self.api_version().into(),
            blank: blank(self.resource, self.version),
        };
        let subscription = self.store().subscribe(&self.resource.place, &start, view);
        Ok(Answer::new(200, Body::Watch(subscription)))
    }

    fn selector(&self, options: &ListOptions) -> Result<Selector, Failure> {
        for (field, _) in options.fields.terms() {
            self.check_field(field)?;
        }
        if let Some(name) = &self.call.name
            && !options.fields.is_empty()
            && options.fields.exact("metadata.name") != Some(name)
        {
            return Err(Failure::bad_request("fieldSelector metadata.name doesn't match requested name"));
        }
        Ok(Selector {
            labels: options.labels.clone(),
            fields: options.fields.clone(),
            resource: self.resource.clone(),
            version: self.version.name.clone(),
        })
    }

    fn check_field(&self, field: &str) -> Result<(), Failure> {
        let known = field == "metadata.name"
            || field == "metadata.namespace" && (self.resource.namespaced || !self.is_custom())
            || self.version.selectable.iter().any(|path| path.trim_start_matches('.') == field)
            || self.resource.strategy.selectable(self.version, &json!({}), field).is_some();
        if known {
            return Ok(());
        }
        let message = if self.is_custom() || self.has_field_labels() {
            format!("field label not supported: {field}")
        } else {
            format!("{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
        };
        Err(Failure::bad_request(message))
    }

    /// Built-in kinds with selectable fields of their own word their refusal as custom kinds do.
    fn has_field_labels(&self) -> bool {
        let own = ["pods", "nodes", "namespaces", "secrets", "events", "services", "jobs", "replicasets"];
        own.contains(&self.resource.plural.as_str()) && !self.is_custom()
    }
}

/// What a list found.
#[derive(Default)]
pub(super) struct Selection {
    pub(super) items: Vec<(Box<str>, Stored)>,
    pub(super) revision: u64,
    pub(super) token: String,
    pub(super) remaining: Option<u64>,
}

/// Label and field selector of a call.
pub(super) struct Selector {
    labels: Labels,
    fields: Fields,
    resource: Arc<Resource>,
    version: String,
}

impl Selector {
    fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    fn name(&self) -> Option<&str> {
        self.fields.exact("metadata.name")
    }

    fn namespace(&self) -> Option<&str> {
        self.fields.exact("metadata.namespace")
    }

    /// Whether the key alone does not tell.
    fn needs_object(&self) -> bool {
        let by_key = |field: &str| field == "metadata.name" || field == "metadata.namespace";
        !self.labels.is_empty() || self.fields.terms().any(|(field, term)| !term.is_exact() || !by_key(field))
    }

    /// Labels are kept with the object, and what its key says with its key; other fields are kept too where the object is shown as
    /// it is stored, and else looked for in the version that was asked for.
    fn matches(&self, key: &str, stored: &Stored) -> Result<bool, Failure> {
        if !self.labels.matches(stored.labels()) {
            return Ok(false);
        }
        let (namespace, name) = key.rsplit_once('/').unwrap_or(("", key));
        let mut object = None;
        for (field, term) in self.fields.terms() {
            let takes = match field {
                "metadata.name" => term.takes(name),
                "metadata.namespace" => term.takes(namespace),
                _ => {
                    let Some(version) = self.resource.version(&self.version) else { return Ok(false) };
                    let kept = convert::shows_as_stored(&self.resource, version, stored.version);
                    if let Some(value) = stored.field(field).filter(|_| kept) {
                        term.takes(value)
                    } else {
                        let read = match object.take() {
                            Some(read) => read,
                            None => convert::served(&self.resource, version, stored)?,
                        };
                        let takes = term.takes(&field_value(&self.resource, version, &read, field));
                        object = Some(read);
                        takes
                    }
                }
            };
            if !takes {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn field_value(resource: &Resource, version: &Version, object: &Value, field: &str) -> String {
    resource.strategy.selectable(version, object, field).unwrap_or_else(|| {
        let value = field.split('.').fold(object, |value, part| &value[part]);
        match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        }
    })
}

/// A resourceVersion from a query: `None` when unset.
fn parse_version(text: &str) -> Result<Option<u64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    unsigned(text).map(Some).map_err(|why| {
        let quoted = crate::status::quote(text);
        format!("resourceVersion: Invalid value: {quoted}: strconv.ParseUint: parsing {quoted}: {why}")
    })
}

/// An object with nothing in it, as a bookmark shows it: fields that are never left out stand there empty.
fn blank(resource: &Resource, version: &Version) -> Value {
    let api_version = resource.api_version(&version.name);
    let mut object = match (resource.group.as_str(), resource.kind.as_str()) {
        _ if super::decode::is_custom(resource) => json!({}),
        ("apiextensions.k8s.io", _) => json!({
            "spec": { "group": "", "names": { "plural": "", "kind": "" }, "scope": "", "versions": null },
            "status": {
                "conditions": null, "acceptedNames": { "plural": "", "kind": "" }, "storedVersions": null,
            },
        }),
        (_, kind) => crate::builtin::blank(&api_version, kind).unwrap_or_default(),
    };
    object["kind"] = resource.kind.clone().into();
    object["apiVersion"] = api_version.into();
    object["metadata"] = json!({});
    object
}
