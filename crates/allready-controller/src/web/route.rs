//! Which page a request is for, and whether it may be answered at all. Pure: no socket, no cluster.

use allready_inspect::graph::ObjectId;
use http::{HeaderMap, Method, StatusCode, header};

/// The longest address that is read, and the longest word in it.
const MAX_ADDRESS: usize = 4096;
const MAX_WORD: usize = 512;

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// A file that is part of this program.
    Asset(&'static Asset),
    /// The clusters that can be looked at.
    Sources,
    /// The name of the viewer.
    Viewer,
    /// Everything at once.
    Page(String),
    /// Everything at once, and then what changes, as server-sent events.
    Events(String),
    /// One object, with what is behind how it is.
    Object(String, ObjectId),
    /// The objects that a filter asks for.
    Objects(String, String),
}

/// A file that is part of this program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asset {
    path: &'static str,
    pub(super) kind: &'static str,
    pub(super) text: &'static str,
}

/// The files, all of them.
static ASSETS: [Asset; 4] = [
    Asset { path: "/", kind: "text/html; charset=utf-8", text: include_str!("assets/index.html") },
    Asset { path: "/style.css", kind: "text/css; charset=utf-8", text: include_str!("assets/style.css") },
    Asset { path: "/app.js", kind: "text/javascript; charset=utf-8", text: include_str!("assets/app.js") },
    Asset { path: "/icon.svg", kind: "image/svg+xml", text: include_str!("assets/icon.svg") },
];

/// A request that is not answered, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It would change something.
    Method,
    /// It was sent to another name: a page of somebody else's has this address under a name of its own.
    Host,
    /// The page of another site sends it, with the browser of somebody who may look.
    OtherSite,
    /// It is longer than any that the page sends.
    TooLong,
    /// There is no such page.
    NotFound,
}

impl Refusal {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::OtherSite => StatusCode::FORBIDDEN,
            Self::TooLong => StatusCode::URI_TOO_LONG,
            Self::NotFound => StatusCode::NOT_FOUND,
        }
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Method => "only GET and HEAD",
            Self::Host => "open the page as 127.0.0.1 or localhost: other names are refused",
            Self::OtherSite => "only the page itself may ask: this comes from another site",
            Self::TooLong => "the address is too long",
            Self::NotFound => "there is no such page",
        }
    }
}

/// The security headers of every answer. Scripts and styles are those of this program alone, and no text of a cluster can become one.
pub(super) const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// Finds the page of a request.
pub(super) fn route(
    method: &Method,
    path: &str,
    query: Option<&str>,
    host: Option<&str>,
) -> Result<Route, Refusal> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return Err(Refusal::Method);
    }
    if !host.is_some_and(is_loopback) {
        return Err(Refusal::Host);
    }
    let query = query.unwrap_or_default();
    if path.len() + query.len() > MAX_ADDRESS {
        return Err(Refusal::TooLong);
    }
    if let Some(asset) = ASSETS.iter().find(|asset| asset.path == path) {
        return Ok(Route::Asset(asset));
    }
    if path == "/api/sources" {
        return Ok(Route::Sources);
    }
    if path == "/api/viewer" {
        return Ok(Route::Viewer);
    }
    let (source, page) =
        path.strip_prefix("/api/").and_then(|rest| rest.split_once('/')).ok_or(Refusal::NotFound)?;
    let source = source.to_owned();
    let word = |name: &str| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        let found =
            pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default();
        if found.chars().count() > MAX_WORD { Err(Refusal::TooLong) } else { Ok(found) }
    };
    match page {
        "page" => Ok(Route::Page(source)),
        "events" => Ok(Route::Events(source)),
        "objects" => Ok(Route::Objects(source, word("filter")?)),
        "object" => {
            let (group, kind, namespace, name) =
                (word("group")?, word("kind")?, word("namespace")?, word("name")?);
            if kind.is_empty() || name.is_empty() {
                return Err(Refusal::NotFound);
            }
            Ok(Route::Object(source, ObjectId::new(&group, &kind, &namespace, &name)))
        }
        _ => Err(Refusal::NotFound),
    }
}

/// Returns true if the page of another site sends a request, as browsers tell it. Its answer cannot be read there, but an object costs dozens
/// of requests to the API server. Whatever is no browser tells nothing.
pub(super) fn is_of_other_site(headers: &HeaderMap) -> bool {
    let is_foreign_site = |site: &http::HeaderValue| site != "same-origin" && site != "none";
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let is_foreign_origin = |origin: &http::HeaderValue| {
        let name = origin
            .to_str()
            .ok()
            .and_then(|origin| origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")));
        !name.is_some_and(|name| name.eq_ignore_ascii_case(host))
    };
    headers.get_all("sec-fetch-site").iter().any(is_foreign_site)
        || headers.get_all(header::ORIGIN).iter().any(is_foreign_origin)
}

/// Tells whether a `Host` means this machine by a name that no foreign server can have.
pub(super) fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if port.is_empty() || is_port(port) => address,
            _ => return false,
        },
        None => match host.split_once(':') {
            Some((name, port)) if is_port(&format!(":{port}")) => name,
            Some(_) => return false,
            None => host,
        },
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn is_port(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Option<&str> = Some("127.0.0.1:8081");

    fn get(path: &str, query: Option<&str>) -> Result<Route, Refusal> {
        route(&Method::GET, path, query, HERE)
    }

    #[test]
    fn every_page_has_its_address_and_there_are_no_others() {
        assert!(matches!(get("/", None), Ok(Route::Asset(asset)) if asset.kind.starts_with("text/html")));
        assert_eq!(get("/api/sources", None), Ok(Route::Sources));
        assert_eq!(get("/api/system/events", None), Ok(Route::Events("system".to_owned())));
        let id = ObjectId::new("apps", "Deployment", "shop", "a/b");
        let query = "group=apps&kind=Deployment&namespace=shop&name=a%2Fb";
        assert_eq!(get("/api/system/object", Some(query)), Ok(Route::Object("system".to_owned(), id)));
        let filter = Ok(Route::Objects("system".to_owned(), "web health:degraded".to_owned()));
        assert_eq!(get("/api/system/objects", Some("filter=web+health%3Adegraded")), filter);
        for other in [
            "/api",
            "/api/",
            "/api/system",
            "/api/system/",
            "/api/system/secrets",
            "/../etc/passwd",
            "/app.js/",
            "//",
        ] {
            assert_eq!(get(other, None), Err(Refusal::NotFound), "{other}");
        }
        assert_eq!(get("/api/system/object", Some("kind=Pod")), Err(Refusal::NotFound));
    }

    #[test]
    fn nothing_is_changed_and_nothing_long_is_read() {
        for method in
            [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS, Method::CONNECT]
        {
            assert_eq!(route(&method, "/", None, HERE), Err(Refusal::Method), "{method}");
        }
        assert_eq!(get("/", Some(&"a".repeat(5000))), Err(Refusal::TooLong));
        let long = format!("filter={}", "a".repeat(600));
        assert_eq!(get("/api/system/objects", Some(&long)), Err(Refusal::TooLong));
    }

    #[test]
    fn a_name_of_somebody_else_for_this_machine_is_refused() {
        for host in
            ["127.0.0.1", "127.0.0.1:8081", "localhost:1", "LOCALHOST", "[::1]:8081", "[::1]", "127.8.9.1:80"]
        {
            assert!(route(&Method::GET, "/", None, Some(host)).is_ok(), "{host}");
        }
        let others = [
            "evil.example",
            "evil.example:8081",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "",
            "[::1",
            "[::1]x",
            "127.0.0.1:",
            "127.0.0.1:80:80",
            "0.0.0.0",
            "[::ffff:10.0.0.1]",
            "127.0.0.1 ",
        ];
        for host in others {
            assert_eq!(route(&Method::GET, "/", None, Some(host)), Err(Refusal::Host), "{host}");
        }
        assert_eq!(route(&Method::GET, "/", None, None), Err(Refusal::Host));
    }

    #[test]
    fn the_page_of_another_site_asks_for_nothing() {
        let is_foreign = |given: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            headers.append("host", http::HeaderValue::from_static("127.0.0.1:8081"));
            for (name, value) in given {
                headers.append(*name, http::HeaderValue::from_static(value));
            }
            is_of_other_site(&headers)
        };
        for own in [
            &[][..],
            &[("sec-fetch-site", "same-origin"), ("origin", "http://127.0.0.1:8081")],
            &[("sec-fetch-site", "none")],
            &[("origin", "https://127.0.0.1:8081")],
        ] {
            assert!(!is_foreign(own), "{own:?}");
        }
        for foreign in [
            &[("sec-fetch-site", "cross-site")][..],
            // Another port of this machine is another origin.
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")],
            &[("origin", "http://127.0.0.1:9090")],
            &[("origin", "http://evil.example")],
            &[("origin", "null")],
            &[("origin", "file://127.0.0.1:8081")],
        ] {
            assert!(is_foreign(foreign), "{foreign:?}");
        }
    }

    #[test]
    fn no_page_has_a_script_or_a_style_within_it_or_from_elsewhere() {
        let html = ASSETS[0].text;
        assert_eq!(html.matches("<script").count(), 1, "one script");
        assert!(html.contains("<script src=\"/app.js\" defer></script>"));
        for wrong in ["<style", " style=\"", "onclick", "onload", "javascript:", "http://", "https://"] {
            assert!(!html.contains(wrong), "{wrong}");
        }
        for wrong in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "https://",
        ] {
            assert!(!ASSETS[2].text.contains(wrong), "{wrong}");
        }
        assert!(!ASSETS[1].text.contains("url(") && !ASSETS[1].text.contains("@import"));
        let (name, policy) = HEADERS[0];
        assert_eq!(name, "content-security-policy");
        assert!(!policy.contains("unsafe") && policy.contains("default-src 'none'"));
    }
}
