//! Routes of all five kinds, ReferenceGrant and BackendTLSPolicy.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The spec of a route; one type for the five kinds, which differ in what does not decide a status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RouteSpec {
    /// The Gateways and ListenerSets that it wants to attach to.
    pub parent_refs: Vec<ParentReference>,
    /// The hostnames that it serves; any if there is none.
    pub hostnames: Vec<String>,
    /// Its rules.
    pub rules: Vec<RouteRule>,
}

/// A parent of a route, of a ListenerSet, or an ancestor of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields of the Gateway API")]
pub struct ParentReference {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
}

/// A rule of a route.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RouteRule {
    /// The regular expressions in its matches.
    #[serde(rename = "matches", deserialize_with = "regexes")]
    pub regexes: Vec<String>,
    /// Its filters.
    pub filters: Vec<Filter>,
    /// Its backends.
    pub backend_refs: Vec<BackendRef>,
}

/// Keeps the regular expressions of matches, wherever they stand; the rest is for the data plane.
fn regexes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Match {
        path: Condition,
        headers: Vec<Condition>,
        query_params: Vec<Condition>,
        /// A word in an `HTTPRoute`; in a `GRPCRoute` a service and a method, which share one type.
        method: Value,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Condition {
        r#type: String,
        value: String,
    }
    let mut found = Vec::new();
    for one in Vec::<Match>::deserialize(from)? {
        let conditions = one.headers.into_iter().chain(one.query_params).chain([one.path]);
        found.extend(conditions.filter(|one| one.r#type == REGEX).map(|one| one.value));
        if one.method["type"] == REGEX {
            let parts = ["service", "method"].map(|part| one.method[part].as_str().map(String::from));
            found.extend(parts.into_iter().flatten());
        }
    }
    Ok(found)
}

/// The type of a match by a regular expression.
const REGEX: &str = "RegularExpression";

/// A filter of a rule or of a backend.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Filter {
    /// Its type, such as `RequestRedirect`.
    #[serde(rename = "type")]
    pub type_: String,
    /// The backend that requests are sent to as well.
    pub request_mirror: Option<Mirror>,
}

/// The filter `RequestMirror`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Mirror {
    /// The backend that requests are sent to as well.
    pub backend_ref: BackendRef,
}

/// A backend of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields of the Gateway API")]
pub struct BackendRef {
    pub group: String,
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
    pub port: Option<u16>,
    pub filters: Vec<Filter>,
}

/// A reference to a Secret or a ConfigMap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields of the Gateway API")]
pub struct ObjectRef {
    pub group: String,
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
}

/// The spec of a ReferenceGrant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ReferenceGrantSpec {
    /// The kinds that may refer, by namespace.
    pub from: Vec<GrantFrom>,
    /// The kinds that may be referred to.
    pub to: Vec<GrantTo>,
}

/// A kind in a namespace that may refer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields of the Gateway API")]
pub struct GrantFrom {
    pub group: String,
    pub kind: String,
    pub namespace: String,
}

/// A kind, or one object of it, that may be referred to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields of the Gateway API")]
pub struct GrantTo {
    pub group: String,
    pub kind: String,
    pub name: Option<String>,
}

/// The spec of a BackendTLSPolicy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct BackendTlsPolicySpec {
    /// The Services that it is about.
    pub target_refs: Vec<TargetRef>,
    /// The validation of backends' certificates.
    pub validation: BackendValidation,
}

/// A target of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields of the Gateway API")]
pub struct TargetRef {
    pub group: String,
    pub kind: String,
    pub name: String,
    pub section_name: Option<String>,
}

/// The validation of backends' certificates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct BackendValidation {
    /// The certificates of authorities.
    pub ca_certificate_refs: Vec<ObjectRef>,
    /// `System`, instead of certificates.
    #[serde(rename = "wellKnownCACertificates")]
    pub well_known_ca_certificates: Option<String>,
}
