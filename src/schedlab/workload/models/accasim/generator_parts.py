"""What the parts of a generator are: each a class that learns from the data and has one method.

A part of your own derives from one of these and is given to `WorkloadGenerator`. Random numbers
come as uniform ones from `random`, a numpy Generator that no other part draws from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.random import Generator

    from schedlab.workload.models.accasim.calendar import Flags, Numbers
    from schedlab.workload.models.accasim.original import Original
    from schedlab.workload.models.accasim.target_machine import Limits, Machine


class Part:
    """Base of all parts."""

    def learn(self, original: Original, machine: Machine, limits: Limits) -> None:
        """Takes what the part needs from the data; it must not keep `original` itself."""


class Submission(Part):
    """When jobs are submitted."""

    def times(self, jobs: int, random: Generator) -> Iterator[Numbers]:
        """Yields Unix times in ascending order, BLOCK at a time, `jobs` in all."""
        raise NotImplementedError(f"{type(self).__name__} must define times()")


class Work(Part):
    """What jobs compute."""

    def draw(self, uniforms: Numbers) -> Numbers:
        """Returns the GFLOP of a job for each uniform number in [0, 1)."""
        raise NotImplementedError(f"{type(self).__name__} must define draw()")


class Size(Part):
    """Which jobs are serial, and how many nodes the others take."""

    def serial(self, work: Numbers, random: Generator) -> Flags:
        """Returns which jobs are serial, knowing their GFLOP."""
        raise NotImplementedError(f"{type(self).__name__} must define serial()")

    def nodes(self, least: Numbers, most: Numbers, random: Generator) -> Numbers:
        """Returns nodes of parallel jobs, each between its `least` and its `most`."""
        raise NotImplementedError(f"{type(self).__name__} must define nodes()")

    def shapes(self, work: Numbers, random: Generator) -> tuple[Numbers, Numbers] | None:
        """Returns nodes of jobs and cores on each, knowing their GFLOP.

        None: `serial` and `nodes` say how many nodes, and a `Request` draws the cores.
        """
        return None


class Request(Part):
    """What jobs ask for on each of their nodes."""

    def draw(self, serial: Flags, one_node: Flags, random: Generator) -> dict[str, Numbers]:
        """Returns amounts by resource type, always with "core".

        Args:
            serial: Jobs that are serial.
            one_node: Jobs that are parallel within one node.
            random: Uniform random numbers.
        """
        raise NotImplementedError(f"{type(self).__name__} must define draw()")


class Duration(Part):
    """How long jobs run."""

    def seconds(self, work: Numbers, nodes: Numbers, request: Mapping[str, Numbers]) -> Numbers:
        """Returns run times of jobs of `work` GFLOP on `nodes` nodes with a request on each."""
        raise NotImplementedError(f"{type(self).__name__} must define seconds()")


class RequestedTime(Part):
    """What run time users ask for."""

    def draw(self, run: Numbers, random: Generator) -> Numbers:
        """Returns requested times of jobs with these run times; -1: none."""
        raise NotImplementedError(f"{type(self).__name__} must define draw()")


class Users(Part):
    """Whose jobs they are."""

    def draw(self, count: int, random: Generator) -> dict[str, Numbers]:
        """Returns columns of the job table, such as "user" and "group"."""
        raise NotImplementedError(f"{type(self).__name__} must define draw()")
