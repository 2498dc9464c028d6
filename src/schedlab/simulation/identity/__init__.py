"""What determines the results of a run: contents of inputs, code, options and versions."""

from schedlab.simulation.identity.of_run import engine_checksum, identity_of, shared_parts

__all__ = ["engine_checksum", "identity_of", "shared_parts"]
