"""The reference page says about every application and every argument."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedlab.application import APPLICATIONS
from schedlab.application.arguments import parameters, written

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "applications.md"


@pytest.mark.parametrize("name", APPLICATIONS)
def test_sections_have_the_arguments_with_their_defaults(name):
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(f"\n### {name}\n") == 1
    section = page.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
    rows = [line.split(" | ")[:2] for line in section.splitlines() if line.startswith("| `")]
    assert rows == [
        [f"| `{one.name}`", f"`{written(one.default)}`"] for one in parameters(APPLICATIONS[name])
    ]


def test_sections_are_in_the_order_of_the_table():
    sections = PAGE.read_text(encoding="utf-8").partition("## The repository")[2]
    found = [line[4:] for line in sections.splitlines() if line.startswith("### ")]
    assert found == list(APPLICATIONS)
