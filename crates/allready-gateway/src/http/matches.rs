//! Matches of rules: read, and their regular expressions compiled, once for each table.

use http::request::Parts;
use regex::Regex;
use serde_json::Value;

use super::{list, text};

/// One entry of `matches`: everything that it names has to hold.
#[derive(Clone, Debug)]
pub(super) struct Match {
    path: Option<Wanted>,
    method: Option<String>,
    headers: Vec<(String, Wanted)>,
    query: Vec<(String, Wanted)>,
    precedence: Precedence,
}

/// An exact path goes first, then the longest one, then a method, then the most headers, then the most query parameters.
type Precedence = (bool, usize, bool, usize, usize);

/// The condition on one value of a request.
#[derive(Clone, Debug)]
enum Wanted {
    Exact(String),
    /// Of whole elements of a path.
    Prefix(String),
    /// For the whole of a value.
    Regex(Regex),
}

impl Match {
    /// Reads a match; `None` if a regular expression is none: such a rule is dropped, and told, where `Support` has `check_regex`.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let named = |field: &str| -> Option<Vec<(String, Wanted)>> {
            let one = |value: &Value| Some((text(&value["name"]).to_owned(), Wanted::read(value, "Exact")?));
            list(&value[field]).map(one).collect()
        };
        let path = match value.get("path").filter(|path| !path.is_null()) {
            Some(path) => Some(Wanted::read(path, "PathPrefix")?),
            None => None,
        };
        let method = value["method"].as_str().map(str::to_owned);
        let (headers, query) = (named("headers")?, named("queryParams")?);
        let is_exact = matches!(path, Some(Wanted::Exact(_)));
        let length = text(&value["path"]["value"]).len();
        let precedence = (is_exact, length, method.is_some(), headers.len(), query.len());
        Some(Self { path, method, headers, query, precedence })
    }

    pub(super) fn precedence(&self) -> Precedence {
        self.precedence
    }

    /// The prefix that the path of a request has to have.
    pub(super) fn prefix(&self) -> &str {
        if let Some(Wanted::Prefix(prefix)) = &self.path { prefix } else { "" }
    }

    pub(super) fn meets(&self, request: &Parts) -> bool {
        let header = |(name, wanted): &(String, Wanted)| {
            let found = request.headers.get(name).and_then(|value| value.to_str().ok());
            found.is_some_and(|found| wanted.holds(found))
        };
        let query = request.uri.query().unwrap_or_default().as_bytes();
        let parameter = |(name, wanted): &(String, Wanted)| {
            let mut pairs = form_urlencoded::parse(query);
            pairs.find(|(found, _)| found == name).is_some_and(|(_, found)| wanted.holds(&found))
        };
        self.path.as_ref().is_none_or(|path| path.holds(request.uri.path()))
            && self.method.as_ref().is_none_or(|method| request.method == method.as_str())
            && self.headers.iter().all(header)
            && self.query.iter().all(parameter)
    }
}

impl Wanted {
    fn read(value: &Value, default: &str) -> Option<Self> {
        let wanted = text(&value["value"]);
        match value["type"].as_str().unwrap_or(default) {
            "PathPrefix" => Some(Self::Prefix(wanted.to_owned())),
            "RegularExpression" => regex(wanted).ok().map(Self::Regex),
            _ => Some(Self::Exact(wanted.to_owned())),
        }
    }

    fn holds(&self, found: &str) -> bool {
        match self {
            Self::Exact(wanted) => found == wanted,
            Self::Prefix(wanted) => rest(found, wanted).is_some(),
            Self::Regex(wanted) => wanted.is_match(found),
        }
    }
}

/// Checks a regular expression of a match as [`Table`](super::Table) reads it, for
/// [`Support::check_regex`](crate::Support::check_regex).
///
/// ```
/// use allready_gateway::{Support, http::check_regex};
///
/// let support = Support { check_regex, ..Support::new("example.com/gateway") };
/// assert!((support.check_regex)("/v[0-9]+/.*").is_ok());
/// assert!((support.check_regex)("/v[0-9").is_err());
/// ```
pub fn check_regex(wanted: &str) -> Result<(), String> {
    regex(wanted).map(drop).map_err(|error| {
        // The last line says what; those before it point at where, in a fixed width.
        let text = error.to_string();
        text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

fn regex(wanted: &str) -> Result<Regex, regex::Error> {
    Regex::new(&format!("^(?:{wanted})$"))
}

/// The rest of a path after a prefix of whole elements.
pub(super) fn rest<'a>(path: &'a str, prefix: &str) -> Option<&'a str> {
    path.strip_prefix(prefix.trim_end_matches('/')).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}
