//! Short names of kinds, for who asks without a cluster: what discovery would say, and people have in their fingers.

/// Short name, group and kind, as the definitions of the projects have them.
const SHORT: &[(&str, &str, &str)] = &[
    ("cm", "", "ConfigMap"),
    ("ep", "", "Endpoints"),
    ("ev", "", "Event"),
    ("limits", "", "LimitRange"),
    ("no", "", "Node"),
    ("ns", "", "Namespace"),
    ("po", "", "Pod"),
    ("pv", "", "PersistentVolume"),
    ("pvc", "", "PersistentVolumeClaim"),
    ("quota", "", "ResourceQuota"),
    ("rc", "", "ReplicationController"),
    ("sa", "", "ServiceAccount"),
    ("svc", "", "Service"),
    ("deploy", "apps", "Deployment"),
    ("ds", "apps", "DaemonSet"),
    ("rs", "apps", "ReplicaSet"),
    ("sts", "apps", "StatefulSet"),
    ("hpa", "autoscaling", "HorizontalPodAutoscaler"),
    ("cj", "batch", "CronJob"),
    ("pdb", "policy", "PodDisruptionBudget"),
    ("crd", "apiextensions.k8s.io", "CustomResourceDefinition"),
    ("crds", "apiextensions.k8s.io", "CustomResourceDefinition"),
    ("csr", "certificates.k8s.io", "CertificateSigningRequest"),
    ("ing", "networking.k8s.io", "Ingress"),
    ("netpol", "networking.k8s.io", "NetworkPolicy"),
    ("pc", "scheduling.k8s.io", "PriorityClass"),
    ("sc", "storage.k8s.io", "StorageClass"),
    ("vs", "snapshot.storage.k8s.io", "VolumeSnapshot"),
    ("vsc", "snapshot.storage.k8s.io", "VolumeSnapshotContent"),
    ("gtw", "gateway.networking.k8s.io", "Gateway"),
    // The definition has gtw; gw is what people type, and the short name of Istio's.
    ("gw", "gateway.networking.k8s.io", "Gateway"),
    ("gc", "gateway.networking.k8s.io", "GatewayClass"),
    ("refgrant", "gateway.networking.k8s.io", "ReferenceGrant"),
    ("btlspolicy", "gateway.networking.k8s.io", "BackendTLSPolicy"),
    ("gw", "networking.istio.io", "Gateway"),
    ("vs", "networking.istio.io", "VirtualService"),
    ("dr", "networking.istio.io", "DestinationRule"),
    ("se", "networking.istio.io", "ServiceEntry"),
    ("sr", "allready.dev", "StatusReport"),
    ("cfgstatus", "allready.dev", "ConfigurationStatus"),
    ("statusagg", "allready.dev", "StatusAggregation"),
    ("cert", "cert-manager.io", "Certificate"),
    ("certs", "cert-manager.io", "Certificate"),
    ("cr", "cert-manager.io", "CertificateRequest"),
    ("crs", "cert-manager.io", "CertificateRequest"),
    ("ks", "kustomize.toolkit.fluxcd.io", "Kustomization"),
    ("hr", "helm.toolkit.fluxcd.io", "HelmRelease"),
    ("gitrepo", "source.toolkit.fluxcd.io", "GitRepository"),
    ("helmrepo", "source.toolkit.fluxcd.io", "HelmRepository"),
    ("hc", "source.toolkit.fluxcd.io", "HelmChart"),
    ("ocirepo", "source.toolkit.fluxcd.io", "OCIRepository"),
    ("app", "argoproj.io", "Application"),
    ("apps", "argoproj.io", "Application"),
    ("appproj", "argoproj.io", "AppProject"),
    ("appset", "argoproj.io", "ApplicationSet"),
    ("ro", "argoproj.io", "Rollout"),
    ("wf", "argoproj.io", "Workflow"),
    ("cwf", "argoproj.io", "CronWorkflow"),
    ("cl", "cluster.x-k8s.io", "Cluster"),
    ("ma", "cluster.x-k8s.io", "Machine"),
    ("ms", "cluster.x-k8s.io", "MachineSet"),
    ("md", "cluster.x-k8s.io", "MachineDeployment"),
    ("mp", "cluster.x-k8s.io", "MachinePool"),
    ("mhc", "cluster.x-k8s.io", "MachineHealthCheck"),
    ("kcp", "controlplane.cluster.x-k8s.io", "KubeadmControlPlane"),
    ("es", "external-secrets.io", "ExternalSecret"),
    ("ss", "external-secrets.io", "SecretStore"),
    ("css", "external-secrets.io", "ClusterSecretStore"),
    ("ces", "external-secrets.io", "ClusterExternalSecret"),
    ("so", "keda.sh", "ScaledObject"),
    ("sj", "keda.sh", "ScaledJob"),
    ("ksvc", "serving.knative.dev", "Service"),
    ("rev", "serving.knative.dev", "Revision"),
    ("rt", "serving.knative.dev", "Route"),
    ("tr", "tekton.dev", "TaskRun"),
    ("pr", "tekton.dev", "PipelineRun"),
    ("vm", "kubevirt.io", "VirtualMachine"),
    ("vmi", "kubevirt.io", "VirtualMachineInstance"),
    ("dv", "cdi.kubevirt.io", "DataVolume"),
    ("cnp", "cilium.io", "CiliumNetworkPolicy"),
    ("ccnp", "cilium.io", "CiliumClusterwideNetworkPolicy"),
    ("cep", "cilium.io", "CiliumEndpoint"),
    ("k", "kafka.strimzi.io", "Kafka"),
    ("kt", "kafka.strimzi.io", "KafkaTopic"),
    ("ku", "kafka.strimzi.io", "KafkaUser"),
    ("kc", "kafka.strimzi.io", "KafkaConnect"),
    ("prom", "monitoring.coreos.com", "Prometheus"),
    ("am", "monitoring.coreos.com", "Alertmanager"),
    ("smon", "monitoring.coreos.com", "ServiceMonitor"),
    ("pmon", "monitoring.coreos.com", "PodMonitor"),
    ("promrule", "monitoring.coreos.com", "PrometheusRule"),
    ("lhv", "longhorn.io", "Volume"),
    ("xrd", "apiextensions.crossplane.io", "CompositeResourceDefinition"),
    ("comp", "apiextensions.crossplane.io", "Composition"),
];

/// The kinds that have short names: short name, group and kind.
pub(crate) fn short_names() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    SHORT.iter().copied()
}

/// Whether a kind can be called this: by its name in any letters, or by a plural of it.
pub(crate) fn is_called(kind: &str, name: &str) -> bool {
    let (kind, name) = (kind.to_ascii_lowercase(), name.to_ascii_lowercase());
    let stem = kind.strip_suffix('y').map(|stem| format!("{stem}ies"));
    kind == name || [format!("{kind}s"), format!("{kind}es")].contains(&name) || stem == Some(name)
}

/// Whether this is a short name of a kind.
pub(crate) fn is_short(group: &str, kind: &str, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    short_names().any(|known| known == (name.as_str(), group, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_called_by_their_plurals() {
        assert!(is_called("NetworkPolicy", "networkpolicies") && is_called("Ingress", "ingresses"));
        assert!(!is_called("Pod", "podss") && !is_called("Pod", "po"));
        for (kind, expected) in [
            ("Pod", "pods"),
            ("Gateway", "gateways"),
            ("Policy", "policies"),
            ("Ingress", "ingresses"),
            ("Mesh", "meshes"),
        ] {
            assert!(is_called(kind, expected));
        }
    }

    #[test]
    fn no_short_name_is_there_twice_for_a_kind() {
        let mut all: Vec<_> = short_names().collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(is_short("apps", "Deployment", "Deploy") && !is_short("", "Deployment", "deploy"));
    }
}
