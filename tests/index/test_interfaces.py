"""Interfaces that classes satisfy without naming them, over real workspaces."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from avionics.index.code_index import CodeIndex
from avionics.model.enums import Certainty, Evidence
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.workspace import Workspace

Open = Callable[..., Workspace]

FILES = {
    "store.go": (
        "package a\n\ntype Closer interface{ Close() }\n\n"
        "type Store interface {\n\tCloser\n\tGet(key string) string\n}\n"
    ),
    "memory.go": (
        "package a\n\ntype Memory struct{}\n\nfunc (m Memory) Get(key string) string { return key }\n"
        "func (m *Memory) Close() {}\n"
    ),
    "half.go": "package a\n\ntype Half struct{}\n\nfunc (h Half) Get(key string) string { return key }\n",
    "other.go": (
        "package a\n\ntype Other struct{}\n\nfunc (o Other) Get(key string, more int) string { return key }\n"
        "func (o Other) Close() {}\n"
    ),
    "grown.go": "package a\n\ntype Grown struct{ *Memory }\n\nfunc (g Grown) Get(key string) string { return key }\n",
    "text.go": 'package a\n\ntype Kind int\n\nfunc (k Kind) String() string { return "" }\nfunc (k Kind) Plain() {}\n',
    "use.go": 'package a\n\nfunc use(s Store) { s.Get("a") }\n',
}


def only(code: CodeIndex, name: str) -> Definition:
    (found,) = code.find_definitions(name)
    return found


@pytest.fixture
def code(workspace: Open) -> CodeIndex:
    return workspace(FILES).code


def test_what_has_all_methods_of_an_interface_implements_it(code: CodeIndex) -> None:
    found = code.graph.classes.overrides(only(code, "Store.Get"))
    assert [each.symbol.qualname for each in found] == ["Grown.Get", "Memory.Get"]


def test_a_method_knows_the_interface_it_implements(code: CodeIndex) -> None:
    assert code.graph.classes.overridden(only(code, "Memory.Get")) == only(code, "Store.Get")
    assert code.graph.classes.overridden(only(code, "Half.Get")) is None
    assert code.graph.classes.overridden(only(code, "Other.Get")) is None


def test_uses_of_an_interface_may_reach_what_implements_it(code: CodeIndex) -> None:
    report = code.usages(only(code, "Memory.Get"))
    assert [(each.file, each.line, each.evidence) for each in report.usages] == [("use.go", 3, Evidence.INTERFACE)]
    assert report.certainty is Certainty.AT_LEAST
    assert report.reasons == (
        Reason(ReasonKind.IMPLEMENTS, subject="Store.Get"),
        Reason(ReasonKind.THROUGH_INTERFACE, 1),
    )


def test_a_method_that_does_not_satisfy_the_interface_is_not_reached_through_it(code: CodeIndex) -> None:
    for name in ("Half.Get", "Other.Get"):
        assert code.usages(only(code, name)).usages == ()


def test_uses_of_an_implementation_are_uses_of_the_interface(workspace: Open) -> None:
    direct = 'package a\n\nfunc direct(m Memory, h Half) { m.Get("a"); h.Get("b") }\n'
    code = workspace(FILES | {"direct.go": direct}).code
    found = [(each.file, each.column, each.evidence.value) for each in code.usages(only(code, "Store.Get")).usages]
    assert found == [("direct.go", 34, "interface"), ("use.go", 22, "inferred")]


def test_interfaces_of_the_standard_library_count(code: CodeIndex) -> None:
    reason = Reason(ReasonKind.IMPLEMENTS, subject="Stringer.String")
    assert code.usages(only(code, "Kind.String")).reasons == (reason,)
    assert code.usages(only(code, "Kind.Plain")).certainty is Certainty.EXACT


def test_a_method_with_another_number_of_results_satisfies_no_interface(workspace: Open) -> None:
    counter = "package a\n\ntype Counter struct{}\n\nfunc (c Counter) Value() int { return 1 }\n"
    code = workspace({"go.mod": "module a\n", "a.go": counter}).code
    assert code.usages(only(code, "Counter.Value")).certainty is Certainty.EXACT
    pair = counter.replace("int { return 1 }", "(any, error) { return 1, nil }")
    code = workspace({"go.mod": "module a\n", "a.go": pair}).code
    assert code.usages(only(code, "Counter.Value")).reasons == (Reason(ReasonKind.IMPLEMENTS, subject="Valuer.Value"),)


def test_a_class_that_embeds_all_methods_implements_the_interface(code: CodeIndex) -> None:
    found = code.graph.interfaces.implementers(only(code, "Closer"))
    assert sorted(each.name for each in found) == ["Grown", "Memory", "Other"]
