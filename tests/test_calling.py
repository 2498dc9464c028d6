"""Functions that are called with wrong arguments say what was meant."""

from __future__ import annotations

import inspect

import pytest

import schedlab as sl
from schedlab.errors import ArgumentError, InputError, did_you_mean
from schedlab.options import DEFAULTS

SYSTEM = {"groups": {"node": {"nodes": 1, "resources": {"core": 1}}}}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sl.simulate([], SYSTEM), r"did you mean simulate\(workload, system=\.\.\.\)\?"),
        (
            lambda: sl.simulate([], SYSTEM, "easy"),
            r"simulate\(\) takes 1 without a name, not 3; .*system=\.\.\., scheduler=\.\.\.\)",
        ),
        (lambda: sl.simulate([], sytem=SYSTEM), "takes no 'sytem'; did you mean \"system\""),
        (lambda: sl.simulate(), "simulate.. missing 'workload' and 'system'"),
        (lambda: sl.simulate([], system=SYSTEM, shceduler="easy"), 'did you mean "scheduler"'),
        (lambda: sl.simulate([], system=SYSTEM, memry="none"), 'did you mean "memory"'),
        (lambda: sl.Simulation([], SYSTEM), r"Simulation\(workload, system=\.\.\.\)"),
        (lambda: sl.Simulation([], system=SYSTEM, out="x"), 'option "out"; only simulate takes it'),
        (lambda: sl.Experiment("x", workload=[]), 'did you mean "workloads"'),
        (
            lambda: sl.Experiment("x", workloads="w", systems="s", scheduler="easy"),
            'did you mean "schedulers"',
        ),
        (lambda: sl.run_application("ring", rank=2, system=SYSTEM), 'did you mean "ranks"'),
        (lambda: sl.plot("gantt", [], fil="x.png"), 'did you mean "file"'),
        (lambda: sl.resume(), "missing 'out'"),
        (lambda: sl.Easy(dept=5), r"Easy\(\) takes no 'dept'; did you mean \"depth\""),
        (lambda: sl.Window(1, 2, node="3"), 'did you mean "nodes"'),
        (lambda: sl.simulate([], system=SYSTEM, scheduler="easy(dept=5)"), 'did you mean "depth"'),
        (lambda: sl.simulate([], system=SYSTEM, scheduler="esay"), 'did you mean "easy"'),
    ],
)
def test_what_was_meant(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_python_knows_them_as_type_errors():
    with pytest.raises(TypeError):
        sl.simulate([], SYSTEM)
    assert issubclass(ArgumentError, TypeError)


def test_type_errors_of_the_users_own_are_left_alone():
    class Wrong(sl.Scheduler):
        def schedule(self, state):
            return sum("text")

    with pytest.raises(TypeError) as caught:
        sl.simulate([sl.Job(1, 0, 1)], system=SYSTEM, scheduler=Wrong())
    assert not isinstance(caught.value, ArgumentError)


def test_signatures_and_documentation_stay():
    assert list(inspect.signature(sl.simulate).parameters)[:2] == ["workload", "system"]
    assert "Simulates a whole workload" in sl.simulate.__doc__


def test_arguments_are_not_options():
    takes = set(inspect.signature(sl.simulate).parameters)
    assert takes & set(DEFAULTS) == {"estimate"}


def test_a_name_of_the_package():
    with pytest.raises(AttributeError, match="no attribute 'simulat'") as caught:
        sl.simulat  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("simulat", sl)


def test_nothing_is_proposed_that_is_unlike():
    assert did_you_mean("zebra", ("easy", "fifo")) == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"out": 3}, "out: must be the name of a folder, not 3"),
        ({"checkpoint_every": "often", "out": "run"}, "checkpoint_every: must be a duration"),
        ({"checkpoint_every": -1, "out": "run"}, "checkpoint_every: must be above 0"),
        ({"checkpoint_every": True, "out": "run"}, "checkpoint_every: must be a number"),
        ({"progress": 3}, "progress: must be a function"),
        ({"workload": sl.Reader}, r"not the class Reader; did you mean Reader\(\.\.\.\)\?"),
        ({"workload": 42}, "a workload is a path, an iterable of Job, a Reader or a polars frame"),
    ],
)
def test_arguments_of_another_kind(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jobs = [sl.Job(id=1, submit=0, run=10, processors=1)]
    with pytest.raises(InputError, match=message):
        sl.simulate(**{"workload": jobs, "system": SYSTEM, **arguments})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: sl.System(groop=1), "groups"),
        (lambda: sl.Group("a", 1, {}, resorces=1), "resources"),
        (lambda: sl.Queue("a", prioritty=1), "priority"),
        (lambda: sl.write_report("a", pathh="x"), "path"),
        (lambda: sl.compare_schedules("a", "b", tolerence=1), ""),
        (lambda: sl.PlainWorkload(procesors=3), "processors"),
    ],
)
def test_other_functions_and_definitions(call, meant):
    with pytest.raises(TypeError, match=f'did you mean "{meant}"' if meant else "takes no"):
        call()


def test_a_misspelt_argument_of_the_model_of_lublin_and_feitelson():
    with pytest.raises(InputError, match='did you mean "processors"'):
        sl.LublinFeitelson(procesors=3)
