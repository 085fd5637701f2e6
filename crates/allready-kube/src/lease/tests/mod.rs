mod decisions;
mod server;
mod simulation;
