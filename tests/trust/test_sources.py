"""Nobody but `schedlab.naming` makes code of a name: what could is listed here, with the reason."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import schedlab
from schedlab import naming

ROOT = Path(schedlab.__file__).parent

DANGEROUS = {
    *("eval", "exec", "compile", "__import__", "import_module", "exec_module"),
    *("spec_from_file_location", "module_from_spec", "runpy"),
    *("load_module", "entry_points", "iter_entry_points", "load_source"),
    *("pickle", "cPickle", "cloudpickle", "shelve", "marshal", "dill", "joblib"),
    *("deserialize", "read_pickle", "unpack_archive", "extractall", "allow_pickle"),
    *("popen", "Popen", "getoutput", "check_output", "check_call", "unsafe_load"),
    *("full_load", "Loader", "UnsafeLoader", "FullLoader", "execv", "execve", "spawnv"),
    *("SafeLoader", "subprocess"),
}
"""Names of functions, modules and arguments by which data could become code, or a command."""

ALLOWED = {
    "loading.py": "loads modules by name; only naming asks it to, which decides whether it may",
    "former_names.py": "imports its own modules, by names in its own source",
    "entry_points.py": "reads those of installed packages; naming decides whether it loads one",
    "__init__.py": "imports its own modules, by names in its own source",
    "experiment/__init__.py": "likewise",
    "results/__init__.py": "likewise",
    "simulation/__init__.py": "likewise",
    "system/__init__.py": "likewise",
    "workload/__init__.py": "likewise",
    "experiment/objects.py": "pickles parts for a child process; reads none",
    "experiment/starting.py": "starts workers, and hands them objects in files without a name",
    "experiment/worker.py": "reads the objects from that file, which only its parent could write",
    "simulation/identity/source_checksums.py": "compiles the person's files to compare them, "
    "and runs nothing",
    "testing/processes.py": "its own processes, over pipes; the policies are the person's",
    "cli/declaring.py": "evaluates annotations of its own commands, which are in its own source",
    "cli/plot.py": "lists entry points, and loads none",
    "cli/applications/list_all.py": "likewise",
    "cli/doctor.py": "imports the packages that schedlab requires, by its own metadata",
    "dashboard/launch.py": "starts schedlab itself, with names that naming has looked at",
    "parquet_probe.py": "starts Python with code of its own to read a file",
    "system/parse.py": "derives a loader from yaml.SafeLoader",
}
"""Files that may, and why that is safe."""

OF_PERSONS = {
    "scheduler": "schedlab.dispatch",
    "allocator": "schedlab.dispatch",
    "order": "schedlab.dispatch.orders",
    "job_factory": "schedlab.workload.job_factory",
    "open_reader": "schedlab.workload.formats",
    "load": "schedlab.application",
}
"""Functions for names that a person passes, by where they come from."""

PERSONS = {
    "__init__.py": "offers them to the person",
    "application/__init__.py": "likewise",
    "dispatch/__init__.py": "likewise",
    "workload/__init__.py": "likewise",
    "testing/": "is called by the person, with policies of theirs",
    "cli/": "names are arguments of commands",
    "generation.py": "a file without a reader's name is opened by what it is",
    "analysis/workload_columns.py": "names are arguments of compare_workloads",
    "likeness/": "names are arguments of compare_workloads",
    "workload/anonymise.py": "names are arguments of the function",
    "workload/assignment.py": "likewise",
    "workload/cleaning/log_source.py": "likewise",
    "workload/inspect.py": "likewise",
    "workload/models/scsf/fitting.py": "a file without a reader's name is opened by what it is",
    "analysis/traffic.py": "names are arguments of the function",
    "simulation/application_run.py": "likewise",
}
"""Files that may use those, and whose names they are."""


def files() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


@cache
def trees() -> dict[str, ast.AST]:
    """Returns the source of all files, by their place in the package."""
    return {place(path): ast.parse(path.read_text(encoding="utf-8")) for path in files()}


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def dangers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields lines of what is called, imported or passed under a dangerous name."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Call):
            function = node.func
            text = ast.unparse(function)
            names += ["popen"] if text == "os.system" else []
            harmless = text == "re.compile" or text.endswith(".list.eval")  # a method of polars
            names += [] if harmless else [getattr(function, "id", getattr(function, "attr", ""))]
            names += [keyword.arg for keyword in node.keywords if keyword.arg == "allow_pickle"]
        elif isinstance(node, ast.Import):
            names += [one.name.partition(".")[0] for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = (node.module or "").partition(".")[0]
            names += [] if home == "schedlab" else [home, *(one.name for one in node.names)]
        elif isinstance(node, ast.ClassDef):
            names += [getattr(base, "attr", getattr(base, "id", "")) for base in node.bases]
        yield from ((node.lineno, name) for name in names if name in DANGEROUS)


def test_nobody_else_makes_code_of_data():
    found = {name: list(dangers(tree)) for name, tree in trees().items()}
    others = {name: lines for name, lines in found.items() if lines and name not in ALLOWED}
    assert not others, "say in ALLOWED why that is safe, or let schedlab.naming.find look it up"
    unused = {name for name in ALLOWED if not found[name]}
    assert not unused, "what is allowed and not used any more is taken off the list"


def imports() -> Iterator[tuple[str, ast.ImportFrom]]:
    """Yields the imports from other modules, with the file that has them."""
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                yield name, node


def test_only_naming_loads():
    """`loading.load` and `entry_points` look at nothing: whoever calls them runs code."""
    for name, node in imports():
        if name not in ("naming.py", "loading.py"):
            assert node.module not in ("schedlab.loading", "schedlab.entry_points"), name
            if node.module == "schedlab.naming":
                assert "load" not in {one.name for one in node.names}, name


def test_names_of_data_are_not_taken_for_the_persons():
    """The functions that trust a name are used where names are arguments, and nowhere else."""
    for name, node in imports():
        if name in PERSONS or any(name.startswith(one) for one in PERSONS if one[-1] == "/"):
            continue
        for one in node.names:
            home = OF_PERSONS.get(one.name)
            trusted = home is not None and (node.module or "").startswith(home)
            assert not trusted, f"{name}:{node.lineno} imports {one.name}"


def test_who_looks_up_a_name_says_where_it_comes_from():
    """There is no default: forgetting it is an error."""
    for function in (
        *(naming.find, naming.named, naming.build, naming.function, naming.part_class),
    ):
        assert inspect.signature(function).parameters["origin"].default is inspect.Parameter.empty
