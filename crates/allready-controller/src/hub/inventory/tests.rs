//! Inventories.
