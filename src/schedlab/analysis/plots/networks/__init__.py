"""Pictures of a machine's network, and of an application on it."""
