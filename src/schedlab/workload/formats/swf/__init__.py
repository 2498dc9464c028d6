"""The Standard Workload Format: with fields of schedlab's own, and plain."""

from schedlab.workload.formats.swf.extended import SwfReader, SwfWriter

__all__ = ["SwfReader", "SwfWriter"]
