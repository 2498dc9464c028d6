"""A run as a value: from keyword arguments to plain data and TOML, and back."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from simulation.spec_strategies import SYSTEM, TABLE, runs

import schedlab as sl
from schedlab.options import DEFAULTS
from schedlab.results.json_text import to_json
from schedlab.simulation.spec.data import names_code
from schedlab.simulation.spec.value import PARTS, Unnamed


class Mine(sl.Scheduler):
    """A policy of your own."""

    def schedule(self, state):
        """Starts what fits."""
        yield from state.queue.fitting()


@given(runs)
def test_plain_data_makes_the_same_run_again(arguments):
    spec = sl.RunSpec(**arguments)
    data = spec.to_data()
    again = sl.RunSpec.from_data(data, trust_code=True)
    assert again == spec
    assert hash(again) == hash(spec)
    assert again.to_data() == data
    assert sl.RunSpec.from_data(json.loads(to_json(data)), trust_code=True) == spec
    assert sl.RunSpec(**spec.given()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert "objects" not in data


@given(runs)
def test_files_make_the_same_run_again(tmp_path_factory, arguments):
    path = tmp_path_factory.mktemp("spec") / "spec.toml"
    spec = sl.RunSpec(**arguments)
    path.write_text(spec.to_toml(), encoding="utf-8", newline="")
    assert sl.RunSpec.from_file(path, trust_code=True) == spec


@given(runs, runs)
def test_equal_means_equal_data(one, other):
    one, other = sl.RunSpec(**one), sl.RunSpec(**other)
    assert (one == other) == (one.to_data() == other.to_data())


@given(runs, runs)
def test_replacing_is_giving_instead(one, other):
    assert sl.RunSpec(**one).replace(**other) == sl.RunSpec(**{**one, **other})
    nothing = dict.fromkeys([*PARTS, *DEFAULTS])
    assert sl.RunSpec(**one).replace(**nothing) == sl.RunSpec()


def test_objects_stay_as_they_are_and_are_said():
    jobs, policy = [sl.Job(1, 0, 5), sl.Job(2, 1, 5)], Mine()
    given = {"system": SYSTEM, "scheduler": policy, "job_factory": len, "data": ["link-use"]}
    spec = sl.RunSpec(jobs, **given)
    assert spec.workload is jobs
    assert spec.arguments()["scheduler"] is policy
    data = spec.to_data()
    assert data["system"]["groups"] == TABLE["groups"]
    assert data["objects"] == {
        "workload": "2 jobs",
        "scheduler": f"{__name__}:Mine",
        "job_factory": "builtins:len",
    }
    assert "workload" not in data
    left = sl.RunSpec.from_data(data)
    assert left.scheduler == Unnamed(f"{__name__}:Mine")
    assert left.to_data() == data
    assert left != spec
    with pytest.raises(sl.InputError, match=r"workload: was a Python object \(2 jobs\).* again"):
        left.arguments()
    assert left.replace(workload=jobs, scheduler=policy, job_factory=len) == spec
    assert spec == sl.RunSpec(jobs, **given)
    assert spec != sl.RunSpec(jobs, **{**given, "scheduler": Mine()})


@pytest.mark.parametrize(
    ("workload", "text"),
    [
        ((job for job in [sl.Job(1, 0, 5)]), "builtins:generator"),
        (iter([sl.Job(1, 0, 5)]), "builtins:list_iterator"),
        ([sl.Job(1, 0, 5)], "1 job"),
    ],
)
def test_workloads_of_any_kind_are_described_and_not_read(workload, text):
    spec = sl.RunSpec(workload, system=TABLE)
    assert spec.to_data()["objects"] == {"workload": text}
    result = spec.simulate()
    assert result.counts["completed"] == 1
    assert result.run["spec"]["objects"] == {"workload": text}


def test_descriptions_of_any_numbers_are_plain_data():
    numpy = pytest.importorskip("numpy")
    odd = {
        "groups": {"n": {"nodes": 4, "resources": {"core": 2}}},
        "numbers": (numpy.float64(0.5), numpy.int64(3), numpy.arange(2), range(2), None),
    }
    data = sl.RunSpec("a.swf", system=odd, accuracy=numpy.float64(0.25)).to_data()
    assert data["system"]["numbers"] == [0.5, 3, [0, 1], [0, 1], None]
    assert json.loads(to_json(data)) == data


def test_functions_in_built_in_policies_are_objects():
    spec = sl.RunSpec(scheduler=sl.Easy(order=lambda job: job.id), allocator=sl.FirstFit())
    assert spec.to_data()["objects"].keys() == {"scheduler"}
    assert spec.to_data()["allocator"] == "first-fit"


def test_a_reader_by_name_is_its_file_and_its_name(tmp_path):
    (tmp_path / "t.csv").write_text("job,submit,run\n1,0,5\n")
    spec = sl.RunSpec(sl.open_reader(tmp_path / "t.csv", "csv(run=run)"))
    assert (spec.workload, spec.reader) == (str(tmp_path / "t.csv"), "csv(run=run)")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sede": 3}, 'unknown option "sede"; did you mean "seed"?'),
        ({"seed": -1}, "seed: must be a whole number"),
        ({"rules": ["pyss"]}, "rules: unknown \"['pyss']\"; known: accasim"),
        ({"rules": "psy"}, 'rules: unknown "psy"; known: accasim'),
        ({"zero_run": "drop"}, "zero_run: must be one of keep, skip"),
        ({"reader": 3}, "reader: must be the name of a reader, not 3"),
        ({"out": "x"}, 'unknown option "out"; only simulate takes it'),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(sl.InputError) as refused:
        sl.RunSpec("t.swf", system="m.toml", **arguments)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"sheduler": "easy"}, 'sheduler: unknown key; did you mean "scheduler"?'),
        ({"scheduler": 3}, "scheduler: must be text (is 3)"),
        ({"workload": ["a"]}, "workload: must be text (is a list)"),
        ({"workload": "a\0"}, "workload: must not have a null character"),
        ({"windows": [{"start": 0}]}, "windows[1].end: is missing"),
        ({"windows": [{"start": 0, "end": 1, "nods": "all"}]}, "windows[1].nods: unknown key; did"),
        ({"queues": [{"name": "a", "priority": "x"}]}, "queues[1].priority: must be"),
        ({"queues": 3}, "queues: must be text (is 3)"),
        ({"queues": {"name": "a"}}, "queues: must be a list of tables, each under [[queues]]"),
        ({"data": "a:B"}, 'data: must be a list of names (is "a:B")'),
        ({"data": [1]}, "data[1]: must be text (is 1)"),
        ({"seed": None}, "seed: must not be null; leave it out"),
        ({"seed": "3"}, "seed: must be a whole number"),
        ({"strict": 1}, "strict: must be true or false"),
        ({"objects": {"seed": "x"}}, "objects.seed: unknown key"),
        ({"objects": {"system": "x"}, "system": "m"}, "objects.system: system is given as well"),
        ({"out": "x"}, "out: unknown key; where results go is said by --out"),
        ({"jobs": "csv"}, "jobs: unknown key; the form of results is said by --jobs"),
        ({"trust_code": True}, "trust_code: unknown key; no file can say so; pass --trust-code"),
        ([], "top level: must be a table of fields of a run (is a list)"),
    ],
)
def test_wrong_data_is_refused_with_the_field(data, message):
    with pytest.raises(sl.InputError) as refused:
        sl.RunSpec.from_data(data, place="spec.toml")
    assert str(refused.value).startswith("spec.toml: ")
    assert message in str(refused.value)


def test_one_name_in_place_of_a_list_of_data_is_refused():
    spec = sl.RunSpec([sl.Job(1, 0, 5)], system=TABLE, data="link-use")
    with pytest.raises(sl.InputError, match=r"data: must be a list of .*, not 'link-use'"):
        spec.simulate()


@pytest.mark.parametrize(
    ("scheduler", "code"),
    [
        ("easy(order=score:wait)", False),
        ("score:queue == 'a:b'", False),
        ("easy(order=mine:key)", True),
        ("easy(order=mine:key(3))", True),
    ],
)
def test_scores_are_not_code(scheduler, code):
    assert names_code(sl.RunSpec(scheduler=scheduler)) is code


def test_what_is_missing_is_said():
    with pytest.raises(sl.InputError, match="workload: is missing"):
        sl.RunSpec(system="m.toml").arguments()
    with pytest.raises(sl.InputError, match="system: is missing"):
        sl.RunSpec("t.swf").simulate()


def test_it_simulates():
    spec = sl.RunSpec([sl.Job(1, 0, 5)], system=TABLE, scheduler="easy", seed=3)
    result = spec.simulate()
    assert result.counts["completed"] == 1
    assert result.run["options"]["seed"] == 3
    assert repr(sl.RunSpec("t.swf", seed=3)) == "RunSpec(workload='t.swf', seed=3)"
    with pytest.raises(AttributeError, match="frozen"):
        spec.scheduler = "fifo"


def test_texts_that_toml_cannot_hold_are_refused():
    with pytest.raises(sl.InputError, match="not UTF-8"):
        sl.RunSpec(b"\xff.swf".decode("utf-8", "surrogateescape")).to_toml()
