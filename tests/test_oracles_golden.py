"""The oracles reproduce the schedules of AccaSim, Alea and PySS."""

import csv
import gzip
from collections.abc import Iterable

import pytest
from conftest import SHARED, shared_file
from oracles import Job, Machine, Record, simulate
from oracles.swf import accasim_jobs, alea_jobs, pyss_jobs

GOLDEN = SHARED / "golden"
TRACES = SHARED / "traces"
HPC2N = TRACES / "HPC2N-2002-2.2-cln.swf.gz"
SDSC = TRACES / "SDSC-SP2-1998-5Ksample.swf.gz"

# The whole of HPC2N (202,871 jobs) is equal too, but takes the oracles minutes.
HPC2N_JOBS = 5_000
SDSC_JOBS = 4_961
SDSC_PROCESSORS = 128


@pytest.fixture(autouse=True)
def _golden_schedules_and_traces() -> None:
    shared_file("golden")
    shared_file("traces")


Schedule = dict[int, Record]


def golden(name: str) -> Schedule:
    """Return a golden schedule; jobs have no nodes where the file lists none."""
    with gzip.open(GOLDEN / name, "rt", encoding="utf-8", newline="") as lines:
        return {
            int(row["job_id"]): Record(
                start=int(row["start"]),
                end=int(row["end"]),
                state="completed",
                nodes=_nodes(row.get("nodes(node*units)", "")),
            )
            for row in csv.DictReader(lines)
        }


def _nodes(text: str) -> tuple[tuple[int, int], ...]:
    """Parse "17*2 18*1": node number from 1, tasks there."""
    pairs = [item.split("*") for item in text.split()]
    return tuple(sorted((int(node) - 1, int(tasks)) for node, tasks in pairs))


def differing(ours: Schedule, theirs: Schedule, ids: Iterable[int], *, nodes: bool) -> list[int]:
    """Return the jobs whose start or end (and nodes, if asked) differ."""

    def seen(record: Record) -> tuple[object, ...]:
        return (record.start, record.end, record.nodes if nodes else None)

    return [i for i in ids if seen(ours[i]) != seen(theirs[i])]


def started_before(schedule: Schedule, time: int) -> set[int]:
    """Return the jobs that started before the time."""
    return {i for i, r in schedule.items() if r.start is not None and r.start < time}


def blocking(jobs: list[Job], order: str, node: tuple[int, ...]) -> Schedule:
    """Simulate on HPC2N's 120 nodes."""
    return simulate(
        jobs,
        Machine((node,) * 120),
        order=order,
        discipline="blocking",
        allocator="first-fit",
    )


def test_accasim_fifo() -> None:
    """No later arrival can change a blocking FIFO: every job of the prefix is equal."""
    jobs = accasim_jobs(HPC2N, HPC2N_JOBS)
    ours = blocking(jobs, "fifo", node=(4,))
    theirs = golden("accasim/hpc2n_FIFO-FF.csv.gz")
    assert len(ours) == HPC2N_JOBS
    assert differing(ours, theirs, ours, nodes=True) == []


def test_accasim_sjf() -> None:
    """Before the prefix's last submit, the rest of the trace has had no influence."""
    jobs = accasim_jobs(HPC2N, HPC2N_JOBS)
    ours = blocking(jobs, "sjf", node=(4,))
    theirs = golden("accasim/hpc2n_SJF-FF.csv.gz")
    ids = started_before(ours, jobs[-1].submit)
    assert ids == started_before(theirs, jobs[-1].submit)
    assert len(ids) > HPC2N_JOBS - 100
    assert differing(ours, theirs, ids, nodes=True) == []


def test_alea_fcfs() -> None:
    """Every job of the prefix is equal, as for FIFO."""
    ours = blocking(alea_jobs(HPC2N, HPC2N_JOBS), "fifo", node=(2,))
    assert len(ours) == HPC2N_JOBS
    assert differing(ours, golden("alea/hpc2n_FCFS.csv.gz"), ours, nodes=False) == []


@pytest.mark.parametrize(
    ("name", "discipline", "events", "most_differing"),
    [
        ("FCFS", "blocking", "time", 0),
        ("FCFS", "blocking", "single", 0),
        ("EASY", "easy", "time", 5),
        ("EASY", "easy", "single", 0),
        ("CONS", "conservative", "time", 0),
        ("CONS", "conservative", "single", 0),
    ],
)
def test_pyss(name: str, discipline: str, events: str, most_differing: int) -> None:
    """Every job is equal; EASY calls per single event there, which moves five jobs."""
    ours = simulate(
        pyss_jobs(SDSC, SDSC_PROCESSORS),
        Machine(((SDSC_PROCESSORS,),)),
        order="fifo",
        discipline=discipline,
        allocator="first-fit",
        events=events,
    )
    theirs = golden(f"pyss/sdsc-sp2-5k_{name}.csv.gz")
    assert len(ours) == SDSC_JOBS
    assert ours.keys() == theirs.keys()
    assert len(differing(ours, theirs, ours, nodes=False)) <= most_differing


def test_pyss_rows() -> None:
    """The reader gives PySS's own processors, estimates, run and submit times."""
    name = GOLDEN / "pyss/sdsc-sp2-5k_EASY.csv.gz"
    with gzip.open(name, "rt", encoding="utf-8", newline="") as lines:
        columns = ("job_id", "submit", "procs", "est", "run")
        theirs = {tuple(int(r[c]) for c in columns) for r in csv.DictReader(lines)}
    jobs = pyss_jobs(SDSC, SDSC_PROCESSORS)
    assert {(j.id, j.submit, j.tasks, j.estimate, j.run) for j in jobs} == theirs
