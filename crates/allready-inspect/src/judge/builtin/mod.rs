//! The kinds of Kubernetes itself: their status is older than conditions, so that each family has a rule of its own.

mod batch;
mod cluster;
mod network;
mod pod;
mod storage;
mod workload;

pub(super) use cluster::namespace_remains;

use super::Rule;
use super::case::{Case, behind};
use super::listed::{Listed, read};
use super::signal::{Place, Signal};
use super::silence::is_silent;
use crate::health::Health::Progressing;
use crate::registry::Builtin;
use crate::view::number;

/// The verdict on a built-in kind by its own rule.
pub(super) fn judge<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    Some(match case.kind.builtin()? {
        Builtin::Pod => pod::judge(case),
        Builtin::Deployment => workload::deployment(case),
        Builtin::ReplicaSet => workload::replica_set(case),
        Builtin::StatefulSet => workload::stateful_set(case),
        Builtin::DaemonSet => workload::daemon_set(case),
        Builtin::Job => batch::job(case),
        Builtin::CronJob => batch::cron_job(case),
        Builtin::Claim => storage::claim(case),
        Builtin::Volume => storage::volume(case),
        Builtin::Service => network::service(case),
        Builtin::Ingress => network::ingress(case),
        Builtin::Autoscaler => cluster::autoscaler(case),
        Builtin::Definition => cluster::definition(case),
        Builtin::DisruptionBudget => cluster::disruption_budget(case),
        Builtin::Node => cluster::node(case),
        Builtin::Namespace => cluster::namespace(case),
    })
}

fn conditions<'a>(case: &Case<'a>) -> Vec<Listed<'a>> {
    read(case, case.status("conditions"))
}

/// A controller of Kubernetes always says which generation it saw: nothing is as good as an older one.
fn unseen<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let Some(generation) = case.generation else {
        // A manifest: nobody has looked at it.
        return is_silent(case)
            .then(|| Signal::at(Progressing, Rule::NoStatusYet, "status").reason("NoStatusYet"));
    };
    match case.status("observedGeneration").and_then(number) {
        Some(observed) if observed >= generation => None,
        Some(observed) => Some(behind(Place::Key("observedGeneration"), observed, generation)),
        None => Some(
            Signal::at(Progressing, Rule::GenerationBehind, "status.observedGeneration")
                .reason("GenerationNotObserved")
                .message(format!("no generation of {generation} is observed yet")),
        ),
    }
}
