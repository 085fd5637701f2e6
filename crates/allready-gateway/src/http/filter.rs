//! Filters of rules and backends: `RequestHeaderModifier`, `ResponseHeaderModifier`, `RequestRedirect` and `URLRewrite`.

use http::{
    HeaderMap, HeaderName, HeaderValue, Response, StatusCode, Uri,
    header::{HOST, LOCATION},
    request::Parts,
    uri::PathAndQuery,
};
use serde_json::Value;

use super::{host, list, matches::rest, text};

/// The filters that apply to a request.
#[derive(Clone, Debug)]
pub(super) struct Filters<'a> {
    filters: Vec<&'a Value>,
    /// The prefix that the path of the request has matched.
    prefix: &'a str,
}

impl<'a> Filters<'a> {
    pub(super) fn new(filters: Vec<&'a Value>, prefix: &'a str) -> Self {
        Self { filters, prefix }
    }

    /// The answer to a request that came in with this scheme at this port, if a filter redirects it.
    pub(super) fn redirect(&self, scheme: &str, port: u16, request: &Parts) -> Option<Response<()>> {
        let to = self.filters.iter().find_map(|filter| filter.get("requestRedirect"))?;
        let named = to["scheme"].as_str();
        let scheme = named.unwrap_or(scheme);
        let well_known = if scheme == "https" { 443 } else { 80 };
        // Without a port it is that of the scheme that is named, and of the listener otherwise.
        let port = match to["port"].as_u64() {
            Some(port) => port,
            None if named.is_some() => well_known,
            None => port.into(),
        };
        let port = if port == well_known { String::new() } else { format!(":{port}") };
        let name = to["hostname"].as_str().unwrap_or_else(|| host(request));
        let path = self.path(&to["path"], &request.uri);
        let location = format!("{scheme}://{name}{port}{path}");
        let code = to["statusCode"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or(302);
        let mut response = Response::new(());
        *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::FOUND);
        response.headers_mut().insert(LOCATION, HeaderValue::try_from(location).ok()?);
        Some(response)
    }

    /// Changes a request on its way to the backend. Its URI becomes a path alone.
    pub(super) fn change_request(&self, request: &mut Parts) {
        if let Ok(name) = HeaderValue::from_str(host(request))
            && !request.headers.contains_key(HOST)
        {
            request.headers.insert(HOST, name);
        }
        let mut path = self.path(&Value::Null, &request.uri);
        for filter in &self.filters {
            change(&mut request.headers, &filter["requestHeaderModifier"]);
            let Some(rewrite) = filter.get("urlRewrite") else { continue };
            path = self.path(&rewrite["path"], &request.uri);
            if let Some(Ok(name)) = rewrite["hostname"].as_str().map(HeaderValue::from_str) {
                request.headers.insert(HOST, name);
            }
        }
        if let Ok(path) = PathAndQuery::try_from(path) {
            request.uri = Uri::from(path);
        }
    }

    /// Changes the headers of a response on its way to the client.
    pub(super) fn change_response(&self, headers: &mut HeaderMap) {
        for filter in &self.filters {
            change(headers, &filter["responseHeaderModifier"]);
        }
    }

    /// The path and the query of a request as the `path` of a filter makes them.
    fn path(&self, change: &Value, uri: &Uri) -> String {
        let path = match (change["replaceFullPath"].as_str(), change["replacePrefixMatch"].as_str()) {
            (Some(full), _) => full.to_owned(),
            (None, Some(new)) => {
                format!("{}{}", new.trim_end_matches('/'), rest(uri.path(), self.prefix).unwrap_or_default())
            }
            (None, None) => uri.path().to_owned(),
        };
        let slash = if path.starts_with('/') { "" } else { "/" };
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{slash}{path}{query}")
    }
}

/// Sets, adds and removes headers. The schema has made sure that their names and values are legal.
fn change(headers: &mut HeaderMap, how: &Value) {
    let pairs = |field: &str| {
        let pair = |one: &Value| {
            Some((
                HeaderName::try_from(text(&one["name"])).ok()?,
                HeaderValue::from_str(text(&one["value"])).ok()?,
            ))
        };
        list(&how[field]).filter_map(pair).collect::<Vec<_>>()
    };
    for (name, value) in pairs("set") {
        headers.insert(name, value);
    }
    for (name, value) in pairs("add") {
        headers.append(name, value);
    }
    for name in list(&how["remove"]) {
        headers.remove(text(name));
    }
}
