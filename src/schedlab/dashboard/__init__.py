"""Runs in a browser: a server of JSON and a page, for one folder and nothing outside it."""

from __future__ import annotations

from schedlab.errors import InputError

NEEDED = ("fastapi", "starlette", "uvicorn", "websockets", "plotly")
"""Packages of the extra `dashboard`."""

try:
    import uvicorn  # noqa: F401
    import websockets  # noqa: F401

    from schedlab.dashboard.server import create_app
except ImportError as error:
    missing = (error.name or "").partition(".")[0]
    if missing not in NEEDED:
        raise
    raise InputError(f"the dashboard needs {missing}: pip install 'schedlab[dashboard]'") from None

__all__ = ["create_app"]
