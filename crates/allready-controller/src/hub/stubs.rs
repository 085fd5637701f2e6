use super::*;
use serde_json::Value;
use std::collections::BTreeMap;
pub(super) fn report(_s: &Subject, _o: &ObjectName, _c: &ClusterName, _n: &str) -> Option<Value> {
    todo!()
}
pub(super) fn recalled(_o: &Value) -> Option<(ObjectName, ClusterName, Instance)> {
    todo!()
}
pub(super) fn recalled_rows(_o: &HubFacts) -> BTreeMap<ClusterName, Instance> {
    todo!()
}
impl Subject {
    pub(super) fn is_behind(&self, _c: &ClusterName) -> bool {
        todo!()
    }
}
impl Plan {}
