"""Modules under the names that they once had: scripts and files that have these still work.

The names are those of the documentation, and those by which files may name readers and writers.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

MOVED = {
    "schedlab.analysis.application_pictures": "schedlab.analysis.plots.networks.application",
    "schedlab.analysis.plots.files": "schedlab.analysis.plots.picture_files",
    "schedlab.conditions.fields": "schedlab.conditions.series_field",
    "schedlab.fitting.columns": "schedlab.fitting.measured_columns",
    "schedlab.likeness.plots": "schedlab.analysis.plots.workloads",
    "schedlab.report.facts": "schedlab.report.run_facts",
    "schedlab.report.machine": "schedlab.report.machine_tables",
    "schedlab.results.columns": "schedlab.results.stored_columns",
    "schedlab.system.facts": "schedlab.system.system_facts",
    "schedlab.system.network.facts": "schedlab.system.network.network_facts",
    "schedlab.system.network.fields": "schedlab.system.network.network_fields",
    "schedlab.workload.formats.accounting.files": "schedlab.workload.formats.accounting.log_files",
    "schedlab.workload.formats.accounting.names": "schedlab.workload.formats.accounting.log_names",
    "schedlab.workload.formats.csv": "schedlab.workload.formats.tables.csv",
    "schedlab.workload.formats.dax": "schedlab.workload.formats.workflows.dax",
    "schedlab.workload.formats.frame": "schedlab.workload.formats.tables.frame",
    "schedlab.workload.formats.json_files.fields": "schedlab.workload.formats.json_files.document",
    "schedlab.workload.formats.manifest": "schedlab.workload.formats.workflows.manifest",
    "schedlab.workload.formats.parquet": "schedlab.workload.formats.tables.parquet",
    "schedlab.workload.formats.pbs_moab": "schedlab.workload.formats.pbs.moab",
    "schedlab.workload.formats.pbs_writer": "schedlab.workload.formats.pbs.writer",
    "schedlab.workload.formats.ppt.columns": "schedlab.workload.formats.ppt.job_specification",
    "schedlab.workload.formats.sacct_writer": "schedlab.workload.formats.sacct.writer",
    "schedlab.workload.formats.specification_writer": "schedlab.workload.formats.ppt.writer",
    "schedlab.workload.formats.wfformat": "schedlab.workload.formats.workflows.wfformat",
    "schedlab.workload.generator": "schedlab.workload.models.accasim",
    "schedlab.workload.lublin": "schedlab.workload.models.lublin",
    "schedlab.workload.model": "schedlab.workload.models.scsf",
    "schedlab.workload.models.accasim.facts": "schedlab.workload.models.accasim.generated_facts",
    "schedlab.workload.models.accasim.machine": "schedlab.workload.models.accasim.target_machine",
    "schedlab.workload.models.accasim.parts": "schedlab.workload.models.accasim.generator_parts",
    "schedlab.workload.models.scsf.files": "schedlab.workload.models.scsf.model_files",
    "schedlab.workload.names": "schedlab.workload.workload_names",
    "schedlab.workload.plain": "schedlab.workload.models.plain",
}
"""Modules by their former names."""

MOVED_WITHIN = {
    f"schedlab.workload.formats.{name}": f"schedlab.workload.formats.{home}"
    for name, home in (
        ("pbs:PbsReader", "pbs.reader:PbsReader"),
        ("sacct:SacctReader", "sacct.reader:SacctReader"),
        ("swf:SwfReader", "swf.extended:SwfReader"),
        ("swf:SwfWriter", "swf.extended:SwfWriter"),
    )
}
"""What moved from a module to one within it, as files may name it."""


def present_name(name: str) -> str:
    """Returns the name that a module, or `module:Name`, has now."""
    if name in MOVED_WITHIN:
        return MOVED_WITHIN[name]
    module, colon, rest = name.partition(":")
    former = module
    while former:
        if former in MOVED:  # and perhaps again since
            return present_name(f"{MOVED[former]}{module[len(former) :]}{colon}{rest}")
        former = former.rpartition(".")[0]
    return name


class FormerNames:
    """Finds modules for imports of their former names."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns how to import a module that has another name now; None: it has not."""
        if not name.startswith("schedlab.") or (present := present_name(name)) == name:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, _Present(present))  # type: ignore[arg-type]


class _Present:
    """Gives the module of today, which is there once, whatever it is called."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        __import__(self._name)
        module = sys.modules[self._name]
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # which the import has just replaced


def install() -> None:
    """Lets Python find modules under their former names, before it looks for files."""
    if FormerNames not in sys.meta_path:
        sys.meta_path.insert(0, FormerNames)
