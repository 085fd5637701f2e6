//! Where the next page of a list starts.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::json as reader;

/// The start of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// The version that the list shows; `None` for the newest.
    pub(crate) version: Option<u64>,
    /// The key to start from, without the prefix of the list.
    pub(crate) start: String,
}

impl Token {
    /// The text of a token. Built-in kinds keep the slash before the name, as they do in the real server.
    pub(crate) fn encode(&self, slash: bool) -> String {
        let version = self.version.map_or(json!(-1), Value::from);
        let slash = if slash { "/" } else { "" };
        let start = Value::from(format!("{slash}{}", self.start));
        URL_SAFE_NO_PAD.encode(format!("{{\"v\":\"meta.k8s.io/v1\",\"rv\":{version},\"start\":{start}}}"))
    }

    /// Reads a token, or says what is wrong with it.
    pub(crate) fn decode(text: &str) -> Result<Self, String> {
        let invalid = "continue key is not valid";
        let bytes = URL_SAFE_NO_PAD
            .decode(text)
            .map_err(|error| format!("{invalid}: {}", base64_error(text, &error)))?;
        let token = reader::parse(&bytes).map_err(|error| format!("{invalid}: {error}"))?.value;
        let version = token["v"].as_str().unwrap_or_default();
        if version != "meta.k8s.io/v1" {
            return Err(format!("{invalid}: server does not recognize this encoded version {version}"));
        }
        let number = token["rv"].as_i64().unwrap_or_default();
        if number == 0 {
            return Err(format!(
                "{invalid}: incorrect encoded start resourceVersion (version meta.k8s.io/v1)"
            ));
        }
        let start = token["start"].as_str().unwrap_or_default();
        if start.is_empty() {
            return Err(format!("{invalid}: encoded start key empty (version meta.k8s.io/v1)"));
        }
        let bare = start.strip_prefix('/').unwrap_or(start);
        if bare.split('/').any(|part| part == ".." || part == "." || part.is_empty()) {
            return Err(format!("{invalid}: {start}"));
        }
        Ok(Self { version: u64::try_from(number).ok(), start: bare.to_owned() })
    }
}

fn base64_error(text: &str, error: &base64::DecodeError) -> String {
    let at = match error {
        base64::DecodeError::InvalidByte(at, _) | base64::DecodeError::InvalidLastSymbol(at, _) => *at,
        _ => text.len() / 4 * 4,
    };
    format!("illegal base64 data at input byte {at}")
}
