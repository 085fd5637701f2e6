//! The set as a Markdown table, for documentation; the same text that the core makes of it.

use crate::model::Set;

pub(crate) fn table(set: &Set) -> String {
    let mut table = format!(
        "| condition | role | good when | meaning |\n|---|---|---|---|\n| `{}` | top | True | Computed from the \
         dependents by `{}`. |\n",
        set.top.value(),
        set.policy.1
    );
    for condition in &set.conditions {
        let role = if condition.counts() { "dependent" } else { "informational" };
        let meaning = condition.description.replace('|', "\\|");
        let (type_, good) = (condition.type_.value(), condition.good().word());
        table.push_str(&["| `", &type_, "` | ", role, " | ", good, " | ", &meaning, " |\n"].concat());
    }
    table
}
