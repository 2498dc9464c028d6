"""The server: what is asked under which address."""

from __future__ import annotations

import logging
import mimetypes
import os
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from fastapi import Body, FastAPI, Query, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles
from polars.exceptions import PanicException
from starlette.exceptions import HTTPException

from schedlab.dashboard import comparison, runs
from schedlab.dashboard.catalogue import COLUMNS, EXPERIMENT_FILES, RunCatalogue
from schedlab.dashboard.comparison import MOST_RUNS
from schedlab.dashboard.gantt_shares import ChartPart
from schedlab.dashboard.guard import LOCAL_HOSTS, Folder, Guard
from schedlab.dashboard.launch import FieldError, Launcher
from schedlab.dashboard.live import LiveSources
from schedlab.dashboard.live_socket import LiveSocket
from schedlab.dashboard.open_runs import OpenRuns
from schedlab.errors import InputError
from schedlab.regular_file import confined_to, open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from io import BufferedReader

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

WITH_RESULTS = ("finished", "interrupted", "failed")
"""States of runs that have a run.json."""
LOG = logging.getLogger("schedlab.dashboard")
BYTES_AT_ONCE = 65_536
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page")
PLOTLY = str(files("plotly") / "package_data" / "plotly.min.js")

Path = Annotated[str, Query(max_length=1000)]
Time = Annotated[float, Query(allow_inf_nan=False, ge=-1e18, le=1e18)]
Number = Annotated[int, Query(ge=-(2**62), le=2**62)]
Node = Annotated[int, Query(ge=0, le=2**31)]
Pixels = Annotated[int, Query(ge=1, le=4096)]
Bins = Annotated[int, Query(ge=1, le=4000)]
Offset = Annotated[int, Query(ge=0, le=10**9)]
Limit = Annotated[int, Query(ge=1, le=1000)]
Text = Annotated[str, Query(max_length=200)]


def create_app(
    folder: str | os.PathLike[str],
    token: str | None,
    *,
    hosts: Iterable[str] | None = LOCAL_HOSTS,
    workloads: Iterable[str | os.PathLike[str]] = (),
    trust_code: bool = False,
) -> FastAPI:
    """Returns the application that shows the runs below a folder.

    Args:
        folder: Nothing outside it is served.
        token: What every request must show. None: requests need none, so that every user of the
            machine may ask if a port of it leads here.
        hosts: Names by which the server may be called; None: by any.
        workloads: More folders of workloads and systems that simulations may be started with.
        trust_code: Whether simulations may be started with code that requests and files name.
    """
    shown = Folder(folder)
    catalogue = RunCatalogue(shown)
    inputs = [(place, RunCatalogue(place)) for place in map(Folder, workloads)]
    opened, sources = OpenRuns(shown), LiveSources()
    launcher = Launcher(shown, catalogue, inputs, trust_code)
    app = FastAPI(title="schedlab", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.launcher = launcher
    app.add_middleware(Fallback, folder=shown)
    app.add_middleware(Guard, token=token, hosts=hosts)
    _add_errors(app, shown)
    _add_page(app, shown)
    _add_list(app, catalogue, launcher, shown)
    _add_run(app, opened, launcher, shown)
    _add_comparison(app, shown)

    @app.websocket("/api/live")
    async def live(socket: WebSocket, run: str = "") -> None:
        await LiveSocket(socket, sources, shown, launcher).serve(run)

    return app


class Fallback:
    """Answers unexpected errors with a short message instead of a trace."""

    def __init__(self, app: ASGIApp, folder: Folder) -> None:
        self._app, self._folder = app, folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, whatever happens."""
        begun = False

        async def noticing(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            with confined_to(self._folder.root):  # whatever reads files for this request
                await self._app(scope, receive, noticing)
        except (Exception, PanicException) as error:  # a panic of polars is not an Exception
            is_debugged = bool(os.environ.get("SCHEDLAB_DEBUG"))
            LOG.error("%s: %s", type(error).__name__, error, exc_info=is_debugged)
            if scope["type"] == "http" and not begun:
                text = "something went wrong in the server; its log says what"
                await JSONResponse({"error": text}, 500)(scope, receive, send)


def _add_errors(app: FastAPI, folder: Folder) -> None:
    @app.exception_handler(InputError)
    def wrong_input(_: Request, error: InputError) -> JSONResponse:
        answer: dict[str, Any] = {"error": folder.without_root(str(error))}
        if isinstance(error, FieldError):
            answer["field"] = error.field
        return JSONResponse(answer, 400)

    @app.exception_handler(OSError)
    def unreadable(_: Request, error: OSError) -> JSONResponse:
        name = folder.without_root(os.fsdecode(error.filename)) if error.filename else "a file"
        return JSONResponse({"error": f"{name}: {error.strerror or 'cannot be read'}"}, 400)

    @app.exception_handler(RequestValidationError)
    def wrong_request(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        message = str(first["msg"]).removeprefix("Input ")
        return JSONResponse({"error": f"{place}: {message[:1].lower()}{message[1:]}"}, 400)

    @app.exception_handler(HTTPException)
    def refused(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": str(error.detail).lower()}, error.status_code)


def _add_page(app: FastAPI, folder: Folder) -> None:
    @app.get("/")
    def page() -> FileResponse:
        return FileResponse(os.path.join(PAGE, "index.html"), headers={"cache-control": "no-cache"})

    @app.get("/static/plotly.min.js")
    def plots() -> FileResponse:
        return FileResponse(PLOTLY, headers={"cache-control": "max-age=86400"})

    app.mount("/static", StaticFiles(directory=PAGE), name="static")

    @app.get("/api/file")
    def file(path: Path, name: Text) -> StreamingResponse:
        if name not in (*runs.FILES, *EXPERIMENT_FILES):
            raise InputError(f"{name}: is not one of the files that can be downloaded")
        place = folder.existing(os.path.join(path, name))
        opened = open_regular(place)  # not by its name later: it could be another one by then
        label = os.path.basename(os.path.dirname(place))
        headers = {
            "content-length": str(os.fstat(opened.fileno()).st_size),
            "content-disposition": f"attachment; filename*=utf-8''{quote(f'{label}-{name}')}",
        }
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return StreamingResponse(_parts(opened), media_type=kind, headers=headers)


def _parts(file: BufferedReader) -> Iterator[bytes]:
    """Gives the content of a file, as much as it had when it was opened."""
    with file:
        left = os.fstat(file.fileno()).st_size
        while left > 0 and (part := file.read(min(left, BYTES_AT_ONCE))):
            left -= len(part)
            yield part


def _add_list(app: FastAPI, catalogue: RunCatalogue, launcher: Launcher, folder: Folder) -> None:
    from schedlab import __version__
    from schedlab.analysis.style import IDLE_COLOUR, JOB_COLOURS, PALETTE

    @app.get("/api/about")
    def about() -> dict[str, Any]:
        return {
            "version": __version__,
            "folder": os.path.basename(folder.root) or "/",
            "palette": PALETTE,
            "job_colours": JOB_COLOURS,
            "idle_colour": IDLE_COLOUR,
        }

    @app.get("/api/runs")
    def found(
        query: Text = "",
        sort: Text = "name",
        descending: bool = False,
        experiment: Path = "",
        offset: Offset = 0,
        limit: Limit = 100,
    ) -> dict[str, Any]:
        if sort not in COLUMNS:
            raise InputError(f"sort: must be one of {', '.join(COLUMNS)}, not {sort!r}")
        every = catalogue.runs()
        rows = [row for row in every if not experiment or row["experiment"] == experiment]
        for word in query.lower().split():
            rows = [row for row in rows if word in _searched(row)]
        known = [row for row in rows if row[sort] is not None]
        known.sort(key=lambda row: (row[sort], row["name"]), reverse=descending)
        rows = known + [row for row in rows if row[sort] is None]
        rows.sort(key=lambda row: row["state"] != "live")  # what runs now comes first
        return {
            "total": len(every),
            "found": len(rows),
            "names": [row["name"] for row in rows if row["state"] in WITH_RESULTS],
            "rows": rows[offset : offset + limit],
            "experiments": catalogue.experiments(),
            "is_whole": catalogue.is_whole,
        }

    @app.get("/api/launch")
    def choices() -> dict[str, Any]:
        return launcher.choices()

    @app.post("/api/launch")
    def launch(form: Annotated[dict[str, Any], Body()]) -> dict[str, Any]:
        return launcher.start(form)


def _searched(row: dict[str, Any]) -> str:
    keys = ("name", "state", "scheduler", "allocator", "options", "system", "workload")
    return " ".join(str(row[key]) for key in keys if row[key]).lower()


def _add_run(app: FastAPI, opened: OpenRuns, launcher: Launcher, folder: Folder) -> None:
    @app.get("/api/run")
    def run(path: Path) -> dict[str, Any]:
        failed = launcher.failure(path)
        if failed is not None:
            raise InputError(f"{path}: {failed}")
        return {"name": path, **runs.description(opened.get(path).view)}

    @app.get("/api/run/curves")
    def curves(path: Path, first: Time, last: Time, bins: Bins = 800) -> dict[str, Any]:
        return runs.curve_data(opened.get(path), first, last, bins)

    @app.get("/api/run/moment")
    def moment(path: Path, time: Time) -> dict[str, Any]:
        return runs.moment_at(opened.get(path), time)

    @app.get("/api/run/time")
    def time(path: Path, text: Text) -> dict[str, Any]:
        return {"time": runs.parse_time(opened.get(path), text)}

    @app.get("/api/run/step")
    def step(
        path: Path, time: Time, steps: Annotated[int, Query(ge=-1000, le=1000)]
    ) -> dict[str, Any]:
        return {"time": runs.neighbour(opened.get(path), time, steps)}

    @app.get("/api/run/gantt")
    def gantt(
        path: Path, first: Time, last: Time, top: Node, bottom: Node, width: Pixels, height: Pixels
    ) -> Response:
        part = ChartPart(first, last, top, bottom, width, height)
        content = runs.picture(opened.get(path), part)
        headers = {"content-encoding": "deflate"}
        return Response(content, media_type="application/octet-stream", headers=headers)

    @app.get("/api/run/at")
    def at(path: Path, time: Time, node: Node) -> dict[str, Any]:
        return {"jobs": opened.get(path).gantt().at(time, node)}

    @app.get("/api/run/job")
    def job(path: Path, job_id: Number, time: Time | None = None) -> dict[str, Any]:
        return runs.job_data(opened.get(path), job_id, time)

    @app.get("/api/run/jobs")
    def jobs(
        path: Path,
        query: Text = "",
        sort: Text = "submit",
        descending: bool = False,
        offset: Offset = 0,
        limit: Limit = 50,
    ) -> dict[str, Any]:
        return runs.job_rows(opened.get(path), query, sort, descending, offset, limit)


def _add_comparison(app: FastAPI, folder: Folder) -> None:
    @app.post("/api/compare")
    def compare(
        names: Annotated[list[str], Body(embed=True, alias="runs", max_length=MOST_RUNS)],
    ) -> dict[str, Any]:
        return comparison.comparison(folder, names)

    @app.get("/api/compare/run")
    def distributions(path: Path) -> dict[str, Any]:
        return comparison.distributions(folder, path)

    @app.get("/api/compare/jobs")
    def differences(one: Path, other: Path, limit: Limit = 20) -> dict[str, Any]:
        return comparison.differences(folder, one, other, limit)
