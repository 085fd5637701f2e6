mod board;
mod order;
mod reconciler;
mod stage;
