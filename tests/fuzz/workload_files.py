"""Workloads of every format, plain and compressed: simulated, and looked at on the command line."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tempfile
from pathlib import Path

from fuzz.harness import Sample, Target, run_command

MARCH = 1_709_280_000
ROWS = [
    (
        job,
        job * 60,
        job % 7,
        100 + 37 * job,
        2 * (1 + job % 4),
        300 + 60 * job,
        1,
        job % 3,
        1,
        job % 5,
    )
    for job in range(1, 13)
]
SWF = (
    "; Version: 2.2\n; Computer: Test \n; UnixStartTime: 1027839845\n; MaxNodes: 8\n"
    "; TimeZoneString: Europe/Stockholm\n; MaxProcs: 32\n; Queue: 1 express\n"
    + "\n".join(
        f"{j} {s} {w} {r} {p} {r - 1} 1000 {p} {e} 2000 {st} {u} {g} {x} 1 1 "
        f"{j - 1 if j % 4 == 0 else -1} 5"
        for j, s, w, r, p, e, st, u, g, x in ROWS
    )
    + "\n"
)
SACCT = (
    "JobID|User|Account|Submit|Start|End|ElapsedRaw|Timelimit|AllocCPUS|ReqMem|State|QOS|NodeList|Dependency\n"
    "8|ada|ocean|2024-03-01T08:00:00|2024-03-01T08:01:00|2024-03-01T08:09:00|480|01:00:00|4|2Gn|"
    "COMPLETED|normal|n[1-2]|\n"
    "8.batch|||2024-03-01T08:00:00|||480||4||COMPLETED|||\n"
    "9_[1-3]|bob|ice|2024-03-01T08:00:30|Unknown|Unknown|0|1-00:00:00|2|512Mc|PENDING|debug||afterok:8\n"
    "9_1|bob|ice|2024-03-01T08:00:30|2024-03-01T08:02:00|2024-03-01T08:03:00|60|UNLIMITED|2|0|"
    "CANCELLED by 7|debug|n3|\n"
)
PBS = (
    "03/01/2024 08:00:00;Q;7.server;queue=batch\n"
    "03/01/2024 08:09:00;E;7.server;user=ada group=ocean jobname=sim queue=batch "
    f"ctime={MARCH} qtime={MARCH} etime={MARCH} start={MARCH + 9} exec_host=n1/0*2+n2/0*2 "
    "Resource_List.ncpus=4 Resource_List.nodes=2:ppn=2 Resource_List.walltime=01:00:00 "
    f"Resource_List.mem=2gb session=1 end={MARCH + 500} Exit_status=0 "
    "resources_used.cput=00:10:00 resources_used.walltime=00:08:11\n"
)
MOAB = "VERSION 510\n" + "".join(
    f"08:00:00 {MARCH}:12 job {job} {kind} 2 4 ada ocean 3600 Completed [batch:1] {MARCH} "
    f"{MARCH + 5} {MARCH + 5} {MARCH + 65} - - - >= 0 >= 0 - 0 4 2 - - steel sim - -1 1200.0 base "
    "2 512 0 0 0 0 n1,n2\n"
    for job, kind in ((7, "JOBSUBMIT"), (7, "JOBEND"), (8, "JOBSUBMIT"))
)
DAX = """<?xml version="1.0" encoding="UTF-8"?>
<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.3" name="Mon &amp; tage">
  <job id="ID1" namespace="Montage" name="mProject" version="1.0" runtime="13.59">
    <uses file="a.fits" link="input" size="4222080"/>
  </job>
  <job id="ID2" name="mpi"><profile namespace="pegasus" key="cores">32</profile>
    <profile namespace="pegasus" key="runtime">600</profile></job>
  <child ref="ID2"><parent ref="ID1"/></child>
</adag>
"""
FOREIGN = """# Computer: Test
Id;Submitted;Began;Ended;Limit;Who;CPUs;After;Mem GB
a;2024-01-05 10:00:00;2024-01-05 10:00:10;2024-01-05 11:00:00;02:00:00;alice;4;;1.5
b;2024-01-05T10:05:00+01:00;1704445560;2024-01-05T09:10:00Z;1-00:00:00;bob;2;a;2
c;2024-01-05 09:59:00;NA;NA;90;alice;x;a b;
"""
COLUMN_MAP = """job = "Id"
submit = "time(Submitted)"
wait = "time(Began) - time(Submitted)"
run = "time(Ended) - time(Began)"
requested_time = "duration(Limit)"
user = "Who"
requested_processors = "CPUs"
requested_memory = "gigabytes(column('Mem GB')) / CPUs"
status = 1
predecessors = "After"
zone = "Europe/Stockholm"
"""
APPLICATIONS = """job,submit,run,requested_processors,requested_time,application
1,0,10,4,100,allreduce(bytes=128)
2,5,10,2,100,"stencil-3d(bytes=64k, iterations=2)"
3,6,10,2,100,
"""
MACHINE = {
    "groups": {"node": {"nodes": 16, "resources": {"core": 4, "mem": 10**7}}},
    "network": {
        "topology": "torus",
        "dimensions": [4, 2, 2],
        "bandwidth": 3e10,
        "delay": 1e-7,
        "host_bandwidth": 1e11,
        "host_delay": 1e-6,
        "files": {"bandwidth": 1e10},
        "compute": {"integer": 1e9, "floating": 1e9, "memory": 1e9},
    },
}
WRITTEN = {
    "csv": "a.csv",
    "batsim": "a.json",
    "irmasim": "irmasim.json",
    "wfformat": "wf.json",
    "manifest": "manifest.json",
    "sacct": "written.sacct",
    "pbs": "written.pbs",
    "ppt": "ppt.csv",
}


def _samples() -> list[Sample]:
    from schedlab.workload.formats import open_reader, write_tables

    files = {"a.swf": SWF.encode(), "b.sacct": SACCT.encode(), "b.pbs": PBS.encode()}
    files |= {
        "events.txt": MOAB.encode(),
        "b.dax": DAX.encode(),
        "applied.csv": APPLICATIONS.encode(),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.swf"
        path.write_bytes(files["a.swf"])
        reader = open_reader(path)
        tables = list(reader.tables())
        for format_name, name in WRITTEN.items():
            write_tables(Path(folder) / name, tables, reader.header, format_name)
            files[name] = (Path(folder) / name).read_bytes()
    samples = [Sample(name, {name: content}) for name, content in files.items()]
    samples += [
        Sample("a.swf.gz", {"a.swf.gz": gzip.compress(files["a.swf"], mtime=0)}),
        Sample("a.csv.bz2", {"a.csv.bz2": bz2.compress(files["a.csv"])}),
        Sample("a.swf.xz", {"a.swf.xz": lzma.compress(files["a.swf"])}),
        Sample("mapped", {"a.csv": FOREIGN.encode(), "columns.toml": COLUMN_MAP.encode()}),
    ]
    return samples


def _parquet_samples() -> list[Sample]:
    """Returns Parquet files of several kinds, which other programs write, too."""
    import io

    import polars

    rows = range(1, 41)
    table = polars.DataFrame(
        {
            "job": list(rows),
            "submit": [float(60 * i) for i in rows],
            "run": [None if i % 7 == 0 else 10.5 * i for i in rows],
            "requested_processors": [1 + i % 4 for i in rows],
            "user": [f"user {i % 5}" for i in rows],
            "queue": ["a" * (i % 3) for i in rows],
            "predecessors": [[i - 1] if i % 5 == 0 else [] for i in rows],
        }
    )
    samples = []
    for compression in ("zstd", "snappy", "uncompressed", "gzip", "lz4", "brotli"):
        file = io.BytesIO()
        table.write_parquet(file, compression=compression, row_group_size=16)
        samples.append(Sample("a.parquet", {"a.parquet": file.getvalue()}))
    return samples


def _path_and_reader(name: str, folder: Path) -> tuple[str, str | None]:
    if name == "mapped":
        return str(folder / "a.csv"), f"csv(columns={folder / 'columns.toml'})"
    return str(folder / name), "ppt" if name == "ppt.csv" else None


def _simulate(name: str, folder: Path) -> None:
    import schedlab as sl
    from schedlab.workload.formats import workload

    path, reader = _path_and_reader(name, folder)
    sl.simulate(workload(path, reader), system=MACHINE, scheduler="easy")


def _inspect(name: str, folder: Path) -> None:
    path, reader = _path_and_reader(name, folder)
    run_command(
        "workload", "inspect", path, *(("--reader", reader) if reader else ()), codes=(0, 2)
    )


def _convert(name: str, folder: Path) -> None:
    path, reader = _path_and_reader(name, folder)
    out = folder / "made" / ("out.json" if len(name) % 2 else "out.csv")
    out.parent.mkdir()
    given = (path, str(out), "--force", *(("--reader", reader) if reader else ()))
    run_command("workload", "convert", *given, codes=(0, 2))


TARGETS = [
    Target("workloads", _samples, _simulate),
    Target("parquet", _parquet_samples, _simulate, few=10),
    Target("workloads-inspected", _samples, _inspect),
    Target("workloads-converted", _samples, _convert),
]
