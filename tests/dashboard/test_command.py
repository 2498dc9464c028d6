"""`schedlab dashboard`: what it says, what it refuses, how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest


def begin(*arguments, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "schedlab", "dashboard", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def address(process) -> str:
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found, process.communicate(timeout=20)
    return found[0]


def end(process) -> tuple[str, str]:
    process.send_signal(signal.SIGINT)
    printed = process.communicate(timeout=20)
    assert process.returncode == 0, printed
    return printed


def test_serves_until_interrupted(results):
    process = begin(results, "--port", 0)
    try:
        link = address(process)
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", link)
        url = link.partition("?")[0]
        with httpx.Client(follow_redirects=True) as browser:
            assert browser.get(link).status_code == 200
            assert browser.get(url).status_code == 200  # by its cookie
            script = browser.get(url + "static/plotly.min.js")
        assert script.status_code == 200
        assert len(script.content) > 1_000_000
        assert "Ctrl-C" in process.stdout.readline()
        _, errors = end(process)
        assert errors == ""
    finally:
        process.kill()


def test_without_the_token_this_machine_gets_nothing(results):
    process = begin(results, "--port", 0)
    try:
        url, _, token = address(process).partition("?token=")
        for path in ("", "static/app.js", "api/runs", "api/launch", "nothing"):
            answer = httpx.get(url + path)
            assert answer.status_code == 401
            assert answer.headers["connection"] == "close"
        page = httpx.get(url).text
        assert "The terminal in which" in page
        assert url[:-1] in page
        assert token not in page
        own = {"authorization": f"Bearer {token}"}
        assert httpx.get(url + "api/runs", headers=own).status_code == 200
        _, errors = end(process)
        assert errors == ""
    finally:
        process.kill()


def test_each_start_has_a_token_of_its_own(results):
    begun = [begin(results, "--port", 0) for _ in range(2)]
    try:
        links = [address(process) for process in begun]
        tokens = [link.partition("?token=")[2] for link in links]
        assert tokens[0] != tokens[1]
        first = {"authorization": f"Bearer {tokens[0]}"}
        assert httpx.get(links[1].partition("?")[0] + "api/runs", headers=first).status_code == 401
    finally:
        for process in begun:
            process.kill()


def test_the_token_is_not_written_where_others_can_read(results, tmp_path):
    file = tmp_path / "output.txt"
    file.touch()
    file.chmod(0o644)
    with open(file, "w") as output:
        command = [sys.executable, "-m", "schedlab", "dashboard", str(results), "--port", "0"]
        own = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
        process = subprocess.Popen(command, stdout=output, stderr=output, env=own)
    try:
        deadline = monotonic() + 30
        while "Ctrl-C" not in file.read_text():
            assert monotonic() < deadline
            sleep(0.05)
        printed = file.read_text()
        path = re.search(r"the link with the token is in (\S+)", printed)[1]
        assert os.path.dirname(path) == str(tmp_path)
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        link = re.search(r'href="([^"]+)"', Path(path).read_text())[1]
        url, _, token = link.partition("?token=")
        assert url in printed
        assert token
        assert httpx.get(link).status_code == 303
        assert httpx.get(url + "?token=wrong").status_code == 401
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert token not in file.read_text()
        assert not os.path.exists(path)
    finally:
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_browser_is_not_started_with_the_token(results, tmp_path, number):
    (tmp_path / "browser").write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/opened\n')
    (tmp_path / "browser").chmod(0o755)
    process = begin(results, "--port", 0, "--open", BROWSER=f"{tmp_path}/browser")
    try:
        token = address(process).partition("?token=")[2]
        deadline = monotonic() + 20
        while not (tmp_path / "opened").exists() or not (tmp_path / "opened").read_text():
            assert monotonic() < deadline
            sleep(0.05)
        opened = (tmp_path / "opened").read_text().strip()
        assert token not in opened
        path = opened.removeprefix("file://")
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert token in Path(path).read_text()
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
        assert token not in errors
        assert not os.path.exists(path)
    finally:
        process.kill()


def test_a_token_file_that_others_can_read_is_said(results, tmp_path):
    file = tmp_path / "token"
    file.write_text("0123456789abcdef0123\n")
    file.chmod(0o644)
    process = begin(results, "--port", 0, "--token-file", file)
    try:
        address(process)
        _, errors = end(process)
        assert "other users of this machine may use it (mode 644); chmod 600" in errors
    finally:
        process.kill()


def test_other_hosts_need_a_token(results, tmp_path):
    process = begin(results, "--port", 0, "--host", "0.0.0.0")
    try:
        url = address(process)
        assert re.search(r"\?token=[\w-]{32}$", url)
        assert httpx.get(url.partition("?")[0]).status_code == 401
        assert httpx.get(url).status_code == 303
        end(process)
    finally:
        process.kill()


def test_a_token_from_a_file_or_the_environment(results, tmp_path):
    token = "0123456789abcdef0123"
    file = tmp_path / "token"
    file.write_text(token + "\nmore\n")
    file.chmod(0o600)
    for process in (
        begin(results, "--port", 0, "--token-file", file),
        begin(results, "--port", 0, SCHEDLAB_TOKEN=token),
    ):
        try:
            assert address(process).endswith(f"?token={token}")
            end(process)
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: there is no such folder"),
        ([".", "--token-file", "nowhere"], "--token-file nowhere: No such file"),
        ([".", "--token-file", "short"], "a token has at least 16"),
        ([".", "--token-file", "alike"], "8 of them different"),
        ([".", "--token-file", "long"], "at most 200"),
        ([".", "--host", "no.such.host.invalid"], "choose another port"),
        ([".", "--port", "99999"], "--port"),
        ([".", "--workloads", "nowhere"], "nowhere: there is no such folder"),
    ],
)
def test_wrong_use(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    for name, token in (("short", "1234"), ("alike", "a" * 40), ("long", "abcdefgh" * 1000)):
        (tmp_path / name).write_text(f"{token}\n")
        (tmp_path / name).chmod(0o600)
    process = begin(*arguments, "--port", 0) if "--port" not in arguments else begin(*arguments)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 2
    assert message in errors
    assert errors.count("\n") == 1


def test_a_port_that_is_taken(results):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = begin(results, "--port", port)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 2
    assert "already in use; choose another port" in errors


def test_without_the_packages(results, tmp_path):
    (tmp_path / "fastapi.py").write_text("raise ImportError(name='fastapi')")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    process = begin(results, "--port", 0, PYTHONPATH=path)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 2
    assert "the dashboard needs fastapi: pip install 'schedlab[dashboard]'" in errors
