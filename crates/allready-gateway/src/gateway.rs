//! A Gateway with its ListenerSets.

use std::collections::BTreeSet;

use allready_core::{
    Reason,
    findings::{Findings, Subject},
    reason,
};

use crate::{
    Kind, Object, ObjectKey, conflict,
    listener::{self, ListenerState, Protocol},
    object::{Address, GatewaySpec, Listener, MAX_LISTENERS, NamespacesFrom, Spec},
    reference::{CertificateReasons, check_certificate},
    selector::lets_in,
    store::{Link, View},
};

/// All that is found out about a Gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    /// The reason why the Gateway is not accepted, whatever its listeners are.
    pub(crate) refused: Option<(Reason, String)>,
    /// Set if that may pass without a change to the Gateway.
    pub(crate) is_pending: bool,
    /// Broken references of the Gateway itself; `None` if it has none at all.
    pub(crate) resolved: Option<Findings>,
    /// Set if clients without a valid certificate are let in.
    pub(crate) is_insecure: bool,
    /// Its addresses, or why it has none.
    pub(crate) addresses: Result<Vec<Address>, (Reason, String)>,
    /// Its own listeners, and those of each ListenerSet, in order of precedence.
    pub(crate) groups: Vec<Group>,
}

/// The listeners of the Gateway itself, or of a ListenerSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) owner: ObjectKey,
    /// The reason why none of the listeners may attach.
    pub(crate) refused: Option<(Reason, String)>,
    pub(crate) listeners: Vec<ListenerState>,
}

impl Group {
    /// Tells whether at least one listener is as it should be.
    pub(crate) fn is_accepted(&self) -> bool {
        self.refused.is_none() && self.listeners.iter().any(ListenerState::is_good)
    }
}

impl Tree {
    pub(crate) fn group(&self, owner: &ObjectKey) -> Option<&Group> {
        self.groups.iter().find(|group| group.owner == *owner)
    }

    /// Tells whether the same routes attach to both.
    pub(crate) fn attaches_like(&self, other: &Self) -> bool {
        let attach = |tree: &Self| -> Vec<_> {
            let of =
                |group: &Group| -> Vec<_> { group.listeners.iter().map(|one| one.attach.clone()).collect() };
            tree.groups.iter().map(|group| (group.owner.clone(), group.refused.clone(), of(group))).collect()
        };
        attach(self) == attach(other)
    }
}

/// Judges a Gateway; `None` if it is not there or its class is somebody else's.
pub(crate) fn judge(view: &View<'_>, key: &ObjectKey) -> Option<Tree> {
    let object = view.get(key)?;
    let Spec::Gateway(gateway) = &object.spec else { return None };
    let class = view.get(&ObjectKey::new(Kind::GatewayClass, "", &gateway.gateway_class_name))?;
    if !view.support.answers(class) {
        return None;
    }
    let class_problem = class_problem(view, class);
    let is_pending = class_problem.is_some();
    let refused = if let Some((_, problem)) = class_problem {
        Some((reason!("Pending"), format!("{} is not accepted: {problem}", class.key)))
    } else {
        refusal(view, object, gateway)
    };
    let validation = |port: u16| gateway.tls.as_ref()?.frontend.as_ref()?.validation(port);
    let judge = |owner: &ObjectKey, listeners: &[Listener]| -> Vec<ListenerState> {
        let one = |one: &Listener| listener::judge(view, owner, key, one, validation(one.port));
        let mut names = BTreeSet::new();
        let is_first = |one: &&Listener| names.insert(one.name.clone());
        listeners.iter().filter(is_first).take(MAX_LISTENERS).map(one).collect()
    };
    let mut groups =
        vec![Group { owner: key.clone(), refused: None, listeners: judge(key, &gateway.listeners) }];
    if view.support.listener_sets {
        let mut sets: Vec<&Object> = view.linked(&Link::ListenerSetsOf(key.clone())).collect();
        // Without a time, as in manifests, it is younger than all that have one.
        sets.sort_by_key(|set| (set.created.is_none(), set.created, &set.key));
        for set in sets {
            let Spec::ListenerSet(spec) = &set.spec else { continue };
            let refused = refusal_of_set(view, key, gateway, set);
            groups.push(Group {
                owner: set.key.clone(),
                refused,
                listeners: judge(&set.key, &spec.listeners),
            });
        }
    }
    let mut room = MAX_LISTENERS.saturating_sub(gateway.listeners.len());
    for group in groups.iter_mut().skip(1).filter(|group| group.refused.is_none()) {
        for state in &mut group.listeners {
            if room == 0 {
                let message = format!("the Gateway has {MAX_LISTENERS} listeners without this one");
                state.refuse(reason!("TooManyListeners"), message);
                // It is in nobody's way.
                state.protocol = Protocol::Other;
            }
            room = room.saturating_sub(1);
        }
    }
    let in_force = groups.iter_mut().filter(|group| group.refused.is_none());
    conflict::mark(in_force.map(|group| &mut group.listeners), view.support);
    let is_insecure = gateway
        .listeners
        .iter()
        .filter_map(|one| validation(one.port))
        .any(|validation| validation.mode.as_deref() == Some("AllowInsecureFallback"));
    let addresses = addresses(view, key, gateway);
    Some(Tree {
        refused,
        is_pending,
        resolved: check_own_references(view, key, gateway),
        is_insecure,
        addresses,
        groups,
    })
}

/// The reason why a class is not accepted.
pub(crate) fn class_problem(view: &View<'_>, class: &Object) -> Option<(Reason, String)> {
    let Spec::GatewayClass(spec) = &class.spec else { return None };
    if let Some(malformed) = &class.malformed {
        return Some((reason!("InvalidParameters"), malformed.clone()));
    }
    let parameters = spec.parameters_ref.as_ref()?;
    if view.support.has_parameters(parameters, None) {
        return None;
    }
    let message =
        format!("parameters {} {} are not known to this implementation", parameters.kind, parameters.name);
    Some((reason!("InvalidParameters"), message))
}

fn refusal(view: &View<'_>, object: &Object, gateway: &GatewaySpec) -> Option<(Reason, String)> {
    if let Some(malformed) = &object.malformed {
        return Some((reason!("Invalid"), malformed.clone()));
    }
    let parameters = gateway.infrastructure.as_ref().and_then(|of| of.parameters_ref.as_ref());
    if let Some(parameters) = parameters
        && !view.support.has_parameters(parameters, Some(&object.key.namespace))
    {
        let message = format!(
            "parameters {} {} are not known to this implementation",
            parameters.kind, parameters.name
        );
        return Some((reason!("InvalidParameters"), message));
    }
    let is_supported = |address: &&Address| view.support.address_types.contains(&address.type_);
    let unsupported = gateway.addresses.iter().find(|address| !is_supported(address))?;
    Some((
        reason!("UnsupportedAddress"),
        format!("addresses of type {} are not supported", unsupported.type_),
    ))
}

fn refusal_of_set(
    view: &View<'_>,
    key: &ObjectKey,
    gateway: &GatewaySpec,
    set: &Object,
) -> Option<(Reason, String)> {
    if let Some(malformed) = &set.malformed {
        return Some((reason!("Invalid"), malformed.clone()));
    }
    let rule = gateway.allowed_listeners.as_ref().and_then(|allowed| allowed.namespaces.as_ref());
    let none = NamespacesFrom::default();
    if lets_in(view, rule.unwrap_or(&none), "None", &key.namespace, &set.key.namespace) {
        return None;
    }
    let message = format!("{key} does not allow ListenerSets of namespace {}", set.key.namespace);
    Some((reason!("NotAllowed"), message))
}

fn addresses(
    view: &View<'_>,
    key: &ObjectKey,
    gateway: &GatewaySpec,
) -> Result<Vec<Address>, (Reason, String)> {
    let support = view.support;
    let free = view.assigned(key).unwrap_or(support.default_address.as_slice());
    let default_of = |type_: &str| free.iter().find(|address| address.type_ == type_).cloned();
    if gateway.addresses.is_empty() {
        let none = (reason!("AddressNotAssigned"), "there is no address to assign".to_owned());
        return if free.is_empty() { Err(none) } else { Ok(free.to_vec()) };
    }
    let mut assigned = Vec::new();
    for wanted in gateway.addresses.iter().take(16) {
        let found = if wanted.value.is_empty() {
            let none = format!("there is no address of type {} to assign", wanted.type_);
            default_of(&wanted.type_).ok_or((reason!("AddressNotAssigned"), none))?
        } else if support.usable_addresses.as_ref().is_none_or(|usable| usable.contains(wanted)) {
            wanted.clone()
        } else {
            return Err((reason!("AddressNotUsable"), format!("address {} cannot be used", wanted.value)));
        };
        assigned.push(found);
    }
    Ok(assigned)
}

/// Checks the references of the Gateway itself; `None` if it has none. Those to authorities for clients are checked for the listeners that
/// need them.
fn check_own_references(view: &View<'_>, key: &ObjectKey, gateway: &GatewaySpec) -> Option<Findings> {
    let tls = gateway.tls.as_ref()?;
    let mut findings = Findings::new();
    let Some(reference) = tls.backend.as_ref().and_then(|backend| backend.client_certificate_ref.as_ref())
    else {
        let has_authorities = |one: &Listener| tls.frontend.as_ref()?.validation(one.port);
        return gateway.listeners.iter().find_map(has_authorities).map(|_| findings);
    };
    let reasons = CertificateReasons {
        kind: reason!("InvalidClientCertificateRef"),
        object: reason!("InvalidClientCertificateRef"),
    };
    let from = (Kind::Gateway, &*key.namespace);
    check_certificate(view, from, reference, (Kind::Secret, "Secret"), &reasons, &mut findings);
    Some(findings)
}

/// The subject of a listener in findings of its Gateway: those of ListenerSets are found under their ListenerSet.
pub(crate) fn subject(group: &Group, listener: &ListenerState) -> Subject {
    match group.owner.kind {
        Kind::Gateway => Subject::listener(&listener.attach.name),
        _ => Subject::namespaced("ListenerSet", &*group.owner.namespace, &*group.owner.name),
    }
}
