"""The conventions of Go."""

from __future__ import annotations

import re

from avionics.syntax.conventions import Conventions, FileNames, ImplicitUse, TestConventions

CONVENTIONS = Conventions(
    files=FileNames(generated=re.compile(r"\.pb(\.\w+)?\.go$|(^|/)zz_generated|_gen\.go$")),
    tests=TestConventions(
        names=re.compile("Test|Benchmark|Fuzz|Example"), collected=("Test", "Benchmark", "Example", "Fuzz")
    ),
    implicit=ImplicitUse(run_functions=frozenset({"main", "init"})),
    is_name_first=True,
    has_written_types=True,
)
