//! What the derive accepts, and what it says about the rest.

// What compiles is compiled as an ordinary test, so that trybuild only has to check its project and not to build it.
#[path = "ui/pass/everything.rs"]
pub mod everything;
#[path = "ui/pass/status.rs"]
pub mod status;

#[test]
fn a_wrong_set_does_not_compile_and_says_why() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
