"""Files that take their place when they are whole: what must not be replaced by one."""

import errno
import os
import stat
import subprocess
import sys
import tempfile
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.errors import InputError
from schedlab.whole_file import whole_file, write_text


def test_a_pipe_is_not_replaced(tmp_path):
    # A pipe stands for all that is not a file: as root, /dev/null was replaced by a file.
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    with pytest.raises(InputError, match="is a device or pipe, not a file"):
        write_text(path, "text")
    assert stat.S_ISFIFO(os.stat(path).st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_link_to_a_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with pytest.raises(InputError, match="is a device or pipe"):
        write_text(str(tmp_path / "link"), "text")
    assert (tmp_path / "link").is_symlink()


def test_a_folder_is_not_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="is a directory"):
        write_text(str(tmp_path / "folder"), "text")


def test_the_file_behind_a_link_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/file")
    for text in ("first", "second"):
        write_text(str(tmp_path / "link"), text)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "there" / "file").read_text() == text


def test_what_was_there_stays_when_the_block_fails(tmp_path):
    path = tmp_path / "file"
    path.write_text("before")
    with pytest.raises(UnicodeEncodeError):
        write_text(str(path), "\ud800")
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize(("name", "message"), [("-", "standard output"), ("/dev/null", "a device")])
def test_what_is_not_a_name_of_a_file(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        write_text(name, "text")
    assert os.listdir(tmp_path) == []


def test_a_link_to_itself(tmp_path):
    (tmp_path / "link").symlink_to("link")
    with pytest.raises(InputError, match="a link that leads nowhere"):
        write_text(str(tmp_path / "link"), "text")


def test_a_file_called_minus_and_one_with_the_longest_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("./-", "x" * 255, "\udcff"):
        write_text(name, "text")
        with open(name) as file:
            assert file.read() == "text"
    assert len(os.listdir()) == 3


def test_rights_are_those_of_new_files_and_stay(tmp_path):
    path = tmp_path / "file"
    before = os.umask(0o027)
    try:
        write_text(str(path), "new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o600)
        write_text(str(path), "newer")
    finally:
        os.umask(before)
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("newer", 0o600)


def test_a_second_writer_gets_an_error_at_once(tmp_path):
    path = str(tmp_path / "file")
    with whole_file(path) as partial:
        with open(partial, "w") as file:
            file.write("first")
        with pytest.raises(InputError, match="file: another process is writing it"):
            write_text(path, "second")
    assert (tmp_path / "file").read_text() == "first"
    write_text(path, "third")
    assert (tmp_path / "file").read_text() == "third"
    assert os.listdir(tmp_path) == ["file"]


def test_a_patient_writer_comes_second(tmp_path):
    path = str(tmp_path / "file")

    def write():
        with whole_file(path, patience_seconds=60) as partial, open(partial, "w") as file:
            file.write("second")

    with whole_file(path) as partial:
        thread = threading.Thread(target=write)
        thread.start()
        with open(partial, "w") as file:
            file.write("first")
    thread.join(60)
    assert (tmp_path / "file").read_text() == "second"


WRITER = """
import os, sys, time
from schedlab.whole_file import parts_of, whole_file
with whole_file(sys.argv[1]) as partial:
    os.mkdir(parts_of(partial))
    with open(partial, "w") as file:
        file.write("of another process")
        file.flush()
        print("writes", flush=True)
        sys.stdin.read()
"""


def test_what_a_killed_writer_left_is_removed_by_the_next_one_only(tmp_path):
    path = str(tmp_path / "file")
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        left = sorted(os.listdir(tmp_path))
        assert len(left) == 3  # the lock, the file and its parts
        with pytest.raises(InputError, match="another process"):
            write_text(path, "text")
        assert sorted(os.listdir(tmp_path)) == left  # those of a living one stay
        process.kill()
    write_text(str(tmp_path / "other"), "text")
    assert sorted(os.listdir(tmp_path)) == sorted([*left, "other"])
    write_text(path, "text")
    assert sorted(os.listdir(tmp_path)) == ["file", "other"]


@pytest.mark.parametrize("left", ["../precious", ".file.1.part/../precious", "precious", ""])
def test_a_lock_says_nothing_about_other_files(tmp_path, left):
    (tmp_path / "folder").mkdir()
    for name in ("precious", "folder/precious"):
        (tmp_path / name).write_text("mine")
    (tmp_path / "folder" / ".file.lock").write_text(left)
    write_text(str(tmp_path / "folder" / "file"), "text")
    assert sorted(os.listdir(tmp_path / "folder")) == ["file", "precious"]
    assert sorted(os.listdir(tmp_path)) == ["folder", "precious"]


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_lock_that_is_not_ours(tmp_path, kind):
    lock = tmp_path / ".file.lock"
    if kind == "link":
        lock.symlink_to(tmp_path / "precious")
    elif kind == "pipe":
        os.mkfifo(lock)
    else:
        lock.mkdir()
    with pytest.raises(InputError, match=r"\.file\.lock: is not a file of schedlab"):
        write_text(str(tmp_path / "file"), "text")
    assert os.listdir(tmp_path) == [".file.lock"]


def test_without_locks_the_last_one_wins_whole(tmp_path, monkeypatch):
    import fcntl

    def no_locks(*_):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    path = str(tmp_path / "file")
    with whole_file(path) as one, open(one, "w") as file:
        write_text(path, "second")
        file.write("first")
    assert (tmp_path / "file").read_text() == "first"
    assert os.listdir(tmp_path) == ["file"]


def test_each_file_is_on_disk_before_it_takes_its_place(tmp_path, monkeypatch):
    happened = []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(file):
        happened.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "file")
        fsync(file)

    def noted_replace(source, target):
        happened.append("rename")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    write_text(str(tmp_path / "file"), "text")
    assert happened == ["file", "rename", "folder"]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(max_size=2000), min_size=2, max_size=6))
def test_of_many_writers_at_once_one_wins_whole(texts):
    with tempfile.TemporaryDirectory() as folder:
        path, refused = os.path.join(folder, "file"), []

        def write(text):
            try:
                write_text(path, text)
            except InputError as error:
                refused.append(error)

        kept = [text.encode("utf-8", "replace").decode() for text in texts]
        threads = [threading.Thread(target=write, args=(text,)) for text in kept]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(refused) < len(texts)
        with open(path, encoding="utf-8", newline="") as file:
            assert file.read() in kept
        assert os.listdir(folder) == ["file"]
