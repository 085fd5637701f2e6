//! What went wrong, in words for the reader of a condition: short, on one line, and without what is secret.

use std::{error::Error, sync::Arc};

use allready_kube::refusal::{causes, innermost};
use kube::client::AuthError;

/// The most bytes of a text that comes from elsewhere.
const MOST: usize = 512;

/// This text within bounds, whatever it is: one line of at most 512 bytes.
pub(crate) fn cut(text: &str) -> Arc<str> {
    let mut short = String::with_capacity(text.len().min(MOST));
    for char in text.chars() {
        // Room for the three dots.
        if short.len() + char.len_utf8() > MOST - 3 {
            short.push('…');
            break;
        }
        short.push(if char.is_control() { ' ' } else { char });
    }
    short.trim().into()
}

/// Why a request failed. What a credential plugin printed, and where a proxy is, is not told: there may be secrets in it.
pub(crate) fn refusal(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) if status.code == 401 => REFUSED_CREDENTIALS.to_owned(),
        kube::Error::Api(status) => status.message.clone(),
        kube::Error::SerdeError(_) | kube::Error::FromUtf8(_) => {
            "what answers does not speak like an API server".to_owned()
        }
        kube::Error::Auth(_) | kube::Error::InferKubeconfig(_) => CREDENTIALS.to_owned(),
        kube::Error::ProxyProtocolUnsupported { .. } | kube::Error::ProxyProtocolDisabled { .. } => {
            "the kubeconfig asks for a proxy that this build cannot speak to".to_owned()
        }
        kube::Error::TlsRequired => "this build has no TLS".to_owned(),
        other if causes(other).any(<dyn Error>::is::<AuthError>) => CREDENTIALS.to_owned(),
        other => innermost(other).to_string(),
    }
}

/// What is said of a server that does not know who we are.
pub(crate) const REFUSED_CREDENTIALS: &str = "the API server refuses the credentials (401 Unauthorized)";
const CREDENTIALS: &str = "the credentials of the kubeconfig cannot be used";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_character_and_stays_on_one_line() {
        assert_eq!(&*cut("a\nb\u{7}"), "a b");
        let long = cut(&"ä".repeat(1000));
        assert!(long.len() <= MOST, "{}", long.len());
        assert!(long.ends_with('…'));
        assert_eq!(&*cut(&"a".repeat(500)), "a".repeat(500));
    }

    #[test]
    fn the_innermost_cause_is_told() {
        let refused = std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "Connection refused");
        let error = kube::Error::ReadEvents(std::io::Error::other(refused));
        assert_eq!(refusal(&error), "Connection refused");
    }

    #[test]
    fn what_a_credential_plugin_prints_is_not_told() {
        let output = std::process::Output {
            status: std::process::ExitStatus::default(),
            stdout: b"hunter2".to_vec(),
            stderr: Vec::new(),
        };
        let failed =
            || AuthError::AuthExecRun { cmd: "plugin hunter2".to_owned(), out: Box::new(output.clone()) };
        for error in [kube::Error::Auth(failed()), kube::Error::Service(Box::new(failed()))] {
            assert_eq!(refusal(&error), CREDENTIALS);
        }
    }
}
