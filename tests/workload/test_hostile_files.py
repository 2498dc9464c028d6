"""Files that are not workloads at all: pipes, devices, bombs, damage that ends a process."""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import os
import signal
import socket
from pathlib import Path

import polars
import pytest

import schedlab as sl
from schedlab import parquet_probe
from schedlab._engine import SwfRows
from schedlab.errors import InputError
from schedlab.workload.compression import InputFile
from schedlab.workload.formats import open_reader
from schedlab.workload.formats.workflows.dax import dax_workflow
from schedlab.workload.reader import LONGEST_LINE, Reader

MACHINE = {"groups": {"node": {"nodes": 4, "resources": {"core": 4}}}}
NAMES = ("a.swf", "a.csv", "a.json", "a.dax", "a.sacct", "a.pbs", "a.parquet", "a.swf.gz", "a")


@pytest.fixture(autouse=True)
def at_most_a_minute():
    """What waits for ever fails, instead of keeping the tests."""

    def fail(number, frame):
        raise TimeoutError("waited for ever")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def rows(path: Path | str, reader: str | None = None) -> int:
    return sum(table.height for table in open_reader(path, reader).tables())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["pipe", "socket", "directory", "device"])
def test_what_is_not_a_file_is_refused_at_once(tmp_path, monkeypatch, name, kind) -> None:
    monkeypatch.chdir(tmp_path)  # a path of a socket must be short
    if kind == "pipe":
        os.mkfifo(name)
    elif kind == "socket":
        socket.socket(socket.AF_UNIX).bind(name)
    elif kind == "directory":
        os.mkdir(name)
    else:
        os.symlink("/dev/zero", name)
    for reader in (None, "swf"):
        with pytest.raises(InputError, match=rf"^{name}: (is a|has no)"):
            rows(name, reader)
    with pytest.raises(InputError, match=rf"^{name}: (is a|has no)"):
        sl.simulate(name, system=MACHINE)


@pytest.mark.parametrize("name", ["m.toml", "m.json", "m.yaml", "m"])
def test_pipes_that_describe_machines_are_refused_at_once(tmp_path, name) -> None:
    path = tmp_path / name
    os.mkfifo(path)
    for read in (sl.load_system, sl.load_conditions, sl.PlainWorkload.from_file):
        with pytest.raises(InputError, match="is a pipe, not a file"):
            read(str(path))
    with pytest.raises(InputError, match="is a pipe, not a file"):
        open_reader("x.csv", f"csv(columns={path})")


def test_a_line_of_gigabytes_is_refused(tmp_path) -> None:
    for name, start in (
        ("a.csv", b"a,b\n1,"),
        ("b.csv", b'a,b\n1,"'),
        ("a.sacct", b"JobID|Submit\n1|"),
    ):
        path = tmp_path / f"{name}.gz"
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(start + b"0" * (LONGEST_LINE + (5 << 20)))
        with pytest.raises(InputError, match="is longer than 16,777,216 characters"):
            rows(path)


def test_blanks_and_values_of_gigabytes_are_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("schedlab.workload.formats.json_files.stream.MOST_WHOLE_BYTES", 1 << 20)
    for content in (b" " * (5 << 20), b'{"jobs": "' + b"a" * (5 << 20)):
        (tmp_path / "a.json").write_bytes(content)
        with pytest.raises(InputError, match=r"a\.json:1: is not JSON"):
            rows(tmp_path / "a.json")


def test_a_workflow_of_gigabytes_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("schedlab.workload.reader.MOST_WHOLE_BYTES", 1 << 20)
    (tmp_path / "a.dax.gz").write_bytes(gzip.compress(b"<a>" * (1 << 20)))
    with pytest.raises(InputError, match="more than 1,048,576 bytes, unpacked"):
        rows(tmp_path / "a.dax.gz")


def test_xz_in_bounded_memory(tmp_path, monkeypatch) -> None:
    path = tmp_path / "a.xz"
    content = os.urandom(700_000)
    path.write_bytes(
        lzma.compress(content[:300_000]) + b"\0" * 8 + lzma.compress(content[300_000:])
    )
    with Reader(path).content() as file:
        assert file.read() == content
    monkeypatch.setattr("schedlab.workload.compression.MOST_XZ_MEMORY", 1 << 20)
    with pytest.raises(InputError, match=r"cannot be unpacked: .*[Mm]emory"):
        InputFile(str(path)).open()()
    path.write_bytes(lzma.compress(content)[:-1000])
    monkeypatch.undo()
    with pytest.raises(InputError, match="is cut off"), Reader(path).content() as file:
        file.read()


@pytest.mark.parametrize("encoding", ["martian", "utf-7", "idna", "rot13", "base64", "undefined"])
def test_a_dax_in_an_unknown_encoding(encoding) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><adag><job id="a" runtime="1"/></adag>'
    with pytest.raises(InputError, match=r"a\.dax: its encoding cannot be read: .*UTF-8"):
        dax_workflow(text.encode(), "a.dax", None)


def parquet() -> bytes:
    file = io.BytesIO()
    table = {"job": list(range(40)), "submit": [60.0 * i for i in range(40)], "user": ["ada"] * 40}
    polars.DataFrame(table).write_parquet(file, compression="uncompressed", row_group_size=16)
    return file.getvalue()


@pytest.mark.parametrize("place", [0, 4, 20, 60, 155, -9, -40, -200])
def test_damaged_parquet(tmp_path, place) -> None:
    content = bytearray(parquet())
    content[place] = 0x15
    (tmp_path / "a.parquet").write_bytes(content)
    with contextlib.suppress(
        InputError
    ):  # some damage gives other numbers; no other error is right
        assert rows(tmp_path / "a.parquet") <= 40


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import os; os.abort()", "absurd amounts of memory"),
        ("import ctypes; ctypes.string_at(0)", "absurd amounts of memory"),
        ("import sys; print('panicked', end=''); sys.exit(3)", "panicked"),
        ("import time; time.sleep(100)", "does not end"),
    ],
)
def test_damage_ends_another_process(tmp_path, monkeypatch, code, reason) -> None:
    monkeypatch.setattr(parquet_probe, "_PROBE", code)
    monkeypatch.setattr(parquet_probe, "SECONDS_AT_LEAST", 5)
    (tmp_path / "a.parquet").write_bytes(parquet())
    with pytest.raises(
        InputError, match=rf"a\.parquet: is not a Parquet file, or damaged: .*{reason}"
    ):
        rows(tmp_path / "a.parquet")


def test_a_file_called_like_a_module_is_not_run(tmp_path, monkeypatch) -> None:
    (tmp_path / "polars.py").write_text("raise SystemExit('run')")
    (tmp_path / "a.parquet").write_bytes(parquet())
    monkeypatch.chdir(tmp_path)
    assert rows("a.parquet") == 40


def test_comments_of_swf_in_bounded_memory(tmp_path) -> None:
    path = tmp_path / "a.swf"
    with path.open("wb") as file:
        for _ in range(40):
            file.write(b"; " + b"a" * (1 << 20) + b"\n")
        file.write(b"; Computer: last\n1 0 0 9 1 9 9 1 9 9 1 1 1 1 1 1 -1 -1\n")
    rows_of_file = SwfRows(str(path), "a.swf")
    assert rows_of_file.next() is not None
    assert sum(map(len, rows_of_file.comments)) <= 1 << 24
    assert rows_of_file.comments[-1] == " Computer: last"  # where there is room for it
    path.write_text("; ExtraFields: " + "a " * 1001 + "\n")
    with pytest.raises(InputError, match=r"a\.swf:1: names more than 1,000 ExtraFields"):
        rows(path)
