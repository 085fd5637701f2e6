//! Tables that are much longer than the screen.

use std::time::{Duration, Instant};

use super::*;

/// Everything is broken at once.
fn broken(count: usize) -> Model {
    let all = (0..count).map(|number| {
        let since = i64::try_from(number % 1000).unwrap();
        seen(PODS, &format!("web-{number:05}"), Health::Degraded, "CrashLoopBackOff", Some(-since))
    });
    watching(all)
}

#[test]
fn in_fifty_thousand_rows_the_selection_can_be_followed() {
    for count in [10_000, 50_000] {
        let mut model = broken(count);
        press(&mut model, "G");
        let shown = screen(&mut model, 80, 24);
        let last = model.selected().unwrap().place.name.clone();
        assert!(shown.contains(&format!(">Degraded    16m   shop      Pod/{last}")), "{shown}");
        assert!(shown.contains(&format!("{count} objects shown, worst first; row {count}")), "{shown}");
        obey(&mut model, Input::Key(KeyCode::PageUp.into()));
        assert_eq!(model.position, count - 1 - model.page());
        press(&mut model, "g");
        assert_eq!(model.position, 0);
    }
}

#[test]
fn a_frame_of_fifty_thousand_rows_is_no_matter_of_seconds_even_without_optimisation() {
    for count in [10_000, 50_000] {
        let frame = frame(count);
        println!("a frame of {count} rows took {frame:?}");
        assert!(frame < Duration::from_secs(2), "{count}: {frame:?}");
    }
}

/// How long it takes to draw one, undisturbed: the machine may have other things to do.
fn frame(count: usize) -> Duration {
    let mut model = broken(count);
    screen(&mut model, 80, 24);
    let frames = (0..5).map(|number| {
        let start = Instant::now();
        // Something changes and somebody moves: everything is sorted anew.
        update(&mut model, seen(PODS, "web-00007", Health::Unknown, "Odd", Some(number)));
        press(&mut model, "j");
        screen(&mut model, 80, 24);
        start.elapsed()
    });
    frames.min().unwrap()
}
