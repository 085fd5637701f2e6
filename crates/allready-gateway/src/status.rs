//! Statuses as they are written: lists of conditions at the top, and in listeners, parents and ancestors.

use allready_core::Conditions;
use allready_derive::ConditionSet;
use serde::{Deserialize, Serialize};

use crate::{
    GROUP, Kind,
    object::{Address, ParentReference},
};

/// The conditions of a listener, of a Gateway or of a ListenerSet: `Programmed` is computed from those that count, so that it is never True
/// on a listener with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ConditionSet)]
#[conditions(crate = allready_core, top = "Programmed", good_reason = "Programmed")]
pub enum ListenerConditions {
    /// The listener is valid, and can be served.
    #[condition(starts(status = Unknown, reason = "Pending", message = "Waiting for controller"))]
    Accepted,
    /// Everything that the listener names exists and may be named.
    #[condition(starts(status = Unknown, reason = "Pending", message = "Waiting for controller"))]
    ResolvedRefs,
    /// The listener conflicts with another one.
    #[condition(abnormal_true, informational)]
    Conflicted,
    /// The listener shares hostnames with another one on its port, so that clients may reuse connections across them.
    #[condition(type = "OverlappingTLSConfig", abnormal_true, informational)]
    OverlappingTlsConfig,
}

/// The status of one object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ObjectStatus {
    /// Of a GatewayClass.
    GatewayClass(GatewayClassStatus),
    /// Of a Gateway.
    Gateway(GatewayStatus),
    /// Of a ListenerSet.
    ListenerSet(ListenerSetStatus),
    /// Of a route of any kind.
    Route(RouteStatus),
    /// Of a BackendTLSPolicy.
    Policy(PolicyStatus),
}

/// The status of a GatewayClass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct GatewayClassStatus {
    /// Its conditions.
    pub conditions: Conditions,
    /// The features that the implementation supports, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supported_features: Vec<Feature>,
}

/// A feature of the Gateway API.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Feature {
    /// Its name.
    pub name: String,
}

/// The status of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct GatewayStatus {
    /// The addresses that it has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<Address>,
    /// The number of ListenerSets that are accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attached_listener_sets: Option<u32>,
    /// Its conditions.
    pub conditions: Conditions,
    /// Its own listeners.
    pub listeners: Vec<ListenerStatus>,
}

/// The status of a ListenerSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ListenerSetStatus {
    /// Its conditions.
    pub conditions: Conditions,
    /// Its listeners.
    pub listeners: Vec<ListenerStatus>,
}

/// The status of a listener.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ListenerStatus {
    /// Its name.
    pub name: String,
    /// The number of routes that are accepted for it.
    pub attached_routes: u32,
    /// The kinds of routes that it supports.
    pub supported_kinds: Vec<RouteGroupKind>,
    /// Its conditions.
    pub conditions: Conditions<ListenerConditions>,
}

/// A kind of routes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteGroupKind {
    /// Its group.
    #[serde(default = "gateway_group")]
    pub group: String,
    /// Its name.
    pub kind: String,
}

fn gateway_group() -> String {
    GROUP.to_owned()
}

impl From<Kind> for RouteGroupKind {
    fn from(kind: Kind) -> Self {
        Self { group: kind.group().to_owned(), kind: kind.as_str().to_owned() }
    }
}

/// The status of a route.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RouteStatus {
    /// One entry for each parent and controller.
    pub parents: Vec<RouteParentStatus>,
}

/// The word of one controller on a route for one parent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RouteParentStatus {
    /// The parent, as it stands in the spec.
    pub parent_ref: ParentReference,
    /// The controller that says so.
    pub controller_name: String,
    /// Its conditions.
    pub conditions: Conditions,
}

/// The status of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PolicyStatus {
    /// One entry for each ancestor and controller.
    pub ancestors: Vec<PolicyAncestorStatus>,
}

/// The word of one controller on a policy for one ancestor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PolicyAncestorStatus {
    /// The Gateway that the policy has an effect on.
    pub ancestor_ref: ParentReference,
    /// The controller that says so.
    pub controller_name: String,
    /// Its conditions.
    pub conditions: Conditions,
}
