"""Definitions of one name are told apart by what they take; where that cannot be told, it is said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from avionics.index.code_index import CodeIndex
from avionics.workspace import Workspace

Open = Callable[..., Workspace]

OVERLOADED = """package o;

import java.io.*;
import java.util.*;

class Animal { }
class Dog extends Animal { }

class Over {
    void put(int number) { }
    void put(long number) { }
    void put(String text) { }
    void put(Animal animal) { }
    void put(Object any) { }
    void put(int[] numbers) { }
    void put(Runnable task) { }
    void put(Writer to) { }
    void put(String text, Object... more) { }
    Dog get(int at) { return null; }
    String get(String key) { return ""; }
    Over() { }
    Over(int size) { this(); }
}
class Under extends Over {
    void put(Under under) { }
    void run(Dog dog, long wide, Integer boxed, Unknown unknown, Object any) {
        put(1);
        put(2L);
        put(wide);
        put(boxed);
        put("a" + 1);
        put(dog);
        put(new int[] {1});
        put(() -> run(dog, 1, 2, null, null));
        put(new StringWriter());
        put("text", 1, 2);
        put(any);
        put('c' + "text");
        put(unknown);
        put(get(1));
        put(get("key"));
        new Over();
        new Over(3);
    }
}
"""


@pytest.fixture
def code(workspace: Open) -> CodeIndex:
    return workspace({"o/Over.java": OVERLOADED}).code


def lines_of(code: CodeIndex, signature: str) -> tuple[list[str], list[str]]:
    """What surely uses the definition so declared, and what may."""
    named = [each for name in ("Over.put", "Over.Over") for each in code.find_definitions(name)]
    (asked,) = [each for each in named if each.symbol.signature == signature]
    report = code.usages(asked)
    text = OVERLOADED.split("\n")
    return (
        [text[usage.line - 1].strip() for usage in report.usages],
        [text[usage.line - 1].strip() for usage in report.unresolved],
    )


@pytest.mark.parametrize(
    ("signature", "used"),
    [
        ("void put(int number)", ["put(1);"]),
        ("void put(long number)", ["put(2L);", "put(wide);"]),
        ("void put(String text)", ['put("a" + 1);', "put('c' + \"text\");", 'put(get("key"));']),
        ("void put(Animal animal)", ["put(dog);", "put(get(1));"]),
        ("void put(Object any)", ["put(boxed);", "put(any);"]),
        ("void put(int[] numbers)", ["put(new int[] {1});"]),
        ("void put(Runnable task)", ["put(() -> run(dog, 1, 2, null, null));"]),
        ("void put(Writer to)", ["put(new StringWriter());"]),
        ("void put(String text, Object... more)", ['put("text", 1, 2);']),
        ("Over()", ["Over(int size) { this(); }", "new Over();"]),
        ("Over(int size)", ["new Over(3);"]),
    ],
)
def test_an_overload_is_used_where_only_it_takes_the_arguments(
    code: CodeIndex, signature: str, used: list[str]
) -> None:
    assert lines_of(code, signature)[0] == used


def test_an_argument_of_no_known_type_leaves_it_open(code: CodeIndex) -> None:
    assert "put(unknown);" in lines_of(code, "void put(Animal animal)")[1]
