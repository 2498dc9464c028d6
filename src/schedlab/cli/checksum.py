"""`schedlab checksum`: what run.json and the report call the checksums of inputs."""

from __future__ import annotations

from schedlab.cli import options
from schedlab.cli.declaring import Annotated, Argument
from schedlab.errors import InputError

EXAMPLE = "Example: schedlab checksum trace.swf.gz --system machine.toml"


def checksum(
    workloads: Annotated[
        list[str] | None,
        Argument(
            metavar="WORKLOAD...",
            help="Workload files of any format; .gz, .bz2 and .xz are unpacked.",
            show_default=False,
        ),
    ] = None,
    systems: Annotated[
        list[str] | None,
        options.option(
            "--system", options.READING, "System file, or name of a machine; repeatable.", "FILE"
        ),
    ] = None,
    conditions: Annotated[
        list[str] | None,
        options.option(
            "--conditions", options.READING, "File of conditions; may be repeated.", "FILE"
        ),
    ] = None,
    reader: options.Reader = None,
) -> None:
    """Print the checksums of inputs, as run.json and the report have them.

    Of a workload it is that of its unpacked content, of a system that of its definition, of
    conditions that of each series.
    """
    if not (workloads or systems or conditions):
        raise InputError("nothing to check; give WORKLOAD, --system FILE or --conditions FILE")
    from schedlab.conditions import load_conditions
    from schedlab.results.checksums import conditions_checksums, system_checksum, workload_checksum
    from schedlab.system import load_system

    for path in workloads or ():
        found = workload_checksum(path, reader)
        if not found:
            raise InputError(f"{path}: its reader {reader} gives no checksum")
        print(f"{found}  {path}")
    for path in systems or ():
        print(f"{system_checksum(load_system(path))}  {path}")
    for path in conditions or ():
        described = load_conditions(path).described()
        for place, found in conditions_checksums(described).items():
            print(f"{found}  {path} {place.partition('.')[2]}")
