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
            "easy.cpp",
            "easy_on_nodes.cpp",
            "head_reservation.cpp",
            "conservative.cpp",
            "conservative_on_nodes.cpp",
            "node_plan.cpp",
        ),
        (
            "tests/engine/test_backfilling.py",
            "tests/engine/test_differential.py",
            "tests/engine/test_planning.py",
            "tests/engine/test_protection.py",
            "tests/engine/test_failing_machines.py",
            "tests/engine/test_power_caps.py",
            "tests/engine/test_simulation.py",
            "tests/dispatch/test_windows.py",
            "--deselect=tests/engine/test_differential.py::test_long_queues[conservative]",
        ),
    ),
    "platform": Area(
        (
            "outages.hpp",
            "outages.cpp",
            "checkpoints.hpp",
            "sockets.hpp",
            "sockets.cpp",
            "thermal.hpp",
            "thermal.cpp",
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
            "network/fluid.hpp",
            "network/fluid.cpp",
            "network/packets.cpp",
            "network/phase_load.hpp",
            "network/phase_load.cpp",
            "network/phase_model.hpp",
            "network/phase_model.cpp",
            "network/phase_runs.hpp",
            "network/phase_runs.cpp",
            "network/phase_speeds.cpp",
            "network/phase_times.cpp",
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
