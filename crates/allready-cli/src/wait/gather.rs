//! For which objects to wait: those that are named, found or given.

use std::collections::HashMap;

use allready_inspect::graph::{ObjectId, leads_on};
use allready_kube::resources::{Catalog, Resource, list_pages};
use serde_json::Value;

use super::{WaitArgs, tracked::Tracked, wish::Wish};
use crate::{
    cluster::Cluster,
    failure::Failure,
    objects::read_all,
    printer::{Printer, tame},
    target::{self, Asked, Target, described, refused_to},
};

/// An object to wait for.
#[derive(Debug)]
pub(super) struct Awaited {
    pub(super) resource: Resource,
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    pub(super) tracked: Tracked,
}

impl Awaited {
    /// The object in words.
    pub(super) fn label(&self) -> String {
        tame(&described(&self.resource, self.namespace.as_deref(), &self.name))
    }
}

/// What cannot be wished together is refused before anything is asked of a server.
pub(super) fn check(args: &WaitArgs) -> Result<(), Failure> {
    let wishes = |wish: &Wish| args.wishes.contains(wish);
    let usage = |problem: &str| Err(Failure::usage(problem));
    if args.objects.is_empty() && !args.input.is_given() {
        return usage("nothing to wait for: give TYPE/NAME, TYPE with --selector or --all, or -f FILE");
    }
    if wishes(&Wish::Delete) && args.wishes.len() > 1 && !args.any {
        return usage("--for delete cannot be combined with other conditions, except with --any");
    }
    if args.input.is_given() && !args.selector.is_empty() {
        return usage("-f says which objects: leave --selector and --field-selector out");
    }
    if args.scope.all_namespaces && args.input.is_given() {
        return usage("-f says which objects: leave -A out, and use -n for those that name no namespace");
    }
    Ok(())
}

/// What a person asked for, before a server says what that is.
pub(super) enum Request {
    /// By arguments.
    Targets(Vec<Target>),
    /// By objects, each with the file that it is from.
    Objects(Vec<(String, Value)>),
}

impl Request {
    /// Reads arguments and files; standard input can be read only once.
    pub(super) fn read(args: &WaitArgs, printer: &mut Printer) -> Result<Self, Failure> {
        if !args.input.is_given() {
            return target::parse(&args.objects).map(Self::Targets).map_err(Failure::usage);
        }
        let mut objects = Vec::new();
        for source in args.input.sources(printer)? {
            let file = source.name();
            objects.extend(read_all(&source)?.into_iter().map(|object| (file.clone(), object)));
        }
        Ok(Self::Objects(objects))
    }

    /// Whether more objects may be meant later than now.
    pub(super) fn is_selective(&self) -> bool {
        matches!(self, Self::Targets(_))
    }

    /// The objects that are meant, each once.
    pub(super) async fn gather(
        &self,
        args: &WaitArgs,
        cluster: &Cluster,
        catalog: &Catalog,
    ) -> Result<Vec<Awaited>, Failure> {
        let mut gathered = Gathered::default();
        match self {
            Self::Targets(targets) => {
                let (scope, selector) = (&args.scope, &args.selector);
                for asked in target::resolve(targets, scope, selector, catalog, &cluster.namespace)? {
                    if asked.names.is_empty() {
                        found(args, cluster, asked, &mut gathered).await?;
                        continue;
                    }
                    for name in asked.names {
                        gathered.add(&asked.resource, asked.selection.namespace.clone(), name, None, None);
                    }
                }
            }
            Self::Objects(objects) => {
                let default = args.scope.namespace.as_deref().unwrap_or(&cluster.namespace);
                for (file, object) in objects {
                    given(file, object, default, catalog, &mut gathered)?;
                }
            }
        }
        Ok(gathered.objects)
    }
}

/// Those of a kind that there are now.
async fn found(
    args: &WaitArgs,
    cluster: &Cluster,
    asked: Asked,
    gathered: &mut Gathered,
) -> Result<(), Failure> {
    if !args.all && args.selector.is_empty() {
        return Err(Failure::usage(format_args!(
            "which of the {}? Name them, or give --selector or --all",
            asked.resource.full_name()
        )));
    }
    let mut all = Vec::new();
    let mut take = |page: Vec<Value>| {
        let id = |object: &Value, field: &str| object["metadata"][field].as_str().map(str::to_owned);
        all.extend(
            page.iter()
                .filter_map(|object| Some((id(object, "namespace"), id(object, "name")?, id(object, "uid")))),
        );
    };
    let listed = list_pages(&cluster.client, &asked.resource, &asked.selection, &mut take).await;
    listed.map_err(|error| {
        refused_to("list", &asked.resource, asked.selection.namespace.as_deref(), None, &error)
    })?;
    for (namespace, name, uid) in all {
        gathered.add(&asked.resource, namespace, name, None, uid);
    }
    Ok(())
}

/// One of a file.
fn given(
    file: &str,
    object: &Value,
    default: &str,
    catalog: &Catalog,
    gathered: &mut Gathered,
) -> Result<(), Failure> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let metadata = &object["metadata"];
    let name = metadata["name"].as_str().unwrap_or_default();
    if api_version.is_empty() || kind.is_empty() {
        return Err(Failure::data(format_args!(
            "{file} has something without apiVersion and kind: give objects, such as `kubectl apply -o yaml` prints"
        )));
    }
    let what = tame(&format!("{kind} {name:?} of {api_version}"));
    if name.is_empty() {
        return Err(Failure::data(format_args!(
            "{what} has no name yet: give what the server answered, `kubectl create -o yaml` prints it"
        )));
    }
    target::check_part(name).map_err(Failure::data)?;
    let resource = catalog.of_kind(api_version, kind).ok_or_else(|| {
        let near = catalog.find(kind).err().map(|error| error.near).unwrap_or_default();
        let hint = match near.first() {
            Some(near) => format!("did you mean {}?", tame(near)),
            None => "is its CustomResourceDefinition installed?".to_owned(),
        };
        Failure::unavailable(format_args!("{what}: the server does not serve this kind; {hint}"))
    })?;
    let namespace =
        metadata["namespace"].as_str().filter(|namespace| !namespace.is_empty()).unwrap_or(default);
    target::check_part(namespace).map_err(Failure::data)?;
    let namespace = resource.is_namespaced.then(|| namespace.to_owned());
    let uid = metadata["uid"].as_str().map(str::to_owned);
    gathered.add(resource, namespace, name.to_owned(), metadata["generation"].as_i64(), uid);
    Ok(())
}

#[derive(Default)]
struct Gathered {
    objects: Vec<Awaited>,
    known: HashMap<(String, Option<String>, String), usize>,
}

impl Gathered {
    fn add(
        &mut self,
        resource: &Resource,
        namespace: Option<String>,
        name: String,
        generation: Option<i64>,
        uid: Option<String>,
    ) {
        let id = (resource.full_name(), namespace.clone(), name.clone());
        if let Some(known) = self.known.get(&id).and_then(|&at| self.objects.get_mut(at)) {
            known.tracked.merge(generation, uid);
            return;
        }
        self.known.insert(id, self.objects.len());
        let id = ObjectId::new(&resource.group, &resource.kind, "", &name);
        let tracked = Tracked::new(generation, uid).in_view(leads_on(&id));
        self.objects.push(Awaited { resource: resource.clone(), namespace, name, tracked });
    }
}
