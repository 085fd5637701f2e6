//! `allready watch`: what is on the screen while things happen in the cluster.

use serde_json::json;

use super::lab::Lab;

/// The rows of the table, without the spaces between columns; the selected one with its mark.
fn rows(text: &str) -> Vec<String> {
    let rows = text.lines().skip_while(|line| !line.starts_with(" HEALTH")).skip(1);
    let rows = rows.take_while(|line| !line.is_empty());
    rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The objects in the table, from top to bottom.
fn objects(text: &str) -> Vec<String> {
    let object = |row: &String| row.split(' ').find(|word| word.contains('/')).unwrap_or("?").to_owned();
    rows(text).iter().map(object).collect()
}

/// Whether everything is watched.
fn is_complete(text: &str) -> bool {
    text.lines().nth(1).is_some_and(|line| {
        line.starts_with("watching ") && line.ends_with(" kinds") && !line.contains(" of ")
    })
}

fn busy() -> Lab {
    let lab = Lab::start();
    lab.put("well", "True", "AllGood", "");
    lab.put("slow", "Unknown", "Starting", "it has only begun");
    lab.put("broken", "False", "NoQuota", "the quota of 3 widgets is used up");
    lab
}

#[test]
fn the_table_follows_what_happens_worst_first_with_transitions_and_flaps() {
    let lab = busy();
    let screen = lab.screen(&["watch", "-A"]);
    let text = screen
        .until("both rows", |text| is_complete(text) && objects(text) == ["Widget/broken", "Widget/slow"]);
    assert!(text.starts_with("1 Degraded, 1 Progressing, "), "{text}");
    assert_eq!(
        rows(&text)[0],
        ">Degraded 5m shop Widget/broken NoQuota the quota of 3 widgets is u…",
        "{text}"
    );
    assert!(text.contains("Widget/broken: NoQuota (by widget-controller)\nthe quota of 3"), "{text}");
    assert!(!text.contains("FLAPS"), "nothing has changed: {text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");

    lab.report("well", "False", "Crashed", "it is no more");
    screen.until("the newest of the worst before the others", |text| {
        objects(text) == ["Widget/well", "Widget/broken", "Widget/slow"]
    });
    screen
        .until("one change", |text| rows(text).iter().any(|row| row.contains("1x shop Widget/well Crashed")));
    lab.report("well", "True", "AllGood", "");
    screen.until("it is well", |text| objects(text) == ["Widget/broken", "Widget/slow"]);
    lab.report("well", "False", "Crashed", "again");
    screen.until("three changes", |text| {
        rows(text).iter().any(|row| row.contains("3x shop Widget/well Crashed"))
    });
    screen.press("t");
    let text = screen.until_shows("AGO ");
    let told: Vec<String> = text
        .lines()
        .filter(|line| line.contains("Widget/well"))
        .map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        told,
        [
            "Healthy -> Degraded 3x Widget/well in shop: Crashed",
            "Degraded -> Healthy 3x Widget/well in shop: AllGood",
            "Healthy -> Degraded 3x Widget/well in shop: Crashed",
        ]
    );
}

#[test]
fn the_selection_stays_with_its_object_while_rows_come_and_go() {
    let lab = busy();
    let screen = lab.screen(&["watch", "-n", "shop"]);
    screen.until("both rows", |text| objects(text).len() == 2);
    screen.press("j");
    let is_selected =
        |text: &str, name: &str| rows(text).iter().any(|row| row.starts_with('>') && row.contains(name));
    screen.until("the second is selected", |text| is_selected(text, "Widget/slow"));
    lab.create("worse");
    lab.report("worse", "False", "Broken", "it came before");
    screen.until("a third, and the selection where it was", |text| {
        objects(text) == ["Widget/worse", "Widget/broken", "Widget/slow"] && is_selected(text, "Widget/slow")
    });
    lab.delete("slow");
    screen.until("it is gone, and the one in its place selected", |text| {
        objects(text) == ["Widget/worse", "Widget/broken"] && is_selected(text, "Widget/broken")
    });
}

#[test]
fn enter_shows_why_and_the_command_to_copy_and_escape_leads_back() {
    let lab = busy();
    let screen = lab.screen(&["watch", "-A"]);
    screen.until("both rows", |text| objects(text).len() == 2);
    screen.press("\r");
    let text = screen.until_shows("Ready=False NoQuota");
    assert!(text.contains("\nWidget/broken in shop\nDegraded for "), "{text}");
    assert!(text.contains(", by widget-controller\n  the quota of 3 widgets is used up\n"), "{text}");
    let command =
        format!("allready explain widgets.lab.example/broken -n shop --kubeconfig {}", lab.kubeconfig());
    assert!(text.replace(" \\\n ", "").contains(&command), "{command}\n{text}");
    // It is seen as it is now.
    lab.report("broken", "False", "Burned", "and now it burns");
    screen.until_shows("  and now it burns");
    screen.press("n");
    screen.until("the next one", |text| text.contains("\nWidget/slow in shop\nProgressing"));
    screen.press("\u{1b}");
    let text = screen.until("the table", |text| objects(text).len() == 2);
    assert!(rows(&text)[1].starts_with(">Progressing"), "{text}");
}

#[test]
fn a_filter_narrows_the_table_and_help_tells_of_the_keys() {
    let lab = busy();
    let screen = lab.screen(&["watch", "-A"]);
    screen.until("both rows", |text| objects(text).len() == 2);
    screen.press("/slow");
    screen.until("what is typed", |text| {
        text.ends_with("filter: slow_   Enter keeps it, Esc clears it") && objects(text) == ["Widget/slow"]
    });
    screen.press("\r");
    screen.until_shows("1 object shown, worst first; filter: slow");
    screen.press("/ health:healthy\r");
    screen.until_shows("Nothing that is shown matches the filter. Esc clears it.");
    screen.press("\u{1b}");
    screen.until("both rows", |text| objects(text).len() == 2);
    screen.press("?");
    let text = screen.until_shows("Ctrl-C ends it anywhere");
    assert!(text.contains("FLAPS   how often") && text.contains("? help  q back"), "{text}");
    screen.press("q");
    screen.until("both rows", |text| objects(text).len() == 2);
}

#[test]
fn a_window_of_any_size_shows_nothing_but_the_table() {
    let lab = busy();
    let screen = lab.screen(&["watch", "-A"]);
    let first = screen.until("both rows", |text| objects(text).len() == 2 && is_complete(text));
    let ages = |text: &str| -> String {
        // Time passes meanwhile.
        let words =
            text.split(' ').map(|word| word.trim_end_matches('s').parse::<u32>().map_or(word, |_| "N"));
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    };
    screen.resize(40, 10);
    let text = screen.until("a small table", |text| {
        text.ends_with("Enter details  / filter  ? help  q quit") && objects(text).len() == 2
    });
    assert!(text.lines().all(|line| line.chars().count() <= 40) && text.lines().count() <= 10, "{text}");
    screen.resize(200, 50);
    let text = screen.until("a large table", |text| {
        text.lines().count() == 50
            && rows(text).iter().any(|row| row.ends_with("NoQuota the quota of 3 widgets is used up"))
    });
    assert_eq!(text.matches("Widget/broken").count(), 2, "the row, and below it the message: {text}");
    assert_eq!(text.matches("q quit").count(), 1, "{text}");
    screen.resize(80, 24);
    screen.until("the first screen again", |text| ages(text) == ages(&first));
}

#[test]
fn colours_are_there_and_go_away_when_they_are_not_wanted() {
    let lab = busy();
    let screen = lab.screen(&["watch", "-A"]);
    screen.until("both rows", |text| objects(text).len() == 2);
    let red = vt100::Color::Idx(1);
    assert!(screen.colours().contains(&red), "{:?}", screen.colours());
    for environment in [[("NO_COLOR", "1")], [("CLICOLOR", "0")]] {
        let plain = lab.screen_in(&["watch", "-A"], &environment);
        plain.until("both rows", |text| objects(text).len() == 2);
        assert_eq!(plain.colours(), [vt100::Color::Default], "{environment:?}");
    }
}

#[test]
fn a_terminal_without_unicode_gets_ascii() {
    let lab = busy();
    let screen = lab.screen_in(&["watch", "-A"], &[("LC_ALL", "C"), ("LANG", "C")]);
    screen.until("a message that is cut", |text| rows(text).iter().any(|row| row.ends_with("widgets is u~")));
    screen.press("\r");
    screen.until_shows("Ready=False NoQuota");
    assert!(screen.bytes().is_ascii(), "{}", screen.text());
}

#[test]
fn what_a_definition_says_of_its_conditions_is_heard() {
    let lab = Lab::start();
    lab.create("a");
    let condition =
        |type_: &str| json!({ "type": type_, "status": "True", "reason": "R", "message": "it sparkles" });
    let status = json!({ "status": { "conditions": [condition("Ready"), condition("Shiny")] } });
    lab.send("PATCH", "/apis/lab.example/v1/namespaces/shop/widgets/a/status", &status);
    let screen = lab.screen(&["watch", "wd", "-A"]);
    let text = screen.until("a row", |text| objects(text) == ["Widget/a"]);
    assert!(text.contains("it sparkles") && !text.contains("Everything is healthy"), "{text}");
}

#[test]
fn text_of_others_reaches_the_terminal_as_letters_only() {
    let lab = Lab::start();
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}live\u{2066}\r\nx\u{8}";
    lab.put("evil", "False", evil, &format!("{evil}{}", "long ".repeat(300)));
    let screen = lab.screen(&["watch", "-A"]);
    let text = screen.until("a row", |text| objects(text) == ["Widget/evil"]);
    assert!(rows(&text)[0].contains("shop Widget/evil \\u{1b}]0;owned\\u{7}"), "{text}");
    for (keys, wanted) in [("\r", "Ready=False"), ("t", "changed"), ("\u{1b}", "Ready=False"), ("q", "shown")]
    {
        screen.press(keys);
        screen.until_shows(wanted);
    }
    screen.press(&format!("/{}\r", "ow"));
    screen.until_shows("filter: ow");
    let bytes = screen.bytes();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("\\u{1b}") && text.contains("\\u{202e}"), "it is shown");
    let is_obeyed = |c: char| matches!(c, '\u{7}' | '\u{8}' | '\u{9b}' | '\u{202e}' | '\u{2066}');
    assert!(!text.contains(is_obeyed), "{text:?}");
    assert!(!text.contains("\u{1b}]"), "no title is set: {text:?}");
    // What clears the screen is sent when the terminal is taken over, and never by a message.
    assert!(text.matches("\u{1b}[2J").count() <= 1, "{text:?}");
}
