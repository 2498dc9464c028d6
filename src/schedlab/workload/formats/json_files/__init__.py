"""What formats in JSON share: fields with their paths, long lists, and jobs with profiles."""
