"""Small files, small functions, full types, honest names, no hidden state."""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Iterator

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_MEDIAN_LINES = 9

VAGUE = {"common", "data2", "handler", "handlers", "helper", "helpers", "manager", "managers", "misc", "processor",
         "processors", "service", "services", "util", "utils"}  # fmt: skip
FIELD_TERMS = re.compile("context_?managers?|common_directory", re.IGNORECASE)
"""Words of Python's and git's own that hold a vague one."""

MUTATORS = {"add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault",
            "sort", "update"}  # fmt: skip
PROMISES = {
    "is_": r"bool|TypeGuard\[.*\]|TypeIs\[.*\]",
    "has_": r"bool",
    "iter_": r"(Async)?(Iterator|Generator|Iterable)\[.*\]",
    "find_": r"tuple\[.*\]",
    "require_": r"None|(?!.*\bNone\b).*",
}
"""What a prefix promises to return."""


def lines_of(function) -> int:
    return function.end_lineno - function.lineno + 1


def long_files(module) -> Iterator[str]:
    count = module.text.count("\n")
    if count > MAX_FILE_LINES:
        yield f"1 {count} lines"


def long_functions(module) -> Iterator[str]:
    for function in module.functions:
        if lines_of(function) > MAX_FUNCTION_LINES:
            yield f"{function.lineno} {function.name} has {lines_of(function)} lines"


def untyped(module) -> Iterator[str]:
    for function in module.functions:
        if function.returns is None:
            yield f"{function.lineno} {function.name} does not say what it returns"


def unintroduced(module) -> Iterator[str]:
    """A module's docstring ends with what it knows and what it does not."""
    docstring = ast.get_docstring(module.tree) or ""
    if not re.search(r"^Knows: .+^Does not know: .+\Z", docstring, re.M | re.S):
        yield "1 the docstring does not end with `Knows:` and `Does not know:`"


def eager_annotations(module) -> Iterator[str]:
    annotated = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.AnnAssign)
    lazy = "__future__.annotations" in {name for _, name in module.imports}
    if not lazy and any(isinstance(node, annotated) for node in ast.walk(module.tree)):
        yield "1 lacks `from __future__ import annotations`"


def vague_names(module) -> Iterator[str]:
    for part in module.path.removesuffix(".py").split("/"):
        if words_of(part) & VAGUE:
            yield f"1 {part}"
    for node in lasting(module.tree):
        for name in defined_names(node):
            if words_of(FIELD_TERMS.sub("", name)) & VAGUE:
                yield f"{node.lineno} {name}"


def broken_promises(module) -> Iterator[str]:
    for function in module.functions:
        if function.returns is None or any(_called(each) == "tool" for each in function.decorator_list):
            continue
        returns = ast.unparse(function.returns).strip("'\"")
        for prefix, promise in PROMISES.items():
            if function.name.lstrip("_").startswith(prefix) and not re.fullmatch(promise, returns):
                yield f"{function.lineno} {function.name} returns {returns}"


def changed_globals(module) -> Iterator[str]:
    """`global`, and functions that change what a module-level name holds."""
    names = {name for node in module.tree.body for name in defined_names(node) if not isinstance(node, ast.ClassDef)}
    for function in module.functions:
        local = {name for node in ast.walk(function) for name in (*defined_names(node), *_arguments(node))}
        for node in ast.walk(function):
            if isinstance(node, ast.Global):
                yield f"{node.lineno} global {', '.join(node.names)}"
            elif (name := changed_name(node)) in names - local:
                yield f"{node.lineno} changes {name}"


def idle_names(module) -> Iterator[str]:
    """What a module defines twice, or keeps to itself and never uses."""
    used = {node.id for node in ast.walk(module.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    seen = set()
    for node in module.tree.body:
        for name in defined_names(node):
            is_own = name.startswith("_") and not name.startswith("__") and not getattr(node, "decorator_list", ())
            if name in seen or (is_own and name not in used):
                yield f"{node.lineno} {name}"
            seen.add(name)


def changed_name(node) -> str | None:
    """The name whose value a statement changes in place: `x[…] = …`, `del x[…]`, `x.append(…)`."""
    if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, (ast.Store, ast.Del)):
        return _name(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        return _name(node.func.value)
    return None


def defined_names(node) -> tuple[str, ...]:
    """The names a statement brings into being."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return (node.name,)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return tuple(target.id for target in targets if isinstance(target, ast.Name))


def lasting(tree) -> Iterator[ast.AST]:
    """Statements that define more than a local variable."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef)):
            yield from node.body
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from (child for child in node.body if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)))


def words_of(name: str) -> set[str]:
    """`fooBar_baz` → foo, bar, baz."""
    return set(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_"))


def _arguments(node) -> tuple[str, ...]:
    return (node.arg,) if isinstance(node, ast.arg) else ()


def _name(node) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _called(decorator) -> str | None:
    return _name(decorator.func) if isinstance(decorator, ast.Call) else _name(decorator)


def test_files_are_short(hold):
    hold(long_files)


def test_functions_are_short(hold):
    hold(long_functions)


def test_most_functions_are_very_short(product):
    sizes = [lines_of(function) for module in product for function in module.functions]
    assert statistics.median(sizes) <= MAX_MEDIAN_LINES


def test_every_function_says_what_it_returns(hold):
    hold(untyped)


def test_every_module_says_what_it_knows(hold):
    hold(unintroduced)


def test_annotations_are_never_evaluated_on_import(hold):
    hold(eager_annotations)


def test_names_say_what_a_thing_is(hold):
    hold(vague_names)


def test_prefixes_keep_their_promise(hold):
    hold(broken_promises)


def test_no_function_changes_the_state_of_a_module(hold):
    hold(changed_globals)


def test_what_a_module_keeps_to_itself_is_used_there(hold):
    hold(idle_names)


def test_shapeless_code_is_seen(plant):
    code = "def find_it():\n" + "    pass\n" * 400
    module = plant("avionics/misc/x.py", code)
    assert [len(list(rule(module))) for rule in (long_files, long_functions, untyped, unintroduced)] == [1, 1, 1, 1]
    assert list(eager_annotations(module)) == ["1 lacks `from __future__ import annotations`"]
    assert list(vague_names(module)) == ["1 misc"]


def test_a_broken_promise_and_a_vague_name_are_seen(plant):
    module = plant("avionics/x.py", "class ToolManager:\n    def find_all(self) -> list[int]: ...\n")
    assert list(broken_promises(module)) == ["2 find_all returns list[int]"]
    assert list(vague_names(module)) == ["1 ToolManager"]


def test_idle_names_are_seen(plant):
    code = "_A = _B = 1\n_A = 2\nC = _A\ndef _f(): ...\n@tool\ndef _g(): ...\n__all__ = ()\n"
    assert list(idle_names(plant("avionics/x.py", code))) == ["1 _B", "2 _A", "4 _f"]


def test_changed_state_is_seen(plant):
    code = (
        "A = {}\nB = []\ndef f():\n    A['x'] = 1\n    B.append(2)\n    global C\n"
        "def g(B):\n    A = {}\n    A['x'] = B.pop()\n"
    )
    assert sorted(changed_globals(plant("avionics/x.py", code))) == ["4 changes A", "5 changes B", "6 global C"]
