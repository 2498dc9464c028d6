"""Files are read only where they are files, and inside the folder that is shown."""

from __future__ import annotations

import os
import socket
import threading
from contextvars import copy_context

import polars
import pytest

from schedlab.errors import InputError
from schedlab.regular_file import confined_to, open_regular, read_regular


@pytest.fixture
def shown(tmp_path):
    """A folder with a file, one level down too, and a file outside it."""
    folder = tmp_path / "shown"
    (folder / "run").mkdir(parents=True)
    (folder / "run" / "run.json").write_text("inside")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "run.json").write_text("secret")
    return folder


def test_a_file_is_read(shown):
    assert read_regular(shown / "run" / "run.json") == b"inside"
    assert read_regular(shown / "run" / "run.json", str(shown)) == b"inside"


@pytest.mark.parametrize("confined", [False, True])
@pytest.mark.parametrize("kind", ["directory", "pipe", "socket", "device"])
def test_what_is_not_a_file_is_refused_at_once(shown, kind, confined, monkeypatch):
    monkeypatch.chdir(shown)  # a path of a socket must be short
    if kind == "directory":
        os.mkdir("it")
    elif kind == "pipe":
        os.mkfifo("it")
    elif kind == "socket":
        socket.socket(socket.AF_UNIX).bind("it")
    elif not confined:
        os.symlink("/dev/zero", "it")
    else:
        if os.geteuid():
            pytest.skip("only root makes devices")
        try:
            os.mknod("it", 0o600 | 0o020000, os.makedev(1, 5))
        except OSError:
            pytest.skip("no devices can be made here")
    with pytest.raises(InputError, match=f"it: is a {kind}, not a file"):
        open_regular("it", str(shown) if confined else None)


def test_a_pipe_in_the_place_of_a_file_does_not_stop_it(shown, monkeypatch):
    path, stat = shown / "run" / "run.json", os.stat
    looked = []

    def look_then_replace(*arguments, **options):
        found = stat(*arguments, **options)
        if not looked:
            looked.append(1)
            path.unlink()
            os.mkfifo(path)
        return found

    monkeypatch.setattr(os, "stat", look_then_replace)
    with pytest.raises(InputError, match="is a pipe"):
        open_regular(path)


def test_links_that_lead_out_are_refused(shown):
    secret = shown.parent / "secret"
    (shown / "file").symlink_to(secret / "run.json")
    (shown / "folder").symlink_to(secret)
    (shown / "relative").symlink_to("../secret/run.json")
    (shown / "twice").symlink_to("relative")
    (shown / "missing").symlink_to("../secret/nothing")
    for name in ("file", "folder/run.json", "relative", "twice", "missing", "../secret/run.json"):
        with pytest.raises(InputError, match="leads out of the folder"):
            open_regular(shown / name, str(shown))
    assert read_regular(shown / "twice") == b"secret"  # where nothing is confined


def test_links_that_stay_inside_are_followed(shown):
    (shown / "same").symlink_to("run/run.json")
    (shown / "folder").symlink_to(shown / "run")
    assert read_regular(shown / "same", str(shown)) == b"inside"
    assert read_regular(shown / "folder" / "run.json", str(shown)) == b"inside"


def test_the_folder_itself_may_be_named_by_a_link(shown):
    link = shown.parent / "link"
    link.symlink_to(shown)
    assert read_regular(link / "run" / "run.json", str(link)) == b"inside"


@pytest.mark.parametrize("swapped", ["run.json", "run"])
def test_a_link_made_while_it_is_opened_is_refused(shown, swapped, monkeypatch):
    realpath, resolved = os.path.realpath, []

    def resolve_then_swap(path, **options):
        real = realpath(path, **options)
        resolved.append(path)
        if len(resolved) == 2:  # the folder, then the file
            place = shown / "run" if swapped == "run" else shown / "run" / "run.json"
            place.rename(shown.parent / "moved")
            secret = shown.parent / "secret"
            place.symlink_to(secret if swapped == "run" else secret / "run.json")
        return real

    monkeypatch.setattr(os.path, "realpath", resolve_then_swap)
    with pytest.raises((InputError, OSError)) as raised:
        open_regular(shown / "run" / "run.json", str(shown))
    assert len(resolved) == 2
    assert "secret" not in str(raised.value)


def test_confinement_holds_for_the_block_and_its_context(shown):
    (shown / "out").symlink_to("../secret/run.json")
    with confined_to(str(shown)):
        with pytest.raises(InputError, match="leads out"):
            open_regular(shown / "out")
        context = copy_context()
        found = []
        other = threading.Thread(target=lambda: found.append(read_regular(shown / "out")))
        other.start()
        other.join()
        assert found == [b"secret"]  # a thread that has nothing to do with it
    assert read_regular(shown / "out") == b"secret"
    with pytest.raises(InputError, match="leads out"):
        context.run(open_regular, shown / "out")  # as servers pass their context to a thread


def test_a_file_that_is_too_large_is_not_read_whole(shown):
    with open(shown / "large", "wb") as file:
        file.truncate(10**12)  # takes no space
    with pytest.raises(InputError, match="has more than 1,000 bytes"):
        read_regular(shown / "large", most_bytes=1000)


def test_descriptors_are_closed(shown):
    (shown / "out").symlink_to("../secret/run.json")
    os.mkfifo(shown / "run" / "pipe")
    before = os.listdir("/proc/self/fd")
    for name in ("out", "run/pipe", "run", "run/nothing", "nothing/deep/run.json"):
        with pytest.raises((InputError, OSError)):
            open_regular(shown / name, str(shown))
        with pytest.raises((InputError, OSError)):
            read_regular(shown / name, most_bytes=2)
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_errors_name_the_path(shown):
    with pytest.raises(FileNotFoundError) as raised:
        open_regular(shown / "run" / "nothing", str(shown))
    assert raised.value.filename == str(shown / "run" / "nothing")
    with pytest.raises(InputError, match="no file has such a name"):
        open_regular(f"{shown}/a\0b")


def test_polars_reads_what_was_opened(shown):
    (shown / "t.csv").write_text("a,b\n1,2\n3,4\n")
    with open_regular(shown / "t.csv", str(shown)) as file:
        frame = polars.scan_csv(file)
    (shown / "t.csv").unlink()
    assert frame.collect().height == frame.collect().height == 2
