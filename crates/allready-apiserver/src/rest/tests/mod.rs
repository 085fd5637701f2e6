//! The verbs against plain calls, and the recorded answers of the real server.

mod admission;
mod crowd;
mod garbage;
mod going;
mod harness;
mod hostile;
mod keeping;
mod patches;
mod quota;
mod replay;
mod tokens;
mod work;
