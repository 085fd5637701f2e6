//! What is installed in a cluster: CRDs made from the types, and everything else from the chart, by Helm.

mod values;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use allready_apiserver::catalog;
use allready_kube::kinds;
use anyhow::{Context as _, Result, bail};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use crate::{
    printer,
    real::{self, Environment, Helm},
    reference,
};

/// The chart as plain manifests: which file, from which values, and as which release in which namespace.
const RENDERED: [Rendered; 5] = [
    Rendered {
        file: "manifests/allready/install.yaml",
        values: "manifests/allready/values.yaml",
        release: "allready",
        namespace: "allready-system",
    },
    Rendered {
        file: "manifests/hub/install.yaml",
        values: "manifests/hub/values.yaml",
        release: "allready",
        namespace: "allready-system",
    },
    Rendered {
        file: "manifests/metallb/install.yaml",
        values: "manifests/metallb/values.yaml",
        release: "allready",
        namespace: "allready-system",
    },
    Rendered {
        file: "e2e/manifests/sharded.yaml",
        values: "e2e/manifests/sharded.values.yaml",
        release: "allready-e2e-sharded",
        namespace: "allready-e2e-system",
    },
    Rendered {
        file: "e2e/manifests/singleton.yaml",
        values: "e2e/manifests/singleton.values.yaml",
        release: "allready-e2e-singleton",
        namespace: "allready-e2e-system",
    },
];

struct Rendered {
    file: &'static str,
    values: &'static str,
    release: &'static str,
    namespace: &'static str,
}

/// The head of a CRD of somebody else.
const REDUCED: &str = "# For trying docs/hub.md on `allready apiserver`: reduced to what a status needs. A cluster needs the original.
# Made by `cargo xtask manifests`.
";

/// Helm removes what it installed, and with a definition go all its objects.
const KEEP: (&str, &str) = ("helm.sh/resource-policy", "keep");

/// Makes the files, or with `check` only says which are not as they would be made. Returns whether all are.
pub fn run(environment: &Environment, check: bool) -> Result<bool> {
    let mut same = true;
    let ours = kinds::definitions();
    for definition in &ours {
        let (name, plain, kept) = files(definition)?;
        same &= settle(&format!("manifests/crds/{name}.yaml"), &plain, check)?;
        same &= settle(&format!("charts/allready/files/{name}.yaml"), &kept, check)?;
    }
    // Only the chart has the one in MetalLB's group, for the values of manifests/metallb.
    let (name, _, kept) = files(&kinds::metallb_definition())?;
    same &= settle(&format!("charts/allready/files/{name}.yaml"), &kept, check)?;
    for crd in [catalog::gateway(), catalog::dns_endpoint()] {
        let name = crd["metadata"]["name"].as_str().context("a CRD without a name")?;
        let text = format!("{REDUCED}{}\n", serde_saphyr::to_string(&crd)?.trim_end());
        same &= settle(&format!("docs/crds/{name}.yaml"), &text, check)?;
    }
    for (page, text) in reference::pages(&ours)? {
        same &= settle(page, &text, check)?;
    }
    let chart = |name: &str| {
        let path = root().join("charts/allready").join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let defaults = chart("values.yaml")?;
    values::check(&defaults, &chart("values.schema.json")?)?;
    same &= settle("charts/allready/README.md", &values::readme(&chart("README.md")?, &defaults)?, check)?;
    let helm = Helm::V4.program(environment)?;
    for rendered in RENDERED {
        same &= settle(rendered.file, &rendered.text(&helm)?, check)?;
    }
    Ok(same)
}

/// A CRD by name: as it is, and as the chart has it.
fn files(definition: &CustomResourceDefinition) -> Result<(String, String, String)> {
    let name = definition.metadata.name.clone().context("a CRD without a name")?;
    let mut value = serde_json::to_value(definition)?;
    value["apiVersion"] = "apiextensions.k8s.io/v1".into();
    value["kind"] = "CustomResourceDefinition".into();
    let plain = yaml(&value)?;
    value["metadata"]["annotations"][KEEP.0] = KEEP.1.into();
    Ok((name, plain, yaml(&value)?))
}

fn yaml(value: &Value) -> Result<String> {
    let text = serde_saphyr::to_string(value)?;
    Ok(format!("# Made from the types by `cargo xtask manifests`.\n{}\n", text.trim_end()))
}

impl Rendered {
    /// The objects as Helm renders them, with the namespace that `helm install --create-namespace` would make.
    fn text(&self, helm: &Path) -> Result<String> {
        let output = Command::new(helm)
            .args(["template", self.release])
            .arg(root().join("charts/allready"))
            .args(["--namespace", self.namespace, "--kube-version", real::VERSION, "--values"])
            .arg(root().join(self.values))
            .output()
            .with_context(|| format!("cannot run {}", helm.display()))?;
        if !output.status.success() {
            bail!(
                "charts/allready with {}: {}",
                self.values,
                String::from_utf8_lossy(&output.stderr).trim_end()
            );
        }
        let rendered = String::from_utf8(output.stdout)?;
        let head = format!("# Made from charts/allready and {} by `cargo xtask manifests`.", self.values);
        let objects = std::iter::once(self.namespace_object()).chain(plain(&rendered));
        let documents: Vec<_> = std::iter::once(head).chain(objects).collect();
        Ok(format!("{}\n", documents.join("\n---\n")))
    }

    fn namespace_object(&self) -> String {
        let (namespace, release) = (self.namespace, self.release);
        format!(
            "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {namespace}\n  labels:\n    app.kubernetes.io/name: allready\n    \
             app.kubernetes.io/instance: {release}\n    app.kubernetes.io/managed-by: kubectl\n    \
             pod-security.kubernetes.io/enforce: restricted"
        )
    }
}

/// The objects of a rendered chart, for those who apply them without Helm: no release of Helm has them.
pub(crate) fn plain(rendered: &str) -> impl Iterator<Item = String> {
    let rendered =
        rendered.replace("app.kubernetes.io/managed-by: Helm", "app.kubernetes.io/managed-by: kubectl");
    let documents: Vec<String> = format!("\n{rendered}").split("\n---\n").map(str::to_owned).collect();
    documents.into_iter().filter_map(|document| {
        let lines: Vec<_> = document.lines().filter(|line| !line.starts_with("# Source: ")).collect();
        let is_object = lines.iter().any(|line| line.starts_with("kind:"));
        is_object.then(|| lines.join("\n").trim().to_owned())
    })
}

fn settle(name: &str, made: &str, check: bool) -> Result<bool> {
    let path = root().join(name);
    let found = fs::read_to_string(&path).unwrap_or_default();
    if found == made {
        printer::line(format!("{name}: as it should be"));
        return Ok(true);
    }
    if check {
        printer::line(format!("{name}: not as it would be made; run cargo xtask manifests"));
        return Ok(false);
    }
    fs::write(&path, made).with_context(|| format!("cannot write {}", path.display()))?;
    printer::line(format!("{name}: written"));
    Ok(true)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
