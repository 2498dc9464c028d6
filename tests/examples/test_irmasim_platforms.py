"""The example of IRMaSim's experiment: its jobs and machines, what it must show, what it leaves."""

from __future__ import annotations

import heapq
import subprocess
import sys
from pathlib import Path
from statistics import mean

import pytest
from PIL import Image

import schedlab as sl

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPT = EXAMPLES / "irmasim_platforms.py"


@pytest.fixture(scope="module")
def machines():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        import irmasim_machines

        yield irmasim_machines


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        import irmasim_platforms

        yield irmasim_platforms


@pytest.fixture(scope="module")
def policies():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        import irmasim_policies

        yield irmasim_policies


def test_own_rates_of_the_jobs(machines):
    rates = {
        name: round(program.memory_volume / program.alone_seconds)
        for name, program in machines.NPB.items()
    }
    assert rates == {
        "bt.C": 8491,
        "cg.C": 45269,
        "ep.C": 1023,
        "is.C": 3516,
        "lu.C": 17576,
        "sp.C": 25115,
        "ua.C": 10808,
    }


@pytest.mark.parametrize(
    ("k", "slowdowns"),
    [
        (1.0, [1 / 0.964, 1 / 0.250, 1, 1, 1 / 0.476, 1 / 0.283, 1 / 0.792]),
        (0.6, [None, 2.80, 1, 1, 1.82, 2.59, None]),
    ],
)
def test_four_copies_on_a_node(machines, k, slowdowns):
    system = machines.platform({3.4: 1}, k)
    for program, slowdown in zip(machines.NPB.values(), slowdowns, strict=True):
        result = sl.simulate(list(machines.jobs_of([program] * 4)), system=system)
        found = result.metrics["makespan"] / program.alone_seconds
        if slowdown is not None:
            assert found == pytest.approx(slowdown, rel=5e-3)
        assert result.metrics["energy"]["average_power"] == pytest.approx(4 * 6.14 + 5.59)


def test_baseline_is_a_list_schedule(machines):
    programs = list(machines.drawn(500, 1))
    free = [0.0] * 60
    for program in programs:
        heapq.heappush(free, heapq.heappop(free) + program.alone_seconds)
    system = machines.platform(machines.HOMOGENEOUS, None, hierarchy=False)
    metrics = sl.simulate(machines.jobs_of(programs), system=system).metrics
    assert metrics["makespan"] == pytest.approx(max(free), rel=1e-9)
    work = sum(program.alone_seconds for program in programs)
    assert metrics["energy"]["total"] == pytest.approx(work * (6.14 + 5.59 / 4), rel=1e-9)
    assert metrics["energy"]["idle"] == 0


@pytest.mark.parametrize(("number", "paper", "watts"), [(0, 1.59, 452.25), (1, 1.43, 342.65)])
def test_makespans_of_the_paper(example, machines, number, paper, watts):
    nodes = example.MACHINES[number].nodes
    ratios = []
    for seed in (1, 2, 3):
        makespans = []
        for k in (None, 0.6):
            jobs = machines.jobs_of(machines.drawn(3200, seed))
            result = sl.simulate(jobs, system=machines.platform(nodes, k), jobs="none")
            makespans.append(result.metrics["makespan"])
            assert result.metrics["energy"]["peak_power"] == pytest.approx(watts)
        ratios.append(makespans[1] / makespans[0])
    assert mean(ratios) == pytest.approx(paper, abs=0.08)


def test_grouping_saves_energy_where_cores_share_power(example):
    study = example.Study("unused", seeds=2)
    off, terabits, printed = (
        {name: mean(of["energy"]) for name, of in found.items()}
        for found in study.energies(example.MACHINES[0], 0.2).values()
    )
    assert max(off.values()) < 1.01 * min(off.values())
    for found, grouping in ((terabits, example.GROUPING), (printed, example.CAREFUL)):
        worst = max(found[name] for name in grouping)
        best = min(found[name] for name in example.SPREADING)
        assert worst < 0.9 * best
    # Neighbours that slow each other down for longer eat up what they share.
    assert printed["first-fit"] > 0.95 * printed["worst-fit"]


def test_a_burst_leaves_policies_little_choice(example):
    """The paper's set-up of figure 9: the baseline hides what little difference there is."""
    study = example.Study("unused", seeds=3)
    baseline, processors = (
        {pair: mean(energy) for pair, energy in found.items()}
        for found in study.burst_energies(example.BURST).values()
    )
    assert len(baseline) == len(processors) == 24
    assert example.apart(list(baseline.values())) < 0.01
    assert 0.02 < example.apart(list(processors.values())) < 0.05
    # It is the order of the jobs that makes it, not where they go.
    for job in example.JOB_SELECTIONS:
        assert example.apart([processors[job, one] for one in example.RESOURCE_SELECTIONS]) < 0.02
    assert min(baseline.values()) / max(processors.values()) < 0.75


def test_left_out_job_selections_are_first_come(example, machines):
    """Among jobs of one core without memory, the fewest cores and the least memory are a tie."""
    found = set()
    for order in ("submit", "fewest-cores", "low-mem"):
        jobs = machines.jobs_of(machines.drawn(150, 1), 1, 2.0)
        system = machines.platform(machines.HETEROGENEOUS, 0.6)
        scheduler = f"blocking(order={order})"
        found.add(sl.simulate(jobs, system=system, scheduler=scheduler).metrics["energy"]["total"])
    assert len(found) == 1


def test_at_a_low_load_the_baseline_of_unequal_nodes_differs(example):
    """Slow cores take less energy for the same work, whether or not processors are seen."""
    study = example.Study("unused", seeds=1)
    baseline = next(iter(study.energies(example.MACHINES[1], 0.2).values()))
    assert example.apart([mean(of["energy"]) for of in baseline.values()]) > 0.25


def test_within_bandwidth_slows_nobody_down(policies, machines):
    gap = machines.MEAN_SECONDS / (0.1 * 60)
    speeds = {}
    for allocator in (policies.WithinBandwidth(), "first-fit"):
        jobs = machines.jobs_of(machines.drawn(300, 5), 5, gap)
        system = machines.platform(machines.HOMOGENEOUS, 0.6)
        result = sl.simulate(jobs, system=system, allocator=allocator)
        speeds[str(allocator)] = result.jobs.collect()["speed"].min()
    alone, grouped = speeds.values()
    assert alone == pytest.approx(1.0, rel=1e-6)
    assert grouped < 0.5


def test_figures_and_tables(tmp_path):
    out = tmp_path / "out"
    done = subprocess.run(
        [sys.executable, SCRIPT, "--out", out, "--seeds", "1", "--batches", "60", "120"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for line in ("lu.A fast   30.9", "full load 452.2 W", "all within 0.0000%", "spreads"):
        assert line in done.stdout
    pictures = sorted(out.glob("*.png"))
    assert [picture.stem for picture in pictures] == [
        "figure-1-two-nodes",
        "figure-7-homogeneous",
        "figure-8-heterogeneous",
        "figure-9-burst",
        "figure-9-by-load",
        "figure-9-policies",
    ]
    for file in pictures:
        with Image.open(file) as picture:
            assert picture.width >= 900
            assert len(picture.convert("RGB").getcolors(1 << 24)) > 50
    nodes = {file.stem: sl.load_system(str(file)).nodes for file in out.glob("*.json")}
    assert nodes == {"fast-slow": 2, "homogeneous": 15, "heterogeneous": 15}


@pytest.mark.parametrize("wrong", [["--seeds", "0"], ["--batches", "0"], ["--load", "0.5"]])
def test_wrong_arguments(example, tmp_path, monkeypatch, capsys, wrong):
    monkeypatch.setattr(sys, "argv", ["irmasim", "--out", str(tmp_path / "out"), *wrong])
    with pytest.raises(SystemExit) as left:
        example.main()
    assert left.value.code == 2
    assert "must be at least 1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
