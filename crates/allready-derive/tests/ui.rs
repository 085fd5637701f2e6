//! What the derive accepts, and what it says about the rest.

#[test]
fn a_wrong_set_does_not_compile_and_says_why() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/fail/*.rs");
    cases.pass("tests/ui/pass/*.rs");
}
