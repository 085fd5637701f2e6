//! Signals that end a program.

use super::failure::Failure;

/// Waits until somebody wants the command to stop. From the call on, a signal no longer ends the process by itself.
#[cfg(unix)]
pub fn stopped() -> Result<impl Future<Output = ()>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};

    let listen = |kind| {
        signal(kind).map_err(|error| Failure::unavailable(format_args!("cannot listen for signals: {error}")))
    };
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Waits until somebody wants the command to stop. From the call on, a signal no longer ends the process by itself.
#[cfg(not(unix))]
pub fn stopped() -> Result<impl Future<Output = ()>, Failure> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
