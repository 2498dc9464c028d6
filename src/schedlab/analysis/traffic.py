"""Who sends to whom: the traffic matrix of an application."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from schedlab import _engine
from schedlab.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schedlab.application import Application


class Flows(NamedTuple):
    """What ranks send each other, one entry for each pair in each phase.

    A phase holds messages that may be on their way at the same time.

    Attributes:
        sender: Ranks.
        receiver: Ranks.
        messages: How many.
        bytes: In all of them, without headers.
    """

    sender: NDArray[np.uint32]
    receiver: NDArray[np.uint32]
    messages: NDArray[np.uint32]
    bytes: NDArray[np.uint64]

    def matrix(self, ranks: int, cells: int) -> NDArray[np.float64]:
        """Returns the bytes from rows to columns, neighbouring ranks taken together in cells."""
        cells = min(cells, ranks)
        row = self.sender.astype(np.int64) * cells // ranks
        column = self.receiver.astype(np.int64) * cells // ranks
        sums: NDArray[np.float64] = np.zeros(cells * cells)
        np.add.at(sums, row * cells + column, self.bytes.astype(np.float64))
        return sums.reshape(cells, cells)


class _One:
    """A single application, as the engine asks for those of jobs."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def application(self, number: int) -> Application:
        return self._application

    def check(self, number: int, job: int, ranks: int) -> None:
        self._application.check(ranks)


def traffic(
    application: str | Application, ranks: int, collectives: str = "reference", seed: int = 0
) -> Flows:
    """Returns what the ranks of an application send, on any machine.

    Args:
        application: A text such as "stencil-3d(bytes=64k)", or an Application. Of iterations that
            fill a run time, one is taken.
        ranks: How many.
        collectives: The standard algorithms: those of a network's messages.
        seed: Of what programs draw at random.

    Raises:
        InputError: There is no such application, it cannot run on N ranks, or it goes wrong.
    """
    from schedlab.application import load

    if not isinstance(ranks, int) or isinstance(ranks, bool) or not 1 <= ranks < 2**31:
        raise InputError(f"ranks: must be a whole number from 1 up, not {ranks!r}")
    made = load(application)
    pattern = _engine.traffic_pattern(_One(made), ranks, collectives, seed)
    sender, receiver, messages, sent = pattern
    return Flows(
        np.frombuffer(sender, np.uint32),
        np.frombuffer(receiver, np.uint32),
        np.frombuffer(messages, np.uint32),
        np.frombuffer(sent, np.uint64),
    )
