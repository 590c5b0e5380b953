"""The languages: their files, and how each is read.

The endings of files are known without loading what reads them.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from avionics.syntax.engine.textual import TextualScanner
from avionics.syntax.spec import LanguageSpec

LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "c": (".c", ".h"),
    "cpp": (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".tpp", ".inl", ".cu", ".cuh"),
    "csharp": (".cs",),
    "go": (".go",),
    "html": (".html", ".htm"),
    "java": (".java",),
    "javascript": (".js", ".mjs", ".cjs"),
    "jsx": (".jsx",),
    "kotlin": (".kt", ".kts"),
    "notebook": (".ipynb",),
    "php": (".php",),
    "python": (".py", ".pyi", ".pyw"),
    "ruby": (".rb", ".rake", ".gemspec"),
    "rust": (".rs",),
    "svelte": (".svelte",),
    "tsx": (".tsx",),
    "typescript": (".ts", ".mts", ".cts"),
    "vue": (".vue",),
}
"""Every language whose uses are read, with the suffixes of its files."""

DIALECTS: Mapping[str, str] = {
    "html": "typescript",
    "javascript": "typescript",
    "jsx": "typescript",
    "notebook": "python",
    "svelte": "typescript",
    "tsx": "typescript",
    "vue": "typescript",
}
"""Languages that the package of another one reads; every other language has a package of its own name."""

LONG_TAIL: Mapping[str, tuple[str, ...]] = {
    "bash": (".sh", ".bash"),
    "dart": (".dart",),
    "gdscript": (".gd",),
    "graphql": (".graphql", ".gql"),
    "lua": (".lua",),
    "objc": (".m", ".mm"),
    "perl": (".pl", ".pm"),
    "powershell": (".ps1", ".psm1"),
    "proto": (".proto",),
    "scala": (".scala", ".sc"),
    "solidity": (".sol",),
    "swift": (".swift",),
    "thrift": (".thrift",),
}
"""Languages of which only definitions are read, with the suffixes of their files; the extra `grammars` brings them."""

_LONG_TAIL_WHEEL = "tree_sitter_language_pack"


def get_language(path: str) -> str | None:
    """Return the language that the file's suffix stands for, or None."""
    name = path.rsplit("/", 1)[-1]
    dot = name.rfind(".")
    return _suffixes().get(name[dot:].lower()) if dot > 0 else None


@functools.cache
def require_spec(language: str) -> LanguageSpec:
    """Return how a language of LANGUAGES or LONG_TAIL is read, loading its package."""
    if language in DIALECTS:
        spec = _load(f"{DIALECTS[language]}.spec").DIALECTS[language]
    elif language in LANGUAGES:
        spec = _load(f"{language}.spec").SPEC
    else:
        spec = _load("generic").plain_spec(language, _LONG_TAIL_WHEEL)
    assert isinstance(spec, LanguageSpec)
    return spec


def get_scanner(path: str) -> TextualScanner:
    """Return what reads the text of the file before it is parsed."""
    language = get_language(path)
    return require_spec(language).textual if language else TextualScanner()


@functools.cache
def has_long_tail() -> bool:
    """Return whether the grammars of the long tail are installed."""
    return find_spec(_LONG_TAIL_WHEEL) is not None


@functools.cache
def _suffixes() -> dict[str, str]:
    """Return suffix → language."""
    known = {**LONG_TAIL, **LANGUAGES} if has_long_tail() else LANGUAGES
    return {suffix: name for name, suffixes in known.items() for suffix in suffixes}


def _load(module: str) -> Any:
    return importlib.import_module(f"avionics.syntax.languages.{module}")
