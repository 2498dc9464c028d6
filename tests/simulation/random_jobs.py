"""Random jobs, with requests, predecessors and users, and a machine of two groups for them."""

from __future__ import annotations

import random

import schedlab as sl

SYSTEM = {
    "groups": {
        "thin": {"nodes": 3, "resources": {"core": 4, "mem": 8}},
        "fat": {"nodes": 2, "resources": {"core": 4, "mem": 32, "gpu": 2}},
    }
}


def jobs(count: int = 300, seed: int = 1, mixed: bool = False) -> list[sl.Job]:
    draw = random.Random(seed)
    made, submit = [], 0.0
    for number in range(count):
        submit += draw.choice((0, 0, 0.5, 1, 7))
        run = draw.choice((0, 1, 2.5, 20, 60))
        resources = None
        if mixed and draw.random() < 0.5:
            resources = {"core": draw.randint(1, 2), "mem": draw.randint(0, 8)}
        made.append(
            sl.Job(
                number,
                submit,
                run,
                draw.randint(1, 6),
                run * draw.choice((0.5, 1, 3)) + 1,
                user=draw.randint(1, 4),
                resources=resources,
                whole_nodes=mixed and draw.random() < 0.1,
                predecessors=[number - 3] if draw.random() < 0.05 else [],
            )
        )
    return made
