mod facts;
mod parse;
mod properties;
