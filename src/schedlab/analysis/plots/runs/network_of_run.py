"""The network of a run, made again of what run.json says."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from schedlab.results.json_text import from_json, to_json

if TYPE_CHECKING:
    from schedlab.results import Result
    from schedlab.system.network import Network


def network_of(result: Result) -> Network:
    """Returns the network of the run's system, which must have one."""
    return _made(to_json(result.run["system"]["network"]))


@lru_cache(maxsize=16)
def _made(text: str) -> Network:
    from schedlab.system.network.network_table import read_network

    return read_network(from_json(text))
