"""What a program is given as `mpi`: the operations of a rank, for type checkers and for reading.

The engine's class has these methods, and so has the executor of the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from random import Random

    Program = Generator[Any, Any, Any]
    """What a rank does: it yields operations, and is given what came of each."""

    Reduction = str | Callable[[Any, Any], Any]


class Received(Protocol):
    """What came of a receive."""

    value: Any
    source: int
    tag: int
    bytes: int


class Communicator(Protocol):
    """Ranks that know each other by numbers from 0, as one of them sees them.

    Each method but the attributes gives an operation, and does nothing before it is yielded. A peer
    of None is nobody: a message to or from it is done at once.
    """

    ANY: int

    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def now(self) -> float: ...
    @property
    def job(self) -> int: ...
    @property
    def run_time(self) -> float | None: ...
    @property
    def repetitions(self) -> int: ...
    @property
    def random(self) -> Random: ...

    def compute(self, seconds: float) -> Any: ...
    def operations(
        self, integer: float = 0, floating: float = 0, memory: float = 0, threads: int = 1
    ) -> Any: ...
    def read(self, bytes: int) -> Any: ...
    def write(self, bytes: int) -> Any: ...

    def send(self, to: int | None, bytes: int, tag: int = 0, value: Any = None) -> Any: ...
    def recv(self, source: int | None = ..., tag: int = ...) -> Any: ...
    def isend(self, to: int | None, bytes: int, tag: int = 0, value: Any = None) -> Any: ...
    def irecv(self, source: int | None = ..., tag: int = ...) -> Any: ...
    def sendrecv(
        self,
        to: int | None,
        bytes: int,
        source: int | None = ...,
        tag: int = 0,
        value: Any = None,
    ) -> Any: ...
    def wait(self, request: Any) -> Any: ...
    def waitall(self, requests: Sequence[Any]) -> Any: ...

    def barrier(self, algorithm: str = "standard") -> Any: ...
    def bcast(
        self, bytes: int, root: int = 0, value: Any = None, algorithm: str = "standard"
    ) -> Any: ...
    def reduce(
        self,
        bytes: int,
        root: int = 0,
        value: Any = None,
        op: Reduction = "sum",
        algorithm: str = "standard",
    ) -> Any: ...
    def allreduce(
        self, bytes: int, value: Any = None, op: Reduction = "sum", algorithm: str = "standard"
    ) -> Any: ...
    def gather(
        self,
        bytes: int | Sequence[int],
        root: int = 0,
        value: Any = None,
        algorithm: str = "standard",
    ) -> Any: ...
    def scatter(
        self,
        bytes: int | Sequence[int],
        root: int = 0,
        values: Sequence[Any] | None = None,
        algorithm: str = "standard",
    ) -> Any: ...
    def allgather(
        self, bytes: int | Sequence[int], value: Any = None, algorithm: str = "standard"
    ) -> Any: ...
    def alltoall(
        self,
        bytes: int | Sequence[Sequence[int]],
        values: Sequence[Any] | None = None,
        algorithm: str = "standard",
    ) -> Any: ...
    def reduce_scatter(
        self,
        bytes: int | Sequence[int],
        values: Sequence[Any] | None = None,
        op: Reduction = "sum",
        algorithm: str = "standard",
    ) -> Any: ...
    def scan(
        self, bytes: int, value: Any = None, op: Reduction = "sum", algorithm: str = "standard"
    ) -> Any: ...

    def split(self, colour: int | None, key: int = 0) -> Any: ...
    def dup(self) -> Any: ...
    def create(self, ranks: Sequence[int]) -> Any: ...
