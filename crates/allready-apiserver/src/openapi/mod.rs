//! OpenAPI v3 documents and discovery, from what is served.
