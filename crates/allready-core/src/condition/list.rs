//! Plain editing of a list of conditions, by the rules of apimachinery's `meta` helpers.

use serde::{Deserialize, Serialize};

use super::{Condition, Status};

/// Where the condition of this type stands, if it is there.
///
/// ```
/// use allready_core::{Condition, Time, condition, condition_type};
///
/// let list = [Condition::unreported(condition_type!("Ready"), Time::EPOCH)];
/// assert_eq!(condition::position(&list, "Ready"), Some(0));
/// assert_eq!(condition::position(&list, "Synced"), None);
/// ```
pub fn position(conditions: &[Condition], type_: &str) -> Option<usize> {
    conditions.iter().position(|condition| condition.type_ == *type_)
}

/// The condition of this type, if it is there.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition, condition_type, reason};
///
/// let list = [Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH)];
/// assert!(condition::find(&list, "Ready").is_some());
/// assert!(condition::find(&list, "Synced").is_none());
/// ```
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.type_ == *type_)
}

/// Puts a condition into the list, and says whether that changed anything.
///
/// A new type is added as it is. A known one takes over all fields, but the time only if the status differs: a
/// `lastTransitionTime` moves with the status and never otherwise.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition, condition_type, reason};
///
/// let at = |second| Time::from_second(second).unwrap();
/// let ready = |status, second| Condition::new(condition_type!("Ready"), status, reason!("Ok"), "", at(second));
///
/// let mut list = vec![ready(Status::True, 10)];
/// assert!(!condition::set(&mut list, ready(Status::True, 20)), "same status: nothing changed");
/// assert_eq!(list[0].last_transition_time, at(10));
/// assert!(condition::set(&mut list, ready(Status::False, 30)));
/// assert_eq!(list[0].last_transition_time, at(30));
/// ```
pub fn set(conditions: &mut Vec<Condition>, mut new: Condition) -> bool {
    let Some(old) = conditions.iter_mut().find(|old| old.type_ == new.type_) else {
        conditions.push(new);
        return true;
    };
    if old.status == new.status {
        new.last_transition_time = old.last_transition_time;
    }
    let changed = *old != new;
    *old = new;
    changed
}

/// Takes the condition of this type out of the list, and returns it.
///
/// ```
/// use allready_core::{Condition, Time, condition, condition_type};
///
/// let mut list = vec![Condition::unreported(condition_type!("Obsolete"), Time::EPOCH)];
/// assert!(condition::remove(&mut list, "Obsolete").is_some());
/// assert_eq!(list, []);
/// ```
pub fn remove(conditions: &mut Vec<Condition>, type_: &str) -> Option<Condition> {
    position(conditions, type_).map(|index| conditions.remove(index))
}

/// Whether every condition has this status; true of an empty list.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition, condition_type};
///
/// let list = [Condition::unreported(condition_type!("Ready"), Time::EPOCH)];
/// assert!(condition::all_have_status(&list, Status::Unknown));
/// assert!(!condition::all_have_status(&list, Status::True));
/// ```
pub fn all_have_status(conditions: &[Condition], status: Status) -> bool {
    conditions.iter().all(|condition| condition.status == status)
}

/// Whether all of these types are `True`; one that is missing is not. Nothing asked for is true.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition, condition_type, reason};
///
/// let list = [Condition::new(condition_type!("Synced"), Status::True, reason!("Ok"), "", Time::EPOCH)];
/// assert!(condition::are_true(&list, ["Synced"]));
/// assert!(!condition::are_true(&list, ["Synced", "Healthy"]));
/// assert!(condition::are_true(&list, []));
/// ```
pub fn are_true<'t>(conditions: &[Condition], types: impl IntoIterator<Item = &'t str>) -> bool {
    types.into_iter().all(|type_| {
        let mut found = conditions.iter().filter(|condition| condition.type_ == *type_).peekable();
        found.peek().is_some() && found.all(|condition| condition.status == Status::True)
    })
}

/// In which order a list of conditions is kept.
///
/// ```
/// use allready_core::condition::ListOrder;
///
/// assert_eq!(serde_json::to_value(ListOrder::OldestFirst).unwrap(), "oldest-first");
/// assert_eq!(ListOrder::default(), ListOrder::AsFound);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ListOrder {
    /// As it was found; new conditions are added at the end. Never moves a condition for the sake of order.
    #[default]
    AsFound,
    /// By type (Knative, openmcp).
    ByType,
    /// The longest unchanged first, then by type, and the top condition always last (operatorpkg).
    OldestFirst,
}

/// Puts a list into an order; `top` is the type that [`ListOrder::OldestFirst`] keeps last.
///
/// ```
/// use allready_core::{Condition, ConditionType, Status, Time, condition::{ListOrder, sort}, reason};
///
/// let at = |type_: &'static str, second| {
///     let type_ = ConditionType::new(type_).unwrap();
///     Condition::new(type_, Status::True, reason!("Ok"), "", Time::from_second(second).unwrap())
/// };
/// let mut list = vec![at("Ready", 1), at("B", 9), at("A", 5)];
/// sort(&mut list, ListOrder::OldestFirst, "Ready");
/// assert_eq!(list.iter().map(|c| c.type_.as_str()).collect::<Vec<_>>(), ["A", "B", "Ready"]);
/// ```
pub fn sort(conditions: &mut [Condition], order: ListOrder, top: &str) {
    match order {
        ListOrder::AsFound => {}
        ListOrder::ByType => conditions.sort_by(|a, b| a.type_.cmp(&b.type_)),
        ListOrder::OldestFirst => conditions.sort_by(|a, b| {
            let key = |c: &Condition| (c.type_ == *top, c.last_transition_time);
            key(a).cmp(&key(b)).then_with(|| a.type_.cmp(&b.type_))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConditionType, Reason, Time};

    fn condition(type_: &'static str, status: Status, message: &'static str, second: i64) -> Condition {
        Condition::new(
            ConditionType::from_static(type_),
            status,
            Reason::from_static("Because"),
            message,
            Time::from_second(second).unwrap(),
        )
    }

    #[test]
    fn setting_on_an_empty_list_adds_with_the_supplied_time() {
        let mut list = vec![];
        assert!(set(&mut list, condition("A", Status::True, "", 7)));
        assert_eq!(list, [condition("A", Status::True, "", 7)]);
        assert!(
            !set(&mut list, condition("A", Status::True, "", 7)),
            "the second identical call changes nothing"
        );
    }

    #[test]
    fn all_fields_are_replaced_but_the_time_only_with_the_status() {
        let mut list = vec![condition("A", Status::True, "old", 7)];
        assert!(set(&mut list, condition("A", Status::True, "new", 9).observed(4)));
        assert_eq!(list, [condition("A", Status::True, "new", 7).observed(4)]);
        assert!(set(&mut list, condition("A", Status::Unknown, "new", 9)));
        assert_eq!(list, [condition("A", Status::Unknown, "new", 9)]);
    }

    #[test]
    fn removing_tells_whether_it_was_there() {
        let mut list = vec![condition("A", Status::True, "", 7)];
        assert!(remove(&mut list, "B").is_none());
        assert!(remove(&mut list, "A").is_some());
        assert!(remove(&mut list, "A").is_none(), "an empty list is fine");
    }

    #[test]
    fn an_empty_list_has_every_status() {
        assert!(all_have_status(&[], Status::False));
        assert!(!all_have_status(&[condition("A", Status::True, "", 1)], Status::False));
    }
}
