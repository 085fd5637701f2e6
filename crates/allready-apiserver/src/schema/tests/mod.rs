mod facts;
mod meta;
mod parse;
mod properties;
mod rules;
