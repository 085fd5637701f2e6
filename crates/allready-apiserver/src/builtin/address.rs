//! Addresses and node ports of services: kept where they were given, given where they are asked for, and never given twice.
//!
//! Follows `pkg/registry/core/service/storage/alloc.go` of Kubernetes.
//!
//! The real server draws them at random; here the name decides where the search for a free one begins, so that a run can be
//! repeated.

use std::{
    collections::BTreeSet,
    net::{IpAddr, Ipv4Addr},
    ops::RangeInclusive,
};

use serde_json::{Map, Value, json};

use super::{
    path::{at, carry, entry, flag_at, items, number_at, text_at},
    validate,
};
use crate::status::{Failure, FieldError};

/// The ranges that the addresses and node ports of services come from.
#[derive(Debug, Clone)]
pub(crate) struct Ranges {
    base: u32,
    length: u8,
    ports: RangeInclusive<u16>,
}

impl Default for Ranges {
    fn default() -> Self {
        Self { base: u32::from_be_bytes([10, 0, 0, 0]), length: 24, ports: 30000..=32767 }
    }
}

impl Ranges {
    /// Takes addresses from a range such as `10.96.0.0/16`.
    pub(crate) fn with_addresses(self, range: &str) -> Result<Self, String> {
        let wrong = || {
            format!("{range} is no range of IPv4 addresses for services, such as 10.96.0.0/16 (/8 to /28)")
        };
        let (base, length) = range.split_once('/').ok_or_else(wrong)?;
        let base: Ipv4Addr = base.parse().map_err(|_| wrong())?;
        let length = length.parse().ok().filter(|length| (8..=28).contains(length)).ok_or_else(wrong)?;
        let ranges = Self { base: base.to_bits(), length, ..self };
        if ranges.base.is_multiple_of(ranges.size()) { Ok(ranges) } else { Err(wrong()) }
    }

    /// Takes node ports from a range.
    pub(crate) fn with_ports(self, ports: RangeInclusive<u16>) -> Result<Self, String> {
        if ports.is_empty() || *ports.start() == 0 {
            return Err(format!("{}-{} is no range of node ports", ports.start(), ports.end()));
        }
        Ok(Self { ports, ..self })
    }

    /// The number of addresses, with those that no service gets.
    fn size(&self) -> u32 {
        1 << (32 - u32::from(self.length))
    }

    fn address(&self, offset: u32) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.base + offset)
    }

    fn offset(&self, address: Ipv4Addr) -> Option<u32> {
        address.to_bits().checked_sub(self.base).filter(|offset| *offset < self.size())
    }
}

impl std::fmt::Display for Ranges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.address(0), self.length)
    }
}

/// What the other services have.
struct Taken {
    addresses: BTreeSet<String>,
    ports: BTreeSet<i64>,
}

/// Gives a service the addresses and ports that its type asks for, or says why not. `others` are the stored services.
pub(crate) fn settle(
    new: &mut Value,
    old: Option<&Value>,
    others: Option<&dyn Fn() -> Result<Vec<Value>, Failure>>,
    ranges: &Ranges,
) -> Result<(), Failure> {
    if let Some(old) = old {
        keep(new, old);
    }
    if items(new, &["spec", "clusterIPs"]).is_empty() && !text_at(new, &["spec", "clusterIP"]).is_empty() {
        put(new, "clusterIPs", json!([text_at(new, &["spec", "clusterIP"])]));
    }
    families(new, old)?;
    let addressed = text_at(new, &["spec", "type"]) != "ExternalName"
        && text_at(new, &["spec", "clusterIP"]) != "None"
        && old.is_none_or(|old| text_at(old, &["spec", "type"]) == "ExternalName");
    let ports = wants_ports(new) || wants_health_port(new);
    if !addressed && !ports {
        return Ok(());
    }
    let own =
        [text_at(new, &["metadata", "namespace"]).to_owned(), text_at(new, &["metadata", "name"]).to_owned()];
    let taken = taken(&others.map(|others| others()).transpose()?.unwrap_or_default(), &own);
    let seed = own.join("/").bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    if addressed {
        give_address(new, &taken, seed, others.is_none(), ranges)?;
    }
    if !ports {
        return Ok(());
    }
    let mut ports = Ports { taken: taken.ports, seed, dry: others.is_none(), range: &ranges.ports };
    give_ports(new, old, &mut ports)?;
    give_health_port(new, old, &mut ports)
}

fn put(service: &mut Value, field: &str, value: Value) {
    if let Some(map) = service.as_object_mut() {
        entry(map, &["spec"]).insert(field.to_owned(), value);
    }
}

fn refuse(service: &Value, field: &str, value: Value, why: String) -> Failure {
    let errors = [FieldError::invalid(field, value, why)];
    Failure::invalid("", "Service", text_at(service, &["metadata", "name"]), &errors)
}

fn taken(others: &[Value], own: &[String; 2]) -> Taken {
    let mut taken = Taken { addresses: BTreeSet::new(), ports: BTreeSet::new() };
    for other in others {
        if own.iter().eq([text_at(other, &["metadata", "namespace"]), text_at(other, &["metadata", "name"])])
        {
            continue;
        }
        taken.addresses.extend(
            items(other, &["spec", "clusterIPs"]).iter().filter_map(Value::as_str).map(ToOwned::to_owned),
        );
        taken.ports.extend(ports_of(other));
    }
    taken
}

fn ports_of(service: &Value) -> Vec<i64> {
    let ports = items(service, &["spec", "ports"]).iter().filter_map(|port| number_at(port, &["nodePort"]));
    ports.chain(number_at(service, &["spec", "healthCheckNodePort"])).filter(|port| *port != 0).collect()
}

fn wants_ports(service: &Value) -> bool {
    matches!(text_at(service, &["spec", "type"]), "NodePort" | "LoadBalancer")
}

pub(crate) fn wants_health_port(service: &Value) -> bool {
    text_at(service, &["spec", "type"]) == "LoadBalancer"
        && text_at(service, &["spec", "externalTrafficPolicy"]) == "Local"
}

/// What an update leaves out is what the service had.
fn keep(new: &mut Value, old: &Value) {
    let external = |service: &Value| text_at(service, &["spec", "type"]) == "ExternalName";
    let (one, all) = (["spec", "clusterIP"], ["spec", "clusterIPs"]);
    if !external(old) && !external(new) {
        if text_at(new, &one).is_empty() {
            carry(new, old, &one);
        }
        if items(new, &all).is_empty() && text_at(new, &one) == text_at(old, &one) {
            carry(new, old, &all);
        }
        if at(new, &["spec", "ipFamilies"]).is_none() {
            carry(new, old, &["spec", "ipFamilies"]);
        }
        if text_at(new, &one) != text_at(old, &one) && at(new, &all) == at(old, &all) {
            put(new, "clusterIPs", json!([text_at(new, &one)]));
        }
    }
    if wants_ports(old) && wants_ports(new) {
        keep_ports(new, old);
    }
    if wants_health_port(old) && wants_health_port(new) && at(new, &["spec", "healthCheckNodePort"]).is_none()
    {
        carry(new, old, &["spec", "healthCheckNodePort"]);
    }
}

fn keep_ports(new: &mut Value, old: &Value) {
    let former: Vec<_> = items(old, &["spec", "ports"])
        .iter()
        .map(|port| (text_at(port, &["name"]), number_at(port, &["nodePort"]).unwrap_or(0)))
        .collect();
    let used = ports_of(new);
    for port in list_mut(new) {
        let name = port.get("name").and_then(Value::as_str).unwrap_or_default();
        let number = former.iter().rev().find(|(former, _)| *former == name).map_or(0, |(_, number)| *number);
        if number != 0 && !used.contains(&number) && number_of(port) == 0 {
            port.insert("nodePort".into(), json!(number));
        }
    }
}

fn list_mut(service: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let ports = super::path::at_mut(service, &["spec", "ports"]).and_then(Value::as_array_mut);
    ports.into_iter().flatten().filter_map(Value::as_object_mut)
}

fn number_of(port: &Map<String, Value>) -> i64 {
    port.get("nodePort").and_then(Value::as_i64).unwrap_or(0)
}

/// Which families of addresses the service has; this server has IPv4 alone.
fn families(new: &mut Value, old: Option<&Value>) -> Result<(), Failure> {
    if text_at(new, &["spec", "type"]) == "ExternalName" {
        return Ok(());
    }
    let bare = text_at(new, &["spec", "clusterIP"]) == "None" && at(new, &["spec", "selector"]).is_none();
    if at(new, &["spec", "ipFamilyPolicy"]).is_none() {
        let former = old.and_then(|old| at(old, &["spec", "ipFamilyPolicy"])).cloned();
        let policy = if bare { "RequireDualStack" } else { "SingleStack" };
        put(new, "ipFamilyPolicy", former.unwrap_or_else(|| json!(policy)));
    }
    let problems = validate::service_addresses(new);
    if !problems.is_empty() {
        return Err(Failure::invalid("", "Service", text_at(new, &["metadata", "name"]), &problems));
    }
    let policy = text_at(new, &["spec", "ipFamilyPolicy"]).to_owned();
    let mut found: Vec<Value> = items(new, &["spec", "ipFamilies"]).to_vec();
    let mut errors = Vec::new();
    if policy == "SingleStack" {
        for (field, what) in [("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")] {
            if items(new, &["spec", field]).len() == 2 {
                let why = format!(
                    "must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
                );
                errors.push(FieldError::invalid("spec.ipFamilyPolicy", policy.as_str(), why));
            }
        }
    }
    for (index, address) in items(new, &["spec", "clusterIPs"]).iter().enumerate().skip(found.len()) {
        match validate::read_address(address.as_str().unwrap_or_default()) {
            Some(IpAddr::V4(_)) => found.push(json!("IPv4")),
            Some(IpAddr::V6(_)) => {
                let all = at(new, &["spec", "clusterIPs"]).cloned().unwrap_or_default();
                let field = format!("spec.clusterIPs[{index}]");
                errors.push(FieldError::invalid(field, all, "IPv6 is not configured on this cluster"));
            }
            None => break,
        }
    }
    if bare && errors.is_empty() {
        if found.is_empty() {
            found.push(json!("IPv4"));
        }
        if found.len() < 2 && policy != "SingleStack" {
            found.push(if found.first() == Some(&json!("IPv4")) { json!("IPv6") } else { json!("IPv4") });
        }
        put(new, "ipFamilies", Value::Array(found));
        return Ok(());
    }
    if errors.is_empty() {
        if policy == "RequireDualStack" {
            let why = "this cluster is not configured for dual-stack services";
            errors.push(FieldError::invalid("spec.ipFamilyPolicy", policy.as_str(), why));
        }
        for (index, family) in found.iter().enumerate().filter(|(_, family)| **family != "IPv4") {
            let why = "not configured on this cluster";
            errors.push(FieldError::invalid(format!("spec.ipFamilies[{index}]"), family.clone(), why));
        }
    }
    if !errors.is_empty() {
        return Err(Failure::invalid("", "Service", text_at(new, &["metadata", "name"]), &errors));
    }
    if found.is_empty() {
        found.push(json!("IPv4"));
    }
    put(new, "ipFamilies", Value::Array(found));
    Ok(())
}

/// Tells the service of the API server itself from all others.
fn is_api_server(service: &Value) -> bool {
    [("namespace", "default"), ("name", "kubernetes")]
        .iter()
        .all(|(field, value)| text_at(service, &["metadata", field]) == *value)
}

fn give_address(
    new: &mut Value,
    taken: &Taken,
    seed: u64,
    dry: bool,
    ranges: &Ranges,
) -> Result<(), Failure> {
    let asked = text_at(new, &["spec", "clusterIP"]).to_owned();
    if asked.is_empty() {
        // The first address of the range is that of the API server's own service, the last one is everyone's.
        let count = ranges.size() - 3;
        let first = u32::try_from(seed % u64::from(count)).unwrap_or(0);
        let own = is_api_server(new).then(|| ranges.address(1).to_string());
        let others = (0..count).map(|step| ranges.address(2 + (first + step) % count).to_string());
        let mut free = own.into_iter().chain(others);
        let Some(address) = free.find(|address| !taken.addresses.contains(address)) else {
            let name = crate::status::quote(text_at(new, &["metadata", "name"]));
            let why = format!("failed to allocate a serviceIP for Service {name}: range is full");
            return Err(Failure::internal(why));
        };
        put(new, "clusterIPs", json!([address]));
        put(new, "clusterIP", json!(address));
        return Ok(());
    }
    let given = at(new, &["spec", "clusterIPs"]).cloned().unwrap_or_default();
    let offset = match validate::read_address(&asked) {
        Some(IpAddr::V4(address)) => ranges.offset(address),
        _ => None,
    };
    let problem = match offset {
        None => {
            format!("the provided IP ({asked}) is not in the valid range. The range of valid IPs is {ranges}")
        }
        _ if dry => return Ok(()),
        Some(offset) if offset == 0 || offset == ranges.size() - 1 => {
            "the provided network does not match the current range".to_owned()
        }
        Some(offset) if offset == 1 || taken.addresses.contains(&asked) => {
            "provided IP is already allocated".to_owned()
        }
        Some(_) => return Ok(()),
    };
    Err(refuse(new, "spec.clusterIPs", given, format!("failed to allocate IP {asked}: {problem}")))
}

/// The numbers that can still be given.
struct Ports<'a> {
    taken: BTreeSet<i64>,
    seed: u64,
    /// Whether nothing will be stored: then only what one service asks for twice is refused.
    dry: bool,
    range: &'a RangeInclusive<u16>,
}

impl Ports<'_> {
    fn take(&mut self, number: i64) -> Result<(), String> {
        if !self.dry && !u16::try_from(number).is_ok_and(|number| self.range.contains(&number)) {
            let (first, last) = (self.range.start(), self.range.end());
            return Err(format!(
                "provided port is not in the valid range. The range of valid ports is {first}-{last}"
            ));
        }
        if self.taken.insert(number) { Ok(()) } else { Err("provided port is already allocated".to_owned()) }
    }

    fn next(&mut self, service: &Value) -> Result<i64, Failure> {
        let start = i64::from(*self.range.start());
        let count = i64::from(*self.range.end()) - start + 1;
        let first = i64::try_from(self.seed % count.unsigned_abs()).unwrap_or(0);
        let asked = ports_of(service);
        let mut free = (0..count).map(|step| start + (first + step) % count);
        let found = free.find(|port| !self.taken.contains(port) && !asked.contains(port));
        self.taken.extend(found);
        found.ok_or_else(|| Failure::internal("failed to allocate a nodePort: range is full"))
    }
}

fn give_ports(new: &mut Value, old: Option<&Value>, numbers: &mut Ports<'_>) -> Result<(), Failure> {
    if !wants_ports(new) {
        return Ok(());
    }
    let former = old.map(ports_of).unwrap_or_default();
    let asks = text_at(new, &["spec", "type"]) == "NodePort"
        || at(new, &["spec", "allocateLoadBalancerNodePorts"]).is_none()
        || flag_at(new, &["spec", "allocateLoadBalancerNodePorts"]);
    let ports: Vec<(i64, i64)> = items(new, &["spec", "ports"])
        .iter()
        .map(|port| (number_at(port, &["port"]).unwrap_or(0), number_at(port, &["nodePort"]).unwrap_or(0)))
        .collect();
    let mut given: Vec<(i64, i64)> = Vec::new();
    for (index, (port, asked)) in ports.iter().enumerate() {
        // One number may serve a port over several protocols.
        let shared = given.iter().chain(&ports).find(|(other, number)| other == port && *number != 0);
        let number = match (*asked, shared) {
            (0, _) if !asks => 0,
            (0, Some((_, number))) if old.is_none() => *number,
            (0, _) => numbers.next(new)?,
            (number, _) => number,
        };
        let again = given.iter().any(|(other, own)| *own == number && (old.is_some() || other == port));
        if *asked != 0 && !again && !former.contains(&number) {
            numbers
                .take(number)
                .map_err(|why| refuse(new, &format!("spec.ports[{index}].nodePort"), json!(number), why))?;
        }
        given.push((*port, number));
    }
    for (port, (_, number)) in list_mut(new).zip(given).filter(|(_, (_, number))| *number != 0) {
        port.insert("nodePort".into(), json!(number));
    }
    Ok(())
}

fn give_health_port(new: &mut Value, old: Option<&Value>, numbers: &mut Ports<'_>) -> Result<(), Failure> {
    if !wants_health_port(new) || old.is_some_and(wants_health_port) {
        return Ok(());
    }
    match number_at(new, &["spec", "healthCheckNodePort"]).filter(|number| *number != 0) {
        None => {
            let number = numbers.next(new)?;
            put(new, "healthCheckNodePort", json!(number));
            Ok(())
        }
        Some(number) => numbers.take(number).map_err(|why| {
            Failure::internal(format!("failed to allocate requested HealthCheck NodePort {number}: {why}"))
        }),
    }
}
