//! Tables: what `kubectl get` shows.
