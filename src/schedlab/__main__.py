"""The program `schedlab`, which is also `python -m schedlab`."""

import os
import sys

if not sys.flags.safe_path and sys.path and sys.path[0] in ("", os.getcwd()):
    # Python puts the current folder first, and the files there are data: a json.py beside a trace
    # must not be imported in place of Python's own.
    del sys.path[0]

from schedlab.early_interrupts import leave_when_interrupted


def main() -> None:
    """The program `schedlab`."""
    leave_when_interrupted()  # before hundreds of modules are imported
    from schedlab.cli import main as run_command

    run_command()


if __name__ == "__main__":
    main()
