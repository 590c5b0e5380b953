"""A claim of completeness does not depend on time: work that is cut anywhere claims no more than work that is not."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

import avionics.workspace as workspaces
from avionics import cancellation
from avionics.cancellation import limit_answer
from avionics.index.facts import on_demand_facts, text_scan, time_budget, worker_pool
from avionics.model.enums import Certainty
from avionics.model.errors import DeadlineExceededError
from avionics.model.knowledge import Definition
from avionics.model.reasons import ReasonKind
from avionics.source.paths import SkipReason
from avionics.source.read import Content
from avionics.tools.composite.find_unused import find_unused
from avionics.tools.unified.analyze import analyze
from avionics.workspace import Workspace

FILES = {
    "shop/__init__.py": "from shop.base import Base as Ground\n",
    "shop/base.py": "import outside\n\n\nclass Base:\n    def __init__(self, n):\n        self.n = n\n\n"
    "    def show(self):\n        return self.n\n\n    def idle(self):\n        return 1\n",
    "shop/mid.py": "from shop import Ground\n\n\nclass Middle(Ground):\n    pass\n",
    "shop/leaf.py": "import outside\nfrom shop.mid import Middle\n\n\nclass Leaf(Middle, outside.Widget):\n    pass\n"
    "\n\ndef make():\n    outside.register(Leaf(1))\n    return Middle(2)\n",
    "shop/use.py": "from shop.leaf import make\n\n\ndef main():\n    return make().show()\n",
    "src/store.h": "struct store { int size; };\nint take(struct store *from);\nextern int level;\n",
    "src/all.h": '#include "store.h"\n',
    "src/store.c": '#include "all.h"\nint level;\nint take(struct store *from)\n{\n\treturn from->size + level;\n}\n',
    "src/main.c": '#include "all.h"\nint main(void)\n{\n\tstruct store own = {1};\n\treturn take(&own);\n}\n',
    "lib/Shape.java": "package lib;\npublic class Shape {\n  public Shape(int n) { }\n  int area() { return 1; }\n}\n",
    "lib/Disc.java": "package lib;\nclass Disc extends Shape {\n  Disc() { super(2); }\n  int area() { return 3; }\n"
    "  static int sum() { return new Shape(1).area() + new Disc().area(); }\n}\n",
}


class JumpingClock:
    """A clock that is an hour later from some look on."""

    def __init__(self) -> None:
        self.looks = 0
        self.jumps_at = 0

    def monotonic(self) -> float:
        """Return the time in seconds."""
        self.looks += 1
        return time.monotonic() + (3_600.0 if self.jumps_at and self.looks >= self.jumps_at else 0.0)


@pytest.fixture
def clock(monkeypatch):
    clock = JumpingClock()
    for module in (cancellation, time_budget, on_demand_facts, text_scan, worker_pool):
        monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def root(directory):
    return directory(FILES)


def list_definitions(code) -> list[Definition]:
    return [Definition(file, each, at) for file in FILES for at, each in enumerate(code.facts(file).symbols)]


def claim(report) -> tuple[bool, frozenset]:
    return report.certainty is Certainty.EXACT, frozenset((each.file, each.line) for each in report.usages)


def check_every_look(clock, ask, full) -> int:
    """Ask with the time up at the first look at the clock, at the second and so on; return how many looks there are."""
    looks = 0
    while True:
        looks += 1
        clock.looks, clock.jumps_at = 0, looks
        with limit_answer(60.0):
            is_exact, usages = claim(ask())
        is_cut, clock.jumps_at = clock.looks >= looks, 0
        assert usages <= full[1]
        if is_exact:
            assert (is_exact, usages) == full, f"claimed when cut at look {looks}"
        if not is_cut:
            assert (is_exact, usages) == full
            return looks


def test_an_answer_whose_time_is_up_at_any_look_claims_no_more_than_a_full_one(root, settings, clock):
    with Workspace.open(root, settings) as opened:
        opened.index()
        with opened.pinned_index():
            code = opened.code
            definitions = list_definitions(code)
            full = {each: claim(code.usages(each)) for each in definitions}
            assert sum(is_exact for is_exact, _ in full.values()) > len(full) // 3
            for each in definitions:
                looks = check_every_look(clock, lambda each=each: code.usages(each), full[each])
                assert looks > 2
                assert claim(code.usages(each)) == full[each]


def test_an_answer_without_an_index_whose_time_is_up_at_any_look_claims_no_more(root, settings, clock, monkeypatch):
    with Workspace.open(root, settings) as opened:
        opened.index()
        wanted = [
            each for each in list_definitions(opened.code) if each.name in {"take", "size", "show", "Base", "area"}
        ]
        full = {each: claim(opened.code.usages(each)) for each in wanted}
    monkeypatch.setattr(workspaces, "_COLD_FILES", 1)
    monkeypatch.setattr(workspaces, "_COLD_ANSWERS", 10_000)
    with Workspace.open(root, settings) as opened:
        monkeypatch.setattr(type(opened.store.reader), "has_snapshot", lambda *_: False)
        monkeypatch.setattr(on_demand_facts, "is_mostly_stored", lambda *_: False)
        for each in wanted:

            def ask(each=each):
                with opened.pinned_index():
                    assert type(opened.code.source).__name__ == "OnDemandFacts"
                    return opened.code.usages(each)

            assert check_every_look(clock, ask, full[each]) > 3


class Canceller:
    """Raises at one of the points at which work looks whether it was cancelled."""

    def __init__(self) -> None:
        self.looks = 0
        self.raises_at = 0

    def check(self) -> None:
        """Look once."""
        self.looks += 1
        if self.looks == self.raises_at:
            raise DeadlineExceededError("cancelled")


def test_an_answer_that_was_cancelled_at_any_point_leaves_nothing_behind(root, settings, monkeypatch):
    with Workspace.open(root, settings) as opened:
        opened.index()
        with opened.pinned_index():
            definitions = list_definitions(opened.code)
            full = {each: claim(opened.code.usages(each)) for each in definitions}
    canceller = Canceller()
    for name in ("word_index", "stored_facts", "worker_pool"):
        monkeypatch.setattr(f"avionics.index.facts.{name}.check_cancelled", canceller.check)
    for number, each in enumerate(definitions):
        with Workspace.open(root, settings) as opened, opened.pinned_index():
            code = opened.code
            for look in range(1, 40, 1 + number % 3):
                canceller.looks, canceller.raises_at = 0, look
                with suppress(DeadlineExceededError):
                    assert claim(code.usages(each)) == full[each]
                    break
            canceller.raises_at = 0
            assert claim(code.usages(each)) == full[each]


def test_what_time_leaves_undecided_is_not_unused(root, settings, clock):
    with Workspace.open(root, settings) as opened:
        opened.index()
        full = {(each.file, each.line) for each in find_unused(opened, "shop").unused}
        for looks in range(1, 120, 3):
            clock.looks, clock.jumps_at = 0, looks
            with limit_answer(60.0):
                found = {(each.file, each.line) for each in find_unused(opened, "shop").unused}
            clock.jumps_at = 0
            assert found <= full


def test_no_subclasses_are_only_denied_when_all_were_looked_for(directory, settings, clock):
    near = {f"a/near_{number}.py": "from a.base import Base\nBase()\n" for number in range(40)}
    far = {"z/far/leaf.py": "from a.base import Base\n\n\nclass Leaf(Base): ...\n"}
    with Workspace.open(directory({"a/base.py": "class Base: ...\n", **near, **far}), settings) as opened:
        opened.index()
        denied = 0
        for looks in range(1, 120, 2):
            clock.looks, clock.jumps_at = 0, looks
            with limit_answer(60.0):
                answer = analyze(opened, "which classes inherit from Base?")
            clock.jumps_at = 0
            if not answer.get_items("subclasses"):
                denied += 1
                assert "so far (the time ran out)" in answer.summary, f"cut at look {looks}: {answer.summary}"
        assert denied


def test_a_file_that_cannot_be_read_prevents_a_claim(root, settings, monkeypatch):
    with Workspace.open(root, settings) as opened:
        [definition] = opened.code.find_definitions("take", file="src/store.c")
        assert claim(opened.code.usages(definition))[0]
    tree, hidden = type(opened.source), root / "src" / "main.c"

    def iter_contents(self, paths, whole=tree.iter_contents):
        for content in whole(self, paths):
            is_hidden = content.path == "src/main.c"
            yield Content(content.path, b"", SkipReason.UNREADABLE) if is_hidden else content

    # The superuser, who runs tests in some places, can read every file.
    monkeypatch.setattr(tree, "iter_contents", iter_contents)
    hidden.write_bytes(hidden.read_bytes() + b"\n")
    with Workspace.open(root, settings) as opened:
        [definition] = opened.code.find_definitions("take", file="src/store.c")
        report = opened.code.usages(definition)
        assert report.certainty is Certainty.AT_LEAST
        assert [(each.kind, each.detail) for each in report.reasons] == [(ReasonKind.FILES_SKIPPED, "src/main.c")]


def test_usages_of_a_constructor_with_many_heirs_end_when_the_time_is_up(workspace):
    heirs = "".join(f"class H{number}(Base): ...\n" for number in range(200))
    uses = "from base import *\n" + "".join(f"H{number}()\n" for number in range(200))
    base = "class Base:\n    def __init__(self): ...\n"
    opened = workspace({"base.py": f"{base}{heirs}", **{f"use{number}.py": uses for number in range(20)}})
    (constructor,) = opened.code.find_definitions("Base.__init__")
    with limit_answer(0.0):
        report = opened.code.usages(constructor)
    assert report.certainty is Certainty.AT_LEAST
    assert len(report.usages) < 4_000
    assert len(opened.code.usages(constructor).usages) == 4_000
