"""Applications for the jobs of a trace: shares, classes, foreground jobs, formats."""

from __future__ import annotations

import polars
import pytest

from schedlab import InputError
from schedlab.cli.workload.assign import _rules
from schedlab.workload.assignment import Assignment, Foreground, Rule, assign
from schedlab.workload.formats import open_reader, write_tables
from schedlab.workload.table import complete


def trace(count: int = 4000) -> polars.DataFrame:
    sizes = [1 + (i * 7) % 100 for i in range(count)]
    columns = {
        "job": range(1, count + 1),
        "submit": [5 * i for i in range(count)],
        "run": [9] * count,
    }
    return complete(polars.DataFrame({**columns, "requested_processors": sizes}))


def assigned(rows: int = 4000, batch: int = 16_384, **given) -> polars.DataFrame:
    table = trace(rows)
    made = Assignment(**given)
    parts = list(made.tables(table.iter_slices(batch), [table]))
    return polars.concat(parts)


RULES = [Rule({"ring": 1.0}, 1, 10), Rule({"barrier": 3.0, "bcast": 1.0})]


def test_shares_hold_by_class_of_size_and_do_not_depend_on_batches() -> None:
    table = assigned(rules=RULES, share=0.5, seed=3)
    small = table.filter(polars.col("requested_processors") <= 10)["application"]
    large = table.filter(polars.col("requested_processors") > 10)["application"]
    assert set(small) == {"", "ring"}
    assert (small == "ring").mean() == pytest.approx(0.5, abs=0.08)
    assert (large == "barrier").mean() == pytest.approx(0.375, abs=0.03)
    assert (large == "bcast").mean() == pytest.approx(0.125, abs=0.03)
    assert table.equals(assigned(rules=RULES, share=0.5, seed="3", batch=17))
    assert not table.equals(assigned(rules=RULES, share=0.5, seed=4))


def test_foreground_jobs_come_at_random_moments_in_order() -> None:
    foreground = Foreground("stencil-3d", 25, 64, 600)
    table = assigned(rules=RULES, foreground=foreground, batch=100)
    added = table.filter(polars.col("job") > 4000)
    assert added["application"].to_list() == ["stencil-3d"] * 25
    assert added["job"].to_list() == list(range(4001, 4026))
    assert table["submit"].is_sorted()
    assert added["submit"].n_unique() > 20
    assert added.select("requested_processors", "requested_time").unique().rows() == [(64, 600)]
    # Other jobs run the same as without it.
    others = table.filter(polars.col("job") <= 4000)
    assert others.equals(assigned(rules=RULES))


def test_jobs_without_a_draw_keep_what_they_had() -> None:
    table = trace(4).with_columns(application=polars.Series(["a", "b", "", "c"]))
    [made] = Assignment([Rule({"ring": 1}, 5, 20)]).tables([table])
    assert table["requested_processors"].to_list() == [1, 8, 15, 22]
    assert made["application"].to_list() == ["a", "ring", "ring", "c"]


def test_files_are_written_and_counted(tmp_path) -> None:
    source, target = tmp_path / "trace.swf", tmp_path / "mix.parquet"
    write_tables(source, [trace(200)])
    checked: set[tuple[str, int]] = set()
    plan = Assignment(
        RULES, foreground=Foreground("sweep", 3, 7), check=lambda *pair: checked.add(pair)
    )
    done = assign(source, target, plan)
    table = polars.concat(open_reader(target).tables())
    assert done.rows == table.height == 203
    found = {(count.label, count.application): count for count in done.counts}
    assert found["foreground", "sweep"].processors == 21
    for (label, text), count in found.items():
        rows = table.filter(polars.col("application") == text)
        assert (label, rows.height) == (label, count.jobs)
        assert rows["requested_processors"].sum() == count.processors
        assert {(text, size) for size in rows["requested_processors"]} <= checked
    with pytest.raises(InputError, match="swf has no place for applications"):
        assign(source, tmp_path / "mix.swf", plan)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give applications"),
        ({"rules": RULES, "share": 1.2}, "share: must be from 0 to 1"),
        ({"rules": [Rule({"ring": 0.0})]}, "above 0"),
        ({"rules": [Rule({"ring": 1.0}, 9, 3)]}, "from 1 processor on"),
        ({"foreground": Foreground("ring", 0)}, "at least one job"),
        ({"foreground": Foreground("ring", 1, 1, 0)}, "its time must be above 0"),
    ],
)
def test_wrong_assignments_are_refused(given, message) -> None:
    with pytest.raises(InputError, match=message):
        Assignment(**given)


def test_rules_of_the_command_line() -> None:
    rules = _rules(
        ["65-:pkg.mod:own(a=1)=2", "1-64:ring(bytes=8)", "65-:barrier=0.5"], ["bcast(root=0)=0.25"]
    )
    assert rules == [
        Rule({"ring(bytes=8)": 1.0}, 1, 64),
        Rule({"pkg.mod:own(a=1)": 2.0, "barrier": 0.5}, 65, None),
        Rule({"bcast(root=0)": 0.25}),
    ]
    for classes, mix in (
        (["1-64:a", "64:b"], []),
        (["1-64"], []),
        ([], ["ring=x"]),
        ([], ["ring", "ring=2"]),
        ([], ["=1"]),
    ):
        with pytest.raises(InputError):
            _rules(classes, mix)
