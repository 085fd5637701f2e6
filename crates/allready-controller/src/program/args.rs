//! The arguments of the program.

use std::{net::SocketAddr, path::PathBuf};

use allready_gateway::object::Address;
use allready_kube::kinds::{ConfigurationStatusSpec, Preset};
use clap::Args;
use tracing::level_filters::LevelFilter;

use super::{
    cluster::ClusterArgs,
    gateway::{address, unsupported},
    sources::{Source, source},
};
use crate::{
    config::StatusKey,
    gateway::CONTROLLER_NAME,
    web::{Authentication, Door},
};

/// The arguments of `allready-controller` and of `allready controller`: what to answer for, and how to run.
#[derive(Debug, Args)]
#[command(after_help = "\
It watches ConfigurationStatuses and everything that counts for them (StatusReports,
nodes, the pods of DaemonSets, leases, and the objects of other systems that their
sources name), and writes Ready, with the counts and causes, when something changed.
Of several replicas one writes. A signal ends it, and the next one leads at once.

The objects that --ensure names are made in the first --group. Presets:
  metallb   read the ConfigurationStates of MetalLB 0.15.3 and later

With --clusters it is a hub, too: it answers StatusAggregations, each of which gives
objects of this cluster one status from the instances in the others. There it only
reads. Clusters come and go without a restart. Sources, of which there may be several:
  secrets                      kubeconfigs in Secrets with the label
                               allready.dev/cluster, in the namespace of the hub
  secrets:NAMESPACE            in another one; `*` is all of them
  secrets:NAMESPACE/SELECTOR   Secrets with other labels
  profiles[:NAMESPACE]         ClusterProfiles of multicluster.x-k8s.io
  dir:PATH                     kubeconfigs in a directory, named after their clusters
  files:PATH                   objects in a directory, NAME.yaml or NAME/*.yaml, where
                               there is no cluster to ask

With --gateway-class it gives GatewayClasses of that name with its controllerName,
their Gateways, ListenerSets, routes and BackendTLSPolicies the statuses of Gateway API.
It moves no traffic. What names a class or a parent that does not exist gets an Event.

With --metrics it also serves
  /metrics   writes (config_status, hub and gateway) and leadership, for Prometheus
  /healthz   whether it makes progress; 503 with the reason where it does not
  /readyz    whether it sees what it watches; 503 with what it cannot see

With --view it also serves a page that shows everything it may read, live, to this
machine or pod alone. With --view-auth it asks who is looking, and shows each person
only what they may list; then it can be reached from elsewhere, too:
  token   who has a token of the cluster signs in with it. TLS ends at a proxy, such
          as an Ingress or a Gateway, before --view
  proxy   a proxy in the same pod has signed them in, and says so in the headers
          X-Remote-User and X-Remote-Group

Exit codes:
  0 it was stopped
  64 wrong usage, 66 no usable kubeconfig or providers, 69 the address is taken

Examples:
  allready controller
  allready controller --namespace shop --ensure shop/config-status
  allready controller --group metallb.io/v1beta1 --namespace metallb-system \\
    --ensure metallb-system/config-status=preset:metallb --metrics 127.0.0.1:8080
  allready controller --clusters secrets --clusters dir:/etc/fleet
  allready controller --clusters profiles:fleet --cluster-providers providers.yaml
  allready controller --gateway-class example --gateway-address 192.0.2.10
  allready controller --kubeconfig dev.kubeconfig --no-leader-election --log debug")]
pub struct ControllerArgs {
    #[command(flatten)]
    pub(super) cluster: ClusterArgs,

    /// A namespace to stay in; may be said several times [default: all].
    #[arg(short, long, value_name = "NAMESPACE")]
    pub(super) namespace: Vec<String>,

    /// An object to make where it is not there, as NAMESPACE/NAME or NAMESPACE/NAME=preset:PRESET.
    #[arg(long, value_name = "OBJECT", value_parser = ensured)]
    pub(super) ensure: Vec<Ensured>,

    /// A group and version under which ConfigurationStatuses are served; may be said several times.
    #[arg(long, value_name = "GROUP/VERSION", default_value = "allready.dev/v1alpha1", value_parser = group)]
    pub(super) group: Vec<String>,

    /// A source of clusters (see below); may be said several times. Without it there is no hub.
    #[arg(long, value_name = "SOURCE", value_parser = source)]
    pub(super) clusters: Vec<Source>,

    /// Which plugin gives the credentials that a ClusterProfile asks for: a list of providers, as JSON or YAML.
    #[arg(long, value_name = "FILE", requires = "clusters")]
    pub(super) cluster_providers: Option<PathBuf>,

    /// The namespace for reports on clusters [default: POD_NAMESPACE, or that of the kubeconfig].
    #[arg(long, value_name = "NAMESPACE", requires = "clusters")]
    pub(super) hub_namespace: Option<String>,

    /// Keep no DNS records: neither read nor write DNSEndpoints. Aggregations that ask for records say so.
    #[arg(long, requires = "clusters")]
    pub(super) no_dns: bool,

    /// A GatewayClass to answer for; may be said several times. Without it Gateway API is left alone.
    #[arg(long, value_name = "NAME")]
    pub(super) gateway_class: Vec<String>,

    /// The spec.controllerName of these classes.
    #[arg(long, value_name = "DOMAIN/PATH", default_value = CONTROLLER_NAME, value_parser = controller_name)]
    pub(super) gateway_controller_name: String,

    /// An address that Gateways may have, the first of which is given to those that ask for none; may be said several times [default:
    /// 127.0.0.1, and any that is asked for].
    #[arg(long, value_name = "ADDRESS", requires = "gateway_class", value_parser = address)]
    pub(super) gateway_address: Vec<Address>,

    /// A feature of Gateway API that is not supported, such as `TLSRouteModeTerminate`; may be said several times.
    #[arg(long, value_name = "FEATURE", requires = "gateway_class", value_parser = unsupported)]
    pub(super) gateway_without: Vec<String>,

    /// Let one of several replicas write: the default.
    #[arg(long, overrides_with = "no_leader_election")]
    pub(super) leader_election: bool,

    /// Write without asking: there must be no other replica. The lease only shows that this one runs.
    #[arg(long, overrides_with = "leader_election")]
    pub(super) no_leader_election: bool,

    /// The lease by which replicas agree, as NAME or NAMESPACE/NAME.
    #[arg(long, value_name = "LEASE", default_value = "allready-controller")]
    pub(super) lease: String,

    /// The name of this replica, which no other has [default: POD_NAME, or the machine and the process].
    #[arg(long, value_name = "NAME")]
    pub(super) identity: Option<String>,

    /// Serve metrics and probes on this address.
    #[arg(long, value_name = "ADDRESS")]
    pub(super) metrics: Option<SocketAddr>,

    /// Serve the live view on this address; one of this machine or pod is reached with kubectl port-forward.
    #[arg(long, value_name = "ADDRESS")]
    pub(super) view: Option<SocketAddr>,

    /// Ask who is looking at the live view (see below).
    #[arg(long, value_name = "WAY", requires = "view", value_parser = authentication)]
    pub(super) view_auth: Option<Authentication>,

    /// A name under which browsers reach the live view, without the port; may be said several times.
    #[arg(long, value_name = "HOST", requires = "view_auth")]
    pub(super) view_host: Vec<String>,

    /// File that keeps the time line of the live view across restarts, at most 2,000 transitions.
    #[arg(long, value_name = "FILE", requires = "view")]
    pub(super) history: Option<PathBuf>,

    /// What is logged: off, error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub(super) log: LevelFilter,
}

/// An object that is made where it is not there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ensured {
    namespace: String,
    name: String,
    preset: Option<Preset>,
}

impl ControllerArgs {
    /// The address of the live view, and the people that it is served to.
    pub(super) fn door(&self) -> Option<Door> {
        let (by, hosts) = (self.view_auth, self.view_host.clone());
        self.view.map(|address| Door { address, by, hosts })
    }

    /// Returns true if replicas agree on who writes.
    pub(super) fn leads(&self) -> bool {
        !self.no_leader_election
    }

    /// The namespace of the hub, given that of the kubeconfig.
    pub(super) fn hub_namespace(&self, default: &str) -> String {
        self.hub_namespace.clone().or_else(|| said("POD_NAMESPACE")).unwrap_or_else(|| default.to_owned())
    }

    /// The name of this replica.
    pub(super) fn identity(&self) -> String {
        let machine = || {
            let machine = said("HOSTNAME").or_else(|| std::fs::read_to_string("/etc/hostname").ok());
            format!("{}-{}", machine.as_deref().unwrap_or("allready").trim(), std::process::id())
        };
        self.identity.clone().or_else(|| said("POD_NAME")).unwrap_or_else(machine)
    }

    /// The objects to make where they are not there.
    pub(super) fn ensured(&self) -> Vec<(StatusKey, ConfigurationStatusSpec)> {
        let api_version = self.group.first().cloned().unwrap_or_default();
        let object = |ensured: &Ensured| {
            let key = StatusKey {
                api_version: api_version.clone(),
                namespace: ensured.namespace.clone(),
                name: ensured.name.clone(),
            };
            (key, ConfigurationStatusSpec { preset: ensured.preset, ..Default::default() })
        };
        self.ensure.iter().map(object).collect()
    }
}

/// Reads a setting from the environment, if there is one.
fn said(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn ensured(text: &str) -> Result<Ensured, String> {
    let (object, preset) = match text.split_once('=') {
        Some((object, preset)) => (object, Some(preset_named(preset)?)),
        None => (text, None),
    };
    match object.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok(Ensured { namespace: namespace.to_owned(), name: name.to_owned(), preset })
        }
        _ => Err(format!("{object:?} is no NAMESPACE/NAME")),
    }
}

fn preset_named(text: &str) -> Result<Preset, String> {
    match text.strip_prefix("preset:") {
        Some(name) if name.eq_ignore_ascii_case("metallb") => Ok(Preset::MetalLB),
        Some(name) => Err(format!("there is no preset {name:?}: there is metallb")),
        None => Err(format!("{text:?} is no preset:PRESET")),
    }
}

fn authentication(text: &str) -> Result<Authentication, String> {
    match text {
        "token" => Ok(Authentication::Token),
        "proxy" => Ok(Authentication::Proxy),
        _ => Err("there are token and proxy".to_owned()),
    }
}

fn controller_name(text: &str) -> Result<String, String> {
    match text.split_once('/') {
        Some((domain, path)) if domain.contains('.') && !path.is_empty() => Ok(text.to_owned()),
        _ => Err(format!("{text:?} is no DOMAIN/PATH, such as {CONTROLLER_NAME}")),
    }
}

fn group(text: &str) -> Result<String, String> {
    match text.split_once('/') {
        Some((group, version)) if group.contains('.') && !version.is_empty() && !version.contains('/') => {
            Ok(text.to_owned())
        }
        _ => Err(format!("{text:?} is no GROUP/VERSION, such as allready.dev/v1alpha1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::command_line;

    fn parsed(arguments: &[&str]) -> ControllerArgs {
        let words = ["allready-controller"].iter().chain(arguments);
        command_line(words.map(Into::into)).unwrap()
    }

    #[test]
    fn an_ensured_object_is_in_the_first_group_and_may_have_a_preset() {
        let args = parsed(&["--group", "metallb.io/v1beta1", "--ensure", "m/config-status=preset:metallb"]);
        let (subject, spec) = args.ensured().remove(0);
        assert_eq!(
            (subject.api_version.as_str(), subject.namespace.as_str(), subject.name.as_str()),
            ("metallb.io/v1beta1", "m", "config-status")
        );
        assert_eq!(spec.preset, Some(Preset::MetalLB));
    }

    #[test]
    fn a_hub_is_asked_for_by_its_clusters() {
        assert_eq!(parsed(&[]).clusters, []);
        let hub = parsed(&["--clusters", "secrets", "--clusters", "dir:/a", "--hub-namespace", "fleet"]);
        assert_eq!((hub.clusters.len(), hub.hub_namespace("default").as_str()), (2, "fleet"));
        let alone = ["allready-controller", "--hub-namespace", "fleet"].into_iter();
        assert!(command_line(alone.map(Into::into)).unwrap_err().to_string().contains("--clusters"));
    }

    #[test]
    fn the_live_view_is_for_this_machine_until_it_asks_who_is_looking() {
        assert!(parsed(&[]).door().is_none());
        assert!(parsed(&["--view", "127.0.0.1:8081"]).door().unwrap().check().is_ok());
        assert!(parsed(&["--view", "0.0.0.0:8081"]).door().unwrap().check().is_err());
        let open = ["--view", "0.0.0.0:8081", "--view-auth", "token", "--view-host", "status.example.com"];
        assert!(parsed(&open).door().unwrap().check().is_ok());
        for alone in [["--view-auth", "token"], ["--view-host", "a.example"], ["--history", "/a"]] {
            let words = ["allready-controller"].iter().chain(&alone);
            assert!(command_line(words.map(Into::into)).is_err(), "{alone:?}");
        }
    }

    #[test]
    fn leadership_is_agreed_on_unless_it_is_said_last_that_it_is_not() {
        assert!(parsed(&[]).leads());
        assert!(!parsed(&["--no-leader-election"]).leads());
        assert!(parsed(&["--no-leader-election", "--leader-election"]).leads());
        assert!(!parsed(&["--leader-election", "--no-leader-election"]).leads());
    }

    #[test]
    fn what_is_no_object_preset_or_group_is_refused_with_what_it_should_be() {
        assert_eq!(ensured("config-status"), Err("\"config-status\" is no NAMESPACE/NAME".to_owned()));
        assert_eq!(ensured("a/b=preset:x"), Err("there is no preset \"x\": there is metallb".to_owned()));
        assert_eq!(ensured("a/b=metallb"), Err("\"metallb\" is no preset:PRESET".to_owned()));
        assert!(group("v1").unwrap_err().starts_with("\"v1\" is no GROUP/VERSION"));
    }
}
