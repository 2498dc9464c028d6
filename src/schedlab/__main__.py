"""`python -m schedlab` is the program `schedlab`."""

from schedlab.cli import main

if __name__ == "__main__":
    main()
