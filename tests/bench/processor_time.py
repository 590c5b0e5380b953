"""Processor time of a program with the processes it keeps, for the benches; those end with the program, or later."""

from __future__ import annotations

import os
import resource
from pathlib import Path


def cpu_seconds() -> float:
    """CPU of this process and of its children, ended or not."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    living = {pid for each in Path("/proc/self/task").glob("*/children") for pid in each.read_text().split()}
    return sum(usage.ru_utime + usage.ru_stime for usage in usages) + sum(map(_living_seconds, living))


def _living_seconds(pid: str) -> float:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")
