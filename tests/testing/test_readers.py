"""The conformance suite of readers."""

from __future__ import annotations

import random

import pytest
from testing.mutants import broken

import schedlab as sl
from schedlab.testing import ConformanceError, check_reader, readers, report


class Lines(sl.Reader):
    """Reads lines of "id submit run"; the base of the mutants: right as it is."""

    def jobs(self):
        for line in self.lines():
            yield self.job(line, self.line)

    def job(self, line, number):
        try:
            identity, submit, run = map(int, line.split())
            return sl.Job(identity, submit, run)
        except ValueError as error:
            raise sl.InputError(f"{self.path}:{number}: {error}") from None


@pytest.fixture
def path(tmp_path):
    (tmp_path / "jobs.txt").write_text("".join(f"{n} {n // 2} {n % 7}\n" for n in range(500)))
    (tmp_path / "bad.txt").write_text("1 2 3\n4 five 6\n")
    (tmp_path / "empty.txt").write_text("")
    return tmp_path / "jobs.txt"


def many(tmp_path, count=12_000):
    (tmp_path / "many.txt").write_text("".join(f"{n} {n} 1\n" for n in range(count)))
    return tmp_path / "many.txt"


def test_good_readers(path, tmp_path):
    bad = path.with_name("bad.txt")
    checked = check_reader(lambda: Lines(path), bad=[bad, lambda: Lines(bad)])
    assert checked.passed[readers.BAD] == 2
    assert checked.passed[report.SAVES] == 1
    assert "1 of 500 jobs are made before the first is taken" in checked.notes[0]
    assert readers.STREAM in check_reader(lambda: Lines(many(tmp_path))).passed
    check_reader(lambda: Lines(path.with_name("empty.txt")))
    assert check_reader(lambda: Skips(path), bad=[bad]).passed[readers.BAD] == 1
    check_reader(lambda: [sl.Job(1, 0, 5, 6, tasks_per_node=2, resources={"gpu": 1, "core": 2})])
    check_reader(lambda: [[sl.Job(1, 0, 5), sl.Job(2, 0, 5)], sl.Job(3, 1, 5)])


class Skips(Lines):
    """Skips bad rows, unless it is strict."""

    def jobs(self):
        for line in self.lines():
            try:
                yield self.job(line, self.line)
            except sl.InputError:
                self.skip("no three numbers")


class Unsorted(Lines):
    def jobs(self):
        return sorted(super().jobs(), key=lambda job: job.id % 10)


class Repeated(Lines):
    def jobs(self):
        yield sl.Job(7, 0, 1)
        yield from super().jobs()


class Rows(Lines):
    def job(self, line, number):
        return tuple(line.split())


class Once(Lines):
    """Reads its file once only."""

    def __init__(self, path):
        super().__init__(path)
        self.left = iter([*super().jobs()])

    def jobs(self):
        return self.left


class Random(Lines):
    def job(self, line, number):
        return super().job(line, number).replace(run=random.randint(1, 1_000_000))


class Whole(Lines):
    def jobs(self):
        yield from list(super().jobs())


class Numbered(Lines):
    """Counts readings, and gives other jobs from the third one on."""

    readings = 0

    def jobs(self):
        Numbered.readings += 1
        for job in super().jobs():
            yield job.replace(run=job.run + (5 if Numbered.readings > 4 else 0))


class Silent(Lines):
    def job(self, line, number):
        try:
            return super().job(line, number)
        except sl.InputError:
            return sl.Job(number, 1000, 1)


class Rough(Lines):
    def job(self, line, number):
        identity, submit, run = map(int, line.split())
        return sl.Job(identity, submit, run)


class Vague(Lines):
    def job(self, line, number):
        try:
            return super().job(line, number)
        except sl.InputError:
            raise sl.InputError("something is wrong") from None


@pytest.mark.parametrize(
    ("kind", "rule", "words"),
    [
        (Unsorted, readers.SUBMIT, "comes after job"),
        (Repeated, readers.IDS, "job 7 comes twice"),
        (Rows, readers.JOBS, "gives '0'"),
        (Once, readers.TWICE, "first 500 jobs, then 0"),
        (Random, readers.TWICE, "first Job(id=0"),
        (Numbered, report.FORKS, "other jobs"),
        (Silent, readers.BAD, "bad.txt: is read without an error"),
        (Rough, readers.BAD, "bad.txt: ValueError"),
        (Vague, readers.BAD, "the message does not name it: something is wrong"),
    ],
)
def test_bad_readers(path, kind, rule, words):
    bad = [path.with_name("bad.txt")]
    broken(lambda: check_reader(lambda: kind(path), bad=bad), rule, words)


def test_a_reader_that_reads_all_first(tmp_path):
    with pytest.raises(ConformanceError, match="12,000 of 12,000 were, before the first") as caught:
        check_reader(lambda: Whole(many(tmp_path)))
    assert caught.value.rule == readers.STREAM


def test_a_reader_that_is_not_there(path):
    with pytest.raises(ConformanceError, match=report.NO_ERROR):
        check_reader(lambda: Lines(path.with_name("none.txt")))
