//! `#[derive(StatusFields)]`.

mod generate;
mod model;
mod naming;
#[cfg(test)]
mod tests;

pub(crate) use generate::generate;
pub(crate) use model::Status;
