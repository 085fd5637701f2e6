//! Leadership: one of several replicas writes.
