"""Speed of reading a dump of sacct with steps, and a log of PBS, of that many rows.

python benchmarks/accounting_logs.py --rows 1000000
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from pathlib import Path

from schedlab.workload.formats import open_reader

START = 1_700_000_000
COLUMNS = (
    "JobID|JobIDRaw|Cluster|User|Group|Account|JobName|Partition|QOS|State|Submit|Eligible|Start|"
    "End|ElapsedRaw|Timelimit|ReqCPUS|AllocCPUS|ReqNodes|NNodes|ReqMem|ReqTRES|AllocTRES|"
    "TotalCPU|MaxRSS|NTasks|TRESUsageInTot"
)


def sacct_dump(path: Path, rows: int) -> None:
    """Writes a dump in which two steps follow each job."""
    draw = random.Random(1)
    submit = START
    with path.open("w") as file:
        file.write(COLUMNS + "\n")
        for job in range(1, rows // 3 + 1):
            submit += draw.randrange(60)
            start = submit + draw.randrange(7200)
            run, cores, user = draw.randrange(1, 80_000), draw.choice((1, 4, 16, 64)), draw.random()
            times = f"{submit}|{submit}|{start}|{start + run}|{run}"
            who = f"u{int(user * 500)}|g{int(user * 40)}|a{int(user * 60)}|run{int(user * 3000)}"
            tres = f"billing={cores},cpu={cores},mem={2 * cores}G,node=1"
            file.write(
                f"{job}|{job}|c|{who}|batch|normal|COMPLETED|{times}|1-00:00:00|{cores}|{cores}|1|1"
                f"|{2 * cores}G|{tres}|{tres}|{run}|||\n"
            )
            for step in ("batch", "extern"):
                file.write(
                    f"{job}.{step}|{job}.{step}|c||||{step}|||COMPLETED|{times}||{cores}|{cores}|1|1"
                    f"||||00:10:00|{run}K|1|cpu=00:10:00,mem={run}K\n"
                )


def pbs_log(path: Path, rows: int) -> None:
    """Writes a log with the records Q, S and E of each job."""
    draw = random.Random(1)
    submit = START
    with path.open("w") as file:
        for job in range(1, rows // 3 + 1):
            submit += draw.randrange(60)
            start = submit + draw.randrange(7200)
            run, cores, user = draw.randrange(1, 80_000), draw.choice((1, 4, 16, 64)), draw.random()
            stamp = time.strftime("%m/%d/%Y %H:%M:%S", time.gmtime(start + run))
            common = (
                f"user=u{int(user * 500)} group=g{int(user * 40)} jobname=run{int(user * 3000)} "
                f"queue=batch ctime={submit} qtime={submit} etime={submit} start={start} "
                f"exec_host=n{job % 400}/0*{cores} Resource_List.select=1:ncpus={cores}:mem=8gb "
                "Resource_List.walltime=24:00:00"
            )
            file.write(f"{stamp};Q;{job}.server;queue=batch\n{stamp};S;{job}.server;{common}\n")
            file.write(
                f"{stamp};E;{job}.server;{common} end={start + run} Exit_status=0 "
                f"resources_used.cput={run} resources_used.mem={run}kb\n"
            )


def measure(name: str, path: Path) -> None:
    """Prints how long reading takes."""
    reader = open_reader(path, name)
    began = time.process_time()
    jobs = sum(table.height for table in reader.tables())
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name}: {reader.line:,} lines, {jobs:,} jobs, {seconds:.1f} s CPU, "
        f"{reader.line / seconds:,.0f} lines/s, {memory:.0f} MB peak so far"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        for name, write in (("sacct", sacct_dump), ("pbs", pbs_log)):
            path = Path(folder, f"log.{name}")
            write(path, rows)
            measure(name, path)
            path.unlink()


if __name__ == "__main__":
    main()
