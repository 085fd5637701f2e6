//! Who plays: a server, nodes, a controller, speakers, and the aggregator.

use std::{collections::BTreeMap, net::SocketAddr, path::Path, time::Duration};

use allready_apiserver::{ApiServer, server::Listening};
use allready_controller::config::{ConfigController, Options, StatusKey};
use allready_kube::{
    kinds::{self, Component, ConfigurationStatusSpec, Instances},
    list_watch::list_watch,
    report::{Identity, Layout, Reporter, Running},
};
use futures::{StreamExt, stream};
use k8s_openapi::{
    api::core::v1::{ConfigMap, Namespace, Node},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    apimachinery::pkg::apis::meta::v1::LabelSelector,
};
use kube::{
    Api, Client, ResourceExt,
    api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
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
    stage::{Played, until},
};

pub(super) const NAMESPACE: &str = "metallb-system";
pub(super) const SUBJECT: &str = "config-status";
const GROUP: &str = "metallb.io/v1beta1";
const POOLS: &str = "pools";
/// A node that is gone stays gone in a demo.
const SWEEP_AFTER: Duration = Duration::from_secs(2);

type Pools = BTreeMap<String, String>;

/// Everybody on the stage.
pub(super) struct Cast {
    pub(super) kubeconfig: Kubeconfig,
    client: Client,
    listening: Listening,
    tasks: JoinSet<()>,
    speakers: BTreeMap<String, (AbortHandle, Running)>,
    controller: Running,
}

/// What the object says.
pub(super) struct Seen {
    pub(super) ready: String,
    pub(super) reason: String,
    pub(super) message: String,
    pub(super) reporters: String,
}

impl Cast {
    pub(super) async fn gather(nodes: usize, kubeconfig: &Path) -> Played<Self> {
        // Of the two groups that have a ConfigurationStatus, the one of the system that is played.
        let played = |definition: &CustomResourceDefinition| {
            definition.name_any() != "configurationstatuses.allready.dev"
        };
        let definitions =
            kinds::definitions().into_iter().filter(played).chain([kinds::metallb_definition()]);
        let definitions = definitions.map(serde_json::to_value);
        let definitions = definitions.collect::<Result<Vec<_>, _>>()?;
        let server = ApiServer::builder().crds(definitions).build().map_err(|failure| failure.message)?;
        let listening = server.listen(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let kubeconfig = Kubeconfig::write(kubeconfig, &listening.kubeconfig())?;
        let client = Client::new(server.service(), NAMESPACE);
        let namespace: Namespace = serde_json::from_value(json!({ "metadata": { "name": NAMESPACE } }))?;
        Api::all(client.clone()).create(&PostParams::default(), &namespace).await?;

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
        tasks.spawn(aggregator(client.clone()));
        let cast = Self { kubeconfig, client, listening, tasks, speakers, controller };
        cast.configure(&[("production", "192.0.2.0/25")]).await?;
        Ok(cast)
    }

    /// Applies a configuration.
    pub(super) async fn configure(&self, pools: &[(&str, &str)]) -> Played<()> {
        let data: BTreeMap<_, _> = pools.iter().copied().collect();
        let body =
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": POOLS }, "data": data });
        let maps: Api<ConfigMap> = Api::default_namespaced(self.client.clone());
        maps.patch(POOLS, &PatchParams::apply("administrator").force(), &Patch::Apply(body)).await?;
        Ok(())
    }

    /// Takes the last node away, and its speaker with it.
    pub(super) async fn lose_a_node(&mut self) -> Played<String> {
        let (name, (task, running)) = self.speakers.pop_last().ok_or("there is no node to lose")?;
        task.abort();
        running.stop(Duration::from_secs(1)).await;
        Api::<Node>::all(self.client.clone()).delete(&name, &DeleteParams::default()).await?;
        Ok(name)
    }

    /// What the object says now.
    pub(super) async fn look(&self) -> Played<Seen> {
        let object = self.statuses().get_opt(SUBJECT).await?;
        let data = object.map(|object| object.data).unwrap_or_default();
        let conditions = data["status"]["conditions"].as_array();
        let ready = conditions.into_iter().flatten().find(|condition| condition["type"] == "Ready");
        let text = |field: &str| ready.and_then(|ready| ready[field].as_str()).unwrap_or_default().to_owned();
        Ok(Seen {
            ready: text("status"),
            reason: text("reason"),
            message: text("message"),
            reporters: data["status"]["reporters"]["display"].as_str().unwrap_or_default().to_owned(),
        })
    }

    /// Waits until the object says this.
    pub(super) async fn until(&self, ready: &str, message: &str) -> Played<()> {
        let wanted = |seen: &Seen| seen.ready == ready && seen.message.contains(message);
        let otherwise = |seen: &Seen| {
            format!("{SUBJECT} should be {ready} with {message:?}, and says {:?}", seen.message)
        };
        until(async || self.look().await, wanted, otherwise).await.map(drop)
    }

    pub(super) async fn leaves(mut self) {
        self.tasks.abort_all();
        self.controller.stop(Duration::from_secs(1)).await;
        self.listening.shutdown().await;
    }

    fn statuses(&self) -> Api<DynamicObject> {
        Api::default_namespaced_with(self.client.clone(), &subject().resource())
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
        let outcome = if judges { pools::judged(&pools) } else { allready_kube::report::Outcome::success() };
        reporter.report(digests, outcome);
        for other in others {
            reporter.report(other, allready_kube::report::Outcome::success());
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
