"""CSV: native tables, the column map, delimiters, encodings, and records that are wrong."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab.errors import InputError
from schedlab.workload.formats import format_to_read, open_reader, write_tables
from schedlab.workload.formats.tables import csv as csv_format
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import complete

FOREIGN = """\
# Computer: Test
Id;Submitted;Began;Ended;Limit;Who;CPUs;After;Mem GB
a;2024-01-05 10:00:00;2024-01-05 10:00:10;2024-01-05 11:00:00;02:00:00;alice;4;;1.5
b;2024-01-05T10:05:00+01:00;1704445560;2024-01-05T09:10:00Z;1-00:00:00;bob;2;a;2
c;2024-01-05 09:59:00;NA;NA;90;alice;x;a b;
d;2024-01-05;;;5:30;carl;1;b, a;NA
"""
MAP = """\
job = "Id"
submit = "time(Submitted)"
wait = "time(Began) - time(Submitted)"
run = "time(Ended) - time(Began)"
requested_time = "duration(Limit)"
user = "Who"
requested_processors = "CPUs"
requested_memory = "gigabytes(column('Mem GB')) / CPUs"
status = 1
predecessors = "After"
zone = "Europe/Stockholm"
"""


def write(tmp_path: Path, text: str | bytes, name: str = "a.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(path: Path, reader: str | None = None) -> tuple[polars.DataFrame, dict, dict]:
    opened = open_reader(path, reader)
    table = polars.concat(opened.tables())
    return table, opened.skipped, opened.header


def test_a_foreign_table_and_a_file_that_maps_it(tmp_path: Path) -> None:
    path = write(tmp_path, FOREIGN)
    mapping = write(tmp_path, MAP, "map.toml")
    table, skipped, header = read(path, f"csv(columns={mapping})")
    assert skipped == {"requested_processors cannot be read": {"rows": 1, "first_line": 5}}
    zone = ZoneInfo("Europe/Stockholm")
    midnight = datetime(2024, 1, 5, tzinfo=zone).timestamp()
    first = datetime(2024, 1, 5, 10, tzinfo=zone).timestamp() - midnight
    assert header == {
        "Computer": "Test",
        "UnixStartTime": str(int(midnight)),
        "TimeZoneString": "Europe/Stockholm",
    }
    assert table["submit"].to_list() == [first, first + 300, 0]
    assert table["wait"].to_list() == [10, 60, -1]
    assert table["run"].to_list() == [3590, 240, -1]
    assert table["requested_time"].to_list() == [7200, 86_400, 330]
    assert table["user"].to_list() == [1, 2, 3]  # the row of alice's other job is not used
    assert table["status"].to_list() == [1, 1, 1]
    assert table["requested_memory"].to_list() == [1.5 * 1024**2 / 4, 1024**2, -1]
    assert table["job"].to_list() == [1, 2, 3]
    assert table["name"].to_list() == ["a", "b", "d"]
    assert table["predecessors"].to_list() == [[], [1], [2, 1]]


def test_arguments_go_before_the_file_of_arguments(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n1,5\n")
    mapping = write(tmp_path, 'submit = "a"\nrun = "a"\n', "map.toml")
    table, _, _ = read(path, f"csv(columns={mapping}, run=minutes(b))")
    assert table.row(0, named=True)["run"] == 300


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("x", 6),
        ("x + 2 * y - 1", 9),
        ("(x + 2) * -y", -16),
        ("x / y", 3),
        ("minutes(x)", 360),
        ("hours(y)", 7200),
        ("days(y)", 172_800),
        ("milliseconds(x)", 0.006),
        ("bytes(x)", 6 / 1024),
        ("megabytes(x)", 6144),
        ("gigabytes(y)", 2 * 1024**2),
        ("ceil(x / 4)", 2),
        ("min(x, y, 1)", 1),
        ("max(x, y)", 6),
        ("first(gap, y)", 2),
        ("gap", -1),
        ("gap + x", -1),
        ("column('two words')", 8),
        ("two words", 8),
        ("42", 42),
        ("1.5", 1.5),
        ("time(day)", 1_704_412_800),
        ("time(day) + hours(1)", 1_704_416_400),
        ('time(odd, "%d/%m/%y %H:%M")', 1_704_448_800),
        ("time(x)", 6),
        ("duration(clock)", 3723.5),
        ("duration(x)", 6),
    ],
)
def test_expressions(tmp_path: Path, expression: str, value: float) -> None:
    text = "s,x,y,gap,two words,day,odd,clock\n0,6,2,,8,2024-01-05,05/01/24 10:00,1:02:03.5\n"
    table, skipped, _ = read(write(tmp_path, text), f"csv(submit=s, run={expression})")
    assert not skipped
    assert table["run"].to_list() == [pytest.approx(value)]


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("zzz", "run=zzz: the file has no column 'zzz'; the file's columns: s, x"),
        ("x +", "run=x +: is neither a column of the file nor an expression"),
        ("__import__('os').system('true')", "takes columns, numbers, + - * / and functions alone"),
        ("x.real", "takes columns, numbers"),
        ("x if x else x", "takes columns, numbers"),
        ("[x]", "takes columns, numbers"),
        ("x ** 9", "takes columns, numbers"),
        ("open(x)", "open() of 1 is not a function; there are milliseconds"),
        ("minutes(x, x)", "minutes() of 2 is not a function"),
        ("time(x + 1)", "must have the name of a column there"),
        ("time(x, 3)", "the form of a time must be a text"),
        ("1 + names(x)", "names(...) must stand alone"),
        ("-" * 200 + "x", "is too deep an expression"),
    ],
)
def test_what_is_no_expression(tmp_path: Path, expression: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        read(write(tmp_path, "s,x\n0,6\n"), f"csv(submit=s, run={expression})")
    assert words in str(raised.value)


def test_names_become_numbers_in_order_of_appearance(tmp_path: Path) -> None:
    text = "submit,run,user,queue,group,partition\n" + "".join(
        f"{n},1,{user},{queue},{n % 2 + 7},{user}\n"
        for n, (user, queue) in enumerate(
            [("eve", "long"), ("bob", ""), ("eve", "short"), ("1", "long")]
        )
    )
    table, skipped, _ = read(write(tmp_path, text))
    assert not skipped
    assert table["user"].to_list() == [1, 2, 1, 3]
    assert table["queue"].to_list() == [1, -1, 2, 1]
    assert table["group"].to_list() == [7, 8, 7, 8]  # numbers stay numbers
    numbered, _, _ = read(tmp_path / "a.csv", "csv(group=names(group))")
    assert numbered["group"].to_list() == [1, 2, 1, 2]


def test_without_a_map_columns_of_numbers_are_taken(tmp_path: Path) -> None:
    text = "submit,run,power,comment,status,task_gpu,two words\n0,5,3.5,hello,DONE,2,1\n"
    table, skipped, _ = read(write(tmp_path, text))
    assert not skipped
    assert table.columns == [*FIELDS, "power", "task_gpu"]
    assert table["status"].to_list() == [-1]  # no number anywhere in it
    mapped, _, _ = read(tmp_path / "a.csv", "csv(run=power)")
    assert mapped.columns == list(FIELDS)
    assert mapped["run"].to_list() == [3.5]


def test_values_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    text = "submit,run\n0,1\n1,x\n2,inf\nlate,4\n4,5,6\n5\n6,\n7,8\n\n"
    table, skipped, _ = read(write(tmp_path, text))
    assert table["submit"].to_list() == [0, 6, 7]
    assert table["run"].to_list() == [1, -1, 8]
    assert skipped == {
        "not 2 fields": {"rows": 2, "first_line": 6},
        "submit cannot be read": {"rows": 1, "first_line": 5},
        "run cannot be read": {"rows": 2, "first_line": 3},
    }
    reader = open_reader(tmp_path / "a.csv")
    reader.strict = True
    with pytest.raises(InputError, match=r"a.csv:6: not 2 fields; without --strict"):
        list(reader.tables())


def test_rows_are_counted_as_skipped_once(tmp_path: Path) -> None:
    # Dates are gone through twice: for the first of them, and for the rows.
    text = "s,run\n2024-01-01T00:00:05,1\n1,2,3\nno,2\n2024-01-01,3\n"
    table, skipped, header = read(write(tmp_path, text), "csv(submit=time(s))")
    assert table["submit"].to_list() == [5, 0]
    assert header["UnixStartTime"] == "1704067200"
    assert {reason: rows["rows"] for reason, rows in skipped.items()} == {
        "not 2 fields": 1,
        "submit cannot be read": 1,
    }


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found_out(tmp_path: Path, delimiter: str) -> None:
    path = write(tmp_path, delimiter.join(("submit", "run")) + "\n" + delimiter.join("12") + "\n")
    assert read(path)[0]["run"].to_list() == [2]


def test_delimiters_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, "submit run\n1 2\n")
    for name in ("blank", "' '"):
        assert read(path, f"csv(delimiter={name})")[0]["run"].to_list() == [2]
    with pytest.raises(InputError, match="delimiter: must be one ASCII character, not 'ab'"):
        read(path, "csv(delimiter=ab)")


def test_quotes_line_breaks_and_ends_of_lines(tmp_path: Path) -> None:
    text = 'submit,run,name\r\n0,1,"a, ""b""\r\nc"\r\n1,2,d\r\n2,"3"\r\n3,4,5\r\n'
    table, skipped, _ = read(write(tmp_path, text))
    assert table["name"].to_list() == ['a, "b"\r\nc', "d", "5"]
    assert skipped == {"not 3 fields": {"rows": 1, "first_line": 5}}
    table, _, _ = read(write(tmp_path, "submit,run\r0,1\r1,2\r"))
    assert table["run"].to_list() == [1, 2]


def test_a_quote_that_nobody_closes(tmp_path: Path) -> None:
    path = write(tmp_path, 'submit,run\n0,1\n"1,2\n' + "2,3\n" * 50_000)
    with pytest.raises(InputError, match=r"a.csv: after line 2: field larger than field limit"):
        read(path)


def test_missing_values(tmp_path: Path) -> None:
    path = write(tmp_path, "submit,run\n0,NA\n1,null\n2, \n3,none of it\n4,5\n")
    table, skipped, _ = read(path, "csv(missing=none of it)")
    assert not skipped
    assert table["run"].to_list() == [-1, -1, -1, -1, 5]


def test_encodings(tmp_path: Path) -> None:
    text = "submit,run,name\n0,1,Ångström\n"
    for encoding in ("latin-1", "utf-16"):
        path = write(tmp_path, text.encode(encoding))
        assert read(path, f"csv(encoding={encoding})")[0]["name"].to_list() == ["Ångström"]
        with pytest.raises(InputError, match="is not utf-8-sig text; name another"):
            read(path)
    assert read(write(tmp_path, "\ufeff" + text))[0].height == 1
    with pytest.raises(InputError, match="encoding: there is no 'ebcdic-x'"):
        read(path, "csv(encoding=ebcdic-x)")


@pytest.mark.parametrize(
    ("text", "reader", "words"),
    [
        ("", None, "is empty; its first line must name the columns"),
        ("# only: comments\n", None, "is empty"),
        ("a,b\n1,2\n", None, "has no column submit; say which columns are which"),
        ("submit,submit\n1,2\n", None, "two columns are called 'submit'"),
        (
            "submit\n1\n",
            "csv(zone=Mars/Base)",
            "zone 'Mars/Base' is not known; write it as Europe/Berlin",
        ),
        ("submit\n1\n", "csv(columns=nowhere.toml)", "nowhere.toml: no such file"),
        ("submit\n1\n", "csv(name=zzz)", "name=zzz: must be a column of the file"),
        ("submit\n1\n", "csv(a-b=submit)", "'a-b': must be a name without blanks"),
    ],
)
def test_wrong_files_and_arguments(tmp_path: Path, text: str, reader: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        read(write(tmp_path, text), reader)
    assert words in str(raised.value)


def test_a_file_of_arguments_that_is_no_toml(tmp_path: Path) -> None:
    mapping = write(tmp_path, "submit = [", "map.toml")
    with pytest.raises(InputError, match=r"map.toml.*: not valid TOML"):
        read(write(tmp_path, "submit\n1\n"), f"csv(columns={mapping})")


def test_a_table_without_rows(tmp_path: Path) -> None:
    table, _, header = read(write(tmp_path, "# Note: nothing\nsubmit,run\n"))
    assert table.height == 0
    assert header == {"Note": "nothing"}


def test_a_table_is_simulated(tmp_path: Path) -> None:
    path = write(tmp_path, "submit,run,requested_processors,power\n0,10,2,7\n5,10,1,3\n")
    machine = {"groups": {"node": {"nodes": 2, "resources": {"core": 1}}}}
    schedlab.simulate(str(path), system=machine, out=tmp_path / "out")
    jobs = polars.read_csv(tmp_path / "out" / "jobs.csv")
    assert jobs["start"].to_list() == [0, 10]
    assert jobs["power"].to_list() == [7, 3]


cells = st.text(st.sampled_from('ab,"\n 1.;'), max_size=4)


@examples(200)
@given(st.lists(st.lists(cells, min_size=3, max_size=3), max_size=8), st.integers(1, 40))
def test_records_are_those_of_the_csv_package(tmp_path_factory, records, block) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["submit", "name", "c"])
    writer.writerows([str(n), *record[1:]] for n, record in enumerate(records))
    path = write(tmp_path_factory.mktemp("csv"), text.getvalue())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_format, "BLOCK", block)
        table, skipped, _ = read(path, "csv(name=name, delimiter=comma)")
    assert not skipped
    blank = ("", "NA", "null")
    expected = ["" if record[1].strip() in blank else record[1] for record in records]
    assert table["name"].to_list() == expected
    assert table["submit"].to_list() == list(range(len(records)))


@examples(100)
@given(st.binary(max_size=200), st.integers(0, len(FOREIGN)))
def test_damaged_files_are_refused_or_read(tmp_path_factory, noise: bytes, place: int) -> None:
    content = FOREIGN.encode()[:place] + noise + FOREIGN.encode()[place:]
    path = write(tmp_path_factory.mktemp("csv"), content)
    with contextlib.suppress(InputError):  # and no other
        read(path, "csv(submit=time(Submitted), run=CPUs, user=Who)")


def test_numbers_and_header_come_back(tmp_path: Path) -> None:
    table = complete(
        polars.DataFrame(
            {
                "job": [1, 2],
                "submit": [0.1, 1e15 + 0.5],
                "run": [-1, 3],
                "phase": [1.0, 2.5],
                "predecessors": [[], [1, 2**60]],
                "name": ["", 'a,"b"\nc'],
            }
        )
    )
    header = {"Computer": "Test", "Note": "two\nlines", "Empty": ""}
    written = write_tables(tmp_path / "a.csv.gz", [table, table], header)
    assert not written.losses
    assert format_to_read(str(tmp_path / "a.csv.gz")) == "csv"
    again, skipped, kept = read(tmp_path / "a.csv.gz")
    assert not skipped
    assert again.equals(polars.concat([table, table]))
    assert kept == header
    lines = gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).decode().splitlines()
    assert lines[0] == "# Computer: Test"
    assert lines[4].startswith("job,submit,wait,run")


def test_a_header_with_bytes_that_are_no_text_can_be_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.swf").write_bytes(b"; Note: caf\xe9\n" + b"1 0 0 5 1" + b" -1" * 13 + b"\n")
    reader = open_reader(tmp_path / "a.swf")
    write_tables(tmp_path / "a.csv", list(reader.tables()), reader.header)
    table, _, header = read(tmp_path / "a.csv")
    assert table.height == 1
    assert header["Note"].startswith("caf")


@pytest.mark.parametrize("wrong", ["x", "1;2", "[1,", "1.5", "-7", "1 x", "inf", "1e300"])
def test_predecessors_that_cannot_be_read_are_counted(tmp_path, wrong):
    # They were dropped, and the job ran without waiting.
    path = tmp_path / "a.csv"
    path.write_text(
        "job;submit;run;predecessors\n1;0;5;\n2;0;5;1.0\n3;0;5;-1\n".replace(";", "|")
        + f"4|0|5|{wrong}\n"
    )
    reader = open_reader(path, "csv(delimiter='|')")
    table = polars.concat(reader.tables())
    assert table["predecessors"].to_list() == [[], [1], []]
    assert reader.skipped == {"predecessors cannot be read": {"rows": 1, "first_line": 5}}


@pytest.mark.parametrize("column", ["submit", "requested_time", "whole_nodes", "task_gpu"])
def test_a_column_of_texts_is_not_left_out_in_silence(tmp_path, column):
    # requested_time as 01:00:00 was ignored, and run times took its place.
    names = ["submit", "run", "requested_time", "whole_nodes", "task_gpu"]
    values = ["01:00:00" if name == column else "1" for name in names]
    path = tmp_path / "a.csv"
    path.write_text(f"{','.join(names)}\n{','.join(values)}\n")
    with pytest.raises(InputError, match=f"column {column}: none of its first values is a number"):
        list(open_reader(path).tables())
    (table,) = open_reader(path, f"csv({column}=duration({column}))").tables()
    assert table[column].to_list() == [3600]
    if column != "submit":
        (table,) = open_reader(path, f"csv({column}=-1)").tables()
        assert table[column].to_list() == [-1]


@pytest.mark.parametrize("given", ["submit=1/0", "user=-1e400", "run=1-1/0"])
def test_constants_that_are_no_numbers(tmp_path, given):
    # They became -1: missing in every row.
    path = tmp_path / "a.csv"
    path.write_text("submit,run\n0,5\n")
    with pytest.raises(InputError, match="must be a finite number"):
        list(open_reader(path, f"csv({given})").tables())
