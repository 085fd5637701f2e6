mod budget;
mod fleet;
mod order;
mod reconciler;
mod stage;
