"""`schedlab dashboard`: what it says, what it refuses, how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys

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
    told = process.communicate(timeout=20)
    assert process.returncode == 0, told
    return told


def test_serves_until_interrupted(results):
    process = begin(results, "--port", 0)
    try:
        url = address(process)
        assert url.startswith("http://127.0.0.1:")
        assert httpx.get(url).status_code == 200
        script = httpx.get(url + "static/plotly.min.js")
        assert script.status_code == 200
        assert len(script.content) > 1_000_000
        assert "Ctrl-C" in process.stdout.readline()
        _, errors = end(process)
        assert errors == ""
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
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: there is no such folder"),
        ([".", "--token-file", "nowhere"], "--token-file nowhere: No such file"),
        ([".", "--token-file", "short"], "a token has at least 16"),
        ([".", "--host", "no.such.host.invalid"], "choose another port"),
        ([".", "--port", "99999"], "--port"),
        ([".", "--workloads", "nowhere"], "nowhere: there is no such folder"),
    ],
)
def test_wrong_use(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short").write_text("1234\n")
    process = begin(*arguments, "--port", 0) if "--port" not in arguments else begin(*arguments)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 2
    assert said in errors
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
