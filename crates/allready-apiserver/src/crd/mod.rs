//! `CustomResourceDefinition`s: what is refused, what is filled in, and the resource that one becomes.
