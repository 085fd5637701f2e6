//! The commands in a real terminal: what a person reads there, and how the terminal is left.

mod lab;
mod leave;
mod outage;
mod progress;
mod screen;
mod table;
mod uninstall;
