//! Arguments of `allready gateway`.

use clap::{Args, Subcommand};

use crate::{
    cluster::ClusterArgs,
    failure::Failure,
    objects::FileArgs,
    output::{Format, Formats},
};

/// A command on objects of the Gateway API.
#[derive(Debug, Args)]
pub(crate) struct GatewayArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: GatewayCommand,
}

/// The commands on objects of the Gateway API.
#[derive(Debug, Subcommand)]
pub(crate) enum GatewayCommand {
    /// Compute the status that Gateway API manifests would get, and report what would be wrong.
    Check(Box<CheckArgs>),
}

/// Which manifests, beside what, and the form of the answer.
#[derive(Debug, Args)]
#[command(mut_arg("filename", |arg| arg.required_unless_present("from_cluster")), after_help = "\
Nothing is written anywhere. Every GatewayClass of the manifests is answered for, as an
implementation would that supports all of Gateway API 1.6. A class that is not among the
manifests is taken to exist, since implementations install their own, and so are parameters of
their own kinds. A Service, Secret, ConfigMap or Gateway that is named and is not there is an error: add its manifest, look for it in
a cluster with --from-cluster, or take all of its kind to exist with --assume.

Manifests are checked against the schemas and CEL rules of the CRDs of the Gateway API, if these
are among the manifests or in the cluster: what the API server would refuse is an error.

With --from-cluster the manifests replace what is stored under the same names, and errors of
stored objects count only if the manifests cause them. Without -f, everything stored is checked.
Objects of kinds that may not be listed are taken to exist, and the exit code is 2 at best.

Exit codes:
  0 no errors, 1 errors
  2 no errors, but not everything was read: in the cluster, or in directories below -f
  64 wrong usage, 65 nothing to check, 66 unreadable input or no kubeconfig,
  69 no answer from the API server, 74 unwritable output, 77 not permitted

Examples:
  allready gateway check -f manifests/
  kustomize build . | allready gateway check -f -
  allready gateway check -R -f apps/ --assume Service,Secret -o github
  allready gateway check -f route.yaml --from-cluster
  allready gateway check -f gateway.yaml -o yaml | kubectl apply --server-side --subresource=status -f -")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    #[command(flatten)]
    pub(crate) input: FileArgs,

    /// Add the objects that are stored in the cluster.
    #[arg(long)]
    pub(crate) from_cluster: bool,

    /// The namespace of manifests that name none [default: that of the context with --from-cluster, or "default"].
    #[arg(short, long, value_name = "NAMESPACE")]
    pub(crate) namespace: Option<String>,

    /// Kinds whose absent objects are taken to exist, such as Service,Secret,ConfigMap,Gateway.
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub(crate) assume: Vec<String>,

    /// The format of the output: a table is a tree here, and yaml the objects with their status, for
    /// `kubectl apply --subresource=status`.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = FORMATS)]
    pub(crate) output: Format,

    /// Draw the tree with ASCII only [default: unless the locale is UTF-8].
    #[arg(long)]
    pub(crate) ascii: bool,
}

/// The formats of `gateway check`.
const FORMATS: Formats = Formats(&[
    Format::Table,
    Format::Wide,
    Format::Json,
    Format::Yaml,
    Format::Junit,
    Format::Sarif,
    Format::Github,
]);

impl CheckArgs {
    /// Checks what clap cannot.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.cluster.is_given() && !self.from_cluster {
            return Err(Failure::usage("the cluster options need --from-cluster"));
        }
        Ok(())
    }
}
