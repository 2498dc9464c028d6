"""What the accuracy of the fluid level does to times: python examples/ppt/accuracy.py.

Exchanges alone on Cielo, one rank per node under random placement, with rates that are fair to
within a share, against exact ones (of the stencil, which takes long, against 0.002).
"""

from __future__ import annotations

from paper_runs import parser, run_script, size_text

import schedlab as sl

KILO = 1024
CASES = (
    ("even-odd", 1024, 64 * KILO, 0.0),
    ("random-pairs", 1024, 64 * KILO, 0.0),
    ("alltoall", 128, 16 * KILO, 0.0),
    ("stencil-3d", 1000, 64 * KILO, 0.002),
)
ACCURACIES = (0.02, 0.1)


def ends(name: str, ranks: int, size: int, accuracy: float) -> list[float]:
    """Returns when each rank ends."""
    run = sl.run_application(
        f"{name}(bytes={size})",
        ranks=ranks,
        ranks_per_node=1,
        system="cielo",
        allocator="random",
        fidelity="fluid",
        accuracy=accuracy,
    )
    return list(run.rank_seconds)


def main(arguments: list[str] | None = None) -> dict[tuple[str, float], tuple[float, float, float]]:
    """Prints the table; returns the differences of the phase, and of ranks, mean and most."""
    chosen = parser(__doc__).parse_args(arguments)
    found = {}
    print("application    ranks x bytes  accuracy     phase  ranks, mean      most")
    for name, ranks, size, exactly in CASES[:1] if chosen.quick else CASES:
        exact = ends(name, ranks, size, exactly)
        for accuracy in ACCURACIES:
            ours = ends(name, ranks, size, accuracy)
            shares = [abs(a / b - 1) for a, b in zip(ours, exact, strict=True)]
            phase, mean = max(ours) / max(exact) - 1, sum(shares) / len(shares)
            found[name, accuracy] = phase, mean, max(shares)
            print(
                f"{name:13}{ranks:>7,} x {size_text(size):6}{accuracy:>8}{phase:>+10.1%}"
                f"{mean:>13.1%}{max(shares):>10.1%}"
            )
    return found


if __name__ == "__main__":
    run_script(main)
