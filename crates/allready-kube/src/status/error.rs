//! Why a status could not be written.

use allready_core::{Reason, reason};

use super::{FieldProblem, Reasonable};

/// Why a status could not be written. That the object is gone is no error, see [`Wrote`](super::Wrote).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// The object has no name, so nobody can have stored it.
    #[error("the {kind} that was reconciled has no name: pass the object as the API server gave it")]
    Unnamed {
        /// The kind.
        kind: String,
    },
    /// The object cannot be turned into JSON.
    #[error("the status of {object} cannot be written as JSON")]
    Unwritable {
        /// Which object.
        object: String,
        /// Why not.
        #[source]
        source: serde_json::Error,
    },
    /// A field is not what the updater was told.
    #[error("the status of {object} cannot be updated: {problem}")]
    Field {
        /// Which object.
        object: String,
        /// What is wrong with which field.
        problem: FieldProblem,
    },
    /// The status was written, and the API server left fields out.
    #[error(
        "the API server dropped {} from the status of {object}: its definition has no such field; add it there, or map \
         it to another name", fields.join(", ")
    )]
    Dropped {
        /// Which object.
        object: String,
        /// The fields, such as `status.phase`.
        fields: Vec<String>,
    },
    /// The kind has no status of its own.
    #[error(
        "{object} has no status endpoint: add `subresources: {{ status: {{}} }}` to the definition of its kind"
    )]
    NoStatus {
        /// Which object.
        object: String,
    },
    /// The API server refused, and will refuse again.
    #[error("the API server refused the status of {object}")]
    Refused {
        /// Which object.
        object: String,
        /// What it said.
        #[source]
        source: kube::Error,
    },
    /// It did not work, as often as it was tried.
    #[error(
        "the status of {object} could not be written in {tries} tries; it is written with the next reconcile"
    )]
    GaveUp {
        /// Which object.
        object: String,
        /// How often it was tried.
        tries: u32,
        /// How the last try ended.
        #[source]
        source: kube::Error,
    },
}

impl Reasonable for UpdateError {
    fn reason(&self) -> Option<Reason> {
        Some(reason!("StatusUpdateFailed"))
    }
}
