"""Whatever happens to a repository, in whatever order: answers are those of a fresh index."""

from __future__ import annotations

import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "bench" / "bench_random.py"


def test_a_hundred_random_steps_never_give_an_old_answer(tmp_path):
    spec = importlib.util.spec_from_file_location("bench_random", SCRIPT)
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    happened = bench.run(tmp_path, 100, seed=5)
    assert (sum(happened.values()), len(happened)) == (100, 18), "everything that can happen does"
