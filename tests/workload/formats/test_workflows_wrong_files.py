"""Workflows in files that are none, or damaged: refused with the place of what is wrong."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from workload.formats.workflow_documents import DAX, FIGURE_4, OF_ITS_CODE, load, wfformat_15

from schedlab.errors import InputError
from schedlab.workload.workflow import Workflow

BILLION_LAUGHS = """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">
<!ENTITY lol1 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]><adag><job id="&lol1;"/></adag>"""
EXTERNAL = """<!DOCTYPE adag [<!ENTITY secret SYSTEM "file:///etc/passwd">]>
<adag><job id="a" runtime="1">&secret;</job></adag>"""


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (BILLION_LAUGHS, ":1: must have no document type"),
        (EXTERNAL, ":1: must have no document type"),
        ("<adag><job id='a' runtime='1'/>", "is not XML: no element found"),
        ("<adag>\n<job id='a' runtime='1'></adag>", ":2: is not XML: mismatched tag"),
        ("<html/>", "is not a DAX: its root is <html>, not <adag>"),
        ("<adag/>", "has no tasks"),
        ("<adag><job runtime='1'/></adag>", "<job> must have the attribute id"),
        ("<adag><job id='a'/></adag>", "job 'a' has no runtime"),
        ("<adag><job id='a' runtime='x'/></adag>", "runtime must be a number from 0, not 'x'"),
        ("<adag><job id='a' runtime='-1'/></adag>", "not '-1'"),
        ("<adag><job id='a' runtime='nan'/></adag>", "not 'nan'"),
        ("<adag><job id='a' runtime='1e300'/></adag>", "run time must be a number"),
        ("<adag><job id='a' runtime='1'/>\n<job id='a' runtime='1'/></adag>", "line 1 has it"),
        ("<adag><job id='a' runtime='1'/><child ref='b'/></adag>", ""),
        (
            "<adag><job id='a' runtime='1'/><child ref='b'><parent ref='a'/></child></adag>",
            "child 'b' is not a job",
        ),
        (
            "<adag><job id='a' runtime='1'/><child ref='a'><parent ref='b'/></child></adag>",
            "waits for 'b', which is not a task",
        ),
        ("<adag>" + "<a>" * 5000, "too deep"),
        ("<adag>\x00</adag>", "is not XML"),
    ],
)
def test_wrong_xml(tmp_path: Path, content: str, words: str) -> None:
    if not words:  # a child without parents is nothing wrong
        load(tmp_path, content, "flow.xml")
        return
    with pytest.raises(InputError) as raised:
        load(tmp_path, content, "flow.xml")
    assert words in str(raised.value)
    assert "flow.xml" in str(raised.value)


def changed(path: str, value: object) -> str:
    """The 1.5 document with another value at a place such as "workflow.execution.tasks.0"."""
    document = here = wfformat_15()
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
    for step in steps:
        here = here[step]
    here[last] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is not JSON"),
        ("[]", "is not a workflow"),
        ("{}", "is not a workflow"),
        ('{"tasks": [', "is not JSON"),
        ('{"tasks": []}', "has no tasks"),
        ('{"tasks": 3}', "tasks: must be a list, not 3"),
        ('{"tasks": [3]}', "tasks[0]: must be an object, not 3"),
        ('{"tasks": [{"cores": 1}]}', "tasks[0].id: is missing"),
        ('{"tasks": [{"id": "a"}]}', "tasks[0].rtime: is missing"),
        ('{"tasks": [{"id": ["a"], "rtime": 1}]}', "tasks[0].id: must be a text, not a list"),
        ('{"tasks": [{"id": "a", "rtime": NaN}]}', "tasks[0].rtime: must be a finite number"),
        ('{"tasks": [{"id": "a", "rtime": -1}]}', "tasks[0].rtime: must be at least 0, not -1"),
        ('{"tasks": [{"id": "a", "rtime": "1"}]}', "tasks[0].rtime: must be a number, not '1'"),
        ('{"tasks": [{"id": "a", "rtime": 1' + "0" * 400 + "}]}", "is too large a number"),
        ('{"tasks": [{"id": "a", "rtime": 1' + "0" * 5000 + "}]}", "is not JSON"),
        ('{"tasks": [{"id": "a", "rtime": 1, "cores": 1.5}]}', "cores: must be a whole number"),
        ('{"tasks": [{"id": "a", "rtime": 1, "cores": 0}]}', "cores: must be at least 1, not 0"),
        ('{"tasks": [{"id": "a", "rtime": 1, "deps": "b"}]}', "deps: must be a list, not 'b'"),
        ('{"tasks": [{"id": "a", "rtime": 1, "deps": ["b"]}]}', "waits for 'b'"),
        ('{"tasks": [{"id": "a", "rtime": 1}], "dot_dag": "{a -> b}"}', "'b' is none"),
        ('{"tasks": [{"id": "a", "rtime": 1}], "dot_dag": "{a to b}"}', "must be a graph"),
        ('{"tasks": ' + "[" * 100_000, "within each other too deep"),
        (b'{"tasks": "\xff\xfe"}', "is no"),
        ('{"workflow": 3}', "workflow: must be an object, not 3"),
        ('{"workflow": {}}', "workflow.specification: is missing"),
        (changed("workflow.specification.tasks.0.id", 5.5), "tasks[0].id: must be a text"),
        (changed("workflow.specification.tasks.1.id", "s1"), "tasks[1].id: must be given once"),
        (changed("workflow.specification.tasks.1.parents", ["x"]), "parents[0]: must be a task"),
        (changed("workflow.specification.tasks.1.parents", "s1"), "parents: must be a list"),
        (changed("workflow.specification.tasks.0.parents", ["m1"]), "in a circle"),
        (changed("workflow.execution.tasks.0.id", "zz"), "must be a task of"),
        (changed("workflow.execution.tasks.0.id", "s1"), "must be given once"),
        (
            changed("workflow.execution.tasks.1.coreCount", "two"),
            "workflow.execution.tasks[1].coreCount: must be a number, not 'two'",
        ),
        (changed("workflow.execution.tasks.1.runtimeInSeconds", None), "has no runtimeInSeconds"),
    ],
)
def test_wrong_json(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(InputError) as raised:
        load(tmp_path, content)
    assert words in str(raised.value)
    assert "flow.json" in str(raised.value)


@examples(150)
@given(st.sampled_from([FIGURE_4, OF_ITS_CODE, json.dumps(wfformat_15()), DAX]), st.data())
def test_damaged_files_are_refused_or_read(tmp_path_factory, text: str, data) -> None:
    content = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    path = tmp_path_factory.mktemp("damaged") / "flow.json"
    path.write_bytes(bytes(content[: cut or None]))
    with contextlib.suppress(InputError):  # and no other
        assert Workflow.load(path).max_cores >= 1
