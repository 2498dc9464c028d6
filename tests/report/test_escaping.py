"""What run.json and experiment.json say is text in pages, whatever it looks like."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import schedlab as sl
from schedlab.report import write_report

HOSTILE = "<script>alert('x')</script>\"><img src=x onerror=y>&amp;"
SYSTEM = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}
JOBS = [sl.Job(n, submit=n, run=20, processors=2, user=n % 3) for n in range(1, 12)]


def hostile(value: Any, key: str = "") -> Any:
    """Returns plain data with hostile texts wherever any text may be."""
    if isinstance(value, dict):
        return {name: hostile(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return value if key == "files" else [hostile(one) for one in value]
    fixed = ("status", "fidelity", "name", "checksum")  # words, and the name of a machine
    return HOSTILE if isinstance(value, str) and key not in fixed else value


def test_a_page_has_no_markup_of_the_run(tmp_path: Path) -> None:
    sl.simulate(JOBS, system=SYSTEM, out=tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    run = json.loads(file.read_text())
    run = {**hostile(run), "system": run["system"], "tables": run["tables"]}
    run["system"]["path"] = run["workload"]["path"] = HOSTILE
    run["workload"]["header"] = {"Computer": HOSTILE, HOSTILE: HOSTILE}
    run["workload"]["skipped"] = {HOSTILE: {"rows": 1, "first_line": 3}}
    run["rejections"] = {HOSTILE: {"jobs": 1, "first_job": 1, "because": HOSTILE}}
    run["warnings"], run["error"], run["data"] = [HOSTILE], HOSTILE, [HOSTILE]
    run["windows"] = run["queues"] = [{"name": HOSTILE}]
    run["conditions"] = {"text": HOSTILE, "source": HOSTILE, "caps": [{"checksum": HOSTILE}]}
    run["options"] |= {"mapping": HOSTILE, HOSTILE: HOSTILE}
    file.write_text(json.dumps(run))
    write_report(tmp_path / "run", tmp_path / "page.html", plots=["slowdown"])
    page = (tmp_path / "page.html").read_text()
    assert "&lt;script&gt;" in page
    assert not re.search(r"<script|<img src=x", page)
    shown = sl.Result.load(tmp_path / "run").summary._repr_html_(HOSTILE)
    assert not re.search(r"<script|<img src=x", shown)
