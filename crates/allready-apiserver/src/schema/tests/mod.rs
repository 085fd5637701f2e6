mod facts;
mod parse;
