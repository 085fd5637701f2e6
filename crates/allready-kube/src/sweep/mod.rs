//! Sweeping: removing what writers left behind that are gone.
