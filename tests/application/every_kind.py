"""A program with an argument of each kind."""


def program(mpi, text: str = "", flag: bool = False, share: float | None = 0.5, count: int = 3):
    yield mpi.barrier()
