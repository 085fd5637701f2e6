//! The system: a server, nodes, a controller, speakers, and the aggregator.

use std::{collections::BTreeMap, path::Path, time::Duration};

use allready_apiserver::catalog;
use allready_controller::config::{ConfigController, Options, StatusKey};
use allready_kube::{
    kinds::{self, Component, ConfigurationStatusSpec, Instances},
    list_watch::list_watch,
    report::{Identity, Layout, Outcome, Reporter, Running},
};
use futures::{StreamExt, stream};
use k8s_openapi::{
    api::core::v1::{ConfigMap, Node},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    apimachinery::pkg::apis::meta::v1::LabelSelector,
};
use kube::{
    Api, Client, ResourceExt,
    api::{DeleteParams, DynamicObject, Patch, PostParams},
    runtime::watcher,
};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    task::{AbortHandle, JoinSet},
};

use super::pools;
use crate::demo::{
    kubeconfig::Kubeconfig,
    stage::{Played, Server, administrator, until},
};

pub(super) const NAMESPACE: &str = "metallb-system";
pub(super) const SUBJECT: &str = "config-status";
const GROUP: &str = "metallb.io/v1beta1";
const POOLS: &str = "pools";
/// A node that is gone stays gone in a demo.
const SWEEP_AFTER: Duration = Duration::from_secs(2);

type Pools = BTreeMap<String, String>;

/// Components that know nothing of each other report, and one object answers for all of them.
pub(in crate::demo) struct System {
    pub(super) kubeconfig: Kubeconfig,
    pub(super) nodes: usize,
    pub(super) server: Server,
    pub(super) tasks: JoinSet<()>,
    speakers: BTreeMap<String, (AbortHandle, Running)>,
    controller: Running,
}

/// The Ready condition of the object: its status, reason and message, and the number of reporters.
pub(super) type Seen = [String; 4];

impl System {
    pub(in crate::demo) async fn gather(nodes: usize, kubeconfig: &Path) -> Played<Self> {
        // Of the two groups that have a ConfigurationStatus, the one of the system that is played.
        let played = |definition: &CustomResourceDefinition| {
            definition.name_any() != "configurationstatuses.allready.dev"
        };
        let definitions =
            kinds::definitions().into_iter().filter(played).chain([kinds::metallb_definition()]);
        let definitions = definitions.map(serde_json::to_value);
        let mut definitions = definitions.collect::<Result<Vec<_>, _>>()?;
        definitions.extend(catalog::Set::GatewayApi.definitions());
        let server = Server::start(definitions, NAMESPACE).await?;
        let client = server.client.clone();
        let kubeconfig = Kubeconfig::write(kubeconfig, &server.listening.kubeconfig())?;

        let names: Vec<String> = (1..=nodes).map(|number| format!("node-{number}")).collect();
        let all: Api<Node> = Api::all(client.clone());
        let made = stream::iter(&names).map(|name| make_node(&all, name)).buffer_unordered(16);
        made.collect::<Vec<_>>().await.into_iter().collect::<Result<Vec<()>, _>>()?;

        let mut tasks = JoinSet::new();
        let configuration = watch_pools(&client, &mut tasks);
        let layout = Layout::sharded(NAMESPACE, SUBJECT);
        let (reporter, controller) =
            Reporter::builder(client.clone(), Identity::of("controller"), layout.clone()).spawn();
        tasks.spawn(reports(
            reporter,
            "poolReconciler",
            &["serviceReconciler"],
            configuration.clone(),
            false,
        ));
        let mut speakers = BTreeMap::new();
        for name in &names {
            let identity = Identity::of("speaker").on(name);
            let (reporter, running) = Reporter::builder(client.clone(), identity, layout.clone()).spawn();
            let others = &["nodeReconciler", "serviceReconciler", "frrk8sReconciler"];
            let task =
                tasks.spawn(reports(reporter, "configReconciler", others, configuration.clone(), true));
            speakers.insert(name.clone(), (task, running));
        }
        tasks.spawn(aggregator(client));
        let system = Self { kubeconfig, nodes, server, tasks, speakers, controller };
        system.configure(&[("production", "192.0.2.0/25")]).await?;
        Ok(system)
    }

    /// A client of its server.
    pub(in crate::demo) fn client(&self) -> &Client {
        &self.server.client
    }

    /// Applies a configuration.
    pub(super) async fn configure(&self, pools: &[(&str, &str)]) -> Played<()> {
        let data: BTreeMap<_, _> = pools.iter().copied().collect();
        let body =
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": POOLS }, "data": data });
        let maps: Api<ConfigMap> = Api::default_namespaced(self.server.client.clone());
        maps.patch(POOLS, &administrator(), &Patch::Apply(body)).await?;
        Ok(())
    }

    /// Takes the last node away, and its speaker with it.
    pub(super) async fn lose_a_node(&mut self) -> Played<String> {
        let (name, (task, running)) = self.speakers.pop_last().ok_or("there is no node to lose")?;
        task.abort();
        running.stop(Duration::from_secs(1)).await;
        Api::<Node>::all(self.server.client.clone()).delete(&name, &DeleteParams::default()).await?;
        Ok(name)
    }

    /// Reads the object.
    pub(super) async fn look(&self) -> Played<Seen> {
        let statuses: Api<DynamicObject> =
            Api::default_namespaced_with(self.server.client.clone(), &subject().resource());
        let data = statuses.get_opt(SUBJECT).await?.map(|object| object.data).unwrap_or_default();
        let conditions = data["status"]["conditions"].as_array();
        let ready = conditions.into_iter().flatten().find(|condition| condition["type"] == "Ready");
        let ready = ready.unwrap_or(&Value::Null);
        let reporters = &data["status"]["reporters"]["display"];
        let fields = [&ready["status"], &ready["reason"], &ready["message"], reporters];
        Ok(fields.map(|field| field.as_str().unwrap_or_default().to_owned()))
    }

    /// Waits until the object says this.
    pub(super) async fn until(&self, ready: &str, message: &str) -> Played<()> {
        let wanted = |[status, _, said, _]: &Seen| status == ready && said.contains(message);
        let otherwise = |[_, _, said, _]: &Seen| {
            format!("{SUBJECT} should be {ready} with {message:?}, and says {said:?}")
        };
        until(async || self.look().await, wanted, otherwise).await.map(drop)
    }

    pub(in crate::demo) async fn leaves(mut self) {
        self.tasks.abort_all();
        self.controller.stop(Duration::from_secs(1)).await;
        self.server.listening.shutdown().await;
    }
}

fn subject() -> StatusKey {
    StatusKey { api_version: GROUP.to_owned(), namespace: NAMESPACE.to_owned(), name: SUBJECT.to_owned() }
}

async fn make_node(nodes: &Api<Node>, name: &str) -> Played<()> {
    let ready: Value = json!([{ "type": "Ready", "status": "True", "reason": "KubeletReady" }]);
    let node = json!({ "metadata": { "name": name }, "status": { "conditions": ready } });
    nodes.create(&PostParams::default(), &serde_json::from_value(node)?).await?;
    Ok(())
}

/// The configuration as everybody in this process sees it, from one watch.
fn watch_pools(client: &Client, tasks: &mut JoinSet<()>) -> watch::Receiver<Option<Pools>> {
    let (sender, receiver) = watch::channel(None);
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let only = watcher::Config::default().fields(&format!("metadata.name={POOLS}"));
    tasks.spawn(async move {
        let mut maps = std::pin::pin!(list_watch(maps, only));
        while let Some(event) = maps.next().await {
            if let Ok(watcher::Event::InitApply(map) | watcher::Event::Apply(map)) = event {
                sender.send_replace(Some(map.data.unwrap_or_default()));
            }
        }
    });
    receiver
}

/// A component: digests every configuration, and reports how that went.
async fn reports(
    reporter: Reporter,
    digests: &'static str,
    others: &'static [&'static str],
    mut configuration: watch::Receiver<Option<Pools>>,
    judges: bool,
) {
    while configuration.changed().await.is_ok() {
        let pools = configuration.borrow_and_update().clone();
        let Some(pools) = pools else { continue };
        let outcome = if judges { pools::judged(&pools) } else { Outcome::success() };
        reporter.report(digests, outcome);
        for other in others {
            reporter.report(other, Outcome::success());
        }
    }
}

async fn aggregator(client: Client) {
    let component = |name: &str, reconcilers: &[&str], instances| Component {
        name: name.to_owned(),
        reconcilers: reconcilers.iter().map(|name| (*name).to_owned()).collect(),
        instances,
        ..Component::default()
    };
    let speakers = ["configReconciler", "nodeReconciler", "serviceReconciler", "frrk8sReconciler"];
    let components = vec![
        component("controller", &["poolReconciler", "serviceReconciler"], None),
        component("speaker", &speakers, Some(Instances::nodes(LabelSelector::default()))),
    ];
    let spec = ConfigurationStatusSpec { components, ..Default::default() };
    let (api_versions, ensure) = (vec![GROUP.to_owned()], vec![(subject(), spec)]);
    let options = Options { sweep_after: SWEEP_AFTER, ..Options::default() };
    ConfigController { api_versions, ensure, options, ..ConfigController::new(client) }.run().await;
}
