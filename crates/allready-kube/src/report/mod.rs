//! Reporters: how a component tells how it is doing, as one of many writers.
