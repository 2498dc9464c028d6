"""A run is a value: whatever becomes of what it was made of, or of what it gives, it stays."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulation.spec_strategies import TABLE, runs

import schedlab as sl
from schedlab.dispatch.schedulers import scheduler_named
from schedlab.simulation.spec.value import PARTS
from schedlab.trust import PERSON


def tables_of(values):
    """Returns tables of values by name."""
    return st.dictionaries(st.text(max_size=5), values, max_size=3)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | tables_of(inner),
    max_leaves=8,
)


def spoilt(value: object) -> None:
    """Changes everything that can be changed in plain data."""
    for one in value.values() if isinstance(value, dict) else value:
        if isinstance(one, (dict, list, tuple)):
            spoilt(one)
    if isinstance(value, dict):
        value["more"] = 1
    elif isinstance(value, list):
        value.append(1)


@given(tables_of(plain), tables_of(plain), runs)
def test_what_it_was_made_of_and_what_it_gives_may_change(system, conditions, others):
    given_ = {**others, "system": system, "conditions": conditions}
    spec = sl.RunSpec(**given_)
    before, hashed = copy.deepcopy(spec.to_data()), hash(spec)
    for one in (system, conditions, spec.system, spec.conditions, spec.to_data(), spec.to_dict()):
        spoilt(one)
    for one in (spec.given(), spec.resolved_options()):
        spoilt({name: it for name, it in one.items() if isinstance(it, dict)})
        one["seed"] = 77
    for name in (*PARTS, "options", "seed", "objects"):
        with pytest.raises(AttributeError, match="frozen"):
            setattr(spec, name, "other")
    assert spec.to_data() == before
    assert hash(spec) == hashed
    assert spec == copy.deepcopy(spec)


@pytest.mark.parametrize("name", ["seed", "nonsense"])
def test_options_are_read_only(name):
    given_ = {"seed": 3}
    spec = sl.RunSpec("a.swf", system=TABLE, **given_)
    with pytest.raises(TypeError, match="does not support item assignment"):
        spec.options[name] = 9
    given_["seed"] = 9
    assert dict(spec.options) == {"seed": 3}


def test_names_of_definitions_are_not_attributes():
    """Keys of files, and what only the reading of files needs."""
    for name in ("objects", "one_of", "reads_files"):
        assert not hasattr(sl.RunSpec(), name), name
    public = {name for name in dir(sl.RunSpec()) if not name.startswith("_")}
    data = {"to_data", "to_dict", "described", "to_toml", "from_data", "from_file"}
    others = {"arguments", "command", "given", "identity", "of_call", "options", "replace"}
    assert public == {*PARTS, *data, *others, "resolved_options", "simulate", "unnamed"}


@given(runs)
def test_every_name_of_its_plain_data_is_the_same(arguments):
    """As those of all definitions."""
    spec = sl.RunSpec(**arguments)
    assert spec.to_dict() == spec.described() == spec.to_data()
    assert sl.RunSpec.from_data(json.loads(json.dumps(spec.to_dict())), trust_code=True) == spec


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda spec: pickle.loads(pickle.dumps(spec))]
)
def test_copies_of_a_run_of_data_know_where_it_comes_from(again):
    """Code that data names does not run, in no copy of it."""
    data = {"workload": "a.swf", "system": TABLE, "scheduler": "os:getcwd", "data": ["os:getpid"]}
    spec = again(sl.RunSpec.from_data(data))
    assert spec == sl.RunSpec.from_data(data)
    for part in (spec.scheduler, *spec.data):
        with pytest.raises(sl.UntrustedCodeError, match="--trust-code"):
            scheduler_named(part, PERSON)
