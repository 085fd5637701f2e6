use super::*;
use crate::{graph::Relation, health::Health};

const API: &str = "example.com/v1";

fn widget(name: &str, status: &str) -> Value {
    object(API, "Widget", name, &json!({}), &ready(status, "Because"))
}

#[test]
fn owners_in_a_circle_are_shown_once() {
    let known = cluster([
        owned(widget("a", "False"), API, "Widget", "c"),
        owned(widget("b", "False"), API, "Widget", "a"),
        owned(widget("c", "False"), API, "Widget", "b"),
    ]);
    let explanation = explained(&known, "example.com", "Widget", "a");
    assert_eq!(cause(&explanation), "Widget shop/c: Because");
    let last = find(&explanation, "Widget shop/c").unwrap();
    assert_eq!(last.elsewhere, [(Relation::Controls, 0)]);
    let objects = explanation.nodes.iter().filter(|node| node.label.starts_with("Widget")).count();
    assert_eq!(objects, 3);
}

#[test]
fn one_that_owns_itself_is_no_riddle() {
    let known = cluster([owned(widget("a", "False"), API, "Widget", "a")]);
    assert_eq!(cause(&explained(&known, "example.com", "Widget", "a")), "Widget shop/a Ready=False: Because");
}

#[test]
fn of_many_children_the_worst_are_shown_and_the_rest_is_counted() {
    let children = (0..5000).map(|number| {
        let status = if number % 1000 == 999 { "False" } else { "True" };
        owned(widget(&format!("w-{number}"), status), API, "Widget", "a")
    });
    let known = cluster(children.chain([widget("a", "False")]));
    let explanation = explained(&known, "example.com", "Widget", "a");
    let root = &explanation.nodes[0];
    let shown = explanation.nodes.iter().filter(|node| node.relation == Relation::Controls).count();
    assert_eq!(shown, 5);
    assert_eq!((root.folded[0].health, root.folded[0].count), (Health::Healthy, 4995));
    let all = Bounds { all: true, children: 100, ..Bounds::default() };
    let explanation = explained_within(&known, "example.com", "Widget", "a", &all);
    let shown = explanation.nodes.iter().filter(|node| node.relation == Relation::Controls).count();
    assert_eq!(shown, 100);
    assert_eq!(explanation.nodes[0].folded.iter().map(|folded| folded.count).sum::<usize>(), 4900);
}

#[test]
fn many_that_are_broken_are_counted_as_broken() {
    let children = (0..50).map(|number| owned(widget(&format!("w-{number}"), "False"), API, "Widget", "a"));
    let known = cluster(children.chain([widget("a", "False")]));
    let explanation = explained(&known, "example.com", "Widget", "a");
    let folded = &explanation.nodes[0].folded;
    assert_eq!((folded[0].health, folded[0].count), (Health::Degraded, 40));
}

#[test]
fn a_long_chain_ends_where_it_is_said_to_and_says_so() {
    let chain = (1..40).map(|number| {
        owned(widget(&format!("w-{number}"), "False"), API, "Widget", &format!("w-{}", number - 1))
    });
    let known = cluster(chain.chain([widget("w-0", "False")]));
    let explanation = explained(&known, "example.com", "Widget", "w-0");
    assert_eq!(cause(&explanation), "Widget shop/w-12: Because");
    assert_eq!(explanation.cause.unwrap().unseen, ["more than 12 steps from the top nothing is followed"]);
}

#[test]
fn a_whole_is_bounded_however_broad_it_is() {
    let mut objects = vec![widget("a", "False")];
    for one in 0..20 {
        objects.push(owned(widget(&format!("b-{one}"), "False"), API, "Widget", "a"));
        for other in 0..20 {
            objects.push(owned(
                widget(&format!("c-{one}-{other}"), "False"),
                API,
                "Widget",
                &format!("b-{one}"),
            ));
        }
    }
    let bounds = Bounds { nodes: 50, ..Bounds::default() };
    let explanation = explained_within(&cluster(objects), "example.com", "Widget", "a", &bounds);
    assert!(explanation.nodes.len() <= 55, "{}", explanation.nodes.len());
}

#[test]
fn nothing_in_an_object_can_make_it_fail() {
    let values = [
        json!(null),
        json!([]),
        json!({}),
        json!("x"),
        json!(-1),
        json!([null, [{}], { "name": 3, "kind": [] }]),
    ];
    for value in &values {
        for field in ["spec", "status"] {
            let mut hostile = widget("a", "False");
            hostile[field] = value.clone();
            for field in ["ownerReferences", "labels", "managedFields", "generation", "uid"] {
                hostile["metadata"][field] = value.clone();
            }
            let explanation = explained(&cluster([hostile]), "example.com", "Widget", "a");
            assert_eq!(explanation.nodes[0].label, "Widget shop/a");
        }
    }
}
