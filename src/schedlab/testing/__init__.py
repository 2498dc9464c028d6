"""Conformance suites: whether a policy, reader, writer or plot of your own keeps its rules.

    from schedlab.testing import check_scheduler

    def test_my_scheduler():
        check_scheduler(MyScheduler)

Each check raises ConformanceError, an AssertionError, or returns a report of what holds. They need
no test runner.
"""

from schedlab.testing.additional_data import check_additional_data
from schedlab.testing.allocators import check_allocator
from schedlab.testing.estimators import check_estimator
from schedlab.testing.plots import check_plot, plot_case
from schedlab.testing.readers import check_reader
from schedlab.testing.report import ConformanceError, Report
from schedlab.testing.scenarios import SCENARIOS, Scenario, scenario
from schedlab.testing.schedulers import check_scheduler
from schedlab.testing.table_readers import check_writer

__all__ = [
    "SCENARIOS",
    "ConformanceError",
    "Report",
    "Scenario",
    "check_additional_data",
    "check_allocator",
    "check_estimator",
    "check_plot",
    "check_reader",
    "check_scheduler",
    "check_writer",
    "plot_case",
    "scenario",
]
