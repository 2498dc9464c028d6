"""Small logs, and the definition of a flurry in plain Python, as slow as it is plain."""

from __future__ import annotations

import numpy
import polars

from schedlab.workload.table import complete

HOURS = (24, 168, 672)


def jobs(*rows: dict[str, float], **common: float) -> polars.DataFrame:
    """Returns a job table: ordinary jobs, except for what is given of each."""
    ordinary = {
        "job": 0,
        "submit": 0,
        "wait": 10,
        "run": 100,
        "allocated_processors": 4,
        "requested_processors": 4,
        "requested_time": 200,
        "status": 1,
        "user": 1,
    }
    made = [
        {**ordinary, "job": number, "submit": 60 * number, **common, **row}
        for number, row in enumerate(rows, 1)
    ]
    schema = dict.fromkeys(ordinary, polars.Float64) | dict.fromkeys(
        {name for row in made for name in row}, polars.Float64
    )
    return complete(polars.DataFrame(made, schema=schema))


def submissions(submit: list[float] | numpy.ndarray, user: list[float] | numpy.ndarray):
    """Returns a job table of these submit times and users."""
    return complete(
        polars.DataFrame(
            {
                "job": range(1, len(submit) + 1),
                "submit": numpy.asarray(submit, float),
                "wait": 0.0,
                "run": 10.0,
                "allocated_processors": 1.0,
                "user": numpy.asarray(user, float),
            }
        )
    )


def naive_flurries(
    table: polars.DataFrame, factor: float, share: float, least: int, place: int
) -> set[int]:
    """Returns the rows of jobs in flurries, as the docstring of Flurries defines them."""
    rows = [
        (int(submit // 3600), user)
        for submit, user in zip(table["submit"].to_list(), table["user"].to_list(), strict=True)
    ]
    users = {user for _, user in rows if user >= 0}
    if len(users) < place:
        return set()
    found = set()
    days = len({hour // 24 for hour, _ in rows})
    for hours in HOURS:

        def within(start: int, user: float | None = None, hours: int = hours) -> list[int]:
            return [
                row
                for row, (hour, owner) in enumerate(rows)
                if start <= hour < start + hours and user in (None, owner)
            ]

        starts = {(hour, user) for hour, user in rows if user >= 0}
        peaks = dict.fromkeys(users, 0)
        for hour, user in starts:
            peaks[user] = max(peaks[user], len(within(hour, user)))
        busy = sorted(peaks.values(), reverse=True)[place - 1]
        for hour, user in starts:
            own = within(hour, user)
            mean = sum(owner == user for _, owner in rows) * min(1, hours / (24 * days))
            enough = len(own) >= max(least, factor * busy, factor * mean)
            if enough and len(own) >= share * len(within(hour)):
                found.update(own)
    return found
