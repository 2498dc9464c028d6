"""Rare jobs that take nearly the whole machine."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars

from schedlab.workload.cleaning.rule import CleaningRule, Finding, number_text, size, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedlab.workload.cleaning.rule import Log


class Large(CleaningRule):
    """Takes out jobs of nearly the whole machine, if such jobs are rare.

    Then they are tests of the system or first runs of it, rather than what its users do. Where they
    are not rare, they are work, and stay.

    Args:
        share: Of the machine's processors, from which on a job is very large.
        rare: Share of all jobs that very large ones may be to count as rare.
    """

    name = "large"

    def __init__(self, share: float = 0.9, rare: float = 0.001) -> None:
        within(self.name, "share", share, 0, 1)
        within(self.name, "rare", rare, 0, 1)
        self.share = share
        self.rare = rare
        self._sizes: Counter[float] = Counter()
        self._least: float | None = None
        self._reason = ""

    def survey(self, jobs: polars.DataFrame) -> None:
        counts = jobs.select(size().alias("size").value_counts()).unnest("size")
        self._sizes.update(dict(counts.iter_rows()))

    def settle(self, log: Log) -> None:
        if log.processors is None:
            if log.rows:
                self.notes = (
                    "the size of the machine is not known, so very large jobs are not looked for; "
                    "--processors N (processors=N) says it",
                )
            return
        least = self.share * log.processors
        # What is larger than the machine is impossible, not large.
        found = sum(n for size, n in self._sizes.items() if least <= size <= log.processors)
        if not found:
            return
        count_text = f"{found:,} of {log.rows:,} jobs are that large"
        if found <= self.rare * log.rows:
            self._least, self._reason = least, f"of {log.processors:,} processors; {count_text}"
        else:
            self.notes = (
                f"{count_text} (from {least:,.0f} processors): more than {self.rare:.3%}, not rare",
            )

    def find(self, jobs: polars.DataFrame) -> Iterator[Finding]:
        if self._least is not None:
            yield Finding(
                "very large and rare",
                size() >= self._least,
                polars.format(
                    "{} {}",
                    polars.when(polars.col("allocated_processors") > 0)
                    .then(number_text("allocated_processors"))
                    .otherwise(number_text("requested_processors")),
                    polars.lit(self._reason),
                ),
            )
