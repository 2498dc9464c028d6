"""Files that take their place when they are whole: what must not be replaced by one."""

import os
import stat

import pytest

from schedlab.errors import InputError
from schedlab.whole_file import write_text


def test_a_pipe_is_not_replaced(tmp_path):
    # A pipe stands for all that is no file: as root, /dev/null was replaced by a file.
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    with pytest.raises(InputError, match="is a device or pipe, no file"):
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
