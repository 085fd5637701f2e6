mod judging;
mod properties;
mod server;
