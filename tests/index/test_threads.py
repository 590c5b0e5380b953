"""Several threads ask one index at once, and each is answered as if it were alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

COUNT, CHAINS, THREADS = 8, 10, 4
NAMES = [f"chain{number}" for number in range(CHAINS)]
LAST = "class Node:\n    def again(self):\n        return self\n\n    def ping(self):\n        return 1\n\n\n"


def link(number: int) -> str:
    """A module whose function gives what that of the next module gives."""
    if number == COUNT:
        return f"{LAST}def make{number}():\n    return Node()\n"
    after = number + 1
    return (
        f"from chain.m{after} import make{after}\n\n\n"
        f"def make{number}():\n    return make{after}().again()\n\n\n"
        f"def use{number}():\n    return make{number}().ping()\n"
    )


def test_what_another_thread_has_not_concluded_yet_is_not_taken_for_unknown(workspace, switching):
    files = {f"{chain}/m{n}.py": link(n).replace("chain", chain) for chain in NAMES for n in range(COUNT + 1)}
    opened = workspace({**files, **{f"{chain}/__init__.py": "" for chain in NAMES}})
    opened.index()
    together = Barrier(THREADS)

    def ask(_) -> list[tuple]:
        found = []
        with opened.pinned_index():
            for chain in NAMES:
                [definition] = opened.code.find_definitions("Node.ping", scope=chain)
                together.wait()
                report = opened.code.usages(definition)
                found.append((len(report.usages), report.unresolved))
        return found

    with ThreadPoolExecutor(THREADS) as threads:
        assert list(threads.map(ask, range(THREADS))) == [[(COUNT, ())] * CHAINS] * THREADS
