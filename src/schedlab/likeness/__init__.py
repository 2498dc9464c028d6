"""Is it like the original? Workloads side by side, in numbers, pictures and simulations."""

from __future__ import annotations

from schedlab.likeness.comparing import compare_workloads, look_at
from schedlab.likeness.likeness import Likeness

__all__ = ["Likeness", "compare_workloads", "look_at"]
