mod false_green;
mod known;
mod properties;
mod rules;
mod structure;
