"""Start a process that runs a part of avionics."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import Popen


def start_own_process(statements: str) -> Popen[bytes]:
    """Start a Python process that runs statements, with pipes for its input and output.

    It can import what this process can, but for modules of its working directory, which may belong to someone else.
    Raise `OSError` if the system does not allow it, or if there is no interpreter: a frozen program would start itself.
    """
    from subprocess import DEVNULL, PIPE, Popen

    if getattr(sys, "frozen", False) or not sys.executable:
        raise FileNotFoundError("no Python interpreter to start")

    path = list(dict.fromkeys((str(Path(__file__).parents[1]), *filter(os.path.isabs, sys.path))))
    program = f"import sys; sys.path[:] = {path!r}; {statements}"
    return Popen([sys.executable, "-I", "-S", "-c", program], stdin=PIPE, stdout=PIPE, stderr=DEVNULL, bufsize=0)
