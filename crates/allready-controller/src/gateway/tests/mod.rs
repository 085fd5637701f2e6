//! The reconciler in its engine, fed objects with the time passed in, and a part of an API server that takes its writes.

mod stage;

use std::time::Duration;

use allready_kube::{list_watch::WatchEvent, refusal::Refusal};
use proptest::prelude::*;
use serde_json::json;

use self::stage::{Stage, class, condition, gateway, ms, route, status_of};
use super::reconciler::{GatewayEvent, Target};
use allready_gateway::Kind;

#[test]
fn nothing_is_written_before_everything_that_decides_has_been_listed() {
    let mut stage = Stage::new();
    stage.put(class());
    stage.put(gateway(&["http"]));
    for kind in Kind::ALL.into_iter().filter(|&kind| kind != Kind::Secret) {
        stage.list(kind, ms(0));
    }
    assert_eq!(stage.until(ms(0), ms(5_000)), Vec::<String>::new());
    let unseen = stage.watches().into_iter().find(|(_, seen)| seen.is_err()).unwrap();
    assert_eq!(unseen.0, "Secrets of Gateway API");
    stage.list(Kind::Secret, ms(5_000));
    assert_eq!(stage.until(ms(5_000), ms(6_000)), ["GatewayClass/example", "Gateway/shop/web"]);
    let web = stage.get("Gateway/shop/web");
    assert_eq!(condition(&web["status"]["conditions"], "Programmed"), "True");
    assert_eq!(web["status"]["addresses"][0]["value"], "127.0.0.1");
}

#[test]
fn a_class_that_is_not_listed_gets_no_status() {
    let mut stage = Stage::with([class(), gateway(&["http"])]);
    let mut other = class();
    other["metadata"]["name"] = json!("other");
    stage.apply(other, ms(1_000));
    assert_eq!(stage.until(ms(1_000), ms(5_000)), Vec::<String>::new());
}

#[test]
fn entries_of_other_controllers_are_kept_and_own_ones_go_with_their_gateway() {
    let mut shared = route("cart", &["web", "theirs"]);
    let theirs =
        json!({ "parentRef": { "name": "theirs" }, "controllerName": "example.com/other", "conditions": [] });
    shared["status"] = json!({ "parents": [theirs] });
    let mut stage = Stage::with([class(), gateway(&["http"]), shared]);
    let parents = |stage: &Stage| -> Vec<String> {
        let route = stage.get("HTTPRoute/shop/cart");
        let names = route["status"]["parents"].as_array().unwrap().iter();
        names.map(|entry| entry["controllerName"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(parents(&stage), ["example.com/other", "allready.dev/gateway"]);
    stage.delete("Gateway/shop/web", ms(1_000));
    stage.until(ms(1_000), ms(5_000));
    assert_eq!(parents(&stage), ["example.com/other"]);
}

#[test]
fn an_edit_while_a_write_is_under_way_is_answered_for_its_own_generation() {
    let mut stage = Stage::with([class(), gateway(&["http"])]);
    stage.apply(gateway(&["http", "more"]), ms(1_000));
    stage.step_without_time(ms(1_000));
    let writes = stage.take(ms(1_100));
    assert_eq!(writes.len(), 1);
    // The spec is edited before the write arrives: the version that it was computed from is not there any more.
    stage.apply(gateway(&["http", "more", "most"]), ms(1_100));
    for write in writes {
        assert_eq!(stage.arrive(write, ms(1_150)), Err(Refusal::Conflict));
    }
    stage.until(ms(1_150), ms(5_000));
    let web = stage.get("Gateway/shop/web");
    assert_eq!(web["status"]["listeners"].as_array().unwrap().len(), 3);
    assert_eq!(web["status"]["conditions"][0]["observedGeneration"], web["metadata"]["generation"]);
}

#[test]
fn a_write_that_is_not_wanted_any_more_is_dropped() {
    let mut stage = Stage::with([class(), gateway(&["http"])]);
    let before = stage.get("Gateway/shop/web");
    stage.apply(route("cart", &["web"]), ms(1_000));
    stage.step_without_time(ms(1_000));
    stage.delete("HTTPRoute/shop/cart", ms(1_010));
    assert_eq!(stage.until(ms(1_010), ms(5_000)), Vec::<String>::new());
    assert_eq!(stage.get("Gateway/shop/web"), before);
}

#[test]
fn a_thousand_routes_in_a_second_write_their_gateway_a_few_times() {
    let mut stage = Stage::with([class(), gateway(&["http"])]);
    let mut written = Vec::new();
    for number in 0..1_000_u64 {
        let now = ms(1_000 + number);
        stage.apply(route(&format!("route-{number}"), &["web"]), now);
        written.extend(stage.until(now, now));
    }
    written.extend(stage.until(ms(2_000), ms(60_000)));
    let of_gateway = written.iter().filter(|name| *name == "Gateway/shop/web").count();
    assert!(of_gateway <= 12, "{of_gateway}");
    assert_eq!(stage.get("Gateway/shop/web")["status"]["listeners"][0]["attachedRoutes"], 1_000);
}

#[test]
fn a_replica_writes_nothing_before_it_leads_and_then_what_is_missing() {
    let mut stage = Stage::new();
    stage.put(class());
    stage.list_all(ms(0));
    assert!(stage.engine.step(false, stage::at(ms(0), None)).is_empty());
    assert!(stage.engine.step(false, stage::at(ms(1_000), None)).is_empty());
    let writes = stage.engine.step(true, stage::at(ms(2_000), Some(7)));
    assert_eq!(writes[0].0.to_string(), "the status of GatewayClass/example");
}

#[test]
fn a_kind_that_is_not_served_any_more_takes_its_objects_along() {
    let mut stage = Stage::with([class(), gateway(&["http"]), route("cart", &["web"])]);
    assert_eq!(stage.get("Gateway/shop/web")["status"]["listeners"][0]["attachedRoutes"], 1);
    let mut served = stage::served();
    served.kinds.remove(&Kind::HTTPRoute);
    stage.engine.observe(GatewayEvent::Served(Ok(served)), stage::at(ms(1_000), None));
    stage.until(ms(1_000), ms(5_000));
    assert_eq!(stage.get("Gateway/shop/web")["status"]["listeners"][0]["attachedRoutes"], 0);
}

#[test]
fn a_dangling_reference_is_told_once_and_again_when_it_dangles_again() {
    let mut stage = Stage::with([class(), gateway(&["http"])]);
    let told = |stage: &mut Stage, from: u64, to: u64| -> usize {
        stage.until(ms(from), ms(to)).iter().filter(|name| name.contains("NoSuchParent")).count()
    };
    stage.apply(route("cart", &["gone"]), ms(10_000));
    assert_eq!(told(&mut stage, 10_000, 14_000), 0, "its parent may be on its way");
    assert_eq!(told(&mut stage, 14_000, 30_000), 1);
    stage.apply(route("other", &["web"]), ms(30_000));
    assert_eq!(told(&mut stage, 30_000, 60_000), 0, "once is enough");
    assert_eq!(stage.engine.reconciler.dangling(), 1);
    stage.apply(route("cart", &["web"]), ms(60_000));
    assert_eq!(told(&mut stage, 60_000, 80_000), 0);
    stage.apply(route("cart", &["gone"]), ms(80_000));
    assert_eq!(told(&mut stage, 80_000, 99_000), 1);
}

#[test]
fn a_class_that_nobody_answers_is_told_after_a_minute() {
    let mut foreign = class();
    foreign["metadata"]["name"] = json!("foreign");
    foreign["spec"]["controllerName"] = json!("example.com/absent");
    let mut stage = Stage::with([class(), foreign]);
    assert!(stage.until(ms(1_000), ms(59_000)).is_empty());
    assert_eq!(stage.until(ms(59_000), ms(120_000)), ["the Event NoController on GatewayClass/foreign"]);
}

/// Something that happens, and how the server treats writes meanwhile.
#[derive(Clone, Debug)]
enum Act {
    Gateway(Vec<&'static str>),
    Route(u8, Option<&'static str>),
    Secret(bool),
    Relist(usize),
    Fail(Refusal),
    Pass(u64),
}

fn act() -> impl Strategy<Value = Act> {
    let listeners = prop::sample::subsequence(vec!["http", "https", "broken"], 0..=3);
    let refusals = vec![Refusal::Conflict, Refusal::Busy { after: None }, Refusal::Unanswered];
    prop_oneof![
        listeners.prop_map(Act::Gateway),
        (0..3_u8, prop::option::of(prop::sample::select(vec!["web", "gone"])))
            .prop_map(|(number, parent)| Act::Route(number, parent)),
        any::<bool>().prop_map(Act::Secret),
        (0..Kind::ALL.len()).prop_map(Act::Relist),
        prop::sample::select(refusals).prop_map(Act::Fail),
        (0..3_000_u64).prop_map(Act::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn after_faults_stop_every_status_is_what_one_look_at_everything_gives(acts in prop::collection::vec(act(), 1..40)) {
        let mut stage = Stage::with([class(), gateway(&["http"])]);
        let mut now = ms(1_000);
        for act in acts {
            match act {
                Act::Gateway(listeners) => stage.apply(gateway(&listeners), now),
                Act::Route(number, Some(parent)) => stage.apply(route(&format!("route-{number}"), &[parent]), now),
                Act::Route(number, None) => stage.delete(&format!("HTTPRoute/shop/route-{number}"), now),
                Act::Secret(true) => stage.apply(stage::secret(), now),
                Act::Secret(false) => stage.delete("Secret/shop/certificate", now),
                Act::Relist(index) => {
                    let kind = Kind::ALL[index];
                    stage.see(kind, WatchEvent::Failed("cut off".into()), now);
                    stage.list(kind, now);
                }
                Act::Fail(refusal) => stage.failing = Some(refusal),
                Act::Pass(time) => {
                    let end = now + Duration::from_millis(time);
                    stage.until(now, end);
                    now = end;
                }
            }
        }
        stage.failing = None;
        stage.until(now, now + Duration::from_mins(5));
        let differing = status_of(&stage);
        prop_assert!(differing.is_empty(), "{differing:?}");
        let web = stage.get("Gateway/shop/web");
        for listener in web["status"]["listeners"].as_array().into_iter().flatten() {
            let holds = |type_: &str| condition(&listener["conditions"], type_) == "True";
            prop_assert!(!holds("Programmed") || (holds("Accepted") && holds("ResolvedRefs")), "{listener}");
        }
    }
}

#[test]
fn a_target_is_named_in_a_log_by_its_object() {
    let key = allready_gateway::ObjectKey::new(Kind::Gateway, "shop", "web");
    assert_eq!(Target::Status(key).to_string(), "the status of Gateway/shop/web");
}

#[test]
fn what_has_no_room_is_told_and_nothing_becomes_good_for_want_of_it_while_bad_news_is_written() {
    let mut stage = Stage::within(40_000);
    for object in [class(), stage::secret(), gateway(&["https"])] {
        stage.put(object);
    }
    stage.list_all(ms(0));
    stage.until(ms(0), ms(1_000));
    let programmed = |stage: &Stage, name: &str| {
        condition(&stage.get(&format!("Gateway/shop/{name}"))["status"]["conditions"], "Programmed")
    };
    assert_eq!(programmed(&stage, "web"), "True");
    for number in 0..40 {
        stage.apply(route(&format!("r{number:02}"), &["none"]), ms(2_000));
    }
    let mut other = gateway(&["http"]);
    other["metadata"]["name"] = json!("new");
    stage.apply(other, ms(2_000));
    stage.until(ms(2_000), ms(4_000));
    let watches = stage.watches();
    assert!(
        watches["HTTPRoutes of Gateway API"].as_ref().unwrap_err().contains("more objects than"),
        "{watches:?}"
    );
    assert_eq!(programmed(&stage, "new"), "", "nothing becomes good");
    assert_eq!(programmed(&stage, "web"), "True");
    stage.delete("Secret/shop/certificate", ms(5_000));
    stage.until(ms(5_000), ms(8_000));
    assert_eq!(programmed(&stage, "web"), "False", "bad news is written");
    for number in 0..40 {
        stage.delete(&format!("HTTPRoute/shop/r{number:02}"), ms(9_000));
    }
    stage.put(stage::secret());
    stage.list_all(ms(10_000));
    stage.until(ms(10_000), ms(14_000));
    assert_eq!((programmed(&stage, "web"), programmed(&stage, "new")), ("True".into(), "True".into()));
    assert!(stage.watches().values().all(Result::is_ok), "{:?}", stage.watches());
}
