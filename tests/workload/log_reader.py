"""Readers of a user's own, a log for them, and what is not a reader."""

from __future__ import annotations

import csv

import schedlab
from schedlab import Job

SYSTEM = {"groups": {"node": {"nodes": 4, "resources": {"core": 4, "mem": 100}}}}

HEAD = "number,submitted,seconds,cores\n"


class Log(schedlab.Reader):
    """A CSV file; rows without cores are skipped."""

    def __init__(self, path, delimiter=","):
        super().__init__(path)
        self.delimiter = delimiter

    def jobs(self):
        for row in csv.DictReader(self.lines(), delimiter=self.delimiter):
            if not row["cores"]:
                self.skip("no cores")
                continue
            yield Job(
                int(row["number"]), int(row["submitted"]), int(row["seconds"]), int(row["cores"])
            )


class Listed(schedlab.Reader):
    """Any objects, as they are or in batches."""

    def __init__(self, items, batch=0):
        self.items, self.batch = items, batch
        self.passes = []

    def jobs(self):
        self.passes.append(1)
        if not self.batch:
            yield from self.items
        for first in range(0, len(self.items) if self.batch else 0, self.batch or 1):
            yield self.items[first : first + self.batch]


def rows(count):
    return [Job(i, i // 3, 7 + i % 5, 1 + i % 4, 20, user=i % 3) for i in range(1, count + 1)]


def written(tmp_path, text, name="log.csv"):
    path = tmp_path / name
    path.write_text(HEAD + text)
    return path


def schedule(workload, tmp_path, **choices):
    schedlab.simulate(workload, system=SYSTEM, out=tmp_path / "out", force=True, **choices)
    return (tmp_path / "out/jobs.csv").read_bytes()


class Duck:
    id, submit, run, processors, requested_time, user = 1, 0, 5, 1, None, 3
    resources, tasks_per_node, whole_nodes, think, attributes = None, None, False, 0, None
    predecessors = ()
