"""Skipped tests are seen: each reason is listed, and where nothing may be absent they fail.

A test may be skipped for what a machine lacks: real traces, a browser, a package. With
`SCHEDLAB_NO_SKIPS=1`, which .ci/run sets once it has installed everything, a skipped test is a
failed one. Still skipped are tests of the shared folder where there is none at all, and those that
have nothing to find out as this user, with this file system or with this build.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import NoReturn

import pytest

NO_SHARED_FOLDER = "there is no shared folder beside the checkout"
NOTHING_TO_FIND_OUT = (
    "root reads everything",
    "only root ",
    "no devices can be made here",
    "needs a device that is always full",
    "memory is measured on the release build",
)
NO_SKIPS = os.environ.get("SCHEDLAB_NO_SKIPS", "0") not in ("", "0")


def absent_from_shared(name: str, folder_is_there: bool) -> NoReturn:
    """Skips a test without a shared folder; fails it where the folder lacks a file."""
    if folder_is_there:
        pytest.fail(f"the shared folder beside the checkout lacks {name}", pytrace=False)
    pytest.skip(f"{NO_SHARED_FOLDER}, which has {name}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Returns why a test was skipped, without the place."""
    where = report.longrepr
    return (where[2] if isinstance(where, tuple) else str(where)).removeprefix("Skipped: ")


def _failed_where_nothing_may_be_absent(
    report: pytest.TestReport | pytest.CollectReport,
) -> None:
    expected_to_fail = hasattr(report, "wasxfail")
    if NO_SKIPS and report.skipped and not expected_to_fail:
        reason = _reason(report)
        if not reason.startswith((NO_SHARED_FOLDER, *NOTHING_TO_FIND_OUT)):
            report.outcome = "failed"
            report.longrepr = f"skipped, where SCHEDLAB_NO_SKIPS allows no test to be: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    _failed_where_nothing_may_be_absent(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    report = yield
    _failed_where_nothing_may_be_absent(report)
    return report


def pytest_terminal_summary(terminalreporter):
    """Lists why tests were skipped, whatever options pytest has."""
    reports = terminalreporter.stats.get("skipped", [])
    if not reports:
        return
    terminalreporter.section(f"{len(reports)} TESTS WERE SKIPPED", yellow=True)
    for reason, count in Counter(map(_reason, reports)).most_common():
        terminalreporter.line(f"{count:5} {reason}")
