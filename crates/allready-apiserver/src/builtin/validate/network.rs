//! Ingresses and their classes, network policies, endpoints, service ranges. Follows `pkg/apis/networking/validation` and
//! `pkg/apis/discovery/validation`.

use std::net::IpAddr;

use serde_json::Value;

use super::{Errors, selector, spot::Spot, words};
use crate::{
    builtin::path::at,
    names,
    status::{FieldError, Mistake},
};

const PROTOCOLS: [&str; 3] = ["TCP", "UDP", "SCTP"];

/// An ingress.
pub(super) fn ingress(new: &Value, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    let (rules, backend) = (spec.child("rules"), spec.child("defaultBackend"));
    if rules.is_empty() && !backend.exists() {
        let why = "either `defaultBackend` or `rules` must be specified";
        errors.push(FieldError::invalid("spec", Value::Null, why));
    }
    if backend.exists() {
        self::backend(&backend, errors);
    }
    for rule in rules.items() {
        host(&rule.child("host"), errors);
        if !rule.has("http") {
            continue;
        }
        let paths = rule.at("http.paths");
        paths.filled(errors);
        for path in paths.items() {
            http_path(&path, errors);
        }
    }
    for tls in spec.child("tls").items() {
        for name in tls.child("hosts").items() {
            wildcard(&name, errors);
        }
    }
    let class = spec.child("ingressClassName");
    if class.exists() {
        class.problems(names::dns_subdomain(class.text()), errors);
    }
}

fn host(host: &Spot<'_>, errors: &mut Errors) {
    if host.is_empty() {
        return;
    }
    if words::read_address(host.text()).is_some() {
        host.invalid("must be a DNS name, not an IP address", errors);
    }
    wildcard(host, errors);
}

/// A name that may begin with a star.
fn wildcard(name: &Spot<'_>, errors: &mut Errors) {
    let problems = match name.text().strip_prefix("*.") {
        Some(rest) if names::dns_subdomain(rest).is_empty() => Vec::new(),
        Some(_) => vec![
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')".to_owned(),
        ],
        None => names::dns_subdomain(name.text()),
    };
    name.problems(problems, errors);
}

fn http_path(path: &Spot<'_>, errors: &mut Errors) {
    let (kind, written) = (path.child("pathType"), path.child("path"));
    match kind.text() {
        "" => kind.required("pathType must be specified", errors),
        "Exact" | "Prefix" => {
            if !written.text().starts_with('/') {
                written.problems(["must be an absolute path".to_owned()], errors);
            }
            for part in ["//", "/./", "/../", "%2f", "%2F"] {
                if written.text().contains(part) {
                    written.invalid(format!("must not contain '{part}'"), errors);
                }
            }
            for end in ["/..", "/."] {
                if written.text().ends_with(end) {
                    written.invalid(format!("cannot end with '{end}'"), errors);
                }
            }
        }
        "ImplementationSpecific" => {
            if !written.is_empty() && !written.text().starts_with('/') {
                written.invalid("must be an absolute path", errors);
            }
        }
        _ => kind.one_of(&["Exact", "ImplementationSpecific", "Prefix"], errors),
    }
    backend(&path.child("backend"), errors);
}

fn backend(backend: &Spot<'_>, errors: &mut Errors) {
    let refuse = |why: &str, errors: &mut Errors| {
        errors.push(FieldError::invalid(backend.place.as_str(), "", why));
    };
    let service = backend.child("service");
    match (backend.has("resource"), service.exists()) {
        (true, true) => refuse("cannot set both resource and service backends", errors),
        (false, false) => refuse("resource or service backend is required", errors),
        (true, false) => {
            for field in ["kind", "name"] {
                backend.child("resource").child(field).filled(errors);
            }
        }
        (false, true) => {
            service.child("name").named(names::dns1035_label, errors);
            let (number, name) = (service.at("port.number"), service.at("port.name"));
            let is_numbered = number.number().is_some_and(|number| number != 0);
            match (is_numbered, name.is_empty()) {
                (true, false) => refuse("cannot set both port name & port number", errors),
                (false, true) => refuse("port name or number is required", errors),
                (true, true) => number.within(1, 65535, errors),
                (false, false) => name.problems(words::port_name(name.text()), errors),
            }
        }
    }
}

/// A class of ingresses.
pub(super) fn ingress_class(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    let controller = spec.child("controller");
    if old.is_some_and(|old| controller.text() != Spot::root(old).at("spec.controller").text()) {
        errors.push(FieldError::invalid("spec.controller", controller.text(), "field is immutable"));
    }
    if controller.is_empty() {
        controller.required("", errors);
    } else if !controller
        .text()
        .split_once('/')
        .is_some_and(|(host, path)| !host.is_empty() && !path.is_empty())
    {
        controller.invalid("must be a domain-prefixed path (such as \"acme.io/foo\")", errors);
    }
    let parameters = spec.child("parameters");
    if !parameters.exists() {
        return;
    }
    for field in ["kind", "name"] {
        parameters.child(field).filled(errors);
    }
    let (scope, namespace) = (parameters.child("scope"), parameters.child("namespace"));
    match scope.text() {
        "Cluster" if namespace.exists() => {
            namespace.forbidden("`parameters.scope` is set to 'Cluster'", errors);
        }
        "Namespace" if namespace.is_empty() => {
            namespace.required("`parameters.scope` is set to 'Namespace'", errors);
        }
        "Cluster" => {}
        "Namespace" => namespace.named(names::dns_label, errors),
        _ => scope.one_of(&["Cluster", "Namespace"], errors),
    }
}

/// A network policy.
pub(super) fn policy(new: &Value, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    selector::check(&spec.child("podSelector"), errors);
    for (rules, peers) in [("ingress", "from"), ("egress", "to")] {
        for rule in spec.child(rules).items() {
            for port in rule.child("ports").items() {
                policy_port(&port, errors);
            }
            for peer in rule.child(peers).items() {
                policy_peer(&peer, errors);
            }
        }
    }
    let types = spec.child("policyTypes");
    if types.items().count() > 2 {
        return types.invalid("may not specify more than two policyTypes", errors);
    }
    for kind in types.items() {
        kind.one_of(&["Ingress", "Egress"], errors);
    }
}

fn policy_port(port: &Spot<'_>, errors: &mut Errors) {
    port.child("protocol").one_of_if_any(&PROTOCOLS, errors);
    let (first, last) = (port.child("port"), port.child("endPort"));
    if !first.exists() {
        if last.exists() {
            last.required("may not be specified when `port` is not specified", errors);
        }
        return;
    }
    words::port(&first, errors);
    match (last.number(), first.number()) {
        (Some(end), Some(start)) => {
            if end < start {
                // The real server shows the port that it is compared with.
                let why = "must be greater than or equal to `port`";
                errors.push(FieldError::invalid(last.place.as_str(), start, why));
            }
            last.within(1, 65535, errors);
        }
        (Some(_), None) => {
            last.invalid("may not be specified when `port` is non-numeric", errors);
        }
        _ => {}
    }
}

fn policy_peer(peer: &Spot<'_>, errors: &mut Errors) {
    let mut count = 0;
    for field in ["podSelector", "namespaceSelector"] {
        if peer.has(field) {
            count += 1;
            selector::check(&peer.child(field), errors);
        }
    }
    let block = peer.child("ipBlock");
    if block.exists() {
        let cidr = block.child("cidr");
        if cidr.is_empty() {
            cidr.required("", errors);
        } else {
            words::range(&cidr, errors);
        }
        for except in block.child("except").items() {
            words::range(&except, errors);
            if let (Some(outer), Some(inner)) = (network(cidr.text()), network(except.text()))
                && !is_strict_subset(inner, outer)
            {
                except.invalid("must be a strict subset of `cidr`", errors);
            }
        }
        if count > 0 {
            peer.forbidden("may not specify both ipBlock and another peer", errors);
        }
    } else if count == 0 {
        peer.required("must specify a peer", errors);
    }
}

fn network(written: &str) -> Option<(IpAddr, u8)> {
    let (start, bits) = written.split_once('/')?;
    Some((start.parse().ok()?, bits.parse().ok()?))
}

fn is_strict_subset((inner, longer): (IpAddr, u8), (outer, shorter): (IpAddr, u8)) -> bool {
    let shift = |all: u8| u32::from(all.saturating_sub(shorter));
    longer > shorter
        && match (inner, outer) {
            (IpAddr::V4(inner), IpAddr::V4(outer)) => {
                (inner.to_bits() ^ outer.to_bits()).checked_shr(shift(32)).unwrap_or(0) == 0
            }
            (IpAddr::V6(inner), IpAddr::V6(outer)) => {
                (inner.to_bits() ^ outer.to_bits()).checked_shr(shift(128)).unwrap_or(0) == 0
            }
            _ => false,
        }
}

/// Endpoints of a service, all in one object.
pub(super) fn endpoints(new: &Value, errors: &mut Errors) {
    for subset in Spot::root(new).child("subsets").items() {
        let lists = ["addresses", "notReadyAddresses"].map(|list| subset.child(list));
        if lists.iter().all(Spot::is_empty) {
            subset.required("must specify `addresses` or `notReadyAddresses`", errors);
        }
        for address in lists.iter().flat_map(Spot::items) {
            let ip = address.child("ip");
            words::address(&ip, errors);
            address.child("hostname").named_if_any(names::dns_label, errors);
            address.child("nodeName").named_if_any(names::dns_subdomain, errors);
            if words::read_address(ip.text()).is_none() {
                ip.problems(["must be a valid IP address".to_owned()], errors);
            }
            words::not_special(&ip, errors);
        }
        let many = subset.child("ports").items().count() > 1;
        for port in subset.child("ports").items() {
            let name = port.child("name");
            if many && name.is_empty() {
                name.required("", errors);
            } else {
                name.named_if_any(names::dns_label, errors);
            }
            let number = port.child("port");
            number.within(1, 65535, errors);
            port.child("protocol").one_of(&PROTOCOLS, errors);
        }
    }
}

/// A slice of the endpoints of a service.
pub(super) fn slice(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let root = Spot::root(new);
    let family = root.child("addressType");
    if family.is_empty() {
        family.required("", errors);
    } else {
        family.one_of(&["FQDN", "IPv4", "IPv6"], errors);
    }
    let same = old.is_some_and(|old| at(old, &["endpoints"]) == at(new, &["endpoints"]));
    for endpoint in root.child("endpoints").items().filter(|_| !same) {
        let addresses = endpoint.child("addresses");
        if addresses.is_empty() {
            addresses.required("must contain at least 1 address", errors);
        }
        for address in addresses.items() {
            slice_address(family.text(), &addresses, &address, errors);
        }
        endpoint.child("nodeName").named_if_any(names::dns_subdomain, errors);
        endpoint.child("hostname").named_if_any(names::dns_label, errors);
    }
    let mut seen: Vec<&str> = Vec::new();
    for port in root.child("ports").items() {
        let name = port.child("name");
        name.named_if_any(names::dns_label, errors);
        if seen.contains(&name.text()) {
            name.duplicate(errors);
        }
        seen.push(name.text());
        port.child("protocol").one_of(&["SCTP", "TCP", "UDP"], errors);
        port.child("port").within(1, 65535, errors);
    }
    // The real server shows the empty text of one that is missing.
    if old.is_some_and(|old| family.text() != Spot::root(old).child("addressType").text()) {
        errors.push(FieldError::invalid("addressType", family.text(), "field is immutable"));
    }
}

fn slice_address(family: &str, list: &Spot<'_>, address: &Spot<'_>, errors: &mut Errors) {
    let read = words::read_address(address.text());
    let wrong = match family {
        "IPv4" => (!read.is_some_and(|read| read.is_ipv4())).then_some("must be an IPv4 address"),
        "IPv6" => (!read.is_some_and(|read| read.is_ipv6())).then_some("must be an IPv6 address"),
        "FQDN" => {
            let problems = names::dns_subdomain(address.text());
            if problems.is_empty() && !address.text().contains('.') {
                address.invalid("should be a domain with at least two segments separated by dots", errors);
            }
            return address.problems(problems, errors);
        }
        _ => return,
    };
    if let Some(why) = wrong {
        errors.push(FieldError::invalid(list.place.as_str(), address.text(), why));
    }
    words::not_special(address, errors);
}

/// The ranges from which services get their addresses.
pub(super) fn service_ranges(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let ranges = Spot::root(new).at("spec.cidrs");
    let Some(old) = old else {
        if ranges.is_empty() {
            return ranges.required("at least one CIDR required", errors);
        }
        let newer = ranges.items().filter(|range| range.text().contains(':')).count();
        let all = ranges.items().count();
        if all > 2 {
            ranges.invalid("may only hold up to 2 values", errors);
        } else if all == 2 && newer != 1 {
            let why =
                "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
            ranges.invalid(why, errors);
        }
        for range in ranges.items() {
            words::range(&range, errors);
        }
        return;
    };
    let before = Spot::root(old).at("spec.cidrs");
    for (range, before) in ranges.items().zip(before.items()) {
        if range.value != before.value {
            range.invalid("field is immutable", errors);
        }
    }
}

/// An address that is taken.
pub(super) fn address(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let parent = Spot::root(new).at("spec.parentRef");
    if let Some(old) = old {
        let before = Spot::root(old).at("spec.parentRef");
        if parent.value != before.value {
            let fields =
                [("group", "Group"), ("resource", "Resource"), ("namespace", "Namespace"), ("name", "Name")];
            let shown =
                fields.map(|(field, go)| format!("\"{go}\":{}", Value::from(parent.child(field).text())));
            let shown = format!("{{{}}}", shown.join(","));
            parent.shown(Mistake::Invalid, &shown, "field is immutable", errors);
        }
        return;
    }
    if !parent.exists() {
        return parent.required("", errors);
    }
    parent.child("group").named_if_any(names::dns_subdomain, errors);
    for field in ["resource", "name"] {
        parent.child(field).named(names::path_segment, errors);
    }
    parent.child("namespace").named_if_any(names::path_segment, errors);
}
