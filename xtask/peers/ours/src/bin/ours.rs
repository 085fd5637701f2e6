//! Answers questions about our side of the comparison with the peers.

use std::io::{stdin, stdout};

fn main() -> std::io::Result<()> {
    allready_peers::serve::serve(stdin().lock(), &mut stdout(), || (0, 0))
}
