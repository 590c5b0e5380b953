"""Ten thousand generated calls through the whole pipeline: none raises, breaks the format or escapes the audit.

Run: python tests/bench/bench_many_calls.py
"""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import perf_counter

from hypothesis import HealthCheck, given, settings

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
EXAMPLES = 10_000


def main() -> None:
    """Run the suite's own test with many more examples."""
    spec = spec_from_file_location("many_calls", ROOT / "tests" / "tools" / "test_many_calls.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    test = module.test_no_call_whatsoever_raises_breaks_the_format_or_escapes_the_audit
    started = perf_counter()
    many = settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    many(given(**module.QUESTIONS)(test.hypothesis.inner_test))()
    print(f"{EXAMPLES} generated batches of one to five calls: no fault, {perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
