"""The verbs: each a tool, the parameters that are its arguments, and the parts of the answer that it lists."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from avionics.tools.ids import ToolId


class Verb(Struct, frozen=True):
    """One verb of the command line.

    Attributes:
        arguments: The parameters given by position: "symbol" is required, "scope?" is optional, "query+" takes all
            words but a last one that names an existing file or directory, which is the `path`, and "path|symbol" is the
            first if the value names an existing file or directory, else the second; "base|symbol" is the first if the
            value is a revision and no file or directory.
        examples: Arguments that follow the verb in the examples of its help.
        parts: The sections of the answer that it lists; all of them if empty.
        more: The sections that it lists only with --all.
        fixed: Arguments of the tool that the verb decides.
        min_depth: Items of a call tree above this depth are not listed.
        is_sequence: Whether the order of the results is the answer, so that they are not grouped by file.
    """

    name: str
    tool: ToolId
    summary: str
    arguments: tuple[str, ...]
    examples: tuple[str, ...]
    parts: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    fixed: Mapping[str, object] = field(default_factory=dict)
    min_depth: int = 0
    is_sequence: bool = False


VERBS = (
    Verb(
        "def", ToolId.FIND_SYMBOL, "Find the definitions of a name.",
        ("name", "scope?"), ("Cart", "Cart.total --json"), ("symbols", "matches"),
    ),
    Verb(
        "refs", ToolId.EXPLORE_SYMBOL_USAGE, "List the usages of a function, class, method or variable.",
        ("symbol", "scope?"), ("Cart", "Cart.total --no-tests"), ("usages",), ("through", "unresolved"),
    ),
    Verb(
        "callers", ToolId.EXPLORE_SYMBOL_USAGE, "List the functions that call a function.",
        ("symbol", "scope?"), ("Cart.total", "Cart --count"), ("callers",), ("through", "unresolved"),
    ),
    Verb(
        "callees", ToolId.TRACE_ENTRY_POINT, "List what a function calls.",
        ("entry",), ("main", "main --depth 2"), ("flow",), (), {"depth": 1}, 1, is_sequence=True,
    ),
    Verb(
        "path", ToolId.FIND_PATH, "Find how control gets from one place to another.",
        ("start", "goal"), ("main Cart.total", "main Cart.total --json"), ("steps",), is_sequence=True,
    ),
    Verb(
        "outline", ToolId.GET_FILE_SYMBOLS, "List the definitions of a file.",
        ("path",), ("shop/cart.py --limit 5", "shop/cart.py --jsonl"),
    ),
    Verb(
        "search", ToolId.SEARCH_CODE, "Search the code by words, best matches first.",
        ("query+",), ("total price", "cart shop --limit 3"),
    ),
    Verb(
        "grep", ToolId.GREP_SEARCH, "List the lines that match a regular expression.",
        ("pattern", "path?"), ("'class Cart'", "total shop --count"),
    ),
    Verb(
        "history", ToolId.EXPLAIN_CODE_HISTORY, "Show who wrote a file or symbol, when and why.",
        ("path|symbol",), ("shop/cart.py --limit 3", "Cart.total --limit 5"),
        ("introduction", "origin", "commits", "moves", "near"), ("authors", "mentions", "together", "blame"),
    ),
    Verb(
        "diff", ToolId.COMPARE_REVISIONS, "List the symbols that differ between two revisions.",
        ("base", "head?"), ("HEAD", "HEAD~1 HEAD"),
    ),
    Verb(
        "impact", ToolId.IMPACT_OF_CHANGE,
        "List what a change affects.\n\n"
        "The change is what was done since a revision, or what may be done to a symbol or file.",
        ("base|symbol?", "head?"), ("HEAD~1 --no-tests", "Cart.total"),
    ),
    Verb(
        "tests", ToolId.TESTS_FOR_CHANGE,
        "List the tests to run for a change.\n\n"
        "The change is what was done since a revision, or what may be done to a symbol or file.",
        ("base|symbol?", "head?"), ("HEAD~1 --files-only", "Cart.total"),
    ),
    Verb(
        "unused", ToolId.FIND_UNUSED, "List the definitions that nothing uses.",
        ("scope?",), ("", "shop --all"), ("unused",), ("public", "unknown"),
    ),
    Verb(
        "imports", ToolId.GET_IMPORTS, "List what a file imports.",
        ("path",), ("shop/main.py --json", "shop/main.py --files-only"),
    ),
    Verb(
        "importers", ToolId.GET_IMPORTERS, "List the files that import a file.",
        ("path",), ("shop/cart.py --count", "shop/cart.py --files-only"),
    ),
)  # fmt: skip
"""In the order of the help text."""


def get_verb(name: str) -> Verb:
    """Return the verb of that name."""
    return next(verb for verb in VERBS if verb.name == name)
