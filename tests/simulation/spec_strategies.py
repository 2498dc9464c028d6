"""Runs of every kind, as keyword arguments."""

from __future__ import annotations

from hypothesis import strategies as st

import schedlab as sl
from schedlab.options import CHOICES, DEFAULTS, FLAGS, RULES

TABLE = {"name": "m", "groups": {"node": {"nodes": 4, "resources": {"core": 2}}}}
SYSTEM = sl.load_system({**TABLE, "name": "as an object"})

_letters = st.characters(codec="utf-8", exclude_characters="\0\r")
paths = st.text(_letters, min_size=1, max_size=20).filter(lambda text: not text.isspace())
names = st.sampled_from(["mine:Name", "path/mine.py:Name(a=1, b='x y')", "fair", "a:b.c"])
schedulers = st.sampled_from(
    ["easy", "easy(order=shortest, depth=100)", "score:-wait * 2", "mine:A(share=0.5)"]
)
allocators = st.sampled_from(["best-fit", "first-fit(order=mine:f)", "mine.py:Places"])
windows = st.lists(
    st.builds(
        sl.Window,
        start=st.integers(0, 100),
        end=st.floats(101, 200),
        nodes=st.sampled_from(["all", "0-1, 3"]),
        when=st.none() | st.just("user == 3"),
        name=st.sampled_from(["", "repair"]),
    ),
    min_size=1,
    max_size=3,
)
queues = st.lists(
    st.builds(
        sl.Queue,
        name=st.sampled_from(["short", "long"]),
        priority=st.floats(-5, 5) | st.integers(0, 3),
        when=st.none() | st.just("estimate < 60"),
    ),
    min_size=1,
    max_size=2,
    unique_by=lambda queue: queue.name,
)

OPTIONS = {
    **{name: st.sampled_from(words) for name, words in CHOICES.items() if name in DEFAULTS},
    **{name: st.booleans() for name in FLAGS},
    "missing_estimate": st.sampled_from(["run", "skip"]) | st.integers(1, 9999) | st.floats(1, 9e5),
    "estimate": st.sampled_from(CHOICES["estimate"]) | names,
    "tasks_per_node": st.integers(1, 99),
    "keep": st.sampled_from(["", "queue", "queue, phase"]),
    "accuracy": st.floats(0, 0.5),
    "mapping": st.sampled_from(["block", "cyclic", "mine:evenly"]),
    "seed": st.integers(0, 2**64 - 1),
}
assert set(OPTIONS) == set(DEFAULTS)

NAMED = {
    "reader": names | st.sampled_from(["swf", "csv(submit=start)"]),
    "scheduler": schedulers,
    "allocator": allocators,
    "windows": paths,
    "queues": paths,
    "conditions": paths,
    "data": st.lists(names | st.just("link-use"), min_size=1, max_size=3),
    "job_factory": names,
    "rules": st.sampled_from([*RULES]),
}
"""What a command line can name."""

named_runs = st.fixed_dictionaries(
    {"workload": paths, "system": paths}, optional={**NAMED, **OPTIONS}
)
"""Keyword arguments of runs that a command line can name."""

runs = st.fixed_dictionaries(
    {},
    optional={
        "workload": paths,
        "system": paths | st.just(TABLE) | st.just(SYSTEM),
        **NAMED,
        **OPTIONS,
        "windows": paths | windows,
        "queues": paths | queues,
        "conditions": paths | st.just({"price": 0.2}) | st.just(sl.Conditions(price=0.1)),
        "scheduler": schedulers | st.just(sl.Easy(order="shortest", depth=3)),
        "allocator": allocators | st.just(sl.BestFit()),
    },
)
"""Keyword arguments of all runs that plain data can hold, those that lack something included."""
