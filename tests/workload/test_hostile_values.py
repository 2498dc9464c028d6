"""Values that no log has: NaN, infinity, 1e308, names that are not UTF-8; through every command."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from fuzz.harness import run_command

from schedlab.errors import InputError
from schedlab.workload.formats import open_reader
from schedlab.workload.models.scsf import WorkloadModel

ROW = "1 0 0 9 1 9 9 1 9 9 1 1 1 1 1 1 -1 -1\n"
FILES = {
    "no-rows.csv": b"job,submit,run\n",
    "no-submit.csv": b"job,run\n1,2\n",
    "empty.csv": b"",
    "nan.csv": b"job,submit,run,requested_processors\n1,nan,inf,nan\n2,0,nan,1\n",
    "huge.csv": b"job,submit,run,requested_processors,requested_time,wait\n"
    b"1,0,5,2,nan,inf\n2,NaN,5,2,1,1\n3,1e308,1e308,1e308,1e308,1e308\n4,5,5,2,3,-inf\n",
    "huge.swf": b"99999999999999999999 99999999999 0 9 9999999 9 9 1 9 9 1 1 1 1 1 1 -1 -1\n"
    b"1 1e300 nan inf 1 9 9 1 9 9 1 1 1 1 1 1 -1 -1\n",
    "latin.swf": b"; Computer: caf\xe9\n; Queue: 1 \xff\xfe\n" + ROW.encode() * 3,
    "latin.csv": b"job,submit,run,requested_processors,user\n1,0,1,1,caf\xe9\n",
}
COMMANDS = (
    ("inspect", "{file}", "--json"),
    ("clean", "{file}", "o.csv", "--force"),
    *(("convert", "{file}", f"o.{end}", "--force") for end in ("swf", "csv", "json", "dax")),
    *(("convert", "{file}", f"o.{end}", "--force") for end in ("sacct", "pbs", "parquet")),
    ("compare", "{file}", "{file}"),
    ("anonymise", "{file}", "o.csv", "--force"),
    ("model", "{file}", "--out", "o.json", "--force"),
    ("assign", "{file}", "o.csv", "--force", "--application", "allreduce(bytes=128)=1"),
)


@pytest.mark.parametrize("name", FILES)
def test_commands_refuse_or_read(tmp_path, monkeypatch, name) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(FILES[name])
    for command in COMMANDS:
        with contextlib.suppress(InputError):
            run_command("workload", *(word.format(file=name) for word in command), codes=(0, 2))


@pytest.mark.parametrize("end", ["sacct", "pbs", "swf"])
def test_names_that_are_not_utf_8_are_written_as_they_were(tmp_path, monkeypatch, end) -> None:
    monkeypatch.chdir(tmp_path)
    Path("latin.swf").write_bytes(FILES["latin.swf"])
    run_command("workload", "convert", "latin.swf", f"o.{end}", codes=(0,))
    assert b"\xff\xfe" in Path(f"o.{end}").read_bytes()


def test_a_model_keeps_a_header_that_is_not_utf_8(tmp_path) -> None:
    path = tmp_path / "latin.swf"
    path.write_bytes(FILES["latin.swf"])
    WorkloadModel.fit(path).save(tmp_path / "model.json")
    header = WorkloadModel.load(tmp_path / "model.json").source["header"]
    assert header["Computer"] == open_reader_header(path)["Computer"] == "caf\udce9"


def open_reader_header(path: Path) -> dict[str, str]:
    reader = open_reader(path)
    for _ in reader.tables():
        pass
    return reader.header


def test_numbers_beyond_all_logs_are_dropped_and_counted(tmp_path) -> None:
    path = tmp_path / "huge.csv"
    rows = "".join(f"{i},{i * 60},5,2,10,1\n" for i in range(10, 20))
    path.write_bytes(FILES["huge.csv"] + rows.encode())
    model = WorkloadModel.fit(path)
    assert model.source["dropped"]["a number beyond 2^53"] == 1


def test_whole_numbers_of_hundreds_of_digits(tmp_path) -> None:
    path = tmp_path / "latin.swf"
    path.write_bytes(FILES["latin.swf"])
    WorkloadModel.fit(path).save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    for number in ("9" * 400, "1e999", "-1", "NaN", "true", "[]"):
        (tmp_path / "bad.json").write_text(
            text.replace('"bin_size": 1', f'"bin_size": {number}', 1)
        )
        with pytest.raises(InputError, match="bin_size: must be a number above 0"):
            WorkloadModel.load(tmp_path / "bad.json")
