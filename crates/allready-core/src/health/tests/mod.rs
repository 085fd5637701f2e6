mod false_green;
mod known;
mod properties;
mod red;
mod rules;
mod structure;
mod undeclared;
mod words;
