//! Server-side apply, as the real server does it.
