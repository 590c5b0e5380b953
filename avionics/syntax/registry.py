"""The registry of languages: the suffixes of their files, and how each is read.

Suffixes are known without loading a language's package.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from avionics.late_pattern import late_pattern

if TYPE_CHECKING:
    from avionics.syntax.conventions import Conventions
    from avionics.syntax.engine.textual import TextualScanner
    from avionics.syntax.entry_points import EntryPointRules
    from avionics.syntax.rules import LanguageRules
    from avionics.syntax.spec import LanguageSpec

LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "c": (".c", ".h"),
    "cpp": (
        ".cc",
        ".cpp",
        ".cxx",
        ".c++",
        ".hh",
        ".hpp",
        ".hxx",
        ".h++",
        ".ipp",
        ".tpp",
        ".tcc",
        ".txx",
        ".inl",
        ".cu",
        ".cuh",
    ),
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
    "ruby": (".rb", ".rake", ".gemspec", ".jbuilder", ".podspec", ".rabl", ".thor"),
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
"""Languages read by the package of another language; every other language has a package of its own name."""

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
"""Languages with definitions only, with the suffixes of their files; the extra `grammars` installs them."""

_UNREAD_PROGRAM = late_pattern(
    r"\.(?:awk|bash|bats|clj|dart|erl|exp|exs?|feature|fish|groovy|hs|jl|lua|mli?|nu|p[lm]|ps1|r|R|robot|scala|sh|swift|t"
    r"|tcl|vim|zsh)$"
)
_LANGUAGES = "avionics.syntax.languages"
_MAX_PATHS = 4096
"""The number of files whose conventions are cached: resolution needs those of the same files repeatedly."""
_LONG_TAIL_WHEEL = "tree_sitter_language_pack"


_TEMPLATES = (
    ".ejs", ".erb", ".gohtml", ".hbs", ".htm", ".html", ".j2", ".jinja", ".jinja2", ".mustache", ".tmpl", ".tpl",
)  # fmt: skip


_PLAIN_MEMBERS = (".hbs", ".mustache")
_PROSE = late_pattern(
    r"(?<!CMakeLists)\.(?:adoc|css|csv|html?|json|log|md|markdown|po|pot|rst|svg|te?xi?|toml|txt|xml|ya?ml|\d)\Z"
)


_OTHERWISE_NAMED = (".blade.php",)
"""Suffixes of files that are not in the language of their last suffix, and are not read."""


_DATA = {".ts": late_pattern(rb"\A\s*+<(?:\?xml|!DOCTYPE)\b")}
"""A language's suffix → how other files with it begin: Qt's translations are XML."""
_DATA_PATH = late_pattern(
    r"(?:\A|/)(?:i18n|l10n|lang|languages?|locales?|translations?|ts)/|_[a-z]{2,3}(?:[_-][A-Za-z]{2,4})?\.ts\Z"
)
"""Found in the usual paths of such files."""


def is_data(path: str, content: bytes) -> bool:
    """Return whether a file with a language's suffix is data of another kind, by how it begins."""
    begins = _DATA.get(path[path.rfind(".") :])
    return begins is not None and begins.match(content) is not None


def may_be_data(path: str) -> bool:
    """Return whether `is_data` may be true of a file, by its path: where reading every file takes too long."""
    return path.endswith(tuple(_DATA)) and _DATA_PATH.search(path) is not None


def is_template(path: str) -> bool:
    """Return whether a file is a template by its name: text with expressions in it, which are not read."""
    return path.endswith(_TEMPLATES)


def may_be_template_member(file: str, before: str, of_file: str) -> bool:
    """Return whether a name in a template may be a member that is defined in a file, by the text before it.

    Mustache and Handlebars name the members of the object that they are given without anything before them.
    """
    names = conventions_of(of_file).implicit.text_names
    return names is None or file.endswith(_PLAIN_MEMBERS) or names.template_members.search(before) is not None


def is_prose(path: str) -> bool:
    """Return whether a file is documentation or data by its name."""
    return _PROSE.search(path) is not None


def get_language(path: str) -> str | None:
    """Return the language that the file's suffix stands for, or None."""
    name = path.rsplit("/", 1)[-1]
    if name.endswith(_OTHERWISE_NAMED):
        return None
    dot = name.rfind(".")
    return _suffixes().get(name[dot:].lower()) if dot > 0 else None


def is_unread_program(path: str) -> bool:
    """Return whether a file is a program in a language whose uses are not read."""
    return _UNREAD_PROGRAM.search(path) is not None


@functools.cache
def require_spec(language: str) -> LanguageSpec:
    """Return how the names of a language work, without loading its rules."""
    spec: LanguageSpec
    if language in DIALECTS:
        spec = _load(f"{DIALECTS[language]}.spec").DIALECTS[language]
    elif language in LANGUAGES:
        spec = _load(f"{language}.spec").SPEC
    else:
        spec = require_rules(language)
    return spec


@functools.cache
def require_rules(language: str) -> LanguageRules:
    """Return how a language is read, loading its package; one of no table ("") has no rules."""
    rules: LanguageRules
    if language in DIALECTS:
        rules = _load(f"{DIALECTS[language]}.rules").DIALECTS[language]
    elif language in LANGUAGES:
        rules = _load(f"{language}.rules").RULES
    else:
        rules = _load("generic").build_rules(language, _LONG_TAIL_WHEEL)
    return rules


@functools.cache
def get_conventions(language: str) -> Conventions:
    """Return the conventions of a language, without loading its rules."""
    from avionics.syntax.conventions import Conventions

    if language in LONG_TAIL:
        return _load("generic").CONVENTIONS.get(language, Conventions())  # type: ignore[no-any-return]
    module = _load_part(language, "conventions")
    return Conventions() if module is None else module.CONVENTIONS


@functools.lru_cache(_MAX_PATHS)
def conventions_of(path: str) -> Conventions:
    """Return the conventions of a file's language."""
    return get_conventions(get_language(path) or "")


@functools.cache
def get_entry_points(language: str) -> EntryPointRules:
    """Return how programs of a language declare entry points."""
    from avionics.syntax.entry_points import EntryPointRules

    module = _load_part(language, "entry_points")
    return EntryPointRules() if module is None else module.ENTRY_POINTS


def get_scanner(path: str) -> TextualScanner:
    """Return the scanner that reads the text of the file before it is parsed."""
    from avionics.syntax.engine.textual import TextualScanner

    language = get_language(path)
    return require_rules(language).textual if language else TextualScanner()


@functools.cache
def has_long_tail() -> bool:
    """Return whether the grammars of the long tail are installed."""
    return find_spec(_LONG_TAIL_WHEEL) is not None


@functools.cache
def _suffixes() -> dict[str, str]:
    """Return suffix → language."""
    known = {**LONG_TAIL, **LANGUAGES} if has_long_tail() else LANGUAGES
    return {suffix: name for name, suffixes in known.items() for suffix in suffixes}


def _load_part(language: str, part: str) -> Any | None:
    """Load a module that the package of a language need not have."""
    if language not in LANGUAGES:
        return None
    module = f"{DIALECTS.get(language, language)}.{part}"
    return _load(module) if find_spec(f"{_LANGUAGES}.{module}") is not None else None


def _load(module: str) -> Any:
    return importlib.import_module(f"{_LANGUAGES}.{module}")
