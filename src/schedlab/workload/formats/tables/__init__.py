"""Tables with columns of any names: CSV, Parquet, and frames in memory."""
