//! `allready install`: the manifests of the chart, rendered without Helm. They are printed, and kubectl applies them.

mod chart;
mod schema;
mod template;
mod values;

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::{Value, json};

use self::values::Values;
use crate::{failure::Failure, printer::Printer};

/// Options of `allready install`.
#[derive(Debug, Args)]
#[command(after_help = "\
It prints what `helm template charts/allready` does, for the chart of this version,
and sends nothing. In the order in which Helm installs: the namespace and the CRDs
first. The values are those of charts/allready/values.yaml; a key that the chart does
not know is refused.

A namespace that is not for allready alone needs --no-namespace: what is printed for
it would be removed by `allready uninstall`.

Exit codes:
  0 they are printed
  64 wrong usage, 65 unusable values, 66 unreadable values, 74 unwritable output

Examples:
  allready install | kubectl apply --server-side -f -
  allready install --set replicas=1 --set image.repository=registry.example/allready
  allready install --values values.yaml --namespace metallb-system --no-namespace
  allready install | kubectl diff --server-side -f -")]
pub(crate) struct InstallArgs {
    /// A file of values over those of the chart, YAML or JSON; `-` for standard input. The last one wins.
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(crate) values: Vec<PathBuf>,

    /// A value over those of files, such as hub.enabled=true, namespaces={a,b} or reporters[0].component=speaker.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// The namespace of the controller.
    #[arg(short, long, value_name = "NAMESPACE", default_value = "allready-system", value_parser = dns_label)]
    pub(crate) namespace: String,

    /// The name of the release, with which the names of objects begin.
    #[arg(long, value_name = "NAME", default_value = "allready", value_parser = dns_label)]
    pub(crate) release: String,

    /// Leave the Namespace out: it is there already.
    #[arg(long)]
    pub(crate) no_namespace: bool,
}

pub(crate) fn run(args: &InstallArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let chart = chart::embedded().map_err(Failure::data)?;
    let mut values = Values::new(&chart.values);
    for path in &args.values {
        values.add_file(path)?;
    }
    for text in &args.set {
        values.set(text).map_err(|problem| Failure::usage(format_args!("--set {text}: {problem}")))?;
    }
    let merged = values.merged();
    if let Some(schema) = &chart.schema {
        let problems = schema::check(schema, &merged);
        if !problems.is_empty() {
            let told: Vec<String> = problems.iter().map(|problem| values.told(problem)).collect();
            return Err(Failure::data(told.join("\n       ")));
        }
    }
    let mut manifests = chart.render(&merged, &args.release, &args.namespace).map_err(Failure::data)?;
    let is_namespace = |object: &Value| {
        object["kind"] == "Namespace" && object["metadata"]["name"].as_str() == Some(&*args.namespace)
    };
    if args.no_namespace {
        manifests.retain(|manifest| !is_namespace(&manifest.object));
    } else if !manifests.iter().any(|manifest| is_namespace(&manifest.object)) {
        manifests.insert(0, namespace(args, &chart.app_version)?);
    }
    chart::sort(&mut manifests);
    for manifest in &manifests {
        printer.text(&format!("---\n{}\n", manifest.text))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The namespace of the controller, with labels by which `allready uninstall` finds it.
fn namespace(args: &InstallArgs, version: &str) -> Result<chart::Manifest, Failure> {
    let labels = json!({
        "app.kubernetes.io/name": "allready",
        "app.kubernetes.io/instance": args.release,
        "app.kubernetes.io/version": version,
        "app.kubernetes.io/managed-by": chart::SERVICE,
        "pod-security.kubernetes.io/enforce": "restricted",
    });
    let metadata = json!({ "name": args.namespace, "labels": labels });
    let object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata });
    let text = serde_saphyr::to_string(&object).map_err(Failure::output)?.trim_end().to_owned();
    Ok(chart::Manifest { text, object })
}

/// A name that namespaces and labels can have.
fn dns_label(text: &str) -> Result<String, String> {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_one = !text.is_empty()
        && text.len() <= 63
        && text.chars().all(is_inner)
        && !text.starts_with('-')
        && !text.ends_with('-');
    if is_one {
        Ok(text.to_owned())
    } else {
        Err("a name has small letters, digits and dashes, at most 63, and no dash at its ends".to_owned())
    }
}
