//! Tables: what `kubectl get` shows.
//!
//! Follows `pkg/printers/internalversion` of Kubernetes.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::{
    resource::{Resource, Version},
    rest::ListBody,
    status::Failure,
};

mod age;
mod cells;
mod custom;
mod headings;
mod partial;
#[cfg(test)]
mod tests;

pub(crate) use partial::{partial_metadata, partial_metadata_list};

/// What of its object a row carries: `?includeObject=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Include {
    /// Nothing.
    None,
    /// Its metadata, as a `PartialObjectMetadata`; also what no parameter means.
    #[default]
    Metadata,
    /// All of it.
    Object,
}

impl Include {
    /// Reads the query parameter.
    pub(crate) fn parse(parameter: Option<&str>) -> Result<Self, Failure> {
        match parameter {
            None | Some("" | "Metadata") => Ok(Self::Metadata),
            Some("None") => Ok(Self::None),
            Some("Object") => Ok(Self::Object),
            Some(other) => Err(Failure::bad_request(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: {other:?}: \
                 must be 'Metadata', 'Object', 'None', or empty"
            ))),
        }
    }
}

/// The `meta.k8s.io/v1` `Table` of some objects: of a list when `list` says whose, else of one object.
pub(crate) fn table(
    resource: &Resource,
    version: &Version,
    objects: &[Value],
    list: Option<&ListBody>,
    include: Include,
    now: Timestamp,
) -> Value {
    let printer = match objects {
        [object] if is_custom(version) && custom::is_scale(object) => Printer::of_scale(resource),
        _ => Printer::of(resource, version),
    };
    let metadata = match (list, objects) {
        (Some(list), _) => partial::list_metadata(list),
        (None, objects) => own_metadata(objects.first()),
    };
    let rows: Vec<Value> = objects.iter().map(|object| printer.row(object, include, now)).collect();
    // A kind without columns of its own has no rows rather than an empty list of them.
    let rows =
        if rows.is_empty() && matches!(printer.cells, Cells::Plain) { Value::Null } else { rows.into() };
    finish(metadata, printer.definitions(), rows)
}

/// The `Table` in one event of a watch, bookmarks included. Only the `first` event of a watch says what its columns are. The
/// `Status` of an error stays as it is, and is not for this.
pub(crate) fn event(
    resource: &Resource,
    version: &Version,
    object: &Value,
    include: Include,
    now: Timestamp,
    first: bool,
) -> Value {
    let printer = Printer::of(resource, version);
    let definitions = if first { printer.definitions() } else { Value::Null };
    finish(own_metadata(Some(object)), definitions, json!([printer.row(object, include, now)]))
}

fn finish(metadata: Value, definitions: Value, rows: Value) -> Value {
    let fields = [
        ("kind", "Table".into()),
        ("apiVersion", "meta.k8s.io/v1".into()),
        ("metadata", metadata),
        ("columnDefinitions", definitions),
        ("rows", rows),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn own_metadata(object: Option<&Value>) -> Value {
    match object.and_then(|object| object["metadata"]["resourceVersion"].as_str()) {
        Some(version) => json!({"resourceVersion": version}),
        None => json!({}),
    }
}

fn is_custom(version: &Version) -> bool {
    version.published.is_some() || !version.columns.is_empty()
}

/// How the objects of a resource become rows.
struct Printer<'a> {
    resource: &'a Resource,
    cells: Cells<'a>,
}

enum Cells<'a> {
    Builtin(cells::Cells),
    Plain,
    Custom(custom::Columns<'a>),
}

impl<'a> Printer<'a> {
    fn of(resource: &'a Resource, version: &'a Version) -> Self {
        let cells = match cells::cells(&resource.group, &resource.plural) {
            Some(cells) => Cells::Builtin(cells),
            None if is_custom(version) => Cells::Custom(custom::Columns::new(&version.columns)),
            None => Cells::Plain,
        };
        Self { resource, cells }
    }

    fn of_scale(resource: &'a Resource) -> Self {
        Self { resource, cells: Cells::Custom(custom::Columns::new(custom::SCALE.as_slice())) }
    }

    fn definitions(&self) -> Value {
        match &self.cells {
            Cells::Builtin(_) => {
                headings::definitions(&self.resource.group, &self.resource.plural).unwrap_or_default().into()
            }
            Cells::Plain => json!([headings::name(), headings::created("Created At")]),
            Cells::Custom(columns) => columns.definitions().into(),
        }
    }

    fn row(&self, object: &Value, include: Include, now: Timestamp) -> Value {
        let cells = match &self.cells {
            Cells::Builtin(cells) => cells.of(object, now),
            Cells::Plain => cells::plain(object),
            Cells::Custom(columns) => columns.cells(object, now),
        };
        let mut row = Map::new();
        row.insert("cells".into(), cells.into());
        if let Some(conditions) = cells::conditions(&self.resource.group, &self.resource.plural, object) {
            row.insert("conditions".into(), conditions);
        }
        // The bookmark that ends the initial events keeps its metadata: the mark is an annotation.
        let marked = object["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true";
        let included = match include {
            Include::Object => object.clone(),
            Include::None if !marked => Value::Null,
            Include::None | Include::Metadata => partial_metadata(object),
        };
        row.insert("object".into(), included);
        row.into()
    }
}
