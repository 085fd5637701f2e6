//! An embedded Kubernetes API server: it starts in milliseconds inside a test or a demo, and `kubectl` and kube-rs cannot
//! tell it from kube-apiserver 1.36 on what it covers.
//!
//! # In a test
//! [`ApiServer::service`] is what `kube::Client::new` takes: no socket, no files, no other process.
//!
//! ```
//! use allready_apiserver::ApiServer;
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::api::{Api, ObjectMeta, PostParams};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let server = ApiServer::new();
//! let client = kube::Client::new(server.service(), "default");
//! let maps: Api<ConfigMap> = Api::default_namespaced(client);
//!
//! let wanted = ConfigMap {
//!     metadata: ObjectMeta { name: Some("settings".into()), ..ObjectMeta::default() },
//!     ..ConfigMap::default()
//! };
//! let made = maps.create(&PostParams::default(), &wanted).await?;
//! assert!(made.metadata.uid.is_some());
//!
//! let twice = maps.create(&PostParams::default(), &wanted).await.unwrap_err();
//! assert!(twice.to_string().contains("already exists"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Custom kinds come from their manifests: [`ApiServer::define`], the [builder](ApiServer::builder), or a client that creates
//! the `CustomResourceDefinition`, as on any cluster.
//!
//! # For `kubectl` and other programs
//! [`ApiServer::listen`] serves HTTPS on this machine; [`Listening::kubeconfig`](server::Listening::kubeconfig) is all that a
//! client needs.
//!
//! ```no_run
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let server = allready_apiserver::ApiServer::new();
//! let listening = server.listen("127.0.0.1:0".parse()?).await?;
//! std::fs::write("kubeconfig", listening.kubeconfig())?;
//! # Ok(())
//! # }
//! ```
//!
//! # When things go wrong
//! [`ApiServer::faults`] makes conflicts, cut connections, lost events and slow answers happen when a test says so.
//! [`ApiServer::restart`], [`ApiServer::compact`] and [`ApiServer::close_watches`] do what happens to every server some day.
//!
//! ```
//! use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
//! use k8s_openapi::api::core::v1::Namespace;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let server = ApiServer::new();
//! server.faults().add(Rule::new(Effect::InternalError).verb(Verb::Get).next_calls(1));
//! let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
//! assert!(namespaces.get("default").await.is_err());
//! assert!(namespaces.get("default").await.is_ok(), "one call was asked for");
//! # });
//! ```
//!
//! # What is covered
//!
//! | | |
//! |---|---|
//! | Built-in kinds | every stable one of Kubernetes 1.36 but component statuses and API services: core/v1, apps/v1, autoscaling/v1 and v2, batch/v1, certificates.k8s.io/v1, coordination.k8s.io/v1, discovery.k8s.io/v1, flowcontrol.apiserver.k8s.io/v1, networking.k8s.io/v1, node.k8s.io/v1, policy/v1, resource.k8s.io/v1, scheduling.k8s.io/v1, storage.k8s.io/v1 |
//! | events.k8s.io/v1 | events: the same objects as in core/v1 |
//! | admissionregistration.k8s.io/v1 | validating and mutating admission policies with bindings, params and the authorizer; validating and mutating webhooks |
//! | policy/v1 | pod disruption budgets: evictions respect them |
//! | rbac.authorization.k8s.io/v1 | roles, bindings and their cluster-wide kin; they hold for users other than administrators |
//! | authorization.k8s.io/v1 | access reviews: of oneself, of others, in a namespace, and the rules that hold |
//! | apiextensions.k8s.io/v1 | custom resource definitions, and the kinds that they define, in several versions |
//! | Verbs | get, list, watch, create, update, delete, deletecollection; patch as JSON, merge, strategic merge and apply |
//! | Subresources | status, scale, `namespaces/finalize`, `pods/eviction`, `pods/binding`, `serviceaccounts/token`, `certificatesigningrequests/approval` |
//! | Users | [`Builder::user`](server::Builder::user) with a token and groups; tokens of service accounts; impersonation |
//! | Lists and watches | label and field selectors, pages, resource versions, bookmarks, streaming lists, tables, metadata only |
//! | Writes | optimistic locking, dry run, field validation, field managers, finalizers, generated names, propagation policies |
//! | Custom kinds | pruning, defaults, all checks of schemas, CEL rules with ratcheting, printer columns, selectable fields |
//! | Formats | JSON, YAML, tables; protobuf is read |
//! | Discovery | both kinds of it, OpenAPI v3: what `kubectl explain` and `kubectl apply` need |
//! | Behind the scenes | garbage collection, the emptying of namespaces, the acceptance of definitions |
//!
//! # What is not
//! - Nothing runs: no scheduler, no kubelet, no controllers of workloads. Pods stay pending, deployments make no replica sets.
//! - Quotas and limit ranges are kept, and nobody is held to them.
//! - Admission: nothing is audited, types of expressions are not checked, the garbage collector is not asked about, webhooks
//!   are spoken to in `AdmissionReview` v1, and Services of webhooks are found where
//!   [`Builder::webhook_service`](server::Builder::webhook_service) says.
//! - Tokens of service accounts are no JWTs: they expire, and are bound to nothing but their service account.
//! - No aggregation, no beta or alpha versions, no `exec`, `logs`, `proxy` or `portforward`.
//! - Definitions are refused that convert by webhook. Versions convert as with strategy `None`.
//! - CEL rules: no type checker, no estimate of costs when a definition is made, and a few functions and comparisons that come
//!   to something else. What a rule costs when it runs is counted roughly; the limits and their texts are the real ones.
//! - Built-in kinds are checked less deeply than custom ones: what is not checked is accepted.
//! - Answers are never protobuf: clients that would take it also take JSON.
//! - OpenAPI v2 is an empty document. In OpenAPI v3 the operations of built-in kinds come without their long descriptions, and
//!   enumerations without the explanation of each value.
//! - Objects may be 120 levels deep.
//! - Nothing is kept on disk.
#![deny(missing_docs)]

mod access;
mod admission;
mod builtin;
pub mod catalog;
mod crd;
mod depth;
pub mod fault;
mod fields;
mod http;
mod json;
pub mod jsonpath;
mod meta;
mod names;
mod openapi;
mod patch;
mod resource;
mod rest;
mod schema;
pub mod server;
pub mod status;
mod store;
mod table;

pub use http::{ResponseBody, Service, ServiceError};
pub use resource::{User, Verb};
pub use server::ApiServer;
