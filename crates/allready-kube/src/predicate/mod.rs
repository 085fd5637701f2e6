//! Watch predicates.
