"""The built-in applications: one file per family."""
