//! The viewers of the page, and what they may see. Pure: no socket, no API server; time is an argument.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use allready_inspect::live::{Stage, State};
use http::{HeaderMap, header};
use tokio::time::Instant;

use super::timeline::Named;

/// The longest token, and the most groups and the longest name of somebody whom a proxy names.
pub(super) const MAX_TOKEN: usize = 16 * 1024;
const MAX_GROUPS: usize = 500;
const MAX_NAME: usize = 1024;
/// The most tokens that are remembered.
const MAX_TOKENS: usize = 1000;
/// The most sessions, and of one person; and how long one lasts.
const MAX_SESSIONS: usize = 1000;
const MAX_SESSIONS_OF_ONE: usize = 10;
pub(super) const SESSION: Duration = Duration::from_hours(8);
/// The most answers that are remembered about what somebody may see.
const MAX_ANSWERS: usize = 2000;
/// The pause before a question that was not answered is asked again.
const AGAIN: Duration = Duration::from_secs(5);
/// The name of the cookie of a session.
pub(super) const COOKIE: &str = "allready-session";

/// The way in which the view learns who is looking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authentication {
    /// By a token of the cluster, which the API server reviews.
    Token,
    /// By the headers `X-Remote-User` and `X-Remote-Group` of a proxy on this machine, or in this pod.
    Proxy,
}

/// Somebody who looks, as the cluster knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Viewer {
    pub(super) user: String,
    pub(super) uid: String,
    pub(super) groups: Vec<String>,
    pub(super) extra: BTreeMap<String, Vec<String>>,
}

/// The proof that a request carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Credential {
    Token(String),
    Session(String),
    Named(Viewer),
}

/// Finds the proof in the headers of a request. Whatever does not belong to this way of authentication is not looked at.
pub(super) fn credential(headers: &HeaderMap, by: Authentication) -> Option<Credential> {
    let only = |name: &str| {
        let mut values = headers.get_all(name).iter();
        let value = values.next()?.to_str().ok()?;
        values.next().is_none().then_some(value)
    };
    match by {
        Authentication::Token if headers.contains_key(header::AUTHORIZATION) => {
            let (scheme, token) = only("authorization")?.split_once(' ')?;
            let is_token = scheme.eq_ignore_ascii_case("bearer") && is_token(token);
            is_token.then(|| Credential::Token(token.to_owned()))
        }
        Authentication::Token => {
            let mut sessions = only("cookie")?.split(';').filter_map(|pair| {
                let (name, value) = pair.trim().split_once('=')?;
                (name == COOKIE).then(|| value.to_owned())
            });
            let session = sessions.next()?;
            sessions.next().is_none().then_some(Credential::Session(session))
        }
        Authentication::Proxy => {
            let user = only("x-remote-user").filter(|user| !user.is_empty() && user.len() <= MAX_NAME)?;
            let groups = headers.get_all("x-remote-group").iter().take(MAX_GROUPS);
            let groups =
                groups.filter_map(|group| group.to_str().ok()).filter(|group| group.len() <= MAX_NAME);
            let mut groups: Vec<String> = groups.map(str::to_owned).collect();
            if user != "system:anonymous" {
                groups.push("system:authenticated".to_owned());
            }
            Some(Credential::Named(Viewer { user: user.to_owned(), groups, ..Viewer::default() }))
        }
    }
}

/// Tells whether this can be a token, and no other part of a header.
pub(super) fn is_token(token: &str) -> bool {
    !token.is_empty() && token.len() <= MAX_TOKEN && token.chars().all(|c| c.is_ascii_graphic())
}

/// The tokens that the API server has recently said something good of.
#[derive(Default)]
pub(super) struct Tokens(HashMap<String, (Arc<Viewer>, Instant)>);

impl Tokens {
    /// Whose token this is, where the answer is not older than `believed`.
    pub(super) fn viewer(&self, token: &str, now: Instant, believed: Duration) -> Option<Arc<Viewer>> {
        let (viewer, at) = self.0.get(token)?;
        (now.saturating_duration_since(*at) < believed).then(|| Arc::clone(viewer))
    }

    pub(super) fn learn(
        &mut self,
        token: &str,
        viewer: Option<Arc<Viewer>>,
        now: Instant,
        believed: Duration,
    ) {
        self.0.retain(|_, (_, at)| now.saturating_duration_since(*at) < believed);
        match viewer {
            Some(viewer) if self.0.len() < MAX_TOKENS => {
                self.0.insert(token.to_owned(), (viewer, now));
            }
            _ => drop(self.0.remove(token)),
        }
    }
}

/// The sessions of those who have signed in. A session holds the token, so that it ends when the token does.
#[derive(Default)]
pub(super) struct Sessions(HashMap<String, Session>);

struct Session {
    token: String,
    user: String,
    since: Instant,
}

impl Sessions {
    /// Opens a session. The oldest of the same person, or of all, makes room.
    pub(super) fn open(&mut self, id: String, token: String, user: &str, now: Instant) {
        self.0.retain(|_, session| now.saturating_duration_since(session.since) < SESSION);
        let oldest = |sessions: &HashMap<String, Session>, is_meant: &dyn Fn(&Session) -> bool| {
            let meant = sessions.iter().filter(|(_, session)| is_meant(session));
            meant.min_by_key(|(_, session)| session.since).map(|(id, _)| id.clone())
        };
        let of_one = self.0.values().filter(|session| session.user == user).count();
        let leaves = if of_one >= MAX_SESSIONS_OF_ONE {
            oldest(&self.0, &|session| session.user == user)
        } else if self.0.len() >= MAX_SESSIONS {
            oldest(&self.0, &|_| true)
        } else {
            None
        };
        if let Some(leaves) = leaves {
            self.0.remove(&leaves);
        }
        self.0.insert(id, Session { token, user: user.to_owned(), since: now });
    }

    /// The token of a session that has not ended.
    pub(super) fn token(&self, id: &str, now: Instant) -> Option<&str> {
        let session = self.0.get(id)?;
        (now.saturating_duration_since(session.since) < SESSION).then_some(&*session.token)
    }

    pub(super) fn close(&mut self, id: &str) {
        self.0.remove(id);
    }
}

/// A question to the API server: may somebody list these objects? Without a namespace: those of all, or of a kind that is in none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) namespace: String,
}

/// The kinds and namespaces that a viewer may see, as the API server has recently answered.
#[derive(Default)]
pub(super) struct Rights {
    /// By kind, group and namespace: they are asked for every object.
    answers: HashMap<String, HashMap<String, HashMap<String, Answer>>>,
    count: usize,
    /// Counts the answers.
    pub(super) version: u64,
}

#[derive(Clone, Copy)]
struct Answer {
    /// None: there was no answer.
    may: Option<bool>,
    until: Instant,
}

impl Rights {
    /// Forgets what is not believed any more.
    pub(super) fn forget(&mut self, now: Instant) {
        let mut count = 0;
        for groups in self.answers.values_mut() {
            for namespaces in groups.values_mut() {
                namespaces.retain(|_, answer| answer.until > now);
                count += namespaces.len();
            }
            groups.retain(|_, namespaces| !namespaces.is_empty());
        }
        self.answers.retain(|_, groups| !groups.is_empty());
        self.count = count;
    }

    fn answer(&self, group: &str, kind: &str, namespace: &str) -> Option<Answer> {
        self.answers.get(kind)?.get(group)?.get(namespace).copied()
    }

    /// Tells whether objects of a kind in a namespace may be shown. What is not known may not.
    pub(super) fn may(&self, group: &str, kind: &str, namespace: &str) -> bool {
        let Some(namespaces) = self.answers.get(kind).and_then(|groups| groups.get(group)) else {
            return false;
        };
        let may = |namespace| namespaces.get(namespace).is_some_and(|answer| answer.may == Some(true));
        may("") || (!namespace.is_empty() && may(namespace))
    }

    /// Tells whether some questions have no answer.
    pub(super) fn is_unsure(&self) -> bool {
        let answers = self.answers.values().flat_map(HashMap::values).flat_map(HashMap::values);
        self.count >= MAX_ANSWERS || answers.into_iter().any(|answer| answer.may.is_none())
    }

    /// Takes an answer in; none is a no, for a moment.
    pub(super) fn learn(&mut self, question: &Question, may: Option<bool>, now: Instant, believed: Duration) {
        let Question { group, kind, namespace, .. } = question;
        let until = now + if may.is_some() { believed } else { AGAIN.min(believed) };
        let groups = self.answers.entry(kind.clone()).or_default();
        let before =
            groups.entry(group.clone()).or_default().insert(namespace.clone(), Answer { may, until });
        self.count += usize::from(before.is_none());
        self.version += 1;
    }

    /// Of these kinds and namespaces, the questions that have no answer yet: first about all namespaces, and about single ones where
    /// that is refused.
    pub(super) fn unanswered<'a>(
        &self,
        wanted: impl Iterator<Item = (&'a str, &'a str, &'a str, &'a str)>,
    ) -> Vec<Question> {
        let mut found: HashSet<Question> = HashSet::new();
        let mut questions = Vec::new();
        for (group, kind, plural, namespace) in wanted {
            let place = match self.answer(group, kind, "") {
                None => "",
                Some(Answer { may: Some(true), .. }) => continue,
                Some(_) if namespace.is_empty() || self.answer(group, kind, namespace).is_some() => continue,
                Some(_) => namespace,
            };
            let [group, kind, plural, namespace] = [group, kind, plural, place].map(str::to_owned);
            let question = Question { group, kind, plural, namespace };
            if self.count + questions.len() >= MAX_ANSWERS {
                break;
            }
            if found.insert(question.clone()) {
                questions.push(question);
            }
        }
        questions
    }

    /// The same for everything in a state, and for these objects, which may be gone.
    pub(super) fn unanswered_of<'a>(
        &self,
        state: &'a State,
        gone: impl Iterator<Item = &'a Named>,
    ) -> Vec<Question> {
        let served = || state.kinds.iter().filter(|kind| kind.stage != Stage::Retired);
        // Events are not watched, and explain objects.
        let mut wanted = vec![("", "Event", "events", "")];
        for kind in served() {
            let about = |namespace| (&*kind.group, &*kind.name, &*kind.plural, namespace);
            wanted.push(about(""));
            if self.answer(&kind.group, &kind.name, "").is_none_or(|answer| answer.may != Some(true)) {
                let namespaces: HashSet<&str> = kind.objects.keys().map(|place| &*place.namespace).collect();
                wanted.extend(namespaces.into_iter().map(about));
            }
        }
        wanted.extend(gone.filter_map(|named| {
            let kind = served().find(|kind| kind.name == named.kind && kind.group == named.group)?;
            Some((&*kind.group, &*kind.name, &*kind.plural, &*named.namespace))
        }));
        self.unanswered(wanted.into_iter())
    }

    /// Tells whether all objects of all kinds of a state may be shown, and their events.
    pub(super) fn is_whole(&self, state: &State) -> bool {
        let mut served = state.kinds.iter().filter(|kind| kind.stage != Stage::Retired);
        self.may("", "Event", "") && served.all(|kind| self.may(&kind.group, &kind.name, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn token(pairs: &[(&'static str, &str)]) -> Option<Credential> {
        credential(&headers(pairs), Authentication::Token)
    }

    #[test]
    fn a_token_is_taken_from_one_header_or_from_the_cookie_of_a_session_and_from_nowhere_else() {
        assert_eq!(token(&[("authorization", "Bearer abc")]), Some(Credential::Token("abc".to_owned())));
        let session = Some(Credential::Session("s1".to_owned()));
        assert_eq!(token(&[("cookie", "theme=dark; allready-session=s1")]), session);
        for nobody in [
            &[] as &[(&str, &str)],
            &[("x-remote-user", "admin"), ("x-remote-group", "system:masters")],
            &[("authorization", "Basic YTpi")],
            &[("authorization", "Bearer ")],
            &[("authorization", "Bearer a b")],
            &[("authorization", "Bearer a"), ("authorization", "Bearer b")],
            &[("authorization", "Basic YTpi"), ("cookie", "allready-session=s1")],
            &[("cookie", "allready-session=s1; allready-session=s2")],
            &[("cookie", "x-allready-session=s1")],
        ] {
            assert_eq!(token(nobody), None, "{nobody:?}");
        }
        assert_eq!(token(&[("authorization", &format!("Bearer {}", "a".repeat(MAX_TOKEN + 1)))]), None);
    }

    #[test]
    fn a_proxy_names_one_user_and_their_groups_and_a_token_beside_it_counts_for_nothing() {
        let named = |pairs: &[(&'static str, &str)]| credential(&headers(pairs), Authentication::Proxy);
        let both = [
            ("x-remote-user", "jane"),
            ("x-remote-group", "dev"),
            ("x-remote-group", "ops"),
            ("authorization", "Bearer a"),
        ];
        let Some(Credential::Named(viewer)) = named(&both) else { panic!("nobody") };
        assert_eq!(
            (viewer.user.as_str(), viewer.groups.as_slice()),
            ("jane", &["dev", "ops", "system:authenticated"].map(str::to_owned)[..])
        );
        assert_eq!(named(&[("authorization", "Bearer a")]), None);
        assert_eq!(named(&[("x-remote-user", "")]), None);
        assert_eq!(
            named(&[("x-remote-user", "jane"), ("x-remote-user", "admin")]),
            None,
            "which of the two?"
        );
    }

    #[test]
    fn a_session_ends_by_itself_and_nobody_takes_the_room_of_others() {
        let now = Instant::now();
        let mut sessions = Sessions::default();
        sessions.open("of-jane".to_owned(), "t".to_owned(), "jane", now);
        for number in 0..100 {
            sessions.open(format!("{number}"), "t".to_owned(), "joe", now + Duration::from_secs(number));
        }
        let later = now + Duration::from_secs(200);
        assert_eq!(sessions.token("of-jane", later), Some("t"));
        assert_eq!((sessions.token("89", later), sessions.token("90", later)), (None, Some("t")));
        assert_eq!(sessions.token("of-jane", now + SESSION), None);
        sessions.close("99");
        assert_eq!(sessions.token("99", later), None);
    }

    #[test]
    fn a_token_is_believed_for_a_while_and_not_after_a_no() {
        let (now, believed) = (Instant::now(), Duration::from_secs(30));
        let mut tokens = Tokens::default();
        let jane = Arc::new(Viewer { user: "jane".to_owned(), ..Viewer::default() });
        tokens.learn("a", Some(Arc::clone(&jane)), now, believed);
        assert_eq!(tokens.viewer("a", now + Duration::from_secs(29), believed), Some(jane));
        assert_eq!(tokens.viewer("a", now + believed, believed), None);
        tokens.learn("a", None, now, believed);
        assert_eq!(tokens.viewer("a", now, believed), None);
    }

    #[test]
    fn nothing_may_be_seen_before_the_api_server_says_so_nor_after_it_was_silent() {
        let (now, believed) = (Instant::now(), Duration::from_secs(30));
        let pods = |namespace: &'static str| [("", "Pod", "pods", namespace)].into_iter();
        let mut rights = Rights::default();
        assert!(!rights.may("", "Pod", "shop"));
        let asked = rights.unanswered(pods("shop"));
        assert_eq!(asked[0].namespace, "", "one question for all namespaces comes first");
        rights.learn(&asked[0], Some(false), now, believed);
        let asked = rights.unanswered(pods("shop"));
        assert_eq!((asked.len(), asked[0].namespace.as_str()), (1, "shop"));
        rights.learn(&asked[0], Some(true), now, believed);
        assert!(
            rights.may("", "Pod", "shop") && !rights.may("", "Pod", "vault") && !rights.may("", "Pod", "")
        );
        assert!(!rights.may("other.example", "Pod", "shop"));
        assert_eq!(rights.unanswered(pods("shop")), []);
        rights.forget(now + believed);
        assert!(!rights.may("", "Pod", "shop"));
        rights.learn(&asked[0], None, now, believed);
        assert!(!rights.may("", "Pod", "shop") && rights.is_unsure());
        rights.forget(now + AGAIN);
        assert!(!rights.is_unsure());
    }

    #[test]
    fn no_more_is_asked_about_one_person_than_can_be_remembered() {
        let names: Vec<String> = (0..10_000).map(|number| format!("kind-{number}")).collect();
        let wanted = || names.iter().map(|name| ("", name.as_str(), name.as_str(), ""));
        let mut rights = Rights::default();
        let asked = rights.unanswered(wanted());
        assert_eq!(asked.len(), MAX_ANSWERS);
        let now = Instant::now();
        for question in &asked {
            rights.learn(question, Some(true), now, Duration::from_secs(30));
        }
        assert!(rights.is_unsure() && rights.unanswered(wanted()).is_empty());
    }
}
