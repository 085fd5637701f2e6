//! `allready-controller`: the controllers of allready, for a cluster.

use std::process::ExitCode;

fn main() -> ExitCode {
    allready_controller::program::main(std::env::args_os())
}
