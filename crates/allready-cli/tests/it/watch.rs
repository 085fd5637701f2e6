//! Without a terminal, which is all that a test has. What is drawn on one is tested beside the code that draws it.

use crate::allready;

#[test]
fn without_a_terminal_it_says_what_to_use_instead() {
    insta::assert_snapshot!(allready(&["watch", "-A"], ""));
}

#[test]
fn the_help_has_keys_exit_codes_and_examples() {
    insta::assert_snapshot!(allready(&["watch", "--help"], ""));
}
