"""What changed between two versions, symbol by symbol."""

from __future__ import annotations

import pytest

from avionics.index.changes.api_compat import find_api_breaks
from avionics.index.changes.symbol_diff import ChangedFile, ChangeKind, RevisionView, find_changes
from avionics.model.reasons import Reason, ReasonKind


@pytest.fixture
def compare(git_repository, workspace):
    """Commits two versions and gives both sides with the changes between them."""

    def run(before, after, files=None):
        repository = git_repository(before)
        repository.commit("second", after)
        opened = workspace(root=repository.root)
        base, head = (RevisionView(each.code, each.source) for each in (opened.at("HEAD~1"), opened.at("HEAD")))
        touched = files or [ChangedFile(path if path in before else "", path if text is not None else "")
                            for path, text in after.items()]  # fmt: skip
        return base, head, find_changes(base, head, touched)

    return run


def shown(changes):
    return [(each.change.value, each.definition.symbol.qualname) for each in changes]


BEFORE = """import os


class A:
    limit = 1

    def kept(self):
        return 1

    def edited(self):
        return 1

    def documented(self):
        return 1

    def signed(self, a):
        def inner():
            return a
        return inner


def gone():
    return os
"""
AFTER = """import os
import sys


class A:
    limit = 2

    def kept(self):

        return 1

    def edited(self):
        return 2

    def documented(self):
        '''Says it.'''
        # and again
        return 1

    def signed(self, a, b=None):
        def inner():
            return a
        return inner


def came():
    def inner(): ...
    return sys
"""


def test_every_symbol_is_told_by_what_happened_to_it(compare):
    _, _, changes = compare({"m.py": BEFORE}, {"m.py": AFTER})
    assert shown(changes) == [
        ("removed", "gone"),
        ("signature", "A.signed"),
        ("body", "A.limit"),
        ("body", "A.edited"),
        ("added", "came"),
        ("comments", "A.documented"),
    ]


def test_indentation_blank_lines_and_imports_are_no_change(compare):
    before = "import a\n\nclass A:\n    def f():\n        return 1\n"
    after = "import a, b\nclass A:\n\n        def f():\n\n            return 1 \n"
    assert shown(compare({"m.py": before}, {"m.py": after})[2]) == []


def test_code_outside_of_functions_is_its_modules(compare):
    _, _, changes = compare({"m.py": "def f(): ...\nf()\n"}, {"m.py": "def f(): ...\nf(1)\n"})
    assert shown(changes) == [("body", "m")]


def test_a_function_that_moved_between_files_has_moved(compare):
    body = "def long_one(x):\n    y = x + 1\n    return y\n"
    _, _, changes = compare({"a.py": body, "b.py": "z = 1\n"}, {"a.py": "", "b.py": f"z = 1\n{body}"})
    assert [(each.change, each.before.file, each.after.file, each.is_edited) for each in changes] == [
        (ChangeKind.MOVED, "a.py", "b.py", False)
    ]


def test_a_function_that_moved_and_changed_says_both(compare):
    body = "def long_one(x):\n    a = 1\n    b = 2\n    c = 3\n    return {}\n"
    _, _, changes = compare({"a.py": body.format(1)}, {"a.py": "", "b.py": body.format(2)})
    assert [(each.change, each.is_edited) for each in changes] == [(ChangeKind.MOVED, True)]


def test_the_members_of_what_came_or_went_are_part_of_it(compare):
    _, _, changes = compare({"m.py": "class A:\n    x = 1\n    def f(self): ...\n"}, {"m.py": "class B:\n    y = 1\n"})
    assert shown(changes) == [("removed", "A"), ("added", "B")]


def test_a_class_that_moved_takes_its_members_along(compare):
    text = "class A:\n    x = 1\n    def f(self):\n        return 1\n"
    _, _, changes = compare({"a.py": text}, {"a.py": "", "b.py": text})
    assert [(each.change.value, each.after.symbol.qualname) for each in changes] == [("moved", "A")]


def test_a_renamed_file_has_moved_as_a_whole(compare):
    text = "def f():\n    return 1\n"
    _, _, changes = compare({"a.py": text}, {"a.py": None, "b.py": text}, [ChangedFile("a.py", "b.py")])
    assert shown(changes) == [("moved", "b")]


def test_a_file_renamed_within_its_go_package_breaks_nobody(compare):
    base, head, changes = compare(
        {"go.mod": "module x.org/m\n", "a.go": "package m\n\nfunc F() {}\n"},
        {"a.go": None, "b.go": "package m\n\nfunc F() {}\n"},
        [ChangedFile("a.go", "b.go")],
    )
    assert find_api_breaks(base, head, changes) == ()


def test_a_prototype_speaks_for_its_definition(compare):
    base, head, changes = compare(
        {"m.h": "int f(int a);\n", "m.c": '#include "m.h"\nint f(int a) { return a; }\n'},
        {"m.h": "int f(int a, int b);\n", "m.c": '#include "m.h"\nint f(int a, int b) { return a; }\n'},
    )
    assert [each.change.definition.file for each in find_api_breaks(base, head, changes)] == ["m.h"]


BREAKS = [
    ("def f(a): ...\n", "", Reason(ReasonKind.REMOVED)),
    ("def f(a): ...\n", "def f(a, b): ...\n", Reason(ReasonKind.PARAMETER_ADDED, subject="b")),
    ("def f(a): ...\n", "def f(a, b=1): ...\n", ""),
    ("def f(a): ...\n", "def f(a, *, b): ...\n", Reason(ReasonKind.PARAMETER_ADDED, subject="b")),
    ("def f(a): ...\n", "def f(a, *args, **kw): ...\n", ""),
    ("def f(a, b): ...\n", "def f(b, a): ...\n", Reason(ReasonKind.PARAMETERS_REORDERED)),
    ("def f(a, b): ...\n", "def f(a): ...\n", Reason(ReasonKind.PARAMETER_REMOVED, subject="b")),
    ("def f(a, b): ...\n", "def f(a, **kw): ...\n", ""),
    ("def f(a=1): ...\n", "def f(a): ...\n", Reason(ReasonKind.PARAMETER_REQUIRED, subject="a")),
    ("def f(a, b=1): ...\n", "def f(a, *, b=1): ...\n", Reason(ReasonKind.PARAMETER_KEYWORD_ONLY, subject="b")),
    ("def f(a, c=2): ...\n", "def f(a, b=1, c=2): ...\n", Reason(ReasonKind.PARAMETER_INSERTED)),
    ("def f(a: int) -> int: ...\n", "def f(a: str) -> str: ...\n", ""),
    ("def f(a: dict[str, int] = {}): ...\n", "def f(a: dict[str, str] = {}): ...\n", ""),
    ("def _f(a): ...\n", "", ""),
    ("class A(B, C): ...\n", "class A(B): ...\n", Reason(ReasonKind.BASES_REMOVED, subject="C")),
    ("import lib as a\nclass A(a.m.B): ...\n", "import lib.m as b\nclass A(b.B): ...\n", ""),
    ("import lib\nimport net\nclass A(lib.B): ...\n", "import net\nclass A(net.B): ...\n",
     Reason(ReasonKind.BASES_REMOVED, subject="lib.B")),
    ("class C: ...\nclass B: ...\nclass A(B, C): ...\n", "class C: ...\nclass B(C): ...\nclass A(B): ...\n", ""),
    ("def f(): ...\n", "class f: ...\n", Reason(ReasonKind.KIND_CHANGED, subject="function", detail="class")),
    ("class A:\n    x = 1\n", "class A:\n    @property\n    def x(self): ...\n",
     Reason(ReasonKind.KIND_CHANGED, subject="attribute", detail="property")),
    ("import lib\nclass A(lib.B):\n    def f(self): ...\n", "import lib\nclass A(lib.B): ...\n",
     Reason(ReasonKind.REMOVED_UNLESS_INHERITED, subject="lib.B")),
    ("class A(RuntimeError):\n    def f(self): ...\n", "class A(RuntimeError): ...\n",
     Reason(ReasonKind.REMOVED_UNLESS_INHERITED, subject="RuntimeError")),
    ("def f(): ...\n", "from other import f\n", ""),
    ("class B: ...\nclass A(B):\n    def f(self): ...\n", "class B:\n    def f(self): ...\nclass A(B): ...\n", ""),
    (f"def f({', '.join(f'parameter_{n}: dict[str, int]' for n in range(12))}): ...\n",
     f"def f({', '.join(f'parameter_{n}: dict[str, int]' for n in range(11))}): ...\n",
     Reason(ReasonKind.PARAMETER_REMOVED, subject="parameter_11")),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "reason"), BREAKS)
def test_a_public_change_breaks_users_or_not(compare, before, after, reason):
    base, head, changes = compare({"m.py": before, "other.py": ""}, {"m.py": after})
    assert [each.reasons for each in find_api_breaks(base, head, changes)] == ([(reason,)] if reason else [])


@pytest.mark.parametrize(
    ("path", "files", "is_public"),
    [
        ("pkg/m.py", {}, True),
        ("pkg/_m.py", {}, False),
        ("pkg/internal/m.py", {}, False),
        ("pkg/_m.py", {"pkg/__init__.py": "from ._m import f\n"}, True),
        ("tests/m.py", {}, False),
    ],
)
def test_what_is_public_depends_on_its_place_too(compare, path, files, is_public):
    base, head, changes = compare({path: "def f(): ...\n", **files}, {path: ""})
    assert bool(find_api_breaks(base, head, changes)) is is_public


@pytest.mark.parametrize(("path", "public"), [("m.c", ["f"]), ("m.h", ["LIMIT", "f", "pair"])])
def test_of_a_file_that_none_includes_only_what_the_linker_finds_is_public(compare, path, public):
    text = "#define LIMIT 3\nint f(int a) { return a; }\nstatic int g(void) { return 1; }\nstruct pair { int a; };\n"
    base, head, changes = compare({path: text}, {path: ""})
    assert sorted(each.change.definition.symbol.name for each in find_api_breaks(base, head, changes)) == public


def test_members_that_move_with_their_class_break_nothing_of_their_own(compare):
    shape = "export interface Options {\n  base: string\n  body: string\n}\n"
    base, head, changes = compare(
        {"fetch.ts": f"{shape}export function run(o: Options) {{ return o.base }}\n"},
        {
            "fetch.ts": "import { Options } from './types'\nexport function run(o: Options) { return o.base }\n",
            "types.ts": f"{shape}",
        },
    )
    assert find_api_breaks(base, head, changes) == ()


def test_an_overload_that_comes_between_others_is_added_and_breaks_nobody(compare):
    before = "export interface Box {\n  on(event: 'open', then: () => void): this;\n  on(event: 'shut'): this;\n}\n"
    after = before.replace("  on(event: 'shut')", "  on(event: 'full', then: () => void): this;\n  on(event: 'shut')")
    base, head, changes = compare({"box.ts": before}, {"box.ts": after})
    assert shown(changes) == [("added", "Box.on")]
    assert changes[0].definition.line == 3
    assert not find_api_breaks(base, head, changes)


def test_of_overloads_of_which_one_changed_only_that_one_has_another_signature(compare):
    before = "class Box {\n    void put(int a) {\n    }\n\n    void put(String a) {\n    }\n}\n"
    after = before.replace("String a", "String a, int b")
    assert shown(compare({"Box.java": before}, {"Box.java": after})[2]) == [("signature", "Box.put")]


def test_another_name_of_the_receiver_is_no_other_signature(compare):
    before = "package box\n\nfunc (b *Box) Put(a int) int {\n\treturn b.put(a)\n}\n\nfunc (b *Box) Take(a int) {\n}\n"
    after = before.replace("b ", "c ").replace("b.", "c.").replace("Take(a int", "Take(a, d int")
    assert shown(compare({"box.go": before}, {"box.go": after})[2]) == [("signature", "Box.Take"), ("body", "Box.Put")]
