"""Takes jobs out of a workload by rules, and says why each went.

A workload is gone through twice: all rules look at it, then all find what they take out. Each
judges the log as it was read, whatever the others find. A job that several find goes with the
first. What stays is read once more when it is asked for. So memory grows with the jobs that go, and
by one byte for each that stays, beside what a rule keeps.
"""

from __future__ import annotations

import copy
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy
import polars

from schedlab.calling import explained
from schedlab.errors import InputError
from schedlab.naming import build
from schedlab.trust import PERSON
from schedlab.workload.cleaning.listing import REMOVED, listed, rows_found, shortest
from schedlab.workload.cleaning.log_source import LogSource
from schedlab.workload.cleaning.rule import CleaningRule, Log
from schedlab.workload.cleaning.swf_lines import can_copy_lines, copy_lines
from schedlab.workload.formats import open_writer
from schedlab.workload.formats.swf.extended import SwfWriter
from schedlab.workload.header import leading_number
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import empty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from schedlab.workload.cleaning.log_source import Workload
    from schedlab.workload.writer import Writer

    Progress = Callable[[str, int, int | None], None]

RULES: dict[str, str] = {
    "impossible": "schedlab.workload.cleaning.impossible:Impossible",
    "missing": "schedlab.workload.cleaning.missing:Missing",
    "duplicates": "schedlab.workload.cleaning.duplicates:Duplicates",
    "order": "schedlab.workload.cleaning.order:SubmitOrder",
    "large": "schedlab.workload.cleaning.large:Large",
    "flurries": "schedlab.workload.cleaning.flurries:Flurries",
    "zero": "schedlab.workload.cleaning.missing:Zero",
    "chosen": "schedlab.workload.cleaning.chosen:Chosen",
}
"""Built-in rules by name, in the order in which they apply."""

DEFAULT_RULES = ("impossible", "missing", "duplicates", "order", "large", "flurries")
"""The rules that apply where nothing else is said."""


@explained
def clean(
    workload: Workload,
    rules: Iterable[str | CleaningRule] | None = None,
    *,
    processors: int | None = None,
    reader: str | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> Cleaning:
    """Returns a workload without the jobs that do not belong in it, and why each went.

    Args:
        workload: A file, a reader, a job table, or several with the same columns.
        rules: Rules, or their names, perhaps with arguments: `flurries(factor=3)`,
            `package.module:Class`. None: DEFAULT_RULES.
        processors: How many the machine has; None: what the header says (MaxProcs).
        reader: Format of the file, as for `open_reader`.
        strict: Whether a row that cannot be read is an error.
        progress: Called with what is being done, the rows done, and how many there are, if known.

    Raises:
        InputError: The workload cannot be read, or there is no such rule.
    """
    if processors is not None and processors < 1:
        raise InputError(f"processors must be at least 1, not {processors}")
    names = DEFAULT_RULES if rules is None else rules
    made = [rule_of(rule) for rule in names]
    return Cleaning(LogSource(workload, reader, strict), made, processors, progress)


def rule_of(rule: str | CleaningRule) -> CleaningRule:
    """Returns the rule of a name, or a copy of the rule: one cleaning leaves no trace in another.

    Raises:
        InputError: There is no such rule, or it does not take the arguments.
    """
    if isinstance(rule, str):
        made = build("rule", rule, CleaningRule, RULES, origin=PERSON)
        assert isinstance(made, CleaningRule)
        return made
    if not isinstance(rule, CleaningRule):
        raise InputError(
            f"rule {rule!r}: must be a name or a schedlab.CleaningRule, not {type(rule).__name__}"
        )
    return copy.deepcopy(rule)


def refuse_log(source: str, path: str) -> None:
    """Raises InputError if a cleaned log would take the place of the log."""
    if os.path.exists(path) and os.path.exists(source) and os.path.samefile(source, path):
        raise InputError(f"{path}: is the log itself; give another name for the cleaned one")


class Cleaning:
    """What is left of a workload, and what went; `clean` returns it.

    Attributes:
        log: The workload as it was.
        rules: As they were applied; `notes` of each say what it could not do.
        removed: The jobs that went, in the order of the workload: columns of REMOVED.
    """

    def __init__(
        self,
        source: LogSource,
        rules: list[CleaningRule],
        processors: int | None,
        progress: Progress | None = None,
    ) -> None:
        self._source, self.rules = source, rules
        self._progress: Progress = progress or (lambda _what, _rows, _all: None)
        self.log = self._survey(processors)
        self._stays: list[NDArray[numpy.bool_]] = []
        self._gone = [0] * len(rules)
        self.removed = self._find()

    def tables(self) -> Iterator[polars.DataFrame]:
        """Yields what is left, as job tables with the columns of the workload."""
        rows = 0
        # Not strict: that the rows are others is reported as what is wrong with the file.
        for table, stays in zip(self._source.tables(), self._stays, strict=False):
            if table.height != len(stays):
                raise self._has_changed()
            yield table.filter(polars.Series(stays))
            rows += table.height
            self._progress("writing", rows, self.log.rows)
        if rows != self.log.rows:
            raise self._has_changed()

    @property
    def table(self) -> polars.DataFrame:
        """What is left, all at once."""
        return polars.concat(list(self.tables()) or [empty()])

    @property
    def kept(self) -> int:
        """How many jobs are left."""
        return self.log.rows - self.removed.height

    @property
    def counts(self) -> polars.DataFrame:
        """How many jobs went by each rule and reason, in the order of the rules."""
        counts = self.removed.group_by("rule", "reason", maintain_order=True).agg(jobs=polars.len())
        titles = [rule.title for rule in self.rules]
        rows = sorted(counts.iter_rows(), key=lambda row: (titles.index(row[0]), -row[2]))
        return polars.DataFrame(rows, counts.schema, orient="row")

    @property
    def skipped(self) -> dict[str, dict[str, int]]:
        """Rows of the file that could not be read: `rows` and `first_line` by reason."""
        return self._source.skipped

    @property
    def notices(self) -> list[str]:
        """What the reader had to assume of the log, in sentences."""
        return self._source.notices

    def note(self, command: str | None = None) -> str:
        """Returns the line for the header of the cleaned file.

        Args:
            command: The command that did it, for the record.
        """
        parts = [f"{gone} by {rule}" for rule, gone in zip(self.rules, self._gone, strict=True)]
        by = f" by: {command}" if command else ""
        note = f"CLEANED{by}; removed {self.removed.height} of {self.log.rows} jobs"
        note += f": {', '.join(parts)}" if parts else ""
        return " ".join(note.splitlines())  # one line, whatever a rule's parameters are

    def write(
        self,
        path: str | os.PathLike[str],
        writer: str | None = None,
        command: str | None = None,
    ) -> Writer:
        """Writes what is left to a file, with a note in its header.

        From SWF to SWF, lines that stay are copied as they are, and so is the header. Rows with
        other numbers than 18 whole ones stay so with the writer `swf(exact=true)` alone.

        Args:
            path: The file; it appears when it is whole.
            writer: Name of the format; None: what the end of the file's name says.
            command: For the note.

        Raises:
            InputError: It is the file that was read, or there is no such format.
        """
        path = os.fsdecode(path)
        source = self._source.path
        if source is not None:
            refuse_log(source, path)
        made = open_writer(path, writer, self.log.header)
        if source is not None and can_copy_lines(self._source.reader, made):
            stays = numpy.concatenate([numpy.empty(0, bool), *self._stays])
            assert isinstance(made, SwfWriter)
            copy_lines(source, made, stays, self.note(command), not self.skipped)
            self._progress("writing", self.log.rows, self.log.rows)
            return made
        note, noted = self.note(command), made.header.get("Note")
        made.header["Note"] = f"{noted}\n{note}" if noted else note
        with made:
            for table in self.tables():
                made.write(table)
        return made

    def write_removed(self, path: str | os.PathLike[str]) -> None:
        """Writes the jobs that went, each with its rule, reason and evidence, as CSV."""
        from schedlab.whole_file import whole_file

        numbers = ("job", "submit", "run", "processors", "user")
        shown = self.removed.with_columns(shortest(self.removed[name]) for name in numbers)
        with whole_file(os.fsdecode(path)) as partial:
            shown.write_csv(partial)

    def _survey(self, processors: int | None) -> Log:
        rows, given = 0, dict.fromkeys(FIELDS, 0)
        for table in self._source.tables():
            rows += table.height
            values = table.select((polars.col(name) != -1).sum() for name in FIELDS).row(0)
            for name, count in zip(FIELDS, values, strict=True):
                given[name] += count
            for rule in self.rules:
                with _blamed(rule, "survey"):
                    rule.survey(table)
            self._progress("looking", rows, None)
        if not rows and (bad := sum(entry["rows"] for entry in self.skipped.values())):
            reasons = ", ".join(self.skipped)
            raise InputError(
                f"{self._source.path}: none of its {bad:,} rows can be read ({reasons}); "
                "is it of another format?"
            )
        header = self._source.header
        if processors is None:
            processors = leading_number(header.get("MaxProcs"))
        log = Log(rows, header, processors, given)
        for rule in self.rules:
            with _blamed(rule, "settle"):
                rule.settle(log)
        return log

    def _find(self) -> polars.DataFrame:
        removed, rows = [polars.DataFrame(schema=REMOVED)], 0
        for table in self._source.tables():
            stays = numpy.ones(table.height, bool)
            for place, rule in enumerate(self.rules):
                with _blamed(rule, "find"):
                    findings = list(rule.find(table))
                for finding in findings:
                    found = rows_found(finding, table, rule) & stays
                    if found.any():
                        stays &= ~found
                        self._gone[place] += int(found.sum())
                        removed.append(listed(finding, table, found, rule, rows))
            self._stays.append(stays)
            rows += table.height
            self._progress("judging", rows, self.log.rows)
        if rows != self.log.rows:
            raise self._has_changed()
        return polars.concat(removed).sort("row")

    def _has_changed(self) -> InputError:
        return InputError(f"{self._source.path}: has changed while it was read; clean it again")


@contextmanager
def _blamed(rule: CleaningRule, what: str) -> Iterator[None]:
    """Says whose error it is, if a rule raises one: it may be a rule of a user."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, InputError):
            error.add_note(f"in {what}() of rule {rule.title}")
        raise
