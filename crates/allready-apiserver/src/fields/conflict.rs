//! The refusal of an apply that would change what others own.

use super::{managed::Entry, set::FieldSet};
use crate::status::{Cause, Failure, quote};

/// What one other manager owns and the apply would change.
pub(crate) struct Conflict<'a> {
    pub(crate) identifier: String,
    pub(crate) manager: String,
    pub(crate) fields: FieldSet<'a>,
}

impl<'a> Conflict<'a> {
    pub(crate) fn new(entry: &Entry<'a>, fields: FieldSet<'a>) -> Self {
        let mut manager = quote(&entry.manager);
        if !entry.subresource.is_empty() {
            manager = format!("{manager} with subresource {}", quote(&entry.subresource));
        }
        if !entry.applied {
            manager = format!("{manager} using {}", entry.api_version);
        }
        Self { identifier: entry.identifier(), manager, fields }
    }
}

/// The 409 for a list of conflicts.
pub(crate) fn failure(mut conflicts: Vec<Conflict<'_>>) -> Failure {
    conflicts.sort_by(|left, right| left.identifier.cmp(&right.identifier));
    let mut causes = Vec::new();
    let mut lines = Vec::new();
    for conflict in &conflicts {
        lines.push(format!("conflicts with {}:", conflict.manager));
        for path in conflict.fields.paths() {
            let field = path.to_string();
            lines.push(format!("- {field}"));
            causes.push(Cause {
                reason: "FieldManagerConflict".into(),
                message: format!("conflict with {}", conflict.manager),
                field,
            });
        }
    }
    let message = match causes.as_slice() {
        [one] => format!("Apply failed with 1 conflict: {}: {}", one.message, one.field),
        many => format!("Apply failed with {} conflicts: {}", many.len(), lines.join("\n")),
    };
    Failure::apply_conflict(message, causes)
}
