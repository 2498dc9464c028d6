"""Tables and figures out of run folders."""

from schedlab.analysis.curves import curves
from schedlab.analysis.groups import RunGroup, groups_of
from schedlab.analysis.node_states import STATES, interruptions, node_states, state_raster
from schedlab.analysis.plots import PLOTS, Plot, plot
from schedlab.analysis.raster import GanttRaster, gantt_raster, job_colours
from schedlab.analysis.spans import node_spans
from schedlab.former_names import install

__all__ = [
    "PLOTS",
    "STATES",
    "GanttRaster",
    "Plot",
    "RunGroup",
    "curves",
    "gantt_raster",
    "groups_of",
    "interruptions",
    "job_colours",
    "node_spans",
    "node_states",
    "plot",
    "state_raster",
]

install()  # of modules that were here
