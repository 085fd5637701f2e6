//! An explanation on the screen of another command.

use std::time::Duration;

use allready::{
    Time,
    explain::{Answer, Bounds, Explanation, Extent, Known, ObjectId, Reference, Request, What},
    resources::{Catalog, Resource},
};
use kube::Client;
use serde_json::Value;

use super::{
    ask::{Asking, Budget},
    is_utf8_locale,
    tree::{self, Look},
};

/// How much may be asked while somebody looks at a screen.
const BUDGET: Budget = Budget { requests: 60, time: Duration::from_secs(10) };

/// Explains an object that was read already.
pub(crate) async fn of_object(
    client: &Client,
    catalog: &Catalog,
    resource: &Resource,
    object: Value,
    now: Time,
) -> Explanation {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
    let id = ObjectId::new(&resource.group, &resource.kind, &text("namespace"), &text("name"));
    let root = Reference::to(&id);
    let mut known = Known::new(Extent::Asked);
    known.answer(Request::Get(root.clone()), Answer::Objects(vec![object]));
    Asking { client, catalog }.explain(known, &root, &Bounds::default(), BUDGET, now).await
}

/// Whether it says more than the conditions of the object.
pub(crate) fn is_worth(explanation: &Explanation) -> bool {
    explanation.nodes.iter().skip(1).any(|node| node.what != What::Condition)
}

/// The tree, line by line, without colours.
pub(crate) fn lines(explanation: &Explanation, now: Time, width: usize, is_ascii: bool) -> Vec<String> {
    let text = tree::text(explanation, now, Look { is_ascii, width: width.max(40) });
    anstream::adapter::strip_str(&text).to_string().lines().map(str::to_owned).collect()
}

/// Whether trees are drawn with nothing but ASCII.
pub(crate) fn is_ascii() -> bool {
    !is_utf8_locale()
}
