mod board;
mod case;
