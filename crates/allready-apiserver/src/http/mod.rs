//! The shell: HTTP in, HTTP out.
