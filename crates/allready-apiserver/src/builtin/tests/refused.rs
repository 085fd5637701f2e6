use super::{created::create, differences, lines};

#[test]
fn what_is_refused_is_refused_in_the_real_servers_words() {
    for line in lines(include_str!("refused.jsonl")) {
        let object = &line["object"];
        let failure = create(object).expect_err(&object.to_string());
        assert_eq!(line["message"], failure.message.as_str(), "{object}");
        assert_eq!(line["code"], failure.code, "{object}");
        let found = differences(&line["details"], &failure.to_body()["details"]);
        assert!(found.is_empty(), "{object}\n{}", found.join("\n"));
    }
}
