"""What code a key stands for: every change that may matter is seen, and no other."""

from __future__ import annotations

import importlib
import linecache
import sys

import pytest

from schedlab.simulation.identity.source_checksums import (
    UnknownSourceError,
    checksum_of,
    file_checksum,
    module_sources,
    object_source,
)

MODULE = """
import math
import schedlab as sl

FACTOR = 2
UNUSED = 5

def helper(job):
    return FACTOR * inner(job)

def inner(job):
    return math.sqrt(job)

def unused():
    pass

class Base(sl.Scheduler):
    name = "base"
    def first(self):
        return 1

class Mine(Base):
    def __init__(self, share=0.5):
        self.share = share
    def schedule(self, state):
        return helper(self.share)

def made(limit):
    return lambda job: job if job < limit else None
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Returns a function that imports a text as the module `thinking`."""
    monkeypatch.syspath_prepend(tmp_path)

    def loaded(text):
        (tmp_path / "thinking.py").write_text(text)
        sys.modules.pop("thinking", None)
        importlib.invalidate_caches()
        linecache.clearcache()
        sys.dont_write_bytecode, kept = True, sys.dont_write_bytecode
        try:
            return importlib.import_module("thinking")
        finally:
            sys.dont_write_bytecode = kept

    yield loaded
    sys.modules.pop("thinking", None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return helper(self.share)", "return helper(self.share) + 1"),
        ("return FACTOR * inner(job)", "return inner(job)"),
        ("return math.sqrt(job)", "return job"),
        ("FACTOR = 2", "FACTOR = 3"),
        ("        return 1", "        return 2"),
        ("share=0.5", "share=0.6"),
    ],
)
def test_changes_that_matter(load, old, new):
    before = object_source(load(MODULE).Mine())
    assert before == object_source(load(MODULE).Mine())
    assert old in MODULE
    assert object_source(load(MODULE.replace(old, new)).Mine()) != before


@pytest.mark.parametrize(
    ("old", "new"), [("UNUSED = 5", "UNUSED = 6"), ("def unused", "def other")]
)
def test_changes_that_do_not(load, old, new):
    before = object_source(load(MODULE).Mine())
    after = load(MODULE.replace(old, new))
    assert object_source(after.Mine()) == before


def test_attributes_closures_and_methods(load):
    module = load(MODULE)
    assert object_source(module.Mine(1)) != object_source(module.Mine(2))
    assert object_source(module.made(1)) != object_source(module.made(2))
    assert object_source(module.made(1)) == object_source(module.made(1))
    assert object_source(module.Mine(1).first) != object_source(module.Mine(2).first)
    assert object_source(module.helper) != object_source(module.inner)


def test_what_cannot_be_known(load):
    module = load(MODULE)
    policy = module.Mine()
    policy.lock = object()
    with pytest.raises(UnknownSourceError, match="which is not plain data"):
        object_source(policy)
    namespace: dict[str, object] = {"__name__": "nowhere"}
    exec("def typed(job):\n    return job\n", namespace)
    with pytest.raises(UnknownSourceError, match="source of nowhere:typed cannot be read"):
        object_source(namespace["typed"])
    with pytest.raises(UnknownSourceError, match="source of module nowhere cannot be read"):
        module_sources(namespace["typed"])


def test_a_file_that_changed_after_the_import(load, tmp_path):
    module = load(MODULE)
    object_source(module.Mine())
    (tmp_path / "thinking.py").write_text(MODULE.replace("return math.sqrt(job)", "return job"))
    with pytest.raises(UnknownSourceError, match="has changed since thinking was imported"):
        object_source(module.Mine())
    (tmp_path / "thinking.py").write_text("no Python")
    with pytest.raises(UnknownSourceError):
        object_source(module.Mine())
    (tmp_path / "thinking.py").write_text(MODULE + "\nMORE = 1\n")
    object_source(module.Mine())


def test_modules_of_a_name(load, tmp_path):
    module = load(MODULE)
    found = module_sources(module.Mine)
    assert found == {"thinking": file_checksum(str(tmp_path / "thinking.py"))}
    (tmp_path / "thinking.py").write_text(MODULE + "\n# another\n")
    assert module_sources(module.Mine) != found
    assert module_sources(dict) == {}


def test_checksums_are_those_of_the_bytes(tmp_path):
    (tmp_path / "file").write_bytes(b"a" * 3_000_000)
    assert file_checksum(str(tmp_path / "file")) == checksum_of(b"a" * 3_000_000)
    assert checksum_of(b"ab", b"c") == checksum_of(b"abc") == "44bc2cf5ad770999"  # XXH64 of abc
