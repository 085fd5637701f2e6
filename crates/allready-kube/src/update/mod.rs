//! The status updater: from the result of a reconcile to the status of its object.
