"""Data never runs code: every gadget at every door."""

from __future__ import annotations

import pytest
from trust.doors import DOORS
from trust.gadgets import ALL, CODE, WITHOUT_COLON, assert_nothing_ran, in_folder

import schedlab as sl


@pytest.mark.parametrize("name", DOORS)
def test_code_that_data_names_does_not_run(folder, name):
    for gadget in ALL:
        with pytest.raises(sl.InputError) as caught:
            DOORS[name](folder, in_folder(gadget, folder), False)
        assert_nothing_ran(folder)
        if gadget == "score:main" and name.endswith(": scheduler"):
            continue  # an expression, in which nothing is called main
        assert "--trust-code" in str(caught.value), gadget
        assert "trust_code=True" in str(caught.value)
        assert "names code" in str(caught.value)


@pytest.mark.parametrize("name", DOORS)
def test_what_only_looks_like_code_is_unknown(folder, name):
    for gadget in WITHOUT_COLON:
        with pytest.raises(sl.InputError):
            DOORS[name](folder, gadget, False)
        assert_nothing_ran(folder)


WRONG_KIND = tuple(
    it
    for it in CODE
    if "canary" not in it and it not in ("score:main", "pdb:set_trace")  # pytest has its own
)


@pytest.mark.parametrize("name", DOORS)
def test_with_trust_a_name_must_still_be_of_the_right_kind(folder, name):
    """`os:abort` is not a scheduler, whoever says that it is: it is refused before it is called."""
    for gadget in WRONG_KIND:
        with pytest.raises(sl.InputError) as caught:
            DOORS[name](folder, in_folder(gadget, folder), True)
        assert "--trust-code" not in str(caught.value)
        assert_nothing_ran(folder)


@pytest.mark.parametrize("wrong", ["yes", 1, None])
def test_trust_is_said_plainly(folder, wrong):
    for name in ("state file: scheduler", "workload: csv", "definition: run"):
        with pytest.raises(sl.InputError, match="trust_code: must be True or False"):
            DOORS[name](folder, "easy", wrong)
