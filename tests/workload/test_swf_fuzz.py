"""Whatever bytes a file holds: a clear error or a counted skip, never a crash."""

from __future__ import annotations

import contextlib

from hypothesis import example, given
from hypothesis import strategies as st

import schedlab

SYSTEM = {"groups": {"all": {"nodes": 4, "resources": {"core": 4, "mem": 1000}}}}

tokens = st.one_of(
    st.integers(-2, 30).map(str),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(
        ["-", "+", ".", "-.", "1e5", "0x1", ";", "1;2", "--1", "9" * 30, "é", "1,2", "-0"]
    ),
)
lines = st.lists(tokens, min_size=14, max_size=22).map(" ".join) | st.text(max_size=60)
files = st.one_of(
    st.binary(max_size=400),
    st.lists(lines, max_size=12).map(lambda parts: "\n".join(parts).encode()),
)


def simulate(content: bytes, folder, **choices):
    path = folder / "fuzz.swf"
    path.write_bytes(content)
    return schedlab.simulate(path, system=SYSTEM, out=folder / "out", **choices)


@given(
    content=files,
    scheduler=st.sampled_from(["fifo", "easy", "conservative", "fcfs-bf", "reject"]),
    processors=st.sampled_from(["requested", "allocated"]),
    unusable=st.sampled_from(["skip", "substitute"]),
    sort=st.booleans(),
    strict=st.booleans(),
    dependencies=st.sampled_from(["ignore", "honour"]),
)
@example(b"\0" * 70, "fifo", "requested", "skip", False, False, "ignore")
@example(b"1 " * 17 + b"1", "fifo", "requested", "skip", False, False, "honour")
def test_any_bytes(
    tmp_path_factory, content, scheduler, processors, unusable, sort, strict, dependencies
):
    folder = tmp_path_factory.mktemp("fuzz")
    try:
        result = simulate(
            content,
            folder,
            scheduler=scheduler,
            processors=processors,
            unusable=unusable,
            sort=sort,
            strict=strict,
            dependencies=dependencies,
        )
    except schedlab.SchedlabError:
        assert not list(folder.glob("out/*"))
        return
    rows = result.run["workload"]["rows"]
    skipped = sum(reason["rows"] for reason in result.run["workload"]["skipped"].values())
    assert rows == skipped + result.counts["submitted"]


@given(content=files, memory=st.sampled_from(["requested", "used"]))
def test_any_memory(content, memory, tmp_path_factory):
    with contextlib.suppress(schedlab.SchedlabError):
        simulate(content, tmp_path_factory.mktemp("fuzz"), memory=memory, sort=True)


@given(content=files)
def test_any_rows(content, tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / "fuzz.swf"
    path.write_bytes(content)
    rows = schedlab.read_swf(path)
    for row in rows:
        assert len(row) == 18
