"""What is said of predecessors that hold no job: a job waits for jobs submitted before it alone."""

from __future__ import annotations

_TEXTS = {
    "itself": (
        "1 job names itself as a predecessor, and is not held for it",
        "{} jobs name themselves as a predecessor, and are not held for it",
    ),
    "later": (
        "1 predecessor comes later in the workload than the job that names it, and holds no job",
        "{} predecessors come later in the workload than the jobs that name them, and hold no job",
    ),
    "unknown": (
        "1 predecessor is not among the jobs of the workload, and holds no job",
        "{} predecessors are not among the jobs of the workload, and hold no job",
    ),
}
"""For each reason what is said of one, and of several."""

UNHEEDED = tuple(_TEXTS)
"""Why predecessors hold no job."""


def predecessor_warnings(found: dict[str, tuple[int, int, int]]) -> list[str]:
    """Returns which predecessors hold no job, a text for each reason.

    Args:
        found: By reason: how many, the first job that names one, and the job that it names.
    """
    texts = []
    for why, (count, job, predecessor) in found.items():
        if not count:
            continue
        what = _TEXTS[why][count > 1].format(f"{count:,}")
        first = f"job {job}" if why == "itself" else f"job {job}, which names job {predecessor}"
        texts.append(f"{what}; the first is {first}")
    return texts
