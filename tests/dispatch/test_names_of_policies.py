"""Policies by name: from modules, from the current folder, from entry points."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from dispatch.policies import FOUR

import schedlab
from schedlab import InputError, Job
from schedlab.dispatch import allocator, scheduler
from schedlab.dispatch.orders import order
from schedlab.naming import parse_call

MODULE = """
    from schedlab import Allocator, InputError, Scheduler

    class Mine(Scheduler):
        def __init__(self, share=0.5, name="x", flag=False, nothing=1):
            self.arguments = (share, name, flag, nothing)

        def schedule(self, state):
            for job in state.queue:
                if not state.machine.fits(job):
                    return
                yield job

        class Inner(Scheduler):
            def schedule(self, state):
                return state.queue.fitting()

    class Place(Allocator):
        def place(self, job, machine):
            return machine.nodes_with_room(job)[:1] * job.processors

    class Strict(Scheduler):
        def __init__(self, share):
            if not 0 < share < 1:
                raise ValueError("share must be between 0 and 1")

    class Ours(Scheduler):
        def __init__(self):
            raise InputError("of its own")

    def make(depth=3):
        made = Mine()
        made.depth = depth
        return made

    def backwards(job):
        return -job.id

    def wrong():
        return 7

    instance = Mine()
    number = 7
    text = "shortest"
"""


@pytest.fixture
def module(tmp_path, monkeypatch, request):
    """Returns the name of a module of policies that can be imported."""
    name = f"policies_{abs(hash(request.node.nodeid))}"
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    sys.modules.pop(name, None)


def test_a_class_of_a_module(module):
    made = scheduler(f"{module}:Mine")
    assert type(made).__name__ == "Mine"
    assert made.arguments == (0.5, "x", False, 1)
    assert str(made) == f"{module}:Mine"
    assert type(scheduler(str(made))) is type(made)
    result = schedlab.simulate([Job(1, 0, 1)], system=FOUR, scheduler=f"{module}:Mine")
    assert result.run["scheduler"] == f"{module}:Mine"
    assert type(scheduler(f"{module}:Mine.Inner")).__name__ == "Inner"
    assert type(allocator(f"{module}:Place")).__name__ == "Place"
    assert str(allocator(f"{module}:Place")) == f"{module}:Place"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (0.5, "x", False, 1)),
        ("()", (0.5, "x", False, 1)),
        ("(share=1)", (1, "x", False, 1)),
        ("(share=-2.5e3)", (-2500.0, "x", False, 1)),
        ("( share = 1 , name = abc )", (1, "abc", False, 1)),
        ("(name='a b')", (0.5, "a b", False, 1)),
        ('(name="a, b")', (0.5, "a, b", False, 1)),
        ("(name='a=b')", (0.5, "a=b", False, 1)),
        ("(name='7')", (0.5, "7", False, 1)),
        ("(flag=True, nothing=None)", (0.5, "x", True, None)),
        ("(name=max(wait, 1) * user)", (0.5, "max(wait, 1) * user", False, 1)),
    ],
)
def test_arguments(module, text, expected):
    got = scheduler(f"{module}:Mine{text}").arguments
    assert got == expected
    assert [type(value) for value in got] == [type(value) for value in expected]


def test_a_function_that_makes_one(module):
    made = scheduler(f"{module}:make(depth=9)")
    assert (type(made).__name__, made.depth) == ("Mine", 9)


def test_an_order_of_a_module(module):
    jobs = [Job(i, 0, 10, 4) for i in range(3)]
    result = schedlab.simulate(
        jobs, system=FOUR, scheduler=f"easy(order={module}:backwards, depth=5)"
    )
    assert result.jobs.collect()["job_id"].to_list() == [2, 1, 0]
    assert result.run["scheduler"] == f"easy(order={module}:backwards, depth=5)"
    assert order(f"{module}:text") == "shortest"


def test_a_policy_is_made_anew_for_each_name(module):
    assert scheduler(f"{module}:Mine") is not scheduler(f"{module}:Mine")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere:Mine", "there is no module 'nowhere', neither installed nor in this folder"),
        ("no.where:Mine", "there is no module 'no'"),
        ("json.nowhere:Mine", r"there is no module 'json\.nowhere'"),
        ("json:Mine", "json has no 'Mine'"),
        ("json:", "json has no ''"),
        ("json:decoder.Mine", r"json has no 'decoder\.Mine'"),
        (":Mine", "cannot be imported"),
        (".x:Mine", "cannot be imported"),
        ("MODULE:nothing", "has no 'nothing'"),
        ("MODULE:number", "is not a class or function"),
        ("MODULE:instance", "is not a class or function"),
        ("MODULE:wrong", "gives int, which is not a schedlab.Scheduler"),
        ("MODULE:Place", "gives Place, which is not a schedlab.Scheduler"),
        ("MODULE:backwards", r"TypeError: .*missing"),
        ("MODULE:Mine(bogus=1)", "takes .*, not bogus"),
        ("MODULE:Mine(1)", "write arguments as name=value, not '1'"),
        ("MODULE:Mine(share=1", "closing bracket is missing"),
        ("MODULE:Mine(share=1, share=2)", "share is given twice"),
        ("MODULE:Mine(share=)", "name=value"),
        ("MODULE:Strict", "TypeError: .*share"),
        ("MODULE:Strict(share=2)", "ValueError: share must be between 0 and 1"),
        ("MODULE:Ours", "of its own"),
        ("easy(order=nowhere:f)", "there is no module 'nowhere'"),
        ("easy(order=MODULE:number)", "order '.*:number': is not a class or function"),
        ("esay", 'unknown scheduler "esay"; did you mean "easy"'),
        ("", "unknown scheduler"),
        ("(", "closing bracket"),
        ("()", "unknown scheduler"),
    ],
)
def test_wrong_names(module, name, message):
    with pytest.raises(InputError, match=message) as caught:
        scheduler(name.replace("MODULE", module))
    if name not in ("MODULE:Ours",):
        assert "scheduler" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("MODULE:Mine", "gives Mine, which is not a schedlab.Allocator"),
        ("nowhere:Mine", "allocator 'nowhere:Mine': there is no module 'nowhere'"),
        ("first-fit(a=1)", "allocator"),
        ("frist-fit", 'unknown allocator "frist-fit"; did you mean "first-fit"'),
    ],
)
def test_wrong_names_of_allocators(module, name, message):
    with pytest.raises(InputError, match=message):
        allocator(name.replace("MODULE", module))


def test_a_module_with_an_error_of_its_own(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_one.py").write_text("1 / 0")
    (tmp_path / "broken_two.py").write_text("import not_installed_at_all")
    (tmp_path / "broken_three.py").write_text("def f(:")
    (tmp_path / "broken_four.py").write_text("raise ImportError('of its own')")
    expected = {
        "broken_one": "broken_one cannot be imported: ZeroDivisionError",
        "broken_two": "there is no module 'not_installed_at_all'",
        "broken_three": "broken_three cannot be imported: SyntaxError",
        "broken_four": "broken_four cannot be imported: ImportError: of its own",
    }
    for name, message in expected.items():
        with pytest.raises(InputError, match=message):
            scheduler(f"{name}:Mine")


def test_an_attribute_error_within_a_module_is_not_taken_for_a_missing_name(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_five.py").write_text("import json\njson.nothing_of_that_name\nMine = 1\n")
    with pytest.raises(InputError, match="nothing_of_that_name"):
        scheduler("broken_five:Mine")


def test_modules_of_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "here_policies.py").write_text(textwrap.dedent(MODULE))
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "inner.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p not in ("", str(tmp_path))])
    before = list(sys.path)
    assert type(scheduler("here_policies:Mine")).__name__ == "Mine"
    assert type(scheduler("pack.inner:Mine")).__name__ == "Mine"
    assert sys.path == before
    for name in ("here_policies", "pack", "pack.inner"):
        sys.modules.pop(name, None)


def test_the_command_line_finds_modules_of_the_current_folder(tmp_path):
    (tmp_path / "here_policies.py").write_text(textwrap.dedent(MODULE))
    rows = [(i, 0, -1, 10, 4, -1, -1, 4, 20) + (-1,) * 9 for i in range(1, 4)]
    schedlab.write_swf(tmp_path / "w.swf", rows)
    (tmp_path / "s.toml").write_text("[groups.all]\nnodes = 2\nresources = { core = 2 }\n")

    def run(*arguments):
        command = [sys.executable, "-m", "schedlab", "run", "w.swf", "--system", "s.toml"]
        return subprocess.run(
            [*command, "--out", "run", "--force", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    done = run("--scheduler", "here_policies:Mine(share=0.1)", "--allocator", "here_policies:Place")
    # Place gives one node, so four tasks on two cores are refused: an error in one line.
    assert done.returncode != 0
    assert "invalid nodes for job 1" in done.stderr
    assert "Traceback" not in done.stderr
    done = run("--scheduler", "here_policies:Mine(share=0.1)")
    assert done.returncode == 0, done.stderr
    done = run("--scheduler", "here_policies:Other")
    assert done.returncode == 2
    assert "here_policies has no 'Other'" in done.stderr
    done = run("--scheduler", "easy(order=here_policies:backwards)")
    assert done.returncode == 0, done.stderr


def test_an_exception_of_a_policy_on_the_command_line(tmp_path):
    """It is the mistake of its author, not one inside of schedlab."""
    (tmp_path / "raising.py").write_text(
        "import schedlab\nclass Mine(schedlab.Scheduler):\n"
        "    def schedule(self, state):\n        raise ValueError('my own mistake')\n"
    )
    schedlab.write_swf(tmp_path / "w.swf", [(1, 0, -1, 10, 1, -1, -1, 1, 20) + (-1,) * 9])
    (tmp_path / "s.toml").write_text("[groups.all]\nnodes = 2\nresources = { core = 2 }\n")
    command = [sys.executable, "-m", "schedlab", "run", "w.swf", "--system", "s.toml"]
    done = subprocess.run(
        [*command, "--out", "run", "--scheduler", "raising:Mine"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode != 0
    assert "my own mistake" in done.stderr
    assert "internal error" not in done.stderr


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package with entry points, as if it were installed."""
    (tmp_path / "offered_policies.py").write_text(textwrap.dedent(MODULE))
    info = tmp_path / "offered-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: offered\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        textwrap.dedent(
            """
            [schedlab.schedulers]
            fair = offered_policies:Mine
            broken = offered_policies:Nothing
            gone = not_there_at_all:Mine
            place = offered_policies:Place
            easy = offered_policies:Mine

            [schedlab.allocators]
            near = offered_policies:Place
            """
        )
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("offered_policies", None)


def test_entry_points(installed):
    assert type(scheduler("fair")).__name__ == "Mine"
    assert scheduler("fair(share=0.1)").arguments[0] == 0.1
    assert type(allocator("near")).__name__ == "Place"
    result = schedlab.simulate([Job(1, 0, 1)], system=FOUR, scheduler="fair", allocator="near")
    assert result.counts["completed"] == 1
    assert scheduler("easy") == schedlab.Easy()  # a built-in name stays what it is


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", "offered_policies:Nothing cannot be loaded: AttributeError"),
        ("gone", "not_there_at_all:Mine cannot be loaded: ModuleNotFoundError"),
        ("place", "gives Place, which is not a schedlab.Scheduler"),
        ("fair(bogus=1)", "fair takes .*, not bogus"),
        ("near", 'unknown scheduler "near"'),
    ],
)
def test_wrong_entry_points(installed, name, message):
    with pytest.raises(InputError, match=message):
        scheduler(name)


def test_what_a_name_falls_into():
    assert parse_call("easy", "x") == ("easy", {})
    assert parse_call(" easy ( a = 1 , b = f(x, y[1, 2]) ) ", "x") == (
        "easy",
        {"a": "1", "b": "f(x, y[1, 2])"},
    )


def test_names_of_objects_made_of_functions():
    def mine(job):
        return job.id

    for made in (
        schedlab.Easy(order=mine),
        schedlab.Easy(order=schedlab.Order(mine, fixed=True)),
        schedlab.Blocking(order=lambda job: 0),
    ):
        assert "test_names_of_policies" in str(made)
        assert hash(made) == hash(made)
    assert schedlab.Easy(order=mine) == schedlab.Easy(order=mine)
    assert schedlab.Easy(order=mine) != schedlab.Easy(order=schedlab.Order(mine, fixed=True))


@pytest.mark.parametrize(
    "name",
    [
        "easy(score=-wait * processors)",
        "score:-wait / max(requested_time, 1)",
        "easy(reservations=all)",
        "easy(score=max(wait, 1), depth=3, reservations=2)",
        "greedy(order=wfp3)",
        "easy(order=f1)",
    ],
)
def test_names_that_come_back(name):
    assert str(scheduler(name)) == name
    assert scheduler(str(scheduler(name))) == scheduler(name)


@pytest.mark.parametrize("given", [None, 7, schedlab.Easy, ["easy"], b"easy"])
def test_what_is_no_scheduler(given):
    with pytest.raises(InputError, match="a scheduler is a name or an object"):
        scheduler(given)
