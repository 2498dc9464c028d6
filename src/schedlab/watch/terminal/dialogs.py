"""What opens over the screen: questions, help, everything about a job or a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import polars
from rich.table import Table
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from schedlab.errors import InputError
from schedlab.watch.job_facts import amounts_text
from schedlab.watch.terminal.panels import ACCENT, DIM, WARN

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult

MOST_LISTED = 200

KEYS = (
    ("space", "pause, or continue"),
    ("s  →", "one time point on, and stay there"),
    ("←", "one time point back (replay)"),
    ("+  -", "faster, slower: from 1 s/s to a year/s; a live run also as fast as it can"),
    ("j", "jump to a time, and stay there"),
    ("home end", "first and last time, and stay there (replay)"),
    ("tab", "next panel; shift+tab: the one before"),
    ("↑ ↓", "choose a job in a table; with ← →, a node in the map"),
    ("enter", "everything about that job or node"),
    ("f", "find a job by its number"),
    ("r", "map of the next resource type"),
    ("?", "this page"),
    ("esc", "close what is open"),
    ("q", "quit; a live run continues, a paused one asks"),
)


class Dialog(ModalScreen[Any]):
    """A box over the screen that Escape closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False, priority=False)
    ]
    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog > .box {
        width: 90%; max-width: 84; height: auto; max-height: 90%;
        background: #23272e; border: round #56B4E9; padding: 0 1;
    }
    Dialog Static { width: 100%; height: auto; }
    Dialog OptionList, Dialog OptionList:focus {
        height: auto; max-height: 14; margin: 1 0 0 0; padding: 0; border: none;
        background: #23272e;
    }
    Dialog Input, Dialog Input:focus {
        background: #14171c; border: none; height: 1; padding: 0 1; margin: 1 0;
    }
    """

    def action_close(self) -> None:
        """Closes the box."""
        self.dismiss(None)


class Ask(Dialog):
    """A question that is answered by a line of text.

    Args:
        title: Stands in the frame.
        hint: Stands above the line.
        answer: Takes the text; what it raises as InputError is shown, and the box stays.
    """

    def __init__(self, title: str, hint: str, answer: Callable[[str], None]) -> None:
        super().__init__()
        self._title, self._hint, self._answer = title, hint, answer

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = self._title
            yield Static(Text(self._hint, DIM))
            yield Input()
            yield Static("", id="problem")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        try:
            self._answer(event.value)
        except InputError as error:
            self.query_one("#problem", Static).update(Text(str(error), WARN))
        else:
            self.dismiss(None)


class FactsDialog(Dialog):
    """Pairs of a label and a text, which may change while the box is open.

    Args:
        title: Stands in the frame.
        facts: Returns the pairs of now.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "close", show=False)]

    def __init__(self, title: str, facts: Callable[[], list[tuple[str, str]]]) -> None:
        super().__init__()
        self._title, self._facts = title, facts

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="box") as box:
            box.border_title = self._title
            box.border_subtitle = "esc: close"
            yield Static(_grid(self._facts()), id="facts")

    def update_facts(self) -> None:
        """Shows the facts of now."""
        self.query_one("#facts", Static).update(_grid(self._facts()))


class Nodes(FactsDialog):
    """Everything about the nodes of a cell; picking one of their jobs closes it with that."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(
        self, title: str, facts: Callable[[], list[tuple[str, str]]], jobs: list[tuple[int, str]]
    ) -> None:
        super().__init__(title, facts)
        self._jobs = jobs

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="box") as box:
            box.border_title = self._title
            box.border_subtitle = "enter: the job, esc: close" if self._jobs else "esc: close"
            yield Static(_grid(self._facts()), id="facts")
            if self._jobs:
                yield OptionList(
                    *(Option(Text(text), id=str(job)) for job, text in self._jobs[:MOST_LISTED])
                )

    def on_mount(self) -> None:
        if self._jobs:
            self.query_one(OptionList).focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(int(event.option.id or 0))


class Help(Dialog):
    """The keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,question_mark", "close", show=False)]

    def compose(self) -> ComposeResult:
        grid = Table.grid(padding=(0, 2))
        for key, what in KEYS:
            grid.add_row(Text(key, f"bold {ACCENT}"), Text(what))
        with VerticalScroll(classes="box") as box:
            box.border_title = "keys"
            box.border_subtitle = "esc: close"
            yield Static(grid)
            yield Static(
                Text(
                    "\nEach job has its colour and letter in the map and in the table of running "
                    "jobs. A cell is a bar: what jobs hold of the node's resource.",
                    DIM,
                )
            )


class ChoiceDialog(Dialog):
    """A question with a few answers; closes with the chosen one."""

    def __init__(self, title: str, answers: list[tuple[str, str]]) -> None:
        super().__init__()
        self._title, self._answers = title, answers

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = self._title
            yield OptionList(*(Option(text, id=name) for name, text in self._answers))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id)


def _grid(pairs: list[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    for label, text in pairs:
        grid.add_row(Text(label, DIM), Text(text))
    return grid


def node_facts(
    nodes: range, held: polars.DataFrame, capacities: polars.DataFrame, kinds: list[str]
) -> list[tuple[str, str]]:
    """Returns everything about some nodes, as pairs of a label and a text."""
    here = capacities.filter(polars.col("node").is_between(nodes[0], nodes[-1]))
    taken = held.filter(polars.col("node").is_between(nodes[0], nodes[-1]))
    groups = here["group"].unique(maintain_order=True).to_list()
    pairs = [("group" if len(groups) == 1 else "groups", ", ".join(map(str, groups)))]
    for kind in kinds:
        total, used = int(here[kind].sum()), int(taken[kind].sum())
        if total:
            pairs.append((kind, f"{used:,} of {total:,} in use ({used / total:.0%})"))
        else:
            pairs.append((kind, "none here"))
    count = taken["job_id"].n_unique()
    pairs.append(("jobs", f"{count:,}" if count else "none: idle"))
    return pairs


def jobs_on(nodes: range, held: polars.DataFrame, kinds: list[str]) -> list[tuple[int, str]]:
    """Returns the jobs that hold something of some nodes, and what, those with most tasks first."""
    taken = (
        held.filter(polars.col("node").is_between(nodes[0], nodes[-1]))
        .group_by("job_id")
        .agg(polars.col("tasks").sum(), *(polars.col(kind).sum() for kind in kinds))
        .sort(["tasks", "job_id"], descending=[True, False])
    )
    return [
        (
            row["job_id"],
            f"job {row['job_id']}: {row['tasks']:,} task{'s' if row['tasks'] > 1 else ''}, "
            f"{amounts_text({kind: row[kind] for kind in kinds})}",
        )
        for row in taken.iter_rows(named=True)
    ]
