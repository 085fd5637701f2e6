mod facts;
mod parse;
mod properties;
mod rules;
