//! Who uninstalls is asked first.

use super::screen::{Screen, Start};
use crate::{
    config::Cluster,
    uninstall::{CONTROLLER, install},
};

#[test]
fn a_person_is_shown_where_and_what_and_anything_but_yes_deletes_nothing() {
    let cluster = Cluster::start();
    install(&cluster, "allready", "kubectl");
    let kubeconfig = cluster.kubeconfig();
    let asked = || {
        let mut start = Start::new(&["uninstall", "--kubeconfig", kubeconfig.to_str().unwrap()]);
        start.size = (160, 40);
        let screen = Screen::start(start);
        screen.until_shows("Delete all this? [y/N]");
        screen
    };
    for keys in ["\n", "n\n", "\u{4}"] {
        let screen = asked();
        screen.press(keys);
        let (code, text) = screen.end();
        assert_eq!(code, 1, "{text}");
        assert!(text.contains("Nothing was deleted."), "{text}");
        assert!(text.contains(cluster.address()), "{text}");
        assert!(cluster.get(CONTROLLER).starts_with("HTTP/1.1 200 "), "{keys:?}");
    }
    let screen = asked();
    screen.press("yes\n");
    let (code, text) = screen.end();
    assert_eq!(code, 0, "{text}");
    assert!(cluster.get(CONTROLLER).starts_with("HTTP/1.1 404 "));
}
