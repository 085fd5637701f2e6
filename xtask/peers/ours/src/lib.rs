//! Our side of the comparison with the peers: cases as the Go programs in `xtask/peers/compare` get them, answered by the
//! policies of the peers' names.

mod kstatus;
mod lists;
mod rollups;
pub mod serve;
mod sets;
pub mod wire;

use wire::{Answer, Case};

/// The call that is compared, with one case.
pub trait Subject {
    /// Does the work that is measured, as often as it is called.
    fn call(&mut self);
    /// The outcome of the last call.
    fn answer(&self) -> Answer;
}

/// Makes the subject that answers as this peer does.
pub fn subject(peer: &str, case: &Case) -> Result<Box<dyn Subject>, String> {
    Ok(match peer {
        "apimachinery" => Box::new(lists::List::new(case)?),
        "openmcp" => Box::new(lists::Updating::new(case)?),
        "kstatus" => Box::new(kstatus::Computed::new(case)),
        "kstatus-decode" => Box::new(kstatus::Decoded::new(case)),
        "knative" | "operatorpkg" | "kro" => Box::new(sets::Marked::new(peer, case)?),
        "cluster-api" | "cluster-api-aggregate" | "flux" | "library-go" => {
            Box::new(rollups::RolledUp::new(peer, case)?)
        }
        other => return Err(format!("there is no peer {other}")),
    })
}

/// The answer to a case as this peer would give it.
pub fn answer(peer: &str, case: &Case) -> Answer {
    match subject(peer, case) {
        Ok(mut subject) => {
            subject.call();
            subject.answer()
        }
        Err(error) => Answer { error, ..Answer::default() },
    }
}
