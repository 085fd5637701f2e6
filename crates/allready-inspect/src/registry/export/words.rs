//! Patterns of names and words, in the part of a syntax that Lua and RE2 share: an export is never green where one of them speaks
//! against it. They are wider than the lists of [`crate::words`], as another language has no room for our rules.

/// Something may be wrong.
pub(super) const WRONG: &str = "abnorm abort absent alert back.?off bad block breach broken cancel cannot conflict corrupt crash dangl dead degrad \
     delet deni deny desync disabl disconn [^k]down ^down drift duplic err$ ^err error evict exceed exhaust expire fail[^osb] fail$ [^e]fault ^fault fence forbid \
     [^s]full$ ^full$ halt hibern illegal inaccess incompat insuff interrupt invalid irrec kill lagg loss lost [^l]low$ ^low$ mainten malform mismatch \
     misconf missing non.?comp not.?found not.?ready offline oom orphan out.?of outage outdat overload partial pause pending pressure \
     problem progress quiesc recoverab refus reject remov required shut.?down split.?brain stale [^n]stall ^stall stopp stuck suspend tamper terminal \
     terminat throttl time.?out timed.?out unab unass unatt unaut unava unbal undep underr unful unhea unpro unre unsat unsch unsup unsyn \
     unus unver violat wait warn ^no[^dr] without abandon compromis diverg exception firing hung inconsist infect issue leak occur overlap \
     archiv frozen sleep asleep scaled.?to.?zero inactiv overcom overrid panic preempt quarant revok rolled.?back suspic vulner ^mis ^over ^un[^is] unauth unbound unlink unload unmount unplug \
     unpubl unresol unrout untrust";
/// A condition type of something that is under way.
pub(super) const MOVING: &str = "ing$ ingup$ ingdown$ ingin$ ingout$ ingback$ ingover$ ingoff$";
/// A field that holds a state.
pub(super) const STATE: &str = "phase$ state$ status$ health$ result$ outcome$ stage$ step$ condition$ progress$ lifecycle$ verdict$ conclusion$ \
     ready$ healthy$ available$ synced$ complete$ valid$ compliant$";
/// A state that is good.
pub(super) const FINE: &str = "^ready$ ^healthy$ ^available$ ^succeeded$ ^success$ ^successful$ ^completed?$ ^done$ ^finished$ ^ok$ ^bound$ \
     ^synced$ ^insync$ ^uptodate$ ^deployed$ ^provisioned$ ^established$ ^valid$ ^stable$ ^green$ ^normal$ ^applied$ ^reconciled$ \
     ^installed$ ^configured$ ^passed$ ^compliant$ ^created$ ^true$ ^none$";
/// A flag that should not be false, or a number that has to be as large as a [`SIZE`].
pub(super) const GOOD: &str = "ready health avail succe sync valid accept complet connect initiali active appl online bound establish regist \
     provision install deploy reconcil reach issued attach program joined mount pass complian uptodate grant operational updated current \
     ^ok$ alive stable accessib authent author respon quor verif serving running";
/// The name of a number of things that are wanted.
pub(super) const SIZE: &str =
    "^replicas$ ^size$ ^instances$ ^nodes$ ^count$ ^members$ ^desired ^expected ^total total$";
/// Somebody asks for rest.
pub(super) const PAUSE: &str =
    "pause suspend hibern reconcil ^stop$ ^stopped$ ^shutdown$ ^disabled?$ ^unschedulable$ ^cordoned$";

/// A body with the patterns in their places, with this between two of them.
pub(super) fn fill(body: &str, between: &str) -> String {
    let lists = [
        ("wrong", WRONG),
        ("moving", MOVING),
        ("state", STATE),
        ("fine", FINE),
        ("good", GOOD),
        ("size", SIZE),
        ("pause", PAUSE),
    ];
    lists.into_iter().fold(body.to_owned(), |body, (name, words)| {
        body.replace(&format!("@{name}@"), &alternatives(words, between))
    })
}

/// The patterns of a list, with this between two of them.
pub(super) fn alternatives(words: &str, between: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(between)
}
