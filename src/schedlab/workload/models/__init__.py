"""Models of workloads: what makes jobs that no log has; a room for each model."""
