use super::{created::create, lines};

/// How many of the recorded refusals are worded exactly as the real server words them; the others are accepted.
const EXACT: usize = 1;

#[test]
fn what_is_refused_is_refused_in_the_real_servers_words() {
    let (mut exact, mut accepted, mut wrong) = (0, Vec::new(), Vec::new());
    for line in lines(include_str!("refused.jsonl")) {
        match create(&line["object"]) {
            Ok(_) => accepted.push(line["message"].to_string()),
            Err(failure) if line["message"] == failure.message.as_str() => exact += 1,
            Err(failure) => wrong.push(format!("real {}\n  ours {:?}", line["message"], failure.message)),
        }
    }
    println!("{exact} exact, {} accepted, {} wrong:\n{}", accepted.len(), wrong.len(), wrong.join("\n"));
    println!("accepted:\n{}", accepted.join("\n"));
    assert!(exact >= EXACT, "{exact} of {EXACT}");
}
