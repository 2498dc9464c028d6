"""The policies of IRMaSim's table II, by their names here."""

from __future__ import annotations

JOB_SELECTIONS = {
    "random": "random",
    "first": "submit",
    "shortest": "shortest",
    "smallest": "fewest-cores",  # its tasks have one core each, ours may have many
    "low_mem": "low-mem",
    "low_mem_bw": "low-mem-bw",
}
"""Orders of the queue, by the table's names; the job that is first is started, or waited for."""

RESOURCE_SELECTIONS = {
    "random": "random",
    "high_gflops": "high-gflops",
    "high_core": "high-core",
    "high_mem": "high-mem",
    "high_mem_bw": "high-mem-bw",
    "low_power": "low-power",
}
"""Allocators, by the table's names."""


def irmasim_policies() -> list[tuple[str, str]]:
    """Returns the 36 pairs of scheduler and allocator, as names, in the order of the table."""
    return [
        (f"blocking(order={order})", allocator)
        for order in JOB_SELECTIONS.values()
        for allocator in RESOURCE_SELECTIONS.values()
    ]
