//! Tables: what `kubectl get` shows.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    resource::{Resource, Version},
    rest::ListBody,
    status::Failure,
};

/// What of its object a row carries: `?includeObject=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Include {
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
    ///
    /// ```
    /// use allready_apiserver::table::Include;
    ///
    /// assert_eq!(Include::parse(Some("None")), Ok(Include::None));
    /// assert_eq!(Include::parse(None), Ok(Include::Metadata));
    /// assert_eq!(Include::parse(Some("all")).unwrap_err().code, 400);
    /// ```
    pub fn parse(parameter: Option<&str>) -> Result<Self, Failure> {
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
pub fn table(
    _resource: &Resource,
    _version: &Version,
    _objects: &[Value],
    _list: Option<&ListBody>,
    _include: Include,
    _now: Timestamp,
) -> Value {
    json!({})
}

/// The `Table` in one event of a watch. Only the `first` event of a watch says what its columns are.
pub fn event(
    _resource: &Resource,
    _version: &Version,
    _object: &Value,
    _include: Include,
    _now: Timestamp,
    _first: bool,
) -> Value {
    json!({})
}

/// An object as `PartialObjectMetadata`.
pub fn partial_metadata(_object: &Value) -> Value {
    json!({})
}

/// Objects as `PartialObjectMetadataList`.
pub fn partial_metadata_list(_objects: &[Value], _list: &ListBody) -> Value {
    json!({})
}
