//! A script: requests as data, in the order in which they are sent.
//!
//! ```yaml
//! topic: What this file is about
//! crds: [widgets]                  # fixtures of conformance/crds, created before the first step
//! steps:
//! - name: a sentence
//!   do: PATCH /apis/${group}/v1/namespaces/${ns}/widgets/a?fieldManager=one
//!   type: apply                    # json (default), merge, json-patch, strategic, apply, yaml, or a content type
//!   body: { spec: { size: 1 } }
//!   capture: { rv: /metadata/resourceVersion }
//! - name: a watch runs until its events are asked for
//!   do: GET /apis/${group}/v1/namespaces/${ns}/widgets?watch=1
//!   watch: w
//! - name: what it saw
//!   events: w
//!   count: 2
//! ```
//!
//! `${ns}`, `${group}` and `${run}` are fresh in every run and the same on both servers; `${name}` is what a step captured.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One file of the suite.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// What the script is about.
    pub topic: String,
    /// Fixtures that are created, and waited for, before the first step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crds: Vec<String>,
    /// Set if a webhook listens for the script: `${webhook}` is its URL, to which the steps add what it is to do, and
    /// `${webhook-ca}` its `caBundle`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub webhook: bool,
    /// What is sent.
    pub steps: Vec<Step>,
    /// The file's name without its ending.
    #[serde(skip)]
    pub name: String,
}

/// One exchange, or one look at a running watch.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    /// A sentence, unique in its script.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Method, path and query.
    #[serde(rename = "do", skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The content type, or a short word for one.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The `Accept` header; `application/json` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept: Option<String>,
    /// The `User-Agent` header; `conformance/v1` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Other headers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Who asks: `admin` when absent, `nobody` sends no token, `stranger` a wrong one.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The body as data. `{$from: name, $merge: patch}` is a captured object with a merge patch on it, as a client edits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The body as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// A raw body made of a text repeated so many times between two others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Repeated>,
    /// Parts of the answer to remember, as JSON pointers; an empty pointer is the whole.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub capture: BTreeMap<String, String>,
    /// Ask again until the answer is like this; only the last one is compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// Keep the answer open as a watch of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch: Option<String>,
    /// Compare what the watch of this name has seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<String>,
    /// How many events to wait for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// Wait for the watch to be ended by the server.
    #[serde(skip_serializing_if = "is_false")]
    pub end: bool,
    /// Compare bookmarks beside the one that ends a streaming list too.
    #[serde(skip_serializing_if = "is_false")]
    pub bookmarks: bool,
    /// Pointers that are not compared here, each with the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ignore: BTreeMap<String, String>,
    /// Of a list at `at`, compare only the entries whose `by` is one of `of`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<Focus>,
    /// Milliseconds to wait before the step, where the server itself needs time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<u64>,
}

/// A body too long to write down.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Repeated {
    /// What comes first.
    pub before: String,
    /// What is repeated.
    pub text: String,
    /// How often.
    pub times: usize,
    /// What comes last.
    pub after: String,
}

/// When to stop asking.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Until {
    /// The status code to wait for.
    pub status: Option<u16>,
    /// The pointer to look at.
    pub at: Option<String>,
    /// What stands there in the end; anything at all when absent.
    pub is: Option<Value>,
}

/// A part of a list.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Focus {
    /// Where the list stands.
    pub at: String,
    /// A pointer in each entry.
    pub by: String,
    /// The entries that stay.
    pub of: Vec<String>,
}

impl Script {
    /// Reads a script from YAML.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let value: Value = serde_saphyr::from_str(text).with_context(|| format!("{name}: not YAML"))?;
        let mut script: Self =
            serde_json::from_value(value).with_context(|| format!("{name}: not a script"))?;
        name.clone_into(&mut script.name);
        let mut names = std::collections::HashSet::new();
        for step in &script.steps {
            if step.name.is_empty() || !names.insert(&step.name) {
                bail!("{name}: a step needs a name of its own, {:?} is none", step.name);
            }
            if step.request.is_none() == step.events.is_none() {
                bail!("{name}: step {:?} needs either `do` or `events`", step.name);
            }
        }
        Ok(script)
    }

    /// Reads a script's file.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Self::parse(&name, &text)
    }

    /// The script as a file that can be saved and run.
    pub fn render(&self) -> Result<String> {
        Ok(serde_saphyr::to_string(&serde_json::to_value(self)?)?)
    }
}

impl Step {
    /// The content type behind the short word.
    pub fn media_type(&self) -> &str {
        match self.content_type.as_deref().unwrap_or("json") {
            "json" => "application/json",
            "merge" => "application/merge-patch+json",
            "json-patch" => "application/json-patch+json",
            "strategic" => "application/strategic-merge-patch+json",
            "apply" => "application/apply-patch+yaml",
            "yaml" => "application/yaml",
            other => other,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
