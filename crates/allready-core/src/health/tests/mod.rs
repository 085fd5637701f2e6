mod known;
mod properties;
mod rules;
