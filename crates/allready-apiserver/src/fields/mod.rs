//! Server-side apply: field sets, ownership, merging.
