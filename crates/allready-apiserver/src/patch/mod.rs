//! Patches: JSON, merge, strategic merge.
//!
//! Follows `k8s.io/apiserver/pkg/endpoints/handlers/patch.go`, `gopkg.in/evanphx/json-patch.v4` and
//! `k8s.io/apimachinery/pkg/util/strategicpatch`.

mod gotext;
pub(crate) mod json;
pub(crate) mod merge;
pub(crate) mod strategic;
