//! The controller that COMPARE.md has for other libraries too. What is counted stands between the marks.
#![allow(missing_docs, dead_code, reason = "an author's code, as it is counted")]

use std::{net::IpAddr, sync::Arc};

use allready::prelude::*;
use kube::{CustomResource, runtime::controller::Action};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(group = "example.com", version = "v1", kind = "Pool", namespaced, status = "PoolStatus")]
pub struct PoolSpec {
    addresses: Vec<String>,
}

// status: begin
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, StatusFields)]
pub struct PoolStatus {
    conditions: Conditions<PoolCondition>,
}

#[derive(Clone, Copy, Debug, ConditionSet)]
pub enum PoolCondition {
    AddressesValid,
    Announced,
}

async fn reconcile(pool: Arc<Pool>, ctx: Arc<Context>) -> Result<Action, ReasonedError> {
    let work = ctx.status.reconcile(&pool, async |c| {
        let list = parse(&pool.spec).or_mark(c, PoolCondition::AddressesValid, reason!("BadAddress"))?;
        c.mark_addresses_valid(reason!("AllValid"), "");
        announce(list).await.or_mark(c, PoolCondition::Announced, reason!("AnnounceFailed"))?;
        c.mark_announced(reason!("Announced"), "");
        Ok(())
    });
    work.await
}
// status: end

struct Context {
    status: StatusUpdater<Pool>,
}

fn parse(spec: &PoolSpec) -> Result<Vec<IpAddr>, std::net::AddrParseError> {
    spec.addresses.iter().map(|address| address.parse()).collect()
}

async fn announce(_: Vec<IpAddr>) -> std::io::Result<()> {
    std::future::ready(Ok(())).await
}

fn controller(client: kube::Client) -> impl Future<Output = ()> {
    let context = Arc::new(Context { status: StatusUpdater::new(client.clone(), "pool-controller") });
    let pools: kube::Api<Pool> = kube::Api::all(client);
    let controller = kube::runtime::Controller::new(pools, kube::runtime::watcher::Config::default());
    futures::StreamExt::for_each(
        controller.run(reconcile, |_, error, _| error.action(), context),
        async |_| {},
    )
}
