//! What is asked about no resource: discovery, OpenAPI, the version, health.

use http::{StatusCode, header};
use serde_json::Value;

use super::{
    body::ResponseBody,
    fixed, headers,
    negotiate::{self, Format, Place, Wanted},
    path,
    reply::{Reply, answer, json, page},
    route::Route,
    service::Asked,
    write,
};
use crate::{http::Shared, openapi, resource::Registry, status::Failure};

impl Asked {
    /// Everything that is about no resource.
    pub(super) fn other(&self, shared: &Shared, registry: &Registry, route: Route) -> Result<Reply, Failure> {
        let discovery = |place| negotiate::accept(&self.accept, place, false);
        Ok(match route {
            Route::Resource(_) | Route::Refused(_) | Route::NoPage => {
                page(StatusCode::NOT_FOUND, "404 page not found\n")
            }
            Route::Root => json(StatusCode::OK, &write::value(&fixed::root(registry), Format::Json, true)),
            Route::Version => {
                discovery(Place::Version)?;
                json(StatusCode::OK, &write::value(&openapi::discovery::version(), Format::Json, true))
            }
            Route::Health { endpoint, check } => {
                match fixed::health(endpoint, check.as_deref(), &self.query) {
                    Some(text) => {
                        let mut reply = page(StatusCode::OK, text);
                        if check.is_some() {
                            reply.headers_mut().remove(header::X_CONTENT_TYPE_OPTIONS);
                        }
                        reply
                    }
                    None => page(StatusCode::NOT_FOUND, "404 page not found\n"),
                }
            }
            Route::Api | Route::Apis if negotiate::wants_aggregated(&self.accept) => {
                let core = matches!(route, Route::Api);
                let list = openapi::discovery::aggregated(registry, core);
                let mut reply = json(StatusCode::OK, &write::value(&list, Format::Json, self.pretty));
                let kind = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
                headers::set(reply.headers_mut(), "content-type", kind);
                headers::set(reply.headers_mut(), "vary", "Accept");
                reply
            }
            Route::Api => {
                let wanted = discovery(Place::Discovery)?;
                self.value(&openapi::discovery::api(registry, &shared.address()), wanted)
            }
            Route::Apis => {
                let wanted = discovery(Place::Custom)?;
                self.value(&openapi::discovery::apis(registry), wanted)
            }
            Route::Group(group) => {
                let wanted = discovery(Place::Custom)?;
                self.found(openapi::discovery::group(registry, &group), wanted)
            }
            Route::Resources { group, version, custom } => {
                let wanted = discovery(if custom { Place::Custom } else { Place::Discovery })?;
                self.found(openapi::discovery::resources(registry, &group, &version), wanted)
            }
            Route::OpenapiTwo => self.second_document(),
            Route::OpenapiIndex => page(StatusCode::OK, openapi::index(registry).to_string()),
            Route::Openapi { group, version } => self.document(shared, registry, &group, &version),
            Route::NoDocument => answer(StatusCode::NOT_FOUND, ResponseBody::whole("")),
        })
    }

    fn value(&self, value: &Value, wanted: Wanted) -> Reply {
        json(StatusCode::OK, &write::value(value, wanted.format, self.pretty))
    }

    fn found(&self, value: Option<Value>, wanted: Wanted) -> Reply {
        match value {
            Some(value) => self.value(&value, wanted),
            None => page(StatusCode::NOT_FOUND, "404 page not found\n"),
        }
    }

    fn second_document(&self) -> Reply {
        let (code, text, kind) = match negotiate::second_document(&self.accept) {
            Some(false) => (StatusCode::OK, fixed::OPENAPI_TWO.as_bytes(), "application/json"),
            Some(true) => {
                let kind = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
                (StatusCode::OK, fixed::OPENAPI_TWO_PROTOBUF, kind)
            }
            None => (StatusCode::NOT_ACCEPTABLE, &b""[..], ""),
        };
        let mut reply = answer(code, ResponseBody::whole(text));
        if !kind.is_empty() {
            headers::set(reply.headers_mut(), "content-type", kind);
        }
        headers::set(reply.headers_mut(), "vary", "Accept");
        reply
    }

    fn document(&self, shared: &Shared, registry: &Registry, group: &str, version: &str) -> Reply {
        let Some(hash) = openapi::hash(registry, group, version) else {
            return answer(StatusCode::NOT_FOUND, ResponseBody::whole(""));
        };
        if !negotiate::takes_document(&self.accept) {
            let mut reply = answer(StatusCode::NOT_ACCEPTABLE, ResponseBody::whole(""));
            headers::set(reply.headers_mut(), "vary", "Accept");
            return reply;
        }
        let asked = path::first(&self.query, "hash").filter(|asked| !asked.is_empty());
        let mut reply = if asked.is_some_and(|asked| asked != hash) {
            let place = if group.is_empty() { "api".to_owned() } else { format!("apis/{group}") };
            let mut reply = answer(StatusCode::MOVED_PERMANENTLY, ResponseBody::whole(""));
            let location = format!("/openapi/v3/{place}/{version}?hash={hash}");
            headers::set(reply.headers_mut(), "location", &location);
            reply
        } else {
            let build = || openapi::document(registry, group, version).unwrap_or_default().to_string().into();
            let served = |group: &str, version: &str| openapi::hash(registry, group, version).is_some();
            answer(StatusCode::OK, ResponseBody::whole(shared.document(group, version, &hash, served, build)))
        };
        headers::set(reply.headers_mut(), "content-type", "application/json");
        headers::set(reply.headers_mut(), "etag", &format!("\"{hash}\""));
        headers::set(reply.headers_mut(), "vary", "Accept");
        reply
    }
}
