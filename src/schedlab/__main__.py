"""The program `schedlab`, which is also `python -m schedlab`."""

from schedlab.starting import leave_when_interrupted


def main() -> None:
    """The program `schedlab`."""
    leave_when_interrupted()  # before hundreds of modules are imported
    from schedlab.cli import main as run_command

    run_command()


if __name__ == "__main__":
    main()
