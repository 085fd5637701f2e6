mod names;
mod server;
