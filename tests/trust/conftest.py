"""A folder of your own with modules in it that must not be imported."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from trust.gadgets import MODULES, plant


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The current folder, where Python looks for modules, too, as notebooks do."""
    plant(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("sys.stdin", None)  # a debugger would wait for ever
    yield tmp_path
    for name in list(sys.modules):
        if name.rpartition("/")[2].startswith(MODULES) or name.startswith(str(tmp_path)):
            del sys.modules[name]
