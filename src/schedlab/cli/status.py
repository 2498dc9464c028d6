"""`schedlab status`: how a run stands, from another terminal or after its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.progress import busy
from schedlab.clock import Clock
from schedlab.durations import duration_text
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schedlab.cli.terminal import Console
    from schedlab.watch import RunView

EXAMPLE = "Example: schedlab status results/easy job 17"

OVERVIEW = ("clock", "jobs", "resources", "machine", "nodes", "running", "queue", "metrics", "cpu")
ROWS, ROWS_OF_OVERVIEW = 40, 5
"""Jobs or nodes that are printed; how many there are is always reported. --json has them all."""


def status(
    run: Annotated[
        str,
        Argument(metavar="RUN", help="Folder of a run, or of an experiment.", show_default=False),
    ],
    query: Annotated[
        list[str] | None,
        Argument(
            metavar="QUERY",
            help="clock, jobs, queue, running, resources, machine, nodes, job ID, cpu, metrics; "
            "everything without.",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        str | None,
        Option(
            "--at",
            metavar="TIME",
            help="As it was then: seconds, 3d, 12h30m, or a date such as '2003-01-31 12:00'.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Say how a run stands, while it is simulated or after its end.

    Times are in the workload's clock; a duration given to --at counts from its time 0. Of an
    experiment, a folder of runs or a saved state it says what it is and how it stands.
    """
    from schedlab.cli.described_paths import described, print_place
    from schedlab.watch import open_run
    from schedlab.watch.status import answers, moment_of, split_queries

    place = described(run)
    if place is not None:
        _show_place(place, has_query=bool(query or at), as_json=json, show=print_place)
        return
    queries = split_queries(query or OVERVIEW)
    with busy(f"reading {run}"):
        view = open_run(run)
        moment = moment_of(view, at)
        answers_by_query = answers(view, moment, queries)
    if json:
        from schedlab.results.json_text import to_json

        print(to_json(answers_by_query))
        return
    from schedlab.cli.terminal import Console

    console = Console(highlight=False)
    _Printed(console, view, moment.time, ROWS if query else ROWS_OF_OVERVIEW).show(answers_by_query)


def _show_place(
    place: dict[str, Any],
    has_query: bool,
    as_json: bool,
    show: Callable[[Console, dict[str, Any]], None],
) -> None:
    """Prints what is not a run; raises InputError where something of a run is asked."""
    if has_query:
        what = "an experiment" if place["kind"] == "experiment" else f"a {place['kind']}"
        raise InputError(f"{place['path']}: is {what}; queries and --at are for one run")
    if as_json:
        from schedlab.results.json_text import to_json

        print(to_json(place))
        return
    from schedlab.cli.terminal import Console

    show(Console(highlight=False), place)


class _Printed:
    """Answers on a terminal, one block each."""

    def __init__(self, console: Console, view: RunView, time: float, rows: int) -> None:
        self._console, self._view, self._time, self._rows = console, view, time, rows
        self._clock = Clock.of_run(view.run)

    def show(self, answers_by_query: dict[str, Any]) -> None:
        """Prints the answers in their order."""
        blocks: dict[str, Callable[[dict[str, Any]], None]] = {
            "clock": self._show_clock,
            "jobs": self._show_jobs,
            "queue": self._show_queue,
            "running": self._show_running,
            "resources": self._show_resources,
            "machine": self._show_machine,
            "nodes": self._show_nodes,
            "cpu": self._show_cpu,
            "metrics": self._show_metrics,
            "job": self._show_job,
        }
        if not answers_by_query.get("machine") and len(answers_by_query) > 1:
            answers_by_query = {
                name: answer for name, answer in answers_by_query.items() if name != "machine"
            }
        for place, (name, answer) in enumerate(answers_by_query.items()):
            if place:
                self._console.print()
            blocks[name](answer)

    def _show_clock(self, answer: dict[str, Any]) -> None:
        dispatcher = f"{answer['scheduler']} + {answer['allocator']} on {answer['system']}"
        share = "" if answer["share"] is None else f", {answer['share']:.0%}"
        if answer["state"] == "live":
            read = f"{share} of the workload read" if share else ""
            speed = f" at {duration_text(answer['speed'])}/s" if answer["speed"] else ""
            state = "paused" if answer["mode"] == "pause" else f"running{speed}"
            state = f"{state}{read}"
        elif self._time >= answer["last"]:
            state = f"finished ({answer['mode']})"
        else:
            state = f"as it was at {answer['share']:.0%} of its time"
        self._title(dispatcher)
        self._facts(
            [
                (
                    "clock",
                    f"{self._clock.text(answer['time'], zone=True)}  ({answer['time']:,.0f} s)",
                ),
                ("first job", f"{duration_text(answer['time'] - answer['first_submit'])} ago"),
                ("state", state),
            ]
        )

    def _show_jobs(self, counts: dict[str, int]) -> None:
        self._title("jobs")
        always = ("submitted", "queued", "running", "completed")
        self._facts([(name, f"{n:,}") for name, n in counts.items() if n or name in always])

    def _show_queue(self, answer: dict[str, Any]) -> None:
        held = f", {answer['held']:,} held for other jobs" if answer["held"] else ""
        self._title(f"queue: {answer['queued']:,} jobs{held}")
        rows = (
            (
                str(job["job_id"]),
                _user(job["user"]),
                f"{job['tasks']:,}",
                duration_text(job["estimate"]),
                self._clock.text(job["submit"]),
                duration_text(job["waits"]),
            )
            for job in answer["jobs"][: self._rows]
        )
        heads = ("job", "user", "tasks", "estimate", "submitted", "waits")
        self._table(heads, rows, max(answer["queued"], len(answer["jobs"])))

    def _show_running(self, answer: dict[str, Any]) -> None:
        self._title(f"running: {answer['running']:,} jobs")
        rows = (
            (
                str(job["job_id"]),
                _user(job["user"]),
                f"{job['tasks']:,}",
                duration_text(job["runs"]),
                self._clock.text(job["expected_end"]),
                job["nodes"] or "",
            )
            for job in answer["jobs"][: self._rows]
        )
        heads = ("job", "user", "tasks", "runs", "expected end", "nodes")
        self._table(heads, rows, answer["running"], left=("nodes",))

    def _show_resources(self, answer: dict[str, Any]) -> None:
        self._title("resources")
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2))
        for kind, amount in answer.items():
            grid.add_row(
                Text(f"  {kind}", "dim"),
                ProgressBar(total=1.0, completed=amount["share"], width=24),
                Text(f"{amount['used']:,} of {amount['capacity']:,}, {amount['share']:.1%}"),
            )
        self._console.print(grid)

    def _show_machine(self, numbers: dict[str, float]) -> None:
        from schedlab.watch.machine_now import machine_words

        self._title("machine")
        self._facts(machine_words(numbers) or [("", "nothing is known of its power and failures")])

    def _show_nodes(self, answer: dict[str, Any]) -> None:
        self._title(f"nodes: {answer['busy']:,} of {answer['nodes']:,} busy")
        if len(answer["groups"]) > 1:
            self._facts(
                [
                    (name, f"{group['busy']:,} of {group['nodes']:,} busy; {_used(group)}")
                    for name, group in answer["groups"].items()
                ]
            )
        rows = (
            (str(node["node"]), node["group"], _used(node), " ".join(map(str, node["jobs"])))
            for node in answer["busy_nodes"][: self._rows]
        )
        heads = ("node", "group", "in use", "jobs")
        self._table(heads, rows, answer["busy"], left=("group", "in use", "jobs"))

    def _show_cpu(self, answer: dict[str, Any]) -> None:
        self._title("simulator")
        dispatch = answer["dispatch_seconds"]
        facts = [
            ("CPU time", _seconds(answer["cpu_seconds"])),
            ("wall time", _seconds(answer["wall_seconds"])),
        ]
        if dispatch is not None:
            facts.append(("dispatching", f"{_seconds(dispatch)} of the wall time"))
        facts.append(("peak memory", f"{answer['peak_memory_bytes'] / 1e6:,.1f} MB"))
        self._facts(facts)

    def _show_metrics(self, answer: dict[str, Any]) -> None:
        from schedlab.results.result import Summary

        self._title("metrics of the jobs that ended")
        heads, *rows = Summary({"metrics": answer}).rows()
        self._table(heads, rows, len(rows), left=("",))
        use = ", ".join(f"{kind} {share:.1%}" for kind, share in answer["utilization"].items())
        self._facts(
            [
                ("utilization", use),
                ("makespan", duration_text(answer["makespan"])),
                ("throughput", f"{answer['throughput_per_hour']:,.2f} jobs/h"),
            ]
        )

    def _show_job(self, answer: dict[str, dict[str, Any]]) -> None:
        from schedlab.watch.job_facts import in_words

        for place, (number, facts) in enumerate(answer.items()):
            if place:
                self._console.print()
            self._title(f"job {number} at {self._clock.text(self._time)}")
            self._facts(in_words(facts, self._view.run, self._time))

    def _title(self, text: str) -> None:
        from rich.text import Text

        self._console.print(Text(text, "bold"), soft_wrap=True)

    def _facts(self, pairs: Iterable[tuple[str, str]]) -> None:
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        for label, fact in pairs:
            grid.add_row(Text(f"  {label}", "dim"), Text(fact))
        self._console.print(grid)

    def _table(
        self,
        heads: tuple[str, ...],
        rows: Iterable[tuple[str, ...]],
        total: int,
        left: tuple[str, ...] = (),
    ) -> None:
        """Prints a table; says how many rows there are beyond it."""
        from rich.table import Table
        from rich.text import Text

        shown = list(rows)
        if shown:
            grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
            for column, name in enumerate(heads):
                widest = max(len(name), *(len(row[column]) for row in shown))
                free = column == len(heads) - 1 and name in left  # only that one is ever cut
                grid.add_column(
                    name,
                    justify="left" if name in left else "right",
                    no_wrap=True,
                    min_width=None if free else widest,
                    overflow="ellipsis",
                )
            for row in shown:
                grid.add_row(*map(Text, row))
            from rich.padding import Padding

            self._console.print(Padding(grid, (0, 0, 0, 2)))
        if total > len(shown):
            self._console.print(Text(f"  and {total - len(shown):,} more", "dim"))


def _user(user: int) -> str:
    return "-" if user < 0 else str(user)


def _used(holder: dict[str, Any]) -> str:
    return ", ".join(
        f"{holder['used'][kind]:,} of {total:,} {kind}"
        for kind, total in holder["capacity"].items()
        if total
    )


def _seconds(value: float) -> str:
    return f"{value:.3f} s" if value < 10 else f"{value:,.1f} s ({duration_text(value)})"
