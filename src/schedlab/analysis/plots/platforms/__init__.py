"""Pictures of processors: what was measured, and what was fitted to it."""
