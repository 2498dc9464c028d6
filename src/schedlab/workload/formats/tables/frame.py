"""Polars frames as workloads: a table that Python code has, read as one in a file would be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars

from schedlab._engine import Checksum
from schedlab.errors import InputError
from schedlab.workload.formats.tables.mapped import LINE, MappedReader
from schedlab.workload.numbered_texts import NumberedTexts
from schedlab.workload.table import APPLICATION, LICENSES, NEEDS, in_batches
from schedlab.workload.table_input import swf_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schedlab.workload.formats.tables.column_map import Source


class FrameReader(MappedReader):
    """Rows of a polars frame, eager or lazy, whose columns are those of a job table.

    A lazy frame is collected when it is first read.

    Args:
        frame: The frame.
        header: What is known of the workload as a whole, by the names of SWF's header.
        **arguments: As for a table in a file: `zone`, `missing`, `names`, and what each column is
            made of, such as `run="End - Start"`.

    Raises:
        InputError: It is not a frame, or an argument is wrong.
    """

    example = 'FrameReader(frame, submit="time(Created)", run="End - Start", ...)'

    def __init__(
        self,
        frame: polars.DataFrame | polars.LazyFrame,
        header: Mapping[str, str] | None = None,
        **arguments: Any,
    ) -> None:
        if not isinstance(frame, (polars.DataFrame, polars.LazyFrame)):
            raise InputError(
                "a workload may be a polars DataFrame or LazyFrame, not a "
                f"{type(frame).__module__}.{type(frame).__qualname__}"
            )
        super().__init__(None, **arguments)
        self._frame, self._given_header = frame, dict(header or {})
        self._checksum: str | None = None
        self._share: float | None = None

    @property
    def header(self) -> dict[str, str]:
        return {**self._given_header, **self._own_header()}

    def frames(self, only: list[str] | None = None) -> Iterator[polars.DataFrame]:
        frame = self.collected()
        if LINE in frame.columns:
            raise InputError(f"{self}: column {LINE!r}: has a name that is used otherwise")
        frame = frame if only is None else frame.select(only)
        texts = polars.selectors.string()
        blank = texts.str.strip_chars().is_in(list(self._missing))
        done = 0
        for part in in_batches(frame):
            lines = polars.Series(LINE, range(done + 1, done + 1 + part.height), polars.Int64)
            done += part.height
            self._share = done / max(1, frame.height)
            yield part.with_columns(polars.when(~blank).then(texts).name.keep()).with_columns(lines)

    def _sources(self, first: polars.DataFrame) -> dict[str, Source]:
        sources = super()._sources(first)
        sizes = ("requested_processors", "allocated_processors", "tasks")
        for needed in (("run", APPLICATION), sizes):
            if not any(name in sources for name in needed):
                raise InputError(
                    f"{self.place}: has no column {' or '.join(needed)}, without which there are "
                    f"no jobs; rename one of its own, or say which it is, as in {self.example}; "
                    f"its columns: {', '.join(self.collected().columns)}"
                )
        return sources

    def collected(self) -> polars.DataFrame:
        """Returns the frame, of which a lazy one is worked out once.

        Raises:
            InputError: It cannot be.
        """
        if isinstance(self._frame, polars.LazyFrame):
            try:
                self._frame = self._frame.collect()
            except (polars.exceptions.PolarsError, OSError) as error:
                reason = str(error).partition("\n")[0]
                raise InputError(f"{self}: cannot be collected: {reason}") from None
        return self._frame

    @property
    def share_read(self) -> float | None:
        return self._share

    def checksum(self) -> str:
        """Returns the XXH64 of its jobs and its header: the same for the same content."""
        if self._checksum is None:
            names, checksum = (APPLICATION, NEEDS, LICENSES), Checksum()
            texts = {name: NumberedTexts() for name in names}
            for chunk in swf_chunks(self._pass(strict=False), texts):
                checksum.add(chunk)
            every = [text for numbered in texts.values() for text in numbered.texts()]
            checksum.add("\n".join(every).encode(errors="surrogatepass"))
            self._checksum = checksum.hex()
        return self._checksum

    def __str__(self) -> str:
        return "a polars frame"
