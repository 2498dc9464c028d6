"""Which sources are swept together, and with which tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Area:
    """Files below engine/, and what pytest is given."""

    files: tuple[str, ...]
    tests: tuple[str, ...]


AREAS = {
    "dispatch": Area(
        (
            "dispatch/schedulers/easy.cpp",
            "dispatch/schedulers/conservative.cpp",
            "dispatch/schedulers/plans/head_on_counts.hpp",
            "dispatch/schedulers/plans/head_on_nodes.hpp",
            "dispatch/schedulers/plans/head_reservation.cpp",
            "dispatch/schedulers/plans/reserved_counts.hpp",
            "dispatch/schedulers/plans/reserved_nodes.cpp",
            "dispatch/schedulers/plans/node_plan.cpp",
        ),
        (
            "tests/engine/test_backfilling.py",
            "tests/engine/test_differential.py",
            "tests/engine/test_planning.py",
            "tests/engine/test_protection.py",
            "tests/engine/test_failing_machines.py",
            "tests/engine/test_power_caps.py",
            "tests/engine/test_refusals.py",
            "tests/engine/test_simulation.py",
            "tests/dispatch/test_windows.py",
            "--deselect=tests/engine/test_differential.py::test_long_queues[conservative]",
        ),
    ),
    "platform": Area(
        (
            "execution/failures/outages.hpp",
            "execution/failures/outages.cpp",
            "simulation/failing.cpp",
            "execution/failures/checkpoints.hpp",
            "execution/platform/sockets.hpp",
            "execution/platform/sockets.cpp",
            "execution/platform/thermal.hpp",
            "execution/platform/thermal.cpp",
        ),
        (
            "tests/engine/test_failing_machines.py",
            "tests/engine/test_failures.py",
            "tests/engine/test_platform.py",
            "tests/engine/test_odd_platforms.py",
            "tests/engine/test_power_caps.py",
            "tests/engine/test_thermal.py",
            "tests/engine/test_thermal_twin.py",
            "tests/engine/test_whole_nodes_load.py",
            "tests/engine/test_everything_on.py",
            "tests/conditions",
            "tests/dispatch/test_allocators_on_sockets.py",
        ),
    ),
    "network": Area(
        (
            "execution/network/transport/fluid.hpp",
            "execution/network/transport/fluid.cpp",
            "execution/network/transport/packets.cpp",
            "execution/network/phase/phase_load.hpp",
            "execution/network/phase/phase_load.cpp",
            "execution/network/phase/phase_model.hpp",
            "execution/network/phase/phase_model.cpp",
            "execution/network/ranks/phase_runs.hpp",
            "execution/network/ranks/phase_runs.cpp",
            "execution/network/phase/phase_speeds.cpp",
            "execution/network/phase/phase_times.cpp",
        ),
        (
            "tests/engine/test_fluid.py",
            "tests/engine/test_transports.py",
            "tests/engine/test_phase_model.py",
            "tests/engine/test_message_passing.py",
            "tests/engine/test_application_errors.py",
            "tests/engine/test_application_forks.py",
            "tests/simulation/test_application_run.py",
            "tests/simulation/test_network_options.py",
            "tests/simulation/test_network_results.py",
            "tests/workload/test_applications.py",
        ),
    ),
}
