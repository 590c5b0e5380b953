"""Sizes, types, promises of names, and no hidden state."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

MAX_FILE_LINES = 600
"""A file past this is worth a look; the limit is no reason to split what belongs together."""

MAX_FUNCTION_LINES = 60
MAX_MODULES = 15
"""In one package, `__init__` not counted."""

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
    """A package says what it knows and what it does not; its modules say what they do."""
    docstring = ast.get_docstring(module.tree) or ""
    is_said = re.search(r"^Knows: .+^Does not know: .+\Z", docstring, re.M | re.S)
    if module.path.endswith("__init__.py") and module.path.startswith("avionics/") and not is_said:
        yield "1 the docstring does not end with `Knows:` and `Does not know:`"


def eager_annotations(module) -> Iterator[str]:
    annotated = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.AnnAssign)
    lazy = "__future__.annotations" in {name for _, name in module.imports}
    if not lazy and any(isinstance(node, annotated) for node in module.nodes):
        yield "1 lacks `from __future__ import annotations`"


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
        nodes = tuple(ast.walk(function))
        yield from (f"{node.lineno} global {', '.join(node.names)}" for node in nodes if isinstance(node, ast.Global))
        if changes := [(node.lineno, name) for node in nodes if (name := changed_name(node)) in names]:
            local = {name for node in nodes for name in (*defined_names(node), *_arguments(node))}
            yield from (f"{line} changes {name}" for line, name in changes if name not in local)


def compared_by_identity(module) -> Iterator[str]:
    """`is UNKNOWN` where facts may come from the store, which makes a new value of each."""
    if module.path.startswith("avionics/syntax/"):
        return
    for node in module.nodes:
        is_identity = isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot))
        if is_identity and "UNKNOWN" in map(_name, (node.left, *node.comparators)):
            yield f"{node.lineno} {ast.unparse(node)}"


def idle_names(module) -> Iterator[str]:
    """What a module defines twice, or keeps to itself and never uses."""
    used = {node.id for node in module.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    seen = set()
    for node in module.tree.body:
        for name in defined_names(node):
            is_own = name.startswith("_") and not name.startswith("__") and not getattr(node, "decorator_list", ())
            if name in seen or (is_own and name not in used):
                yield f"{node.lineno} {name}"
            seen.add(name)


def is_declared(of, method) -> bool:
    """Whether a class declares a method for others: it is abstract, or the class is."""
    is_protocol = any(re.search(r"\b(?:Protocol|ABC)\b", ast.unparse(base)) for base in of.bases)
    return is_protocol or "abstractmethod" in map(_last_name, method.decorator_list)


def iter_methods(module) -> Iterator[tuple[ast.ClassDef, ast.FunctionDef]]:
    """The public methods of public classes."""
    for node in module.nodes:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            methods = (each for each in node.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)))
            yield from ((node, each) for each in methods if not each.name.startswith("_"))


def possessive_groups(module) -> Iterator[str]:
    """Groups in patterns that are repeated possessively; Python 3.11.0 to 3.11.4 match them wrongly (gh-106052)."""
    for number, line in enumerate(module.text.split("\n"), 1):
        if found := re.search(r"\)(?:[*+?]|\{+\d*,?\d*\}+)\+", line):
            yield f"{number} {found[0]}, write (?>(?:…)*)"


def undocumented(modules) -> list[str]:
    """Methods without documentation that no protocol declares, and methods that repeat what a protocol says."""
    methods = [(module.path, of, each) for module in modules for of, each in iter_methods(module)]
    declared = defaultdict(set)
    for _, of, each in methods:
        if is_declared(of, each):
            declared[each.name].add(ast.get_docstring(each))
    found = []
    for path, of, each in methods:
        doc, decorators = ast.get_docstring(each), set(map(_last_name, each.decorator_list))
        is_wrong = (
            doc in declared[each.name] if doc else not (declared[each.name] or decorators & {"overload", "setter"})
        )
        if is_wrong and not is_declared(of, each):
            found.append(f"{path}:{each.lineno} {each.name}")
    return found


def _last_name(node) -> str | None:
    return node.attr if isinstance(node, ast.Attribute) else _name(node)


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


def _arguments(node) -> tuple[str, ...]:
    return (node.arg,) if isinstance(node, ast.arg) else ()


def _name(node) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _called(decorator) -> str | None:
    return _name(decorator.func) if isinstance(decorator, ast.Call) else _name(decorator)


def test_a_package_holds_few_modules(product):
    sizes = Counter(str(Path(module.path).parent) for module in product if not module.path.endswith("__init__.py"))
    assert {package: size for package, size in sizes.items() if size > MAX_MODULES} == {}


def test_files_are_short(check_rule):
    check_rule(long_files)


def test_functions_are_short(check_rule):
    check_rule(long_functions)


def test_every_function_says_what_it_returns(check_rule):
    check_rule(untyped)


def test_every_package_says_what_it_knows(check_rule):
    check_rule(unintroduced)


def test_a_public_method_is_documented_once(product):
    assert undocumented(product) == []


def test_annotations_are_never_evaluated_on_import(check_rule):
    check_rule(eager_annotations)


def test_prefixes_keep_their_promise(check_rule):
    check_rule(broken_promises)


def test_no_function_changes_the_state_of_a_module(check_rule):
    check_rule(changed_globals)


def test_facts_are_compared_by_value(check_rule):
    check_rule(compared_by_identity)


def test_no_pattern_repeats_a_group_possessively(check_rule):
    check_rule(possessive_groups)


def test_what_a_module_keeps_to_itself_is_used_there(check_rule):
    check_rule(idle_names)


def test_shapeless_code_is_seen(plant):
    code = "def find_it():\n" + "    pass\n" * 600
    module = plant("avionics/misc/__init__.py", code)
    assert [len(list(rule(module))) for rule in (long_files, long_functions, untyped, unintroduced)] == [1, 1, 1, 1]
    assert list(eager_annotations(module)) == ["1 lacks `from __future__ import annotations`"]


def test_a_broken_promise_is_seen(plant):
    module = plant("avionics/x.py", "class Tools:\n    def find_all(self) -> list[int]: ...\n")
    assert list(broken_promises(module)) == ["2 find_all returns list[int]"]


def test_undocumented_and_repeated_methods_are_seen(plant):
    code = (
        "class Peer(Protocol):\n    def send(self):\n        'Send it.'\n"
        "class Pipe:\n    def send(self): ...\n    def close(self): ...\n"
        "class Wire:\n    def send(self):\n        'Send it.'\n"
    )
    assert undocumented([plant("avionics/x.py", code)]) == ["avionics/x.py:6 close", "avionics/x.py:8 send"]


def test_a_comparison_by_identity_is_seen(plant):
    code = "A = x.of is not UNKNOWN\nB = x.of != UNKNOWN or x is None\n"
    assert list(compared_by_identity(plant("avionics/index/x.py", code))) == ["1 x.of is not UNKNOWN"]
    assert not list(compared_by_identity(plant("avionics/syntax/x.py", code)))


def test_a_possessive_group_is_seen(plant):
    code = "A = r'(?:a|b)*+'\nB = r'(?>(?:a|b)*)\\w++'\nC = rf'(a){{1,2}}+'\n"
    assert list(possessive_groups(plant("avionics/x.py", code))) == [
        "1 )*+, write (?>(?:…)*)",
        "3 ){{1,2}}+, write (?>(?:…)*)",
    ]


def test_idle_names_are_seen(plant):
    code = "_A = _B = 1\n_A = 2\nC = _A\ndef _f(): ...\n@tool\ndef _g(): ...\n__all__ = ()\n"
    assert list(idle_names(plant("avionics/x.py", code))) == ["1 _B", "2 _A", "4 _f"]


def test_changed_state_is_seen(plant):
    code = (
        "A = {}\nB = []\ndef f():\n    A['x'] = 1\n    B.append(2)\n    global C\n"
        "def g(B):\n    A = {}\n    A['x'] = B.pop()\n"
    )
    assert sorted(changed_globals(plant("avionics/x.py", code))) == ["4 changes A", "5 changes B", "6 global C"]
