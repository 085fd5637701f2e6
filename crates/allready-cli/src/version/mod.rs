//! `allready version`: the versions of the client, the controllers, the CRDs and the server, and whether they fit.

mod fit;

use std::{fmt::Write as _, process::ExitCode};

use allready_kube::kinds::{self, SchemaDifference};
use clap::Args;
use k8s_openapi::{
    api::apps::v1::Deployment,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{Api, Client, ResourceExt as _, api::ListParams};
use schemars::JsonSchema;
use serde::Serialize;

use self::fit::problems;
use crate::{
    cluster::{ClusterArgs, Patience, block_on, list_all, refused},
    failure::Failure,
    output::{self, Column, Document, Format, Look, Report, Table, text::indented},
    printer::{BAD, GOOD, Printer, tame},
};

/// Options of `allready version`.
#[derive(Debug, Args)]
#[command(after_help = "\
The controllers are Deployments with the label app.kubernetes.io/name=allready. Their
version is the tag of the image, or else the label app.kubernetes.io/version. A CRD
fits if it has every field that this version writes; one of a later version may have
more.

Exit codes:
  0 everything fits, or nothing is installed
  1 something does not fit: the last lines say what, and what to do
  64 wrong usage, 66 no usable kubeconfig, 69 no answer, 77 not permitted

Examples:
  allready version
  allready version --client
  allready version -o json | jq -r .controllers[].version")]
pub(crate) struct VersionArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// Only the version of this program, without a cluster.
    #[arg(long)]
    pub(crate) client: bool,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = output::PLAIN)]
    pub(crate) output: Format,
}

/// The versions of everything.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Versions {
    client: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    controllers: Option<Vec<Controller>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crds: Option<Vec<Definition>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problems: Option<Vec<String>>,
}

/// A Deployment of a controller.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Controller {
    namespace: String,
    name: String,
    /// The version by its image or else by its label; none where neither says one.
    version: Option<String>,
    image: String,
    /// The version by the label `app.kubernetes.io/version`.
    label: Option<String>,
}

/// A CRD of ours in the cluster.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Definition {
    name: String,
    served: Vec<String>,
    stored: Vec<String>,
    #[serde(flatten)]
    difference: SchemaDifference,
}

impl Document for Versions {
    const KIND: &'static str = "VersionReport";
}

impl Report for Versions {
    type Value<'a> = &'a Self;

    fn value(&self) -> &Self {
        self
    }

    fn text(&self, look: Look) -> String {
        table(self, look)
    }
}

/// The label that everything installed has.
pub(crate) const OURS: &str = "app.kubernetes.io/name=allready";
const VERSION_LABEL: &str = "app.kubernetes.io/version";

pub(crate) fn run(args: &VersionArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let mut versions = Versions { client: env!("CARGO_PKG_VERSION").to_owned(), ..Versions::default() };
    if !args.client {
        block_on(look(args, &mut versions))?;
        versions.problems = Some(problems(&versions));
    }
    output::print(&versions, args.output, printer)?;
    Ok(if versions.problems.is_none_or(|problems| problems.is_empty()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn look(args: &VersionArgs, versions: &mut Versions) -> Result<(), Failure> {
    let cluster = args.cluster.connect(Patience::Command).await?;
    let client = &cluster.client;
    let server = client.apiserver_version().await;
    let server = server.map_err(|error| refused("cannot get the version of the server", &error))?;
    versions.server = Some(server.git_version);
    let ours = ListParams::default().labels(OURS);
    let deployments = list_all(&Api::<Deployment>::all(client.clone()), ours, "deployments").await?;
    versions.controllers = Some(deployments.iter().map(controller).collect());
    let crds = definitions(client).await?;
    versions.crds = Some(crds.iter().map(|(ours, found)| definition(ours, found)).collect());
    Ok(())
}

fn controller(deployment: &Deployment) -> Controller {
    let pod = deployment.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    let image = pod.and_then(|pod| pod.containers.first()?.image.clone()).unwrap_or_default();
    let label = deployment.labels().get(VERSION_LABEL).cloned();
    let version = fit::tag(&image).map(str::to_owned).or_else(|| label.clone());
    let (namespace, name) = (deployment.namespace().unwrap_or_default(), deployment.name_any());
    Controller { namespace, name, version, image, label }
}

/// The CRDs of this version that the cluster has: as they should be, and as they are.
pub(crate) async fn definitions(
    client: &Client,
) -> Result<Vec<(CustomResourceDefinition, CustomResourceDefinition)>, Failure> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let mut definitions = Vec::new();
    for ours in kinds::definitions().into_iter().chain([kinds::metallb_definition()]) {
        let name = ours.name_any();
        let found = api.get_opt(&name).await;
        let found = found.map_err(|error| refused(&format!("cannot get the CRD {name}"), &error))?;
        definitions.extend(found.map(|found| (ours, found)));
    }
    Ok(definitions)
}

fn definition(ours: &CustomResourceDefinition, found: &CustomResourceDefinition) -> Definition {
    let served = found.spec.versions.iter().filter(|version| version.served);
    let stored = found.status.as_ref().and_then(|status| status.stored_versions.clone());
    Definition {
        name: found.name_any(),
        served: served.map(|version| version.name.clone()).collect(),
        stored: stored.unwrap_or_default(),
        difference: SchemaDifference::of(ours, found),
    }
}

fn table(versions: &Versions, look: Look) -> String {
    let columns = [Column::key("PART"), Column::key("VERSION"), Column::text("WHERE")];
    let mut table = Table::new(look, columns);
    table.row(["client".to_owned(), versions.client.clone(), "this program".to_owned()]);
    if let Some(server) = &versions.server {
        table.row(["server".to_owned(), server.clone(), "API server".to_owned()]);
    }
    for found in versions.controllers.iter().flatten() {
        let place = format!("deployment/{} in {}, image {}", found.name, found.namespace, found.image);
        table.row(["controller".to_owned(), found.version.clone().unwrap_or_default(), place]);
    }
    for found in versions.crds.iter().flatten() {
        table.row(["CRD".to_owned(), found.served.join(", "), found.name.clone()]);
    }
    let mut text = table.text();
    let Some(problems) = &versions.problems else { return text };
    text.push('\n');
    if problems.is_empty() {
        let is_none = versions.controllers.iter().flatten().next().is_none()
            && versions.crds.iter().flatten().next().is_none();
        let said = if is_none { "Nothing is installed." } else { "They fit." };
        let _ = writeln!(text, "{GOOD}{said}{GOOD:#}");
    }
    for problem in problems {
        let problem = indented(&tame(problem), "  ", look.width);
        let _ = write!(text, "{BAD}!{BAD:#} {}", problem.trim_start());
    }
    text
}
