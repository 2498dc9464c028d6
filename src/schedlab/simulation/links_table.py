"""links.csv: what each link of a network carried in a run."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.simulation import Simulation

COLUMNS = (
    *("link", "kind", "from", "to", "from_router", "to_router"),
    *("bytes_per_second", "bytes", "use"),
)


def links_text(simulation: Simulation) -> str:
    """Returns links.csv of a run: a row per link, in the order of the topology."""
    network = simulation.system.network
    assert network is not None
    links = network.links()
    carried = simulation.engine.carried()
    use = links.use(carried, simulation.metrics["makespan"])
    places: dict[int, str] = {}

    def place(router: int) -> str:
        if router not in places:
            places[router] = " ".join(map(str, links.coordinates(router)))
        return places[router]

    lines = [",".join(COLUMNS)]
    for link, (start, end) in enumerate(links.ends):
        first, last = links.routers(link)
        lines.append(
            f"{link},{links.kinds[links.kind[link]]},{start},{end},{place(first)},{place(last)},"
            f"{links.capacities[link]!r},{carried[link]!r},{use[link]!r}"
        )
    return "\n".join(lines) + "\n"
