//! Without a terminal. What is drawn on one is in `terminal`.

use crate::allready;

#[test]
fn without_a_terminal_it_says_what_to_use_instead() {
    insta::assert_snapshot!(allready(&["watch", "-A"], ""));
}

#[test]
fn the_help_has_keys_exit_codes_and_examples() {
    insta::assert_snapshot!(allready(&["watch", "--help"], ""));
}
