"""What a client of the dashboard waits while thousands of slow connections are kept open.

    python benchmarks/slow_clients.py [--connections 2000] [--seconds 30]

Slow are those that say nothing, that send a letter of a header or of a body each second, and that
ask without the token and then stay. A second after the server ended one, the next one comes. A
client with the token asks for the list of runs, on a connection of its own each time and on one
that it keeps, from another process.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HEADER = b"GET /api/runs HTTP/1.1\r\nhost: 127.0.0.1\r\n"
BODY = b"POST /token HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\n"
KINDS = {"nothing": b"", "headers": HEADER, "bodies": BODY, "idle": HEADER + b"\r\n"}


async def keep_all(port: int, connections: int) -> None:
    """Keeps connections open until this process is ended; says each second how many there are."""
    counts = {"open": 0, "ended": 0, "refused": 0}
    kinds = list(KINDS.values())
    tasks = [keep(port, kinds[n % len(kinds)], counts) for n in range(connections)]
    await asyncio.gather(say(counts), *tasks)


async def say(counts: dict[str, int]) -> None:
    """Prints the counts each second."""
    while True:
        print(json.dumps(counts), flush=True)
        await asyncio.sleep(1.0)


async def keep(port: int, sent: bytes, counts: dict[str, int]) -> None:
    """Opens a connection again and again, and dawdles on it."""
    await asyncio.sleep(random.random())
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            counts["refused"] += 1
            await asyncio.sleep(1.0)
            continue
        counts["open"] += 1
        with contextlib.suppress(OSError):
            await dawdle(reader, writer, sent)
        counts["open"] -= 1
        counts["ended"] += 1
        writer.transport.abort()
        await asyncio.sleep(1.0)


async def dawdle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: bytes) -> None:
    """Says a letter each second until the server ends the connection."""
    writer.write(sent)
    while True:
        with contextlib.suppress(TimeoutError):
            if not await asyncio.wait_for(reader.read(65_536), 1.0):
                return
            continue
        if sent in (HEADER, BODY):
            writer.write(b"x")


def ask(client: http.client.HTTPConnection, token: str) -> float:
    """Returns the seconds until the list of runs is there."""
    began = time.perf_counter()
    client.request("GET", "/api/runs", headers={"authorization": f"Bearer {token}"})
    answer = client.getresponse()
    answer.read()
    assert answer.status == 200, answer.status
    return time.perf_counter() - began


def measure(port: int, token: str, seconds: float) -> dict[str, object]:
    """Returns what requests took, and how many failed, while some seconds pass."""
    took: dict[str, list[float]] = {"new": [], "kept": []}
    failed = 0
    kept = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        fresh = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        for name, client in (("new", fresh), ("kept", kept)):
            try:
                took[name].append(ask(client, token))
            except (OSError, http.client.HTTPException):
                failed += 1
                client.close()
        fresh.close()
        time.sleep(0.05)
    kept.close()
    found: dict[str, object] = {"failed": failed}
    for name, values in took.items():
        found[name] = {
            "requests": len(values),
            "median_milliseconds": round(1000 * statistics.median(values), 1) if values else None,
            "most_milliseconds": round(1000 * max(values), 1) if values else None,
        }
    return found


def main() -> None:
    """Prints latencies without and with the slow connections, and what the server wrote."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--connections", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--slow-to", type=int, metavar="PORT", help="only be slow, at a port")
    given = parser.parse_args()
    if given.slow_to is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, given.connections + 500), hard))
        asyncio.run(keep_all(given.slow_to, given.connections))
        return
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/errors.txt", "w+") as errors:
        command = [sys.executable, "-m", "schedlab"]
        demo = f"{folder}/demo"
        subprocess.run(
            [*command, "demo", "--no-report", "--out", demo], check=True, stdout=subprocess.DEVNULL
        )
        server = subprocess.Popen(
            [*command, "dashboard", demo, "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert server.stdout is not None
        found = re.search(r"http://[^:]+:(\d+)/\?token=(\S+)", server.stdout.readline())
        assert found is not None
        port, token = int(found[1]), found[2]
        try:
            time.sleep(2)
            print("without:", json.dumps(measure(port, token, given.seconds / 3)))
            slow = subprocess.Popen(
                [sys.executable, __file__, *sys.argv[1:], "--slow-to", str(port)],
                stdout=subprocess.PIPE,
                text=True,
            )
            time.sleep(5)
            print("with:", json.dumps(measure(port, token, given.seconds)))
            slow.terminate()
            print("slow:", slow.communicate()[0].splitlines()[-1])
            print("after:", json.dumps(measure(port, token, given.seconds / 3)))
            with open(f"/proc/{server.pid}/status", encoding="ascii") as status:
                peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
            print(f"memory: {int(peak) / 1000:.0f} MB at most")
        finally:
            server.terminate()
            server.wait()
        errors.seek(0)
        print(f"log: {len(errors.read().splitlines())} lines, {os.path.getsize(errors.name)} bytes")


if __name__ == "__main__":
    main()
