//! The controller of Gateway API beside the others: for the classes that are named.

use std::{collections::BTreeSet, net::IpAddr};

use allready_gateway::{Kind, Support, object::Address};

use super::{args::ControllerArgs, cluster::Cluster};
use crate::{engine::Running, gateway::GatewayController};

/// The features that the statuses are computed for, by their names in sigs.k8s.io/gateway-api/pkg/features. Features that only traffic can
/// show are left out: nothing here serves any.
const FEATURES: [&str; 17] = [
    "BackendTLSPolicy",
    "GRPCRoute",
    "Gateway",
    "GatewayAddressEmpty",
    "GatewayFrontendClientCertificateValidation",
    "GatewayFrontendClientCertificateValidationInsecureFallback",
    "GatewayPort8080",
    "GatewayStaticAddresses",
    "HTTPRoute",
    "HTTPRouteParentRefPort",
    "ListenerSet",
    "ReferenceGrant",
    "TCPRoute",
    "TLSRoute",
    "TLSRouteModeMixed",
    "TLSRouteModeTerminate",
    "UDPRoute",
];

/// Reads an address that Gateways may have.
pub(super) fn address(text: &str) -> Result<Address, String> {
    let is_hostname = !text.is_empty()
        && text.len() <= 253
        && text.split('.').all(|label| {
            let is_legal = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
            !label.is_empty()
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(is_legal)
        });
    let type_ = match text.parse::<IpAddr>() {
        Ok(_) => "IPAddress",
        Err(_) if is_hostname => "Hostname",
        Err(_) => return Err(format!("{text:?} is neither an IP address nor a hostname")),
    };
    Ok(Address { type_: type_.to_owned(), value: text.to_owned() })
}

/// Features that statuses can be computed without, beside the kinds of routes.
const OPTIONAL: [&str; 3] = ["ListenerSet", "TLSRouteModeMixed", "TLSRouteModeTerminate"];

/// Reads a feature that is not supported.
pub(super) fn unsupported(text: &str) -> Result<String, String> {
    let routes = Kind::ALL.into_iter().filter(|kind| kind.is_route()).map(|kind| kind.to_string());
    let optional: BTreeSet<String> = OPTIONAL.map(str::to_owned).into_iter().chain(routes).collect();
    if optional.contains(text) {
        return Ok(text.to_owned());
    }
    let names = Vec::from_iter(optional).join(", ");
    Err(format!("{text:?} is no feature that can be left out: there are {names}"))
}

/// Takes a feature away.
fn leave_out(support: &mut Support, feature: &str) {
    support.features.remove(feature);
    support.route_kinds.retain(|kind| kind.to_string() != feature);
    match feature {
        "ListenerSet" => support.listener_sets = false,
        "TLSRouteModeMixed" => support.tls_mixed = false,
        "TLSRouteModeTerminate" => {
            support.tls_terminate = false;
            leave_out(support, "TLSRouteModeMixed");
        }
        _ => {}
    }
}

/// The abilities that the arguments give it.
fn support(args: &ControllerArgs) -> Support {
    let mut support = Support::new(&args.gateway_controller_name);
    support.classes = Some(args.gateway_class.iter().cloned().collect());
    support.features = BTreeSet::from(FEATURES.map(str::to_owned));
    if let Some(first) = args.gateway_address.first() {
        support.default_address = Some(first.clone());
        support.usable_addresses = Some(args.gateway_address.clone());
    }
    for feature in &args.gateway_without {
        leave_out(&mut support, feature);
    }
    support
}

/// Makes the controller; none where no class is named.
pub(super) fn controller(
    args: &ControllerArgs,
    cluster: &Cluster,
    running: Running,
) -> Option<GatewayController> {
    let is_wanted = !args.gateway_class.is_empty();
    is_wanted.then(|| GatewayController { client: cluster.client.clone(), support: support(args), running })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::command_line;

    #[test]
    fn a_feature_that_is_left_out_is_neither_claimed_nor_supported() {
        let words = "allready-controller --gateway-class a --gateway-without TLSRouteModeTerminate --gateway-without UDPRoute";
        let args = command_line(words.split(' ').map(Into::into)).unwrap();
        let support = support(&args);
        assert!(!support.tls_terminate && !support.tls_mixed && support.listener_sets);
        assert!(support.kinds_of("UDP").is_empty() && !support.kinds_of("TCP").is_empty());
        for gone in ["TLSRouteModeTerminate", "TLSRouteModeMixed", "UDPRoute"] {
            assert!(!support.features.contains(gone), "{gone}");
        }
        assert!(unsupported("Gateway").unwrap_err().contains("TLSRouteModeTerminate"));
    }
}
