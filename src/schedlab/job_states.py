"""States in which jobs leave a simulation."""

RAN = ("completed", "killed", "failed")
ENDED = (*RAN, "rejected")
