"""Workflows of several formats that tests read."""

from __future__ import annotations

import json
from pathlib import Path

from schedlab.workload.workflow import Workflow

FIGURE_4 = """{ "tasks" : [
{ "id" : "SWide", "cmd" : "./W.py", "cores" : 480, "rtime" : 360.0 },
{ "id" : "SLong", "cmd" : "./L.py", "cores" : 48, "rtime" : 1440.0, "deps" : [ "SWide" ] } ] }"""

OF_ITS_CODE = """{"max_cores": 480, "tasks": [
 {"name": "S0", "execution_cmd": "./S0.py", "number_of_cores": 480, "runtime_limit": 3600.0,
  "runtime_sim": 3540.0, "id": "S0"},
 {"name": "S1", "execution_cmd": "./S1.py", "number_of_cores": 48, "runtime_limit": 14400.0,
  "runtime_sim": 14340.0, "id": "S1"}],
 "total_runtime": 18000.0, "dot_dag": "strict digraph  {\\n\\tS0 -> S1;}\\n"}"""

DAX = """<?xml version="1.0" encoding="UTF-8"?>
<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.3" name="Mon &amp; tage">
  <job id="ID1" namespace="Montage" name="mProject" version="1.0" runtime="13.59">
    <uses file="a.fits" link="input" size="4222080"/>
  </job>
  <job id="ID2" name="mpi">
    <argument>-i <file name="f.in"/></argument>
    <profile namespace="pegasus" key="cores">32</profile>
    <profile namespace="pegasus" key="runtime">
      600 </profile>
    <profile namespace="pegasus" key="memory">2048</profile>
    <profile namespace="globus" key="maxwalltime">20</profile>
  </job>
  <dax id="ID3" file="inner.dax" runtime="5" numcores="2"/>
  <child ref="ID2"><parent ref="ID1"/></child>
  <child ref="ID3"><parent ref="ID1"/><parent ref="ID2"/></child>
</adag>"""


def wfformat_15() -> dict:
    return {
        "name": "demo",
        "schemaVersion": "1.5",
        "workflow": {
            "specification": {
                "tasks": [
                    {"name": "split", "id": "s1", "parents": [], "children": ["w1", "w2"]},
                    {"name": "work", "id": "w1", "parents": ["s1"], "children": ["m1"]},
                    {"name": "work", "id": "w2", "parents": ["s1"], "children": []},
                    {"name": "merge", "id": "m1", "parents": ["w2"], "children": []},
                ],
                "files": [],
            },
            "execution": {
                "makespanInSeconds": 9,
                "executedAt": "2024-01-01T00:00:00+00:00",
                "tasks": [
                    {"id": "m1", "runtimeInSeconds": 1, "memoryInBytes": 2048},
                    {"id": "s1", "runtimeInSeconds": 2.5, "coreCount": 2},
                    {"id": "w1", "runtimeInSeconds": 3, "coreCount": 1.5},
                    {"id": "w2", "runtimeInSeconds": 4, "command": {"program": "worker"}},
                ],
            },
        },
    }


def load(tmp_path: Path, content: object, name: str = "flow.json") -> Workflow:
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return Workflow.load(tmp_path / name)
