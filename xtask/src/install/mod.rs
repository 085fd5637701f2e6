//! `cargo xtask install --check`: the chart and the plain manifests, installed as users install them, on the real kube-apiserver; with
//! `--embedded`, on the embedded one.
//!
//! No Deployment controller runs there, and no kubelet: `--wait` would wait for ever, so the pods are admitted by the server as a dry run,
//! and the program of the controllers runs beside the server, with the arguments of the Deployment and the token of its service account.

mod controller;
mod helm;
mod mistakes;
mod plain;
mod stage;

use std::time::Instant;

use anyhow::Result;

use crate::real::{Environment, Helm};
use crate::{e2e, printer};
use helm::Release;
use stage::Stage;

/// Installs in every way, and prints a line for each step. Returns whether all of them did what they should.
pub async fn run(environment: &Environment, embedded: bool) -> Result<bool> {
    // What is installed and removed here is never somebody's cluster.
    let environment = Environment { kubeconfig: None, ..environment.clone() };
    let start = Instant::now();
    let e2e::Built { allready, controller, .. } = e2e::build().await?;
    let with_helm = async |version: Helm| -> Result<usize> {
        let helm = version.program(&environment)?;
        let stage = Stage::start(&environment, &format!("helm {}", version.version()?), embedded).await?;
        let applies = version == Helm::V4;
        let release = Release { stage: &stage, helm, applies, allready: &allready, controller: &controller };
        Ok(told(&stage, release.play().await))
    };
    let with_kubectl = async || -> Result<usize> {
        let stage = Stage::start(&environment, "kubectl", embedded).await?;
        Ok(told(&stage, plain::play(&stage).await))
    };
    let (v3, v4, plain) = tokio::join!(with_helm(Helm::V3), with_helm(Helm::V4), with_kubectl());
    let failures = v3? + v4? + plain?;
    printer::line(match failures {
        0 => format!("installed, upgraded and removed in {:.0} s", start.elapsed().as_secs_f64()),
        some => format!("{some} ways to install failed, in {:.0} s", start.elapsed().as_secs_f64()),
    });
    Ok(failures == 0)
}

/// Counts a failure, and prints it below the step where it happened.
fn told(stage: &Stage, played: Result<()>) -> usize {
    match played {
        Ok(()) => 0,
        Err(error) => {
            printer::line(format!("  FAILED  {}: {error:#}", stage.name()));
            1
        }
    }
}
