//! What a name says when nobody declared anything.

use super::{ConditionRole, Semantics};
use crate::words::{Flat, List, Token, is_activity, is_broken, tokens, word};
use allready_core::Polarity::{AbnormalTrue, NormalTrue};

/// The meaning of a condition type by its name.
pub(super) fn condition(type_: &str) -> Semantics {
    let name = base(type_);
    let flat = Flat::of(name);
    let whole = flat.as_str();
    if let Some(rank) = List::SummaryName.position(whole) {
        let rank = u8::try_from(rank).unwrap_or(u8::MAX);
        return Semantics { rank, ..Semantics::guessed(ConditionRole::Summary, NormalTrue) };
    }
    let mut ends: Option<(Token, Token)> = None;
    let mut is_phrasal = false;
    let mut before: Option<Token> = None;
    let ends_badly = List::BadEnding.ends(whole) || whole == "down";
    // ListenersNotReady, QuotaNotExceeded: what follows the negation is denied, what stands before it is not.
    let (mut is_bad, mut is_bad_before, mut is_negated) = (false, false, false);
    for token in tokens(name) {
        if matches!(token.as_str(), "not" | "no" | "non" | "without") {
            (is_bad_before, is_negated) = (is_bad_before || is_bad, true);
            is_bad = false;
        }
        let known = word(token.as_str());
        is_bad |= known.is(List::BadName) || is_broken(token.as_str(), known);
        // ScalingUp, RollingOut, SwitchingOver.
        is_phrasal = matches!(token.as_str(), "up" | "down" | "out" | "in" | "back" | "over" | "off")
            && ends.is_some_and(|(_, before)| is_activity(before.as_str(), word(before.as_str())));
        before = ends.map(|(_, last)| last);
        ends = Some((ends.map_or(token, |(first, _)| first), token));
    }
    let Some((first, last)) = ends else {
        return Semantics::guessed(ConditionRole::Informational, NormalTrue);
    };
    let (first, last) = (first.as_str(), last.as_str());
    let known = word(last);
    is_bad |= is_denied(last);
    // NodeDown, where ScalingDown is an activity and ShutDown a wish.
    is_bad |= ends_badly || last == "down" && !is_phrasal && first != "shut";
    let dependent = |polarity| Semantics::guessed(ConditionRole::Dependent, polarity);
    if !is_negated && is_information(whole, first) {
        return Semantics::guessed(ConditionRole::Informational, NormalTrue);
    }
    if known.is(List::AtRest) || last == "ignored" || List::RestName.has(whole) {
        // That it does not rest is no news of how it is.
        let role = if is_negated { ConditionRole::Informational } else { ConditionRole::Suspension };
        return Semantics::guessed(role, NormalTrue);
    }
    if first.starts_with("partial") {
        return dependent(AbnormalTrue);
    }
    if whole.contains("notyet") {
        return Semantics::guessed(ConditionRole::Activity, NormalTrue);
    }
    if is_negated {
        // NotReady is bad, NoWarnings is good.
        return dependent(if is_bad && !is_bad_before { NormalTrue } else { AbnormalTrue });
    }
    if is_bad && last == "free" {
        return dependent(NormalTrue);
    }
    if is_bad {
        return dependent(AbnormalTrue);
    }
    // What was found, left out or taken away may be good or bad; of the whole, it is on its way out.
    if matches!(whole, "deleted" | "terminated" | "removed") {
        return Semantics::guessed(ConditionRole::Activity, NormalTrue);
    }
    if matches!(last, "detected" | "skipped" | "limited") {
        return Semantics::guessed(ConditionRole::Informational, NormalTrue);
    }
    if last == "running" && before.is_some_and(|before| !List::RunKind.has(before.as_str())) {
        // ClusterRunning lasts, and MigrationRunning ends.
        return dependent(NormalTrue);
    }
    let is_of_an_update = matches!(last, "update" | "upgrade" | "restart") && is_activity(first, word(first))
        || whole == "backingup";
    if is_phrasal || is_of_an_update || known.is(List::ActivityName) || is_activity(last, known) {
        return Semantics::guessed(ConditionRole::Activity, NormalTrue);
    }
    let ends_well = ["ed", "able", "ready", "bound", "sync"].iter().any(|end| last.ends_with(end));
    // ResolvedRefs, PassedValidation.
    let begins_well = List::GoodFirstWord.has(first)
        || first == "has" && matches!(last, "quorum" | "leader" | "primary" | "master")
        || whole.starts_with("readyfor")
        || whole.starts_with("readyto");
    if known.is(List::GoodName)
        || ends_well
        || begins_well
        || whole.ends_with("uptodate")
        || whole.ends_with("rolledout")
    {
        return dependent(NormalTrue);
    }
    Semantics::guessed(ConditionRole::Informational, NormalTrue)
}

/// `Mismatched`, `Unroutable`, `Overcommitted`: a participle that is denied; not `Unsealed`.
fn is_denied(word: &str) -> bool {
    List::DeniedStart.begins(word) && List::DeniedEnding.ends(word) && !List::NotDenied.has(word)
}

fn is_information(whole: &str, first: &str) -> bool {
    whole == "recommended" || matches!(first, "can" | "deprecated") || List::InformationEnding.ends(whole)
}

/// What follows the last slash and the last dot.
pub(crate) fn base(type_: &str) -> &str {
    let name = type_.rsplit('/').next().unwrap_or(type_);
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether a kind runs to an end, by its name.
pub(super) fn runs_to_completion(kind: &str) -> bool {
    tokens(kind).last().is_some_and(|token| List::RunKind.has(token.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConditionRole::{Activity, Dependent, Informational, Summary, Suspension};

    #[test]
    fn a_name_says_role_and_polarity() {
        for (type_, role, polarity) in [
            ("Ready", Summary, NormalTrue),
            ("example.com/Ready", Summary, NormalTrue),
            ("ACK.Terminal", Dependent, AbnormalTrue),
            ("DatabaseReady", Dependent, NormalTrue),
            ("NotReady", Dependent, AbnormalTrue),
            ("NoWarnings", Dependent, NormalTrue),
            ("ListenersNotReady", Dependent, AbnormalTrue),
            ("GatewayNotScheduled", Dependent, AbnormalTrue),
            ("SecretNotFound", Dependent, AbnormalTrue),
            ("HasNoLeader", Dependent, AbnormalTrue),
            ("QuotaNotExceeded", Dependent, NormalTrue),
            ("HasNoErrors", Dependent, NormalTrue),
            ("UpgradeFailedNotRetryable", Dependent, AbnormalTrue),
            ("RestartNotRequired", Dependent, NormalTrue),
            ("PodsNotYetLoaded", Activity, NormalTrue),
            ("NotPaused", Informational, NormalTrue),
            ("MatchedGatewayClass", Dependent, NormalTrue),
            ("MemoryPressure", Dependent, AbnormalTrue),
            ("RestartRequired", Dependent, AbnormalTrue),
            ("PartiallyInvalid", Dependent, AbnormalTrue),
            ("ReplicaFailure", Dependent, AbnormalTrue),
            ("Progressing", Activity, NormalTrue),
            ("ScalingUp", Activity, NormalTrue),
            ("RollingUpdating", Activity, NormalTrue),
            ("Paused", Suspension, NormalTrue),
            ("ShutDown", Suspension, NormalTrue),
            ("MaintenanceMode", Suspension, NormalTrue),
            ("RollingUpdate", Activity, NormalTrue),
            ("BackingUp", Activity, NormalTrue),
            ("ScalingDown", Activity, NormalTrue),
            ("NodeDown", Dependent, AbnormalTrue),
            ("StorageFull", Dependent, AbnormalTrue),
            ("LowDiskSpace", Dependent, AbnormalTrue),
            ("SplitBrain", Dependent, AbnormalTrue),
            ("UnderReplicated", Dependent, AbnormalTrue),
            ("OutOfMemory", Dependent, AbnormalTrue),
            ("DataLoss", Dependent, AbnormalTrue),
            ("ReplicationLagging", Dependent, AbnormalTrue),
            ("HasQuorum", Dependent, NormalTrue),
            ("PlacementRolledOut", Dependent, NormalTrue),
            ("ReadyForBinding", Dependent, NormalTrue),
            ("AcceptingConnections", Dependent, NormalTrue),
            ("CredentialsPresent", Dependent, NormalTrue),
            ("Operational", Dependent, NormalTrue),
            ("ScalingLimited", Informational, NormalTrue),
            ("ReconciliationPaused", Suspension, NormalTrue),
            ("Upgradeable", Informational, NormalTrue),
            ("PackageDeprecated", Informational, NormalTrue),
            ("LiveMigratable", Informational, NormalTrue),
            ("ACK.Recoverable", Dependent, AbnormalTrue),
            ("MinAvailableBreached", Dependent, AbnormalTrue),
            ("Validation", Dependent, NormalTrue),
            ("Liveness", Dependent, NormalTrue),
            ("NotYetLoaded", Activity, NormalTrue),
            ("Removed", Activity, NormalTrue),
            ("Weather", Informational, NormalTrue),
            ("", Informational, NormalTrue),
        ] {
            let found = condition(type_);
            assert_eq!((found.role, found.polarity), (role, polarity), "{type_}");
            assert!(!found.is_declared);
        }
        assert!(condition("Ready").rank < condition("Applied").rank);
    }

    #[test]
    fn a_job_ends_and_a_service_does_not() {
        for (kind, expected) in
            [("BackupJob", true), ("TaskRun", true), ("Widget", false), ("JobQueue", false)]
        {
            assert_eq!(runs_to_completion(kind), expected, "{kind}");
        }
    }
}
