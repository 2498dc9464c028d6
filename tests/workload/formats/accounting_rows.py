"""Random rows of job tables that logs of batch systems can hold."""

from __future__ import annotations

from hypothesis import strategies as st

numbers = st.one_of(st.just(-1), st.integers(0, 10**6))

FIELDS = {
    "wait": numbers,
    "run": numbers,
    "allocated_processors": st.one_of(st.just(-1), st.integers(1, 500)),
    "cpu_time": st.one_of(st.just(-1), st.integers(0, 10**6), st.floats(0, 1000)),
    "used_memory": numbers,
    "requested_processors": st.one_of(st.just(-1), st.integers(1, 500)),
    "requested_time": st.one_of(st.just(-1), st.integers(1, 10**6)),
    "requested_memory": st.one_of(st.just(-1), st.integers(1, 10**6)),
    "status": st.sampled_from([-1, 0, 1, 5]),
    "user": numbers,
    "group": numbers,
    "executable": numbers,
    "queue": numbers,
}
