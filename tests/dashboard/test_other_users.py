"""The dashboard as another user of the same machine finds it."""

from __future__ import annotations

import glob
import json
import os
import pwd
import re
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from time import monotonic, sleep

import pytest
from dashboard.conftest import write_inputs

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

FORM = {
    "name": "stolen",
    "workload": "0:workload.swf",
    "system": "0:system.toml",
    "scheduler": "easy",
    "allocator": "first-fit",
}


def as_nobody(function, *arguments):
    """Returns what a function returns, as plain data, when another user calls it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            nobody = pwd.getpwnam("nobody")
            os.setgroups([])
            os.setgid(nobody.pw_gid)
            os.setuid(nobody.pw_uid)
            os.write(writing, json.dumps(function(*arguments)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text)


def content(path):
    """Returns what a file holds, or why it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("latin-1")
    except OSError as error:
        return type(error).__name__


def answer(url, data=None, **headers):
    """Returns status and text of an answer."""
    request = urllib.request.Request(url, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return [response.status, response.read().decode("latin-1")]
    except urllib.error.HTTPError as error:
        return [error.code, error.read().decode("latin-1")]


@pytest.fixture
def begun(tmp_path):
    """A dashboard of root's in a folder open to all: its process, its output, its browser."""
    folder = tempfile.mkdtemp(prefix="open-to-all-")  # those of pytest are root's alone
    os.chmod(folder, 0o755)
    runs, output = os.path.join(folder, "runs"), os.path.join(folder, "output.txt")
    os.mkdir(runs)
    os.mkdir(f"{folder}/temporary")
    os.chmod(f"{folder}/temporary", 0o1777)
    write_inputs(Path(runs))
    browser = os.path.join(folder, "browser")
    with open(browser, "w") as script:
        script.write("#!/bin/sh\ntrap 'kill $!' TERM\nsleep 60 &\n")
        script.write(f"echo $$ > {folder}/browser-process\nwait\n")
    os.chmod(browser, 0o755)
    with open(output, "w") as file:
        os.fchmod(file.fileno(), 0o644)
        command = [sys.executable, "-m", "schedlab", "dashboard", runs, "--port", "0", "--open"]
        # A folder for temporary files of its own, as open as the system's.
        own = {"BROWSER": f"{browser} %s &", "TMPDIR": f"{folder}/temporary", "XDG_RUNTIME_DIR": ""}
        process = subprocess.Popen(command, stdout=file, stderr=file, env={**os.environ, **own})
    try:
        deadline = monotonic() + 30
        while "Ctrl-C" not in content(output) or not _process(folder):
            assert monotonic() < deadline, content(output)
            sleep(0.05)
        yield process, folder
    finally:
        process.terminate()
        process.wait()
        if _process(folder):
            os.kill(int(_process(folder)), signal.SIGTERM)
        subprocess.run(["rm", "-rf", folder], check=True)


def _process(folder):
    """Returns the number of the browser's process, once it is known."""
    text = content(f"{folder}/browser-process").strip()
    return text if text.isdigit() else ""


def test_another_user_gets_nothing(begun):
    process, folder = begun
    printed = content(f"{folder}/output.txt")
    url = re.search(r"http://\S+", printed)[0]
    link_file = re.search(r"is in (\S+)", printed)[1]
    token = re.search(r"token=([\w-]+)", content(link_file))[1]
    assert answer(f"{url}api/runs", authorization=f"Bearer {token}")[0] == 200

    status, page = as_nobody(answer, url)
    assert status == 401
    assert token not in page
    own = {"x-schedlab": "1", "content-type": "application/json"}
    form = json.dumps(FORM).encode()
    assert as_nobody(lambda: answer(f"{url}api/launch", form, **own))[0] == 401
    assert not os.path.exists(f"{folder}/runs/stolen")
    for path in ("api/runs", "api/file?path=.&name=run.json", "static/app.js"):
        assert as_nobody(answer, url + path)[0] == 401

    assert token not in as_nobody(content, f"{folder}/output.txt")
    assert token not in as_nobody(content, f"/proc/{process.pid}/cmdline")
    assert as_nobody(content, f"/proc/{process.pid}/environ") == "PermissionError"
    assert as_nobody(content, link_file) == "PermissionError"
    browser = as_nobody(content, f"/proc/{_process(folder)}/cmdline")
    assert link_file in browser
    assert token not in browser
    assert as_nobody(content, f"/proc/{process.pid}/maps") == "PermissionError"
    every = as_nobody(lambda: [content(path) for path in glob.glob("/proc/[0-9]*/cmdline")])
    assert not [one for one in every if token in one]


def test_what_simulations_say_is_the_users_own(begun):
    process, folder = begun
    printed = content(f"{folder}/output.txt")
    url = re.search(r"http://\S+", printed)[0]
    token = re.search(r"token=([\w-]+)", content(re.search(r"is in (\S+)", printed)[1]))[1]
    own = {"x-schedlab": "1", "content-type": "application/json"}
    form = json.dumps({**FORM, "pause": True}).encode()
    own["authorization"] = f"Bearer {token}"
    assert answer(f"{url}api/launch", form, **own)[0] == 200
    made = glob.glob(f"{folder}/temporary/**", recursive=True)
    assert len(made) > 1
    outcomes = {as_nobody(content, path) for path in made if os.path.isfile(path)}
    assert "PermissionError" in outcomes
    assert outcomes <= {"PermissionError", "FileNotFoundError"}  # or it has gone meanwhile
    pids = [path for path in glob.glob("/proc/[0-9]*/cmdline") if f"{folder}/runs" in content(path)]
    assert pids
    for path in pids:
        assert token not in content(path)
        assert token not in content(path.replace("cmdline", "environ"))
        number = int(path.split("/")[2])
        if number != process.pid:
            os.kill(number, signal.SIGTERM)
