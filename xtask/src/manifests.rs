//! What is installed in a cluster: definitions made from the types, and everything else from the chart.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use allready_kube::kinds;
use anyhow::{Context as _, Result, bail};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use crate::{printer, reference};

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

/// Helm removes what it installed, and with a definition go all its objects.
const KEEP: (&str, &str) = ("helm.sh/resource-policy", "keep");

/// Makes the files, or with `check` only says which are not as they would be made. Returns whether all are.
pub fn run(check: bool) -> Result<bool> {
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
    same &= settle("docs/reference.md", &reference::page(&ours), check)?;
    for rendered in RENDERED {
        same &= settle(rendered.file, &rendered.text()?, check)?;
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
    fn text(&self) -> Result<String> {
        let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("kube");
        let output = Command::new("go")
            .args(["run", "-trimpath", "./chart"])
            .arg(root().join("charts/allready"))
            .args([self.release, self.namespace])
            .arg(root().join(self.values))
            .current_dir(module)
            .output()
            .context("cannot run go, which has the templates that a chart is written in")?;
        if !output.status.success() {
            bail!(
                "charts/allready with {}: {}",
                self.values,
                String::from_utf8_lossy(&output.stderr).trim_end()
            );
        }
        let text = String::from_utf8(output.stdout)?;
        Ok(format!("# Made from charts/allready and {} by `cargo xtask manifests`.\n{text}", self.values))
    }
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
