use ratatui::crossterm::event::{KeyEvent, KeyModifiers};

use super::*;
use allready_inspect::live::Kind;

use crate::watch::model::Screen;

use Health::{Degraded, Healthy, Progressing, Suspended, Unknown};

#[test]
fn the_worst_is_first_and_of_those_the_newest() {
    let mut model = watching([
        seen(PODS, "old", Degraded, "A", Some(-500)),
        seen(PODS, "rests", Suspended, "Paused", Some(-1)),
        seen(PODS, "well", Healthy, "", Some(-1)),
        seen(DEPLOYMENTS, "starts", Progressing, "B", Some(-1)),
        seen(PODS, "new", Degraded, "A", Some(-5)),
        seen(PODS, "odd", Unknown, "C", None),
    ]);
    assert_eq!(rows(&mut model), [">new", "old", "odd", "starts"]);
    press(&mut model, "s");
    assert_eq!(
        rows(&mut model),
        [">starts", "new", "old", "odd"],
        "what is older than anybody knows is not new"
    );
    press(&mut model, "ss");
    assert_eq!(rows(&mut model), [">starts", "new", "odd", "old"].map(String::from), "by kind, then name");
    press(&mut model, "sa");
    assert_eq!(rows(&mut model), [">new", "old", "odd", "starts", "rests", "well"]);
}

#[test]
fn the_selection_stays_with_its_object_while_rows_move() {
    let mut model = watching(["a", "b", "c"].map(|name| seen(PODS, name, Progressing, "Starting", Some(0))));
    assert_eq!(rows(&mut model), [">a", "b", "c"]);
    press(&mut model, "j");
    assert_eq!(rows(&mut model), ["a", ">b", "c"]);
    update(&mut model, seen(PODS, "z", Degraded, "Broken", Some(1)));
    assert_eq!(rows(&mut model), ["z", "a", ">b", "c"]);
    update(&mut model, seen(PODS, "b", Degraded, "Broken", Some(2)));
    assert_eq!(rows(&mut model), [">b", "z", "a", "c"]);
    update(&mut model, seen(PODS, "b", Healthy, "", Some(3)));
    assert_eq!(rows(&mut model), [">z", "a", "c"], "what took its place");
    press(&mut model, "G");
    update(&mut model, Event::Gone(Key::new(PODS, "shop", "c")));
    assert_eq!(rows(&mut model), ["z", ">a"]);
}

#[test]
fn who_looks_at_an_object_goes_on_to_the_next_without_the_table() {
    let mut model = watching(["a", "b"].map(|name| seen(PODS, name, Progressing, "Starting", Some(0))));
    assert!(matches!(press(&mut model, "\n"), Some(Effect::Look(key)) if &*key.place.name == "a"));
    model.scroll = 3;
    assert!(matches!(press(&mut model, "n"), Some(Effect::Look(key)) if &*key.place.name == "b"));
    assert_eq!((model.screen, model.scroll, model.looked.is_some()), (Screen::Details, 0, true));
    assert_eq!(press(&mut model, "n"), None, "that was the last");
    // What comes before it does not change what is looked at.
    update(&mut model, seen(PODS, "z", Degraded, "Broken", Some(1)));
    assert!(matches!(press(&mut model, "p"), Some(Effect::Look(key)) if &*key.place.name == "a"));
    assert_eq!(press(&mut model, "\u{1b}"), None);
    assert_eq!(rows(&mut model), ["z", ">a", "b"]);
}

#[test]
fn the_age_of_what_was_seen_to_change_is_known() {
    let mut model = watching([
        seen(PODS, "odd", Degraded, "A", None),
        seen(PODS, "late", Healthy, "", None),
        seen(PODS, "old", Degraded, "A", Some(-500)),
    ]);
    obey(&mut model, Input::Tick(at(60)));
    update(&mut model, seen(PODS, "late", Degraded, "B", None));
    obey(&mut model, Input::Tick(at(70)));
    assert_eq!(rows(&mut model), [">late", "old", "odd"]);
    let ages = |model: &mut Model| -> Vec<String> {
        let shown = screen(model, 80, 24);
        let rows = shown.lines().filter(|line| line.contains("Degraded ") && line.contains("shop"));
        rows.map(|row| row[2..].split_whitespace().nth(1).unwrap().to_owned()).collect()
    };
    assert_eq!(ages(&mut model), ["10s", "9m", ">70s"]);
    // What a list after an outage brings may have changed long before.
    update(&mut model, Event::Failed(PODS, "connection refused".to_owned()));
    update(&mut model, Event::Listing(PODS));
    update(&mut model, seen(PODS, "late", Unknown, "C", None));
    let key = Key::new(PODS, "shop", "late");
    assert_eq!(model.live.record(&key).unwrap().begin(), None);
}

#[test]
fn before_anybody_chose_the_first_row_is_selected() {
    let mut model = watching([seen(PODS, "a", Progressing, "Starting", Some(0))]);
    assert_eq!(rows(&mut model), [">a"]);
    update(&mut model, seen(PODS, "b", Degraded, "Broken", Some(0)));
    assert_eq!(rows(&mut model), [">b", "a"]);
}

#[test]
fn a_filter_works_while_it_is_typed_and_escape_takes_it_away() {
    let mut model = watching([
        seen(PODS, "web", Degraded, "CrashLoopBackOff", Some(0)),
        seen(DEPLOYMENTS, "web", Progressing, "Rolling", Some(0)),
        seen(PODS, "quiet", Healthy, "", Some(0)),
    ]);
    press(&mut model, "/kind:pod");
    assert_eq!((rows(&mut model), model.is_typing), (vec![">web".to_owned()], true));
    press(&mut model, "q");
    assert_eq!(rows(&mut model), [] as [&str; 0], "a letter like any other");
    press(&mut model, "\u{8}\n");
    assert_eq!((rows(&mut model), model.is_typing), (vec![">web".to_owned()], false));
    press(&mut model, "/ health:healthy\n");
    assert_eq!(rows(&mut model), [">quiet"], "who asks for it gets it");
    assert_eq!(press(&mut model, "\u{1b}"), None, "the first one clears the filter");
    assert_eq!(rows(&mut model).len(), 2);
    assert_eq!(press(&mut model, "\u{1b}"), Some(Effect::Quit));
}

#[test]
fn flaps_are_counted_and_forgotten_after_ten_minutes() {
    let mut model = watching([seen(PODS, "web", Healthy, "", Some(0))]);
    for second in 1..=5 {
        obey(&mut model, Input::Tick(at(second)));
        let health = if second % 2 == 1 { Degraded } else { Healthy };
        update(&mut model, seen(PODS, "web", health, "Flapping", Some(second)));
        update(&mut model, seen(PODS, "web", health, "Flapping", Some(second)));
    }
    let key = Key::new(PODS, "shop", "web");
    assert_eq!(model.live.history.flaps(&key, model.live.now), 5, "the same again is no change");
    assert_eq!(model.live.history.transitions().len(), 5);
    obey(&mut model, Input::Tick(at(602)));
    assert_eq!(model.live.history.flaps(&key, model.live.now), 3);
}

#[test]
fn what_is_listed_first_is_no_transition_but_what_appears_later_is() {
    let mut model = watching([seen(PODS, "a", Healthy, "", None), seen(PODS, "b", Degraded, "Broken", None)]);
    assert!(model.live.history.transitions().is_empty());
    update(&mut model, seen(PODS, "c", Progressing, "Starting", None));
    update(&mut model, Event::Gone(Key::new(PODS, "shop", "a")));
    let told: Vec<_> = model
        .live
        .history
        .transitions()
        .iter()
        .map(|seen| (&*seen.key.place.name, seen.from, seen.to))
        .collect();
    assert_eq!(told, [("a", Some(Healthy), None), ("c", None, Some(Progressing))]);
    assert_eq!((model.live.tally.of(Healthy), model.live.tally.all()), (0, 2));
}

#[test]
fn an_object_of_the_same_name_with_another_identity_is_new() {
    let mut model = watching([seen(PODS, "a", Degraded, "Broken", None)]);
    let verdict = verdict(Degraded, "Broken", None);
    let key = Key::new(PODS, "shop", "a");
    update(
        &mut model,
        Event::Seen(Box::new(Seen {
            key: key.clone(),
            uid: "another".to_owned(),
            verdict,
            digest: None,
            facts: None,
            standing: Standing::Final,
        })),
    );
    assert_eq!(model.live.history.transitions()[0].from, None);
    assert_eq!(model.live.history.flaps(&key, model.live.now), 0);
}

#[test]
fn what_a_later_list_does_not_have_is_gone() {
    let mut model = watching([seen(PODS, "a", Degraded, "A", None), seen(PODS, "b", Degraded, "B", None)]);
    update(&mut model, Event::Listing(PODS));
    update(&mut model, seen(PODS, "b", Degraded, "B", None));
    assert_eq!(rows(&mut model).len(), 2, "until the list is complete");
    update(&mut model, Event::Listed(PODS));
    assert_eq!(rows(&mut model), [">b"]);
    assert_eq!(model.live.tally.all(), 1);
}

#[test]
fn a_kind_is_failing_until_it_is_watched_again() {
    let mut model = watching([]);
    assert!(model.live.coverage().is_complete());
    for event in [
        Event::Failed(PODS, "connection refused".to_owned()),
        Event::Failed(PODS, "connection refused".to_owned()),
        Event::Listing(PODS),
        Event::Listed(PODS),
    ] {
        update(&mut model, event);
        obey(&mut model, Input::Tick(at(7)));
        assert_eq!(
            model.live.coverage().text(),
            "watching 1 of 2 kinds; 1 failing (pods: connection refused)"
        );
    }
    press(&mut model, "w");
    assert!(screen(&mut model, 80, 24).contains("pods failing for 7s: connection refused"));
    update(&mut model, Event::Watching(PODS));
    assert!(model.live.coverage().is_complete());
}

#[test]
fn nothing_is_called_healthy_while_the_server_is_silent() {
    let mut model = watching([seen(PODS, "web", Healthy, "", None)]);
    assert!(screen(&mut model, 80, 24).contains("objects are not compared with each other yet"));
    update(&mut model, Event::Causes(Vec::new()));
    assert!(screen(&mut model, 80, 24).contains("Everything is healthy"));
    update(&mut model, Event::Silent(Some(("the API server does not answer".to_owned(), at(0)))));
    obey(&mut model, Input::Tick(at(9)));
    assert!(!model.live.coverage().is_complete());
    let shown = screen(&mut model, 80, 24);
    assert!(
        shown.starts_with("\"may be out of date, nothing heard for 9s: the API server does not answer"),
        "{shown}"
    );
    assert!(shown.contains("Nothing unhealthy is seen, but the API server does not answer"), "{shown}");
    press(&mut model, "a");
    assert!(screen(&mut model, 80, 24).contains(">Healthy?"));
    update(&mut model, Event::Silent(None));
    assert!(model.live.coverage().is_complete());
}

#[test]
fn a_kind_that_is_not_served_any_more_is_not_counted_nor_brought_back() {
    let mut model = watching([seen(PODS, "web", Degraded, "Broken", None)]);
    update(&mut model, Event::Retired(PODS));
    assert_eq!((model.live.coverage().text(), model.live.tally.all()), ("watching 1 kind".to_owned(), 0));
    for late in [seen(PODS, "web", Degraded, "Broken", None), Event::Failed(PODS, "404".to_owned())] {
        update(&mut model, late);
    }
    assert!(model.live.coverage().is_complete());
    assert_eq!(rows(&mut model), [] as [&str; 0]);
}

#[test]
fn who_looks_at_an_object_sees_it_change() {
    let mut model = watching([seen(PODS, "web", Degraded, "Broken", None)]);
    let key = Key::new(PODS, "shop", "web");
    assert_eq!(press(&mut model, "\n"), Some(Effect::Look(key.clone())));
    let again = update(&mut model, seen(PODS, "web", Progressing, "Starting", None));
    assert_eq!(again, Some(Effect::Look(key.clone())));
    assert_eq!(update(&mut model, seen(PODS, "other", Degraded, "Broken", None)), None);
    assert_eq!(update(&mut model, Event::Gone(key.clone())), Some(Effect::Look(key.clone())));
    assert_eq!(press(&mut model, "q"), None);
    update(&mut model, Event::Looked(key, Err("not found".to_owned())));
    assert!(model.looked.is_none(), "an answer that nobody waits for is not kept");
    assert_eq!(press(&mut model, "q"), Some(Effect::Quit));
}

#[test]
fn every_screen_leads_back_to_the_table() {
    let mut model = watching([seen(PODS, "web", Degraded, "Broken", None)]);
    for keys in ["t", "w", "?", "\n", "t?", "\nt", "twt?w", "\n?t\u{1b}"] {
        press(&mut model, keys);
        let mut steps = 0;
        while press(&mut model, "q") != Some(Effect::Quit) {
            steps += 1;
            assert!(steps < 6, "{keys:?} leads in circles");
        }
        assert_eq!(model.screen, Screen::Table, "{keys:?}");
    }
    let control = |letter| Input::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL));
    assert_eq!(obey(&mut model, control('x')), None);
    assert_eq!(obey(&mut model, control('c')), Some(Effect::Quit));
}

#[test]
fn fifty_thousand_objects_are_taken_in_and_arranged_within_seconds() {
    let objects = (0..50_000).map(|number| {
        let health = if number % 10 == 0 { Degraded } else { Healthy };
        seen(PODS, &format!("pod-{number}"), health, "Broken", Some(-number))
    });
    let began = std::time::Instant::now();
    let mut model = watching(objects);
    assert_eq!(rows(&mut model).len(), 5000);
    press(&mut model, "a");
    assert_eq!(rows(&mut model).len(), 50_000);
    press(&mut model, "/pod-4999");
    assert_eq!(rows(&mut model).len(), 11);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    let kept = model.live.kinds[PODS].objects.iter().filter(|(_, record)| record.told.is_some()).count();
    assert_eq!(kept, 5000, "of what is healthy no text is kept");
}

#[test]
fn a_long_message_is_not_kept_whole() {
    let mut said = verdict(Degraded, &"R".repeat(10_000), None);
    said.message = "é".repeat(1_000_000);
    let key = Key::new(PODS, "shop", "web");
    let model = watching([Event::Seen(Box::new(Seen {
        key: key.clone(),
        uid: String::new(),
        verdict: said,
        digest: None,
        facts: None,
        standing: Standing::Final,
    }))]);
    let told = model.live.record(&key).unwrap().told.as_ref().unwrap();
    assert_eq!((told.reason.chars().count(), told.message.chars().count()), (121, 601));
}

#[test]
fn whatever_happens_the_counts_are_those_of_the_objects() {
    let mut model = begun();
    let mut chance = 7_u32;
    let mut next = |below: u32| {
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (chance >> 16) % below
    };
    for step in 0..4000 {
        let kind = if next(2) == 0 { PODS } else { DEPLOYMENTS };
        let name = format!("o{}", next(12));
        let health = Health::WORST_FIRST[next(6) as usize];
        let event = match next(12) {
            0 => Event::Listing(kind),
            1 => Event::Listed(kind),
            2 => Event::Watching(kind),
            3 => Event::Failed(kind, "refused".to_owned()),
            4 => Event::Gone(Key::new(kind, "shop", &name)),
            5 => {
                let key = KeyCode::Char(['a', 's', 'j', 'k', 'G', 't', 'q', '?'][next(7) as usize]);
                obey(&mut model, Input::Key(key.into()));
                continue;
            }
            6 => {
                obey(&mut model, Input::Tick(at(step)));
                continue;
            }
            _ => seen(kind, &name, health, "R", Some(step)),
        };
        update(&mut model, event);
        model.arrange();
        let objects =
            || model.live.kinds.iter().flat_map(|kind| kind.objects.iter().map(|(_, record)| record));
        for health in Health::WORST_FIRST {
            let count = objects().filter(|record| record.health == health).count();
            assert_eq!(model.live.tally.of(health), count, "{health:?} after step {step}");
        }
        let shown = objects().filter(|record| model.shows_all || record.health > Suspended).count();
        assert_eq!(model.rows.len(), shown, "after step {step}");
        assert!(model.position < model.rows.len().max(1), "after step {step}");
        let is_failing = model.live.kinds.iter().any(Kind::is_failing);
        assert!(!(is_failing && model.live.coverage().is_complete()), "after step {step}");
    }
}
