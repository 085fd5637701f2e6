//! Why a server is not built, or its state not kept.

use std::{io, path::PathBuf};

use crate::status::Failure;

/// Why a server is not built.
///
/// ```
/// use allready_apiserver::{ApiServer, server::BuildError};
///
/// let refused = ApiServer::builder().manifests("kind: Widget\napiVersion: lab.example/v1").build();
/// let error = refused.err().unwrap();
/// assert!(matches!(error, BuildError::Refused { .. }));
/// assert_eq!(
///     error.to_string(),
///     "the text, document 1: there is no kind Widget in lab.example/v1: give its definition, too"
/// );
/// ```
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file or directory cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why not.
        #[source]
        error: io::Error,
    },
    /// A document is no YAML or JSON.
    #[error("{place}: {problem}")]
    Malformed {
        /// The file and the number of the document.
        place: String,
        /// The mistake.
        problem: String,
    },
    /// The server refuses an object.
    #[error("{place}: {failure}")]
    Refused {
        /// The file and the number of the document.
        place: String,
        /// The answer of the server.
        #[source]
        failure: Failure,
    },
    /// A range of addresses or ports is none.
    #[error("{0}")]
    Range(String),
    /// The state that was saved cannot be read.
    #[error(transparent)]
    State(#[from] StateError),
}

/// Why the state of a server is not saved or loaded.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why not.
        #[source]
        error: io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why not.
        #[source]
        error: io::Error,
    },
    /// There is something that no server saved: it is neither read nor replaced.
    #[error("{} was not saved by an embedded API server: {what}", path.display())]
    Foreign {
        /// Which.
        path: PathBuf,
        /// The thing that is there instead.
        what: &'static str,
    },
    /// Another version of this crate saved it.
    #[error("{} has version {version} of the format, and this program reads version {}", path.display(), super::state::VERSION)]
    Version {
        /// Which.
        path: PathBuf,
        /// The version that it has.
        version: u64,
    },
    /// It is not what was saved.
    #[error("{} is damaged: {problem}", path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// The place and the mistake.
        problem: String,
    },
}
