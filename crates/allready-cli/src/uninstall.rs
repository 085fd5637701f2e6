//! `allready uninstall`: what was installed goes, in an order in which nothing is left that lies.

use std::process::ExitCode;

use allready_controller::hub::remains::{self, Remains};
use clap::Args;
use kube::{
    Api, Client, ResourceExt as _,
    api::{ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams},
};

use crate::{
    cluster::{ClusterArgs, Patience, refused},
    failure::Failure,
    printer::{DIM, Printer, tame},
};

/// What to remove.
#[derive(Debug, Args)]
#[command(after_help = "\
What goes, in this order:
  the controller, so that nobody answers any more
  the admission policies, roles, bindings, service accounts and the lease
  what a hub has written into the status of objects, found by who wrote it: nobody is
    behind it any more. What others wrote there stays, and so do DNSEndpoints
  the definitions of ConfigurationStatus, StatusAggregation and StatusReport, and with
    them every object: an answer that nobody keeps up would soon be wrong
  the namespace of the controller, if it was made for it

It is found by the label app.kubernetes.io/name=allready, which everything that is
installed has; what has it not, stays: your components, their namespaces, and a
definition of ConfigurationStatus that somebody else has installed. A release of Helm
is to be uninstalled first: `helm uninstall`.

Exit codes:
  0 nothing of it is left, or --dry-run has shown what would go
  66 no usable kubeconfig, 69 no answer, 77 not permitted

Examples:
  allready uninstall --dry-run
  allready uninstall --keep-definitions     the objects stay, and nobody answers")]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// Only say what would go.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Keep the definitions and all their objects. What they say will not be kept up.
    #[arg(long)]
    pub(crate) keep_definitions: bool,
}

/// A kind that is installed: group, version, kind and plural.
type Kind = (&'static str, &'static str, &'static str, &'static str);

const DEPLOYMENT: Kind = ("apps", "v1", "Deployment", "deployments");
const DEFINITION: Kind =
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions");
const LEASE: Kind = ("coordination.k8s.io", "v1", "Lease", "leases");

/// What is installed beside the controller and the definitions: bindings before what they bind.
const BESIDE: [Kind; 7] = [
    (
        "admissionregistration.k8s.io",
        "v1",
        "ValidatingAdmissionPolicyBinding",
        "validatingadmissionpolicybindings",
    ),
    ("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
    ("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings"),
    ("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"),
    ("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles"),
    ("rbac.authorization.k8s.io", "v1", "Role", "roles"),
    ("", "v1", "ServiceAccount", "serviceaccounts"),
];
const NAMESPACE: Kind = ("", "v1", "Namespace", "namespaces");

/// The label that everything installed has.
const OURS: &str = "app.kubernetes.io/name=allready";

pub(crate) fn run(args: &UninstallArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    runtime.block_on(async {
        let client = args.cluster.connect(Patience::Command).await?.client;
        Uninstall { client, dry_run: args.dry_run, count: 0 }.all(args, printer).await
    })
}

struct Uninstall {
    client: Client,
    dry_run: bool,
    count: usize,
}

impl Uninstall {
    async fn all(mut self, args: &UninstallArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
        for deployment in self.found(DEPLOYMENT).await? {
            self.delete(DEPLOYMENT, &deployment, "", printer).await?;
            // The lease of the controller has its name, and no label: who leads has made it.
            if let Some(lease) = self.one(LEASE, &deployment).await? {
                self.delete(LEASE, &lease, "", printer).await?;
            }
        }
        for kind in BESIDE {
            for object in self.found(kind).await? {
                self.delete(kind, &object, "", printer).await?;
            }
        }
        // Whoever kept them up may not write any more.
        self.statuses(printer).await?;
        for definition in self.found(DEFINITION).await? {
            let with = match self.objects_of(&definition).await {
                Some(1) => " with 1 object".to_owned(),
                Some(count) => format!(" with {count} objects"),
                None => " with all its objects".to_owned(),
            };
            if args.keep_definitions {
                let name = tame(&definition.name_any());
                printer
                    .text(&format!("kept customresourcedefinition/{name}{with}, which nobody keeps up\n"))?;
            } else {
                self.delete(DEFINITION, &definition, &with, printer).await?;
            }
        }
        for namespace in self.found(NAMESPACE).await? {
            self.delete(NAMESPACE, &namespace, "", printer).await?;
        }
        if self.count == 0 {
            printer.text(&format!("{DIM}Nothing is installed.{DIM:#}\n"))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Takes away what aggregations have written into statuses, of whatever kind.
    async fn statuses(&mut self, printer: &mut Printer) -> Result<(), Failure> {
        let kinds = remains::kinds(&self.client).await;
        for kind in kinds.map_err(|error| refused("cannot find out which kinds there are", &error))? {
            let found = match remains::search(&self.client, &kind).await {
                Ok(found) => found,
                // The kind is gone since it was found.
                Err(kube::Error::Api(status)) if status.code == 404 => continue,
                // Most kinds have nothing of ours: whoever may not look there can still uninstall the rest.
                Err(kube::Error::Api(status)) if status.code == 403 => {
                    printer.text(&format!("not looked through: {}\n", tame(&status.message)))?;
                    continue;
                }
                Err(error) => return Err(refused(&format!("cannot list {}", tame(&kind.plural)), &error)),
            };
            for remains in found {
                self.count += 1;
                let (kind_name, name) = (tame(&kind.kind.to_lowercase()), tame(&remains.object.name));
                let place = match &*remains.object.namespace {
                    "" => String::new(),
                    namespace => format!(" in {}", tame(namespace)),
                };
                let what = format!("what {} wrote into {kind_name}/{name}{place}", tame(&remains.manager));
                if self.dry_run {
                    printer.text(&format!("would remove {what}\n"))?;
                    continue;
                }
                match self.let_go(&kind, &remains).await {
                    Ok(()) => {}
                    Err(kube::Error::Api(status)) if status.code == 404 => {}
                    Err(error) => return Err(refused(&format!("cannot remove {what}"), &error)),
                }
                printer.text(&format!("removed {what}\n"))?;
            }
        }
        Ok(())
    }

    async fn let_go(&self, kind: &ApiResource, remains: &Remains) -> kube::Result<()> {
        let api: Api<DynamicObject> = match &*remains.object.namespace {
            "" => Api::all_with(self.client.clone(), kind),
            namespace => Api::namespaced_with(self.client.clone(), namespace, kind),
        };
        let apply = PatchParams::apply(&remains.manager).force();
        api.patch_status(&remains.object.name, &apply, &Patch::Apply(remains.nothing())).await.map(drop)
    }

    /// The objects of a kind that are ours. None where the kind is not served.
    async fn found(&self, kind: Kind) -> Result<Vec<DynamicObject>, Failure> {
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), &resource(kind));
        match api.list(&ListParams::default().labels(OURS)).await {
            // What goes already needs no further word.
            Ok(list) => {
                let stays = |object: &DynamicObject| object.metadata.deletion_timestamp.is_none();
                Ok(list.items.into_iter().filter(stays).collect())
            }
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(Vec::new()),
            Err(error) => Err(refused(&format!("cannot list {}", kind.3), &error)),
        }
    }

    /// An object of another kind with the name and namespace of this one.
    async fn one(&self, kind: Kind, like: &DynamicObject) -> Result<Option<DynamicObject>, Failure> {
        let api = self.place(kind, like);
        api.get_opt(&like.name_any())
            .await
            .map_err(|error| refused(&format!("cannot get {}", kind.3), &error))
    }

    /// How many objects a definition has, as far as that can be found out: a definition that is just being made or unmade
    /// has none to show.
    async fn objects_of(&self, definition: &DynamicObject) -> Option<usize> {
        let spec = &definition.data["spec"];
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let (group, version) = (text(&spec["group"]), text(&spec["versions"][0]["name"]));
        let resource = ApiResource {
            api_version: format!("{group}/{version}"),
            group,
            version,
            kind: text(&spec["names"]["kind"]),
            plural: text(&spec["names"]["plural"]),
        };
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), &resource);
        api.list_metadata(&ListParams::default()).await.ok().map(|list| list.items.len())
    }

    async fn delete(
        &mut self,
        kind: Kind,
        object: &DynamicObject,
        with: &str,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        self.count += 1;
        let name = tame(&object.name_any());
        let place =
            object.namespace().map(|namespace| format!(" in {}", tame(&namespace))).unwrap_or_default();
        let what = format!("{}/{name}{place}{with}", kind.2.to_lowercase());
        if self.dry_run {
            return printer.text(&format!("would delete {what}\n"));
        }
        let api = self.place(kind, object);
        match api.delete(&object.name_any(), &DeleteParams::background()).await {
            Ok(_) => printer.text(&format!("deleted {what}\n")),
            // It went with something that went before it.
            Err(kube::Error::Api(status)) if status.code == 404 => printer.text(&format!("deleted {what}\n")),
            Err(error) => Err(refused(&format!("cannot delete {what}"), &error)),
        }
    }

    fn place(&self, kind: Kind, object: &DynamicObject) -> Api<DynamicObject> {
        match object.namespace() {
            Some(namespace) => Api::namespaced_with(self.client.clone(), &namespace, &resource(kind)),
            None => Api::all_with(self.client.clone(), &resource(kind)),
        }
    }
}

fn resource((group, version, kind, plural): Kind) -> ApiResource {
    ApiResource {
        group: group.to_owned(),
        version: version.to_owned(),
        api_version: if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") },
        kind: kind.to_owned(),
        plural: plural.to_owned(),
    }
}
