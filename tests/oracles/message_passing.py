"""Message passing by definition: programs of ranks run on a network that takes no time.

Each operation is a plain tuple: its name, its communicator, and what it was given. The rank whose
clock is least goes first, of several the one that got ready first. Computing moves a rank's clock;
a message arrives at the moment it is sent; a collective ends for all ranks when the last one has
called it.
"""

import heapq
from collections import namedtuple
from collections.abc import Callable
from random import Random
from typing import Any

from .message_operations import ANY, Communicator, Group, Received, Request, given_to, in_words

__all__ = ["Call", "Communicator", "DeadlockError", "Message", "ProgramError", "Received", "Run"]

Message = namedtuple("Message", "sender receiver bytes tag")  # ranks of the whole job
Call = namedtuple("Call", "name members bytes root algorithm")  # a collective; ranks of the job


class ProgramError(Exception):
    """A program did what no program may do; the message begins with the rank."""


class DeadlockError(ProgramError):
    """All ranks wait; the message says what each of them waits for."""


class Run:
    """A program on some ranks, from the beginning to the end.

    Args:
        program: Of `mpi`, gives a generator.
        ranks: How many.
        buffered: Whether a send is done when it is sent; else when it is received, which a program
            must bear too.
        rates: Operations per second: integer, floating point, bytes of memory.

    Attributes:
        returned: What each rank's generator returned.
        messages: All messages between ranks, in the order they were sent, as Message.
        calls: All collectives, once each, as Call.
        clocks: When each rank ended.
        computed: Seconds of each rank, without operation counts; `counted`: those of counts.
        counts: Integer, floating point and memory operations of each rank.
        files: Bytes read and written of each rank.
        unreceived: Messages that nobody received.
    """

    def __init__(
        self,
        program: Callable,
        ranks: int,
        *,
        buffered: bool = True,
        job: int = 1,
        run_time: float | None = None,
        repetitions: int = 1,
        seed: int = 0,
        rates: tuple[float, float, float] = (4e9, 8e9, 5e9),
    ) -> None:
        self.job, self.run_time, self.repetitions = job, run_time, repetitions
        self.buffered, self.rates = buffered, rates
        self.randoms = [Random(f"{seed}/{rank}") for rank in range(ranks)]
        self.clocks = [0.0] * ranks
        self.computed, self.counted = [0.0] * ranks, [0.0] * ranks
        self.counts = [[0.0, 0.0, 0.0] for _ in range(ranks)]
        self.files = [[0, 0] for _ in range(ranks)]
        self.returned: list[Any] = [None] * ranks
        self.messages: list[Message] = []
        self.calls: list[Call] = []
        self.waiting: dict[int, tuple] = {}  # the operation that a rank does not get past
        self._groups: list[Group] = []
        self._ready: list[tuple[float, int, int, Any]] = []  # time, order, rank, what it is given
        self._order = 0
        self._waits: dict[int, tuple[list[Request], Callable]] = {}
        world = self._group(tuple(range(ranks)))
        self._programs = []
        for rank in range(ranks):
            self._programs.append(program(Communicator(self, world, rank)))
            self._resume(rank, None)
        self._ended = 0
        while self._ready:
            time, _, rank, outcome = heapq.heappop(self._ready)
            self.clocks[rank] = time
            self._step(rank, outcome)
        if self._ended < ranks:
            waits = "; ".join(
                f"rank {rank}: {in_words(op)}" for rank, op in sorted(self.waiting.items())
            )
            raise DeadlockError(f"{ranks - self._ended} of {ranks} ranks wait for ever: {waits}")
        self.unreceived = [
            received
            for group in self._groups
            for box in group.arrived.values()
            for received, *_ in box
        ]

    def _group(self, members: tuple[int, ...]) -> Group:
        self._groups.append(Group(len(self._groups), members))
        return self._groups[-1]

    def _resume(self, rank: int, outcome: Any, time: float | None = None) -> None:
        self._order += 1
        self.waiting.pop(rank, None)
        moment = self.clocks[rank] if time is None else max(time, self.clocks[rank])
        heapq.heappush(self._ready, (moment, self._order, rank, outcome))

    def _step(self, rank: int, outcome: Any) -> None:
        try:
            operation = self._programs[rank].send(outcome)
        except StopIteration as end:
            self.returned[rank] = end.value
            self._ended += 1
            return
        known = isinstance(operation, tuple) and len(operation) > 1
        if not known or not isinstance(operation[1], Communicator):
            raise ProgramError(f"rank {rank}: yielded {operation!r}, which is not an operation")
        name, comm, *given = operation
        if comm.group.members[comm.rank] != rank:
            raise ProgramError(f"rank {rank}: used the communicator of another rank")
        self.waiting[rank] = operation
        getattr(self, f"_{name}")(rank, comm, *given)

    def _compute(self, rank, comm, seconds):
        if not seconds >= 0:
            raise ProgramError(f"rank {rank}: computes for {seconds} seconds")
        self.computed[rank] += seconds
        self._resume(rank, None, self.clocks[rank] + seconds)

    def _operations(self, rank, comm, counts):
        *numbers, threads = counts
        if min(numbers) < 0 or threads < 1:
            raise ProgramError(f"rank {rank}: operations {counts}")
        seconds = sum(n / r for n, r in zip(numbers, self.rates, strict=True)) / threads
        self.counts[rank] = [a + b for a, b in zip(self.counts[rank], numbers, strict=True)]
        self.counted[rank] += seconds
        self._resume(rank, None, self.clocks[rank] + seconds)

    def _read(self, rank, comm, bytes):
        self.files[rank][0] += self._size(rank, bytes)
        self._resume(rank, None)

    def _write(self, rank, comm, bytes):
        self.files[rank][1] += self._size(rank, bytes)
        self._resume(rank, None)

    def _size(self, rank: int, bytes: Any) -> int:
        if not isinstance(bytes, int) or bytes < 0:
            raise ProgramError(f"rank {rank}: {bytes!r} bytes")
        return bytes

    def _peer(self, rank: int, comm: Communicator, peer: Any) -> int:
        if not isinstance(peer, int) or not 0 <= peer < comm.size:
            raise ProgramError(f"rank {rank}: there is no rank {peer!r} among {comm.size}")
        return peer

    def _isend(self, rank, comm, to, bytes, tag, value):
        self._resume(rank, self._start_send(rank, comm, to, bytes, tag, value))

    def _irecv(self, rank, comm, source, tag):
        self._resume(rank, self._start_receive(rank, comm, source, tag))

    def _send(self, rank, comm, to, bytes, tag, value):
        request = self._start_send(rank, comm, to, bytes, tag, value)
        self._wait_for(rank, [request], lambda outcomes: None)

    def _recv(self, rank, comm, source, tag):
        request = self._start_receive(rank, comm, source, tag)
        self._wait_for(rank, [request], lambda outcomes: outcomes[0])

    def _sendrecv(self, rank, comm, to, bytes, source, tag, value):
        received = self._start_receive(rank, comm, source, tag)
        sent = self._start_send(rank, comm, to, bytes, tag, value)
        self._wait_for(rank, [received, sent], lambda outcomes: outcomes[0])

    def _wait(self, rank, comm, request):
        self._wait_for(rank, [request], lambda outcomes: outcomes[0])

    def _waitall(self, rank, comm, requests):
        self._wait_for(rank, requests, list)

    def _wait_for(self, rank: int, requests: list[Request], answer: Callable) -> None:
        for request in requests:
            if not isinstance(request, Request) or request.waited:
                raise ProgramError(
                    f"rank {rank}: waits for {request!r}, which is not an open request"
                )
            request.waited = True
        self._waits[rank] = requests, answer
        self._look_again(rank)

    def _look_again(self, rank: int) -> None:
        """Lets a rank continue if all that it waits for is done."""
        requests, answer = self._waits.get(rank, (None, None))
        if requests is not None and all(request.done for request in requests):
            del self._waits[rank]
            outcome = answer([request.outcome for request in requests])
            self._resume(rank, outcome, max((r.time for r in requests), default=0.0))

    def _start_send(self, rank, comm, to, bytes, tag, value) -> Request:
        request = Request(receives=False)
        if to is None:
            request.done, request.time = True, self.clocks[rank]
            return request
        to, group = self._peer(rank, comm, to), comm.group
        if not isinstance(tag, int) or tag < 0:
            raise ProgramError(f"rank {rank}: sends with tag {tag!r}")
        message = Received(value, comm.rank, tag, self._size(rank, bytes))
        self.messages.append(Message(rank, group.members[to], bytes, tag))
        if self.buffered:
            request.done, request.time = True, self.clocks[rank]
        group.arrived.setdefault(to, []).append((message, self.clocks[rank], (rank, request)))
        self._match(group, to)
        return request

    def _start_receive(self, rank, comm, source, tag) -> Request:
        request = Request(True, source, tag)
        if source is None:
            request.done, request.time = True, self.clocks[rank]
            return request
        if source != ANY:
            self._peer(rank, comm, source)
        request.time = self.clocks[rank]
        comm.group.posted.setdefault(comm.rank, []).append(request)
        self._match(comm.group, comm.rank)
        return request

    def _match(self, group: Group, receiver: int) -> None:
        """Gives messages to receives: the first of each that fit, in the order they came."""
        arrived, posted = group.arrived.get(receiver, []), group.posted.get(receiver, [])
        for request in list(posted):
            for entry in arrived:
                message, time, (sender, sent) = entry
                if request.source in (ANY, message.source) and request.tag in (ANY, message.tag):
                    arrived.remove(entry)
                    posted.remove(request)
                    moment = max(time, request.time)
                    request.done, request.outcome, request.time = True, message, moment
                    sent.done, sent.time = True, time if self.buffered else moment
                    self._look_again(group.members[receiver])
                    self._look_again(sender)
                    break

    def _collective(self, rank, comm, name, bytes, given, root, op, algorithm):
        group = comm.group
        self._peer(rank, comm, root)
        number = group.called.get(comm.rank, 0)
        group.called[comm.rank] = number + 1
        calls = group.pending.setdefault(number, {})
        calls[comm.rank] = (name, bytes, given, root, algorithm, op)
        first = next(iter(calls))
        same = [calls[one][:2] + calls[one][3:] for one in (first, comm.rank)]
        if callable(op):  # each rank may have made its own
            same = [call[:-1] for call in same]
        if same[0] != same[1]:
            raise ProgramError(
                f"rank {rank}: calls {same[1]} where rank {group.members[first]} calls {same[0]}"
            )
        if len(calls) < comm.size:
            return
        del group.pending[number]
        values = [calls[one][2] for one in range(comm.size)]
        if name in ("split", "create"):
            outcomes = self._communicators(group, name, values)
        else:
            self.calls.append(Call(name, group.members, bytes, root, algorithm))
            outcomes = [given_to(name, values, one, root, op) for one in range(comm.size)]
        end = max(self.clocks[member] for member in group.members)
        for member, outcome in zip(group.members, outcomes, strict=True):
            self._resume(member, outcome, end)

    def _communicators(self, group: Group, name: str, values: list) -> list[Communicator | None]:
        outcomes: list[Communicator | None] = [None] * len(values)
        if name == "create":
            if len(set(values)) > 1 or len(set(values[0])) < len(values[0]):
                raise ProgramError(f"rank {group.members[0]}: create with {sorted(set(values))}")
            parts = [list(values[0])]
        else:
            colours = sorted({colour for colour, _ in values if colour is not None})
            parts = [
                sorted(
                    (one for one, (own, _) in enumerate(values) if own == colour),
                    key=lambda one: (values[one][1], one),
                )
                for colour in colours
            ]
        for part in parts:
            made = self._group(tuple(group.members[one] for one in part))
            for place, one in enumerate(part):
                outcomes[one] = Communicator(self, made, place)
        return outcomes
