"""Every option of reading, for every kind of source: honoured, or an error."""

from __future__ import annotations

import math
from pathlib import Path

import polars
import pytest
from conftest import examples
from hypothesis import assume, given
from hypothesis import strategies as st

import schedlab
from schedlab.errors import InputError, LossWarning
from schedlab.options import DEFAULTS, READING
from schedlab.workload.formats import open_reader, write_tables
from schedlab.workload.table import complete, table_of

GB = 1024 * 1024
MACHINE = {
    "groups": {"node": {"nodes": 64, "resources": {"core": 512, "mem": 512 * 64 * GB, "gpu": 64}}}
}
"""So large that every job starts when it comes."""

FILES = {
    "plain.swf": "swf",
    "table.parquet": "parquet",
    "table.csv": "csv",
    "batsim.json": "batsim",
    "irmasim.json": "irmasim",
    "dump.sacct": "sacct",
    "log.pbs": "pbs",
    "flow.json": "wfformat",
    "flow.dax": "dax",
}

rows = st.fixed_dictionaries(
    {
        "gap": st.integers(0, 50),
        "run": st.sampled_from([0, 1, 60, 100, -1]),
        "requested": st.sampled_from([-1, 1, 3, 8, 10]),
        "allocated": st.sampled_from([-1, 2, 3, 8]),
        "limit": st.sampled_from([-1, 50, 600]),
        "requested_memory": st.sampled_from([-1, 100, 4096]),
        "used_memory": st.sampled_from([-1, 77, 2048]),
        "gpus": st.sampled_from([0, 0, 0, 1]),
        "own_memory": st.sampled_from([-1, -1, 123]),
        "per_node": st.sampled_from([-1, -1, 1, 4]),
        "whole_nodes": st.sampled_from([-1, 0, 1]),
    }
)
options_given = st.fixed_dictionaries(
    {},
    optional={
        "processors": st.sampled_from(["requested", "allocated"]),
        "memory": st.sampled_from(["none", "requested", "used"]),
        "missing_estimate": st.sampled_from(["run", "skip", 77]),
        "estimate_covers_run": st.booleans(),
        "zero_run": st.sampled_from(["keep", "skip"]),
        "unusable": st.sampled_from(["skip", "substitute"]),
        "tasks_per_node": st.sampled_from([1, 3]),
        "whole_nodes": st.booleans(),
    },
)


def table_from(made, shaped):
    """Returns jobs as a table; those with GPUs are tasks of their own, if some are to be."""
    submit, found = 0, []
    for number, row in enumerate(made, 1):
        submit += row["gap"]
        processors = max(row["requested"], row["allocated"])
        line = {
            "job": number,
            "submit": submit,
            "run": row["run"],
            "requested_processors": row["requested"],
            "allocated_processors": row["allocated"],
            "requested_time": row["limit"],
            "requested_memory": row["requested_memory"],
            "used_memory": row["used_memory"],
            "user": number % 3,
        }
        if shaped:
            gpus, nodes = row["gpus"], 2 if processors > 3 else 1
            line |= {
                "tasks": nodes if gpus else -1,
                "tasks_per_node": 1 if gpus else row["per_node"],
                "task_core": math.ceil(max(processors, 1) / nodes) if gpus else -1,
                "task_gpu": gpus if gpus else -1,
                "task_mem": row["own_memory"],
                "whole_nodes": row["whole_nodes"],
            }
        found.append(line)
    return complete(polars.DataFrame(found))


def expected(row, options):
    """Returns what a row is by the reference, naively; None if it is skipped."""
    requested, allocated = row["requested_processors"], row["allocated_processors"]
    first, second = requested, allocated
    if options["processors"] == "allocated":
        first, second = second, first
    tasks = first if first > 0 else second if second > 0 else row.get("tasks", -1)
    run, limit = row["run"], row["requested_time"] if row["requested_time"] > 0 else None
    if options["unusable"] == "substitute" and (run <= 0 or allocated <= 0):
        tasks, run, limit = max(1, allocated), 1, 1
        submit = max(1, row["submit"])
    else:
        submit = row["submit"]
        if tasks <= 0 or run < 0 or (run == 0 and options["zero_run"] == "skip"):
            return None
    if limit is None and options["missing_estimate"] == "skip":
        return None
    tasks = row["tasks"] if row.get("tasks", -1) > 0 else tasks
    estimate = limit
    if limit is None:
        estimate = run if options["missing_estimate"] == "run" else options["missing_estimate"]
    if options["estimate_covers_run"]:
        estimate = max(estimate, run)
    amounts = {
        name: row[f"task_{name}"]
        for name in ("core", "mem", "gpu")
        if row.get(f"task_{name}", -1) > 0
    }
    if options["memory"] != "none" and "mem" not in amounts:
        own, other = row["requested_memory"], row["used_memory"]
        if options["memory"] == "used":
            own, other = other, own
        memory = own if own >= 1 else other
        if memory >= 1 and not amounts:
            amounts = {"core": 1, "mem": math.floor(memory)}
        elif memory >= 1:
            shares = [count / tasks for count in (first, second) if count > 0]
            exact = [share for share in shares if math.ceil(share) == amounts.get("core", 0)]
            each = exact[0] if exact else amounts.get("core") or max([*shares[:1], 1 / tasks])
            amounts["mem"] = max(1, math.ceil(memory * each - 1e-3))
    limits = [row.get("tasks_per_node", -1), options["tasks_per_node"] or -1]
    return {
        "submit": submit,
        "run": run,
        "tasks": tasks,
        "estimate": estimate,
        "amounts": amounts or None,
        "tasks_per_node": min([limit for limit in limits if limit > 0], default=None),
        "whole_nodes": options["whole_nodes"] or row.get("whole_nodes", -1) > 0,
    }


def read(workload, **options):
    """Returns the jobs that a simulation makes of a workload, and run.json."""
    seen = {}

    def keep(job):
        seen[job.id] = job
        return job

    result = schedlab.simulate(workload, system=MACHINE, job_factory=keep, **options)
    jobs = result.jobs.collect()
    found = {}
    for row in jobs.select("job_id", "submit", "start", "end", "estimate").iter_rows(named=True):
        job = seen[row["job_id"]]
        amounts = {name: n for name, n in (job.resources or {}).items() if n}
        found[job.id] = {
            "submit": row["submit"],
            "run": row["end"] - row["start"],
            "tasks": job.processors,
            "estimate": row["estimate"],
            "amounts": amounts or None,
            "tasks_per_node": job.tasks_per_node,
            "whole_nodes": job.whole_nodes,
        }
    return found, result.run


class Tables(schedlab.Reader):
    """A reader of a user's own that gives tables."""

    def __init__(self, table):
        super().__init__(None)
        self.table = table

    def tables(self):
        yield self.table


def check(workload, table, given_options):
    options = {**DEFAULTS, **given_options}
    if getattr(workload, "enforces_memory", False) and "memory" not in given_options:
        options["memory"] = "requested"
    wanted = {}
    for row in table.iter_rows(named=True):
        job = expected(row, options)
        if job is not None:
            wanted.setdefault(int(row["job"]), job)
    if not wanted:
        with pytest.raises(InputError, match="no job to simulate"):
            read(workload, **given_options)
        return
    found, run = read(workload, **given_options)
    assert found.keys() == wanted.keys()
    for number, job in wanted.items():
        assert found[number].pop("amounts") == job.pop("amounts"), number
        assert found[number] == pytest.approx(job), number
    assert {name: run["options"][name] for name in READING} == {
        name: options[name] for name in READING
    }


@pytest.mark.parametrize("name", FILES)
@given(
    made=st.lists(rows, min_size=1, max_size=5), shaped=st.booleans(), given_options=options_given
)
@examples(25)
def test_files(tmp_path_factory, name, made, shaped, given_options):
    if name.startswith("flow"):  # tasks of a workflow must have run time and processors
        made = [row for row in made if row["run"] >= 0 and row["requested"] > 0]
        assume(made)
    path = Path(tmp_path_factory.mktemp("source")) / name
    write_tables(path, [table_from(made, shaped)], {"UnixStartTime": "1700000000"}, FILES[name])
    reader = open_reader(path, FILES[name])
    table = polars.concat(list(reader.tables())).sort("submit", maintain_order=True)
    workload = reader if name.endswith(".json") else path
    check(workload, table, given_options)


@pytest.mark.parametrize("kind", ["eager", "lazy", "reader of tables"])
@given(
    made=st.lists(rows, min_size=1, max_size=5), shaped=st.booleans(), given_options=options_given
)
@examples(25)
def test_tables_of_python(kind, made, shaped, given_options):
    table = table_from(made, shaped)
    workload = {"eager": table, "lazy": table.lazy(), "reader of tables": Tables(table)}[kind]
    check(workload, table, given_options)


class Listed(schedlab.Reader):
    def __init__(self, listed):
        super().__init__(None)
        self.listed = listed

    def jobs(self):
        return self.listed


@given(
    given_options=options_given, rules=st.sampled_from([None, "alea", "pyss"]), read=st.booleans()
)
@examples(25)
def test_jobs_of_python_refuse_what_is_for_rows_and_do_not_record_it(given_options, rules, read):
    jobs = [schedlab.Job(1, 0, 100, 2, requested_time=50), schedlab.Job(2, 5, 0, 3)]
    workload = Listed(jobs) if read else jobs
    refused = [name for name, value in given_options.items() if value != DEFAULTS[name]]
    if refused:
        with pytest.raises(InputError, match="is for rows of files only"):
            schedlab.simulate(workload, system=MACHINE, rules=rules, **given_options)
        return
    result = schedlab.simulate(workload, system=MACHINE, rules=rules, **given_options)
    assert {name: result.run["options"][name] for name in READING} == {
        name: DEFAULTS[name] for name in READING
    }
    table = result.jobs.sort("job_id").collect()
    assert table["estimate"].to_list() == [50, 0]  # not what pyss would make of rows
    assert table_of(jobs).height == 2


def dump(tmp_path, *more):
    head = "JobID|State|Submit|Start|ElapsedRaw|ReqCPUS|AllocCPUS|NNodes|ReqMem|AllocTRES\n"
    lines = (
        f"{number}|COMPLETED|1709280000|1709280000|600|{requested}|{got}|{nodes}|{memory}|{tres}\n"
        for number, (requested, got, nodes, memory, tres) in enumerate(more, 1)
    )
    (tmp_path / "site.sacct").write_text(head + "".join(lines))
    return tmp_path / "site.sacct"


def amounts(workload, **options):
    return {number: job["amounts"] for number, job in read(workload, **options)[0].items()}


def test_memory_of_a_dump_with_one_gpu_job(tmp_path):
    path = dump(
        tmp_path, (4, 4, 1, "4G", "cpu=4,node=1"), (8, 8, 1, "32G", "cpu=8,gres/gpu=2,node=1")
    )
    wanted = {
        1: {"core": 1, "mem": GB},
        2: {"core": 8, "mem": 32 * GB, "gpu": 2},
    }
    assert amounts(path, memory="requested") == wanted
    write_tables(tmp_path / "exact.swf", open_reader(path).tables(), name="swf(exact=true)")
    assert amounts(tmp_path / "exact.swf", memory="requested") == wanted
    with pytest.warns(LossWarning, match="task_gpu of 1 jobs"):
        write_tables(tmp_path / "site.swf", open_reader(path).tables())
    on_processors = {1: {"core": 1, "mem": GB}, 2: {"core": 1, "mem": 4 * GB}}
    assert amounts(tmp_path / "site.swf", memory="requested") == on_processors
    assert amounts(path, memory="none") == {1: None, 2: {"core": 8, "gpu": 2}}


def test_a_share_of_a_node_s_memory_is_not_rounded_above_the_node(tmp_path):
    path = dump(tmp_path, (10, 10, 4, "64Gn", "cpu=10,gres/gpu=4,node=4"))
    assert amounts(path, memory="requested") == {1: {"core": 3, "mem": 64 * GB, "gpu": 1}}
    path = dump(tmp_path, (7, 7, 3, "64Gn", "cpu=7,gres/gpu=3,node=3"))
    assert amounts(path, memory="requested") == {1: {"core": 3, "mem": 64 * GB, "gpu": 1}}


def test_one_gpu_job_does_not_change_how_many_processors_the_others_have(tmp_path):
    plain, gpu = (2, 8, 1, "4G", "cpu=8,node=1"), (4, 4, 1, "4G", "cpu=4,gres/gpu=1,node=1")
    for jobs in ((plain,), (plain, gpu)):
        for which, processors in (("requested", 2), ("allocated", 8)):
            found, _ = read(dump(tmp_path, *jobs), processors=which)
            assert found[1]["tasks"] == processors


SWF = "1 0 -1 60 {} -1 {} {} 100 {} 1 {} 1 1 1 1 -1 -1\n"


@pytest.mark.parametrize(
    ("options", "row", "message"),
    [
        ({"memory": "used"}, (1, -1, 1, 64, 1), "have none, so their requested memory"),
        ({"memory": "requested"}, (1, 9, 1, -1, 1), "have none, so their used memory"),
        ({"memory": "used"}, (1, -1, 1, -1, 1), "have neither"),
        ({"processors": "allocated"}, (-1, -1, 3, -1, 1), "have none, so the requested ones"),
        ({"estimate": "history"}, (1, -1, 1, -1, -1), "name no user"),
        ({"dependencies": "honour"}, (1, -1, 1, -1, 1), "name no preceding job"),
    ],
)
def test_what_an_option_does_not_find_is_a_warning(tmp_path, options, row, message):
    path = tmp_path / "one.swf"
    path.write_text(SWF.format(*row))
    result = schedlab.simulate(path, system=MACHINE, **options)
    (warning,) = result.run["warnings"]
    ((option, value),) = options.items()
    assert warning.startswith(f"{option} {value}: 1 of 1 jobs {message}")
    path.write_text(SWF.format(2, 9, 2, 64, 1))
    if "dependencies" not in options:
        assert schedlab.simulate(path, system=MACHINE, **options).run["warnings"] == []


def test_rows_that_say_it_themselves_are_counted(tmp_path):
    path = tmp_path / "own.swf"
    path.write_text(
        "; ExtraFields: tasks task_core task_mem\n"
        "1 0 -1 60 4 -1 -1 4 100 64 1 1 1 1 1 1 -1 -1 2 2 5\n"
        "2 0 -1 60 4 -1 -1 4 100 64 1 1 1 1 1 1 -1 -1 2 2 -1\n"
    )
    result = schedlab.simulate(path, system=MACHINE, memory="requested", processors="allocated")
    assert result.run["warnings"] == [
        "memory requested: not used for 1 of 2 jobs, which have a task_mem",
        "processors allocated: not used for 2 of 2 jobs, which say what tasks they are",
    ]


def test_memory_that_irmasim_asks_for_can_be_switched_off_and_is_recorded(tmp_path):
    made = {"job": [1], "submit": [0], "run": [60], "requested_processors": [2],
            "tasks": [2], "task_core": [1], "requested_memory": [2048]}  # fmt: skip
    write_tables(tmp_path / "i.json", [polars.DataFrame(made)], name="irmasim")
    reader = open_reader(tmp_path / "i.json", "irmasim")
    found, run = read(reader)
    assert (found[1]["amounts"]["mem"], run["options"]["memory"]) == (2048, "requested")
    found, run = read(reader, memory="none")
    assert ("mem" in found[1]["amounts"], run["options"]["memory"]) == (False, "none")


def test_warnings_survive_a_saved_state(tmp_path):
    path = tmp_path / "two.swf"
    path.write_text(SWF.format(1, -1, 1, -1, 1) + SWF.format(1, -1, 1, 5, 1).replace("1", "2", 1))
    simulation = schedlab.Simulation(path, system=MACHINE, memory="used")
    simulation.step()
    simulation.save(tmp_path / "saved.state")
    loaded = schedlab.Simulation.load(tmp_path / "saved.state")
    for each in (simulation, loaded):
        each.run()
    assert len(simulation.warnings) == 2
    assert loaded.warnings == simulation.warnings


def test_what_no_job_of_a_list_has_cannot_be_kept():
    jobs = [schedlab.Job(1, 0, 5), schedlab.Job(2, 1, 5, attributes={"urgency": 1})]
    kept = schedlab.simulate(jobs, system=MACHINE, keep="urgency").jobs.collect()
    assert kept["urgency"].to_list() == [None, 1]
    with pytest.raises(InputError, match='keep: no job has "urgnecy"; the attributes of jobs'):
        schedlab.simulate(jobs, system=MACHINE, keep="urgency, urgnecy")
    with pytest.raises(InputError, match="the jobs have no attributes"):
        schedlab.simulate(jobs[:1], system=MACHINE, keep="urgency")
