"""More packets at once than can be carried are refused, with what they would take."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import schedlab as sl
from schedlab.cli import app
from schedlab.errors import InputError

MOST = 2**25
SYSTEM = {
    "groups": {"node": {"nodes": 8, "resources": {"core": 1}}},
    "network": {
        "topology": "torus",
        "dimensions": [2, 2, 2],
        "bandwidth": 1e10,
        "delay": 1e-7,
        "host_bandwidth": 1e10,
        "host_delay": 1e-7,
    },
}


def run(application: str, ranks: int = 2, system: dict = SYSTEM, **options):
    jobs = [sl.Job(1, 0, 1, processors=ranks, application=application), sl.Job(2, 0, 1)]
    return sl.simulate(jobs, system=system, fidelity="packet", **options)


def test_a_message_of_too_many_packets():
    with pytest.raises(InputError) as caught:
        run("ping-pong(bytes=4G)")
    message = str(caught.value)
    assert message.startswith("job 1, rank 0, at ")
    assert (
        "a message of 4294967296 bytes is 67108864 packets of 64 bytes, and 0 others are" in message
    )
    assert f"under way, where {MOST} can be" in message
    assert "million events" in message
    assert message.endswith("give network.messages of the system a larger packet")


@pytest.mark.parametrize("application", ["bcast(bytes=4G)", "alltoall(bytes=1G)", "ring(bytes=3G)"])
def test_collectives_and_many_ranks_count_together(application):
    with pytest.raises(InputError, match=r"is \d+ packets of 64 bytes, and \d+ others are under"):
        run(application, ranks=8)


def test_packets_that_arrived_do_not_count():
    result = run("ping-pong(bytes=1M, iterations=40)", ranks=2)  # 1.3 million packets in all
    assert result.run["counts"]["completed"] == 2


def test_larger_packets_and_other_levels_carry_it():
    messages = {"network": {**SYSTEM["network"], "messages": {"packet": 1 << 24}}}
    larger = run("ping-pong(bytes=4G)", system={**SYSTEM, **messages})
    assert larger.run["counts"]["completed"] == 2
    for fidelity in ("fluid", "analytic", "phase"):
        jobs = [sl.Job(1, 0, 1, processors=2, application="ping-pong(bytes=4G)")]
        result = sl.simulate(jobs, system=SYSTEM, fidelity=fidelity)
        assert result.run["counts"]["completed"] == 1


def test_one_job_fails_where_errors_fail_jobs():
    result = run("ping-pong(bytes=4G)", application_errors="fail")
    assert result.run["counts"]["failed"] == 1
    assert result.run["counts"]["completed"] == 1
    assert "67108864 packets" in result.run["application_errors"][0]


def test_files_are_no_packets():
    """What ranks read and write goes to the file system as streams, at every level."""
    files = {"network": {**SYSTEM["network"], "files": {"bandwidth": 8e12}}}
    result = run("checkpoint(bytes=64G)", system={**SYSTEM, **files})
    assert result.run["counts"]["completed"] == 2


def test_on_the_command_line():
    machine = ["--ranks", "2", "--system", "cielo", "--ranks-per-node", "1"]
    command = ["app", "run", "ping-pong(bytes=4G)", *machine, "--fidelity", "packet"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 2
    assert "67108864 packets of 64 bytes" in " ".join(result.output.split())
