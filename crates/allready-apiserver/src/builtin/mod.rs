//! The built-in kinds: what they look like, what is filled in, what is refused.
