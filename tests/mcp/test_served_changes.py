"""A server over stdio, asked at once after whatever happens to the files of a tree that it watches."""

from __future__ import annotations

import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "bench" / "bench_serve.py"


def test_what_a_server_says_is_about_the_files_as_they_are(directory, tmp_path, run):
    spec = importlib.util.spec_from_file_location("bench_serve", SCRIPT)
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    root = directory({f"package_{number % 7}/m{number}.py": f"a = {number}\n" for number in range(510)})
    wrong, taken = run(bench.serve(root, tmp_path / "cache", 60, 1, 0.1))
    assert wrong == []
    assert sum(map(len, taken.values())) == 60
