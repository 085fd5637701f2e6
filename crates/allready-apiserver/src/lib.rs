#![doc = include_str!("../README.md")]
//!
//! # In a test
//! [`ApiServer::service`] is what `kube::Client::new` takes: no socket, no files, no other process.
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
mod webhook;

pub use http::{ResponseBody, Service, ServiceError};
pub use resource::{User, Verb};
pub use server::ApiServer;
