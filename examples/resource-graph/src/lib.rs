//! A controller with a managed top condition: a graph of resources becomes a kind.
