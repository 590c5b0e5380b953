"""Find the change that a question is about: two revisions, one revision, or uncommitted changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, SymbolKind
from avionics.syntax.registry import get_language

_HEAD = r"(?:HEAD|@)(?:[~^]\d*)*"
_COMMIT = r"(?=[a-f]*\d)[0-9a-f]{7,40}"
_BRANCH = r"(?:origin/|upstream/)?(?:main|master|develop|trunk)"
_SURE = late_pattern(
    rf"{_HEAD}|[vV]?\d+(?:\.\d+)[\w.+-]*|[vV]\d+|[\w./@-]*[-_/@]v?\d+(?:[._]\d+)+[\w.+-]*"
    rf"|[A-Za-z][A-Za-z_/-]*[._/-]\d{{4}}-\d\d[\w.-]*|\d{{6,8}}-{_COMMIT}|{_COMMIT}|{_BRANCH}"
)
"""Texts that are almost certainly revisions; some releases are called by their date and commit."""
_VERSION = late_pattern(
    r"(?<![\w./@-])(?:[\w/@-]*[-_/@])?[vV]?\d+(?:\.\d+){1,3}(?:[a-z]|[-+.]?(?:a|b|rc|alpha|beta)[\w.]*)?"
    r"(?![\w/]|\.\w)"
)
_PART = late_pattern(r"\d+|(?<=\d)[a-z]\b")
"""What versions are compared by: their numbers, and a letter at their end."""
_WIDTH = 12
"""The digits of a number of a version, which is compared as text."""
_WORD = (
    r"(?:the )?[`'\"]?(?:(?:tag|branch|commit|version|release|revision) )?[`'\"]?"
    r"(?P<{}>[\w@][\w./@~^+-]*?)[`'\"]?(?:'s)?"
)
_END = r"(?=[\s,;:?!)]|\.(?:\s|\Z)|\Z)"
_BOTH = tuple(
    late_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<base>[\w@][\w/@~^+-]*(?:\.[\w/@~^+-]+)*)\.{{2,3}}(?P<head>[\w@][\w/@~^+-]*(?:\.[\w/@~^+-]+)*){_END}",
        rf"\b(?:between|from) (?:the (?:tags|versions|releases|commits|branches|revisions) )?{_WORD.format('base')}"
        r"(?:,? (?:and|to|until|till|up to|through)"
        rf"|\.\.) {_WORD.format('head')}{_END}",
        rf"\b(?:diff|compare|comparing|difference|delta)s? (?:of |the |in )*{_WORD.format('base')}"
        rf"(?: ?,| (?:and|to|with|against|vs\.?|versus|from|->|→|/))? {_WORD.format('head')}{_END}",
        rf"(?<![\w.]){_WORD.format('head')} (?:(?:as )?compared (?:to|with)|relative to|against)"
        rf" {_WORD.format('base')}{_END}",
        rf"\b(?:in|with) {_WORD.format('head')} (?:since|after|over|from) {_WORD.format('base')}{_END}",
        rf"(?<![\w.]){_WORD.format('base')} (?:vs\.?|versus|->|→|and|/|to) {_WORD.format('head')}{_END}",
    )
)
_SINCE = late_pattern(
    rf"\b(?:since|after|against|relative to|compared (?:to|with)|from|on top of|vs\.?) {_WORD.format('base')}{_END}",
    re.IGNORECASE,
)
_ONE = late_pattern(
    rf"\b(?:in|of|by|did|commit|explain|show|to) {_WORD.format('head')}(?: (?:change|do|introduce|modify|add"
    rf"|break)\w*)?{_END}",
    re.IGNORECASE,
)
CHANGED_LAST = late_pattern(
    r"\b(?:last|latest|previous|most recent) (?:(?P<count>\d{1,3}|two|three|four|five|ten) )?commits?\b|\b(?:last"
    r"|latest) change\b(?!s)",
    re.IGNORECASE,
)
_LAST_RELEASE = late_pattern(
    r"(?P<since>\b(?:since|after|from|on top of|newer than) )?\b(?:our |the )?(?:last|latest|newest|most recent"
    r"|previous) (?:(?:tagged|stable|published|official) )?(?:release|version|tag)\b"
    r"(?! (?:number|string|field|check|of)\b)",
    re.IGNORECASE,
)
_STAGED = late_pattern(r"\b(?:staged|index(?:ed)? changes)\b", re.IGNORECASE)
_OWN = late_pattern(
    r"\b(?:my|our|uncommitted|unstaged|local|working|pending|current)\b.{0,30}\b(?:changes?|diff|edits?|patch|work"
    r"|modifications?)\b"
    r"|\b(?:work(?:ing)? (?:tree|copy|directory)|not (?:yet )?committed|(?:did|have|'ve|that) i (?:just )?(?:chang"
    r"|edit|modif|touch)\w*"
    r"|i(?:'ve| have)? (?:just )?(?:changed|edited|modified|touched)|(?:this|the) (?:change|diff|edit|patch|pr"
    r"|branch)|before (?:i )?(?:commit|push)\w*)\b",
    re.IGNORECASE,
)
_CHANGED_PART = late_pattern(
    r"(?<![\w./-])(?:(?:in|of|under|below|within|inside) (?:the |our |its )?[`'\"]?"
    r"(?P<within>[a-z][\w-]*+(?: [a-z][\w-]*+)?)|(?P<before>[a-z][\w-]*+) (?:code|sources?|side)\b)(?![./])"
)
"""The words with which a question restricts a change to a part of the code: `the registry code`, `in the engine`."""
LAST_RELEASE = "the last release"
"""Stands for the newest tag of a release among the ancestors of HEAD; it is no name that git permits."""
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}


class AskedDefinitions(Struct, frozen=True):
    """The kinds of definitions of which a question asks what was added or removed, and what they are called."""

    called: str
    kinds: frozenset[SymbolKind]


_ASKED_CHANGES = (
    ("added", late_pattern(r"\b(?:added|introduced|new|c[ao]me (?:along |in )?with|appeared)\b", re.IGNORECASE)),
    ("removed", late_pattern(r"\b(?:removed|deleted|dropped|gone)\b", re.IGNORECASE)),
)
"""The kinds of change that a question may ask for alone, and its words for them."""
_ASKED_DEFINITIONS = (
    (
        late_pattern(
            r"\b(?:which|what|all|any|list|show|the) (?:\w+ )?(?:classes|types|structs|interfaces|enums|traits)\b",
            re.IGNORECASE,
        ),
        AskedDefinitions(
            "type",
            frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE}),
        ),
    ),
    (
        late_pattern(r"\b(?:which|what|all|any|list|show|the) (?:\w+ )?(?:functions|methods)\b", re.IGNORECASE),
        AskedDefinitions("function", FUNCTIONS),
    ),
)


class AskedChange(Struct, frozen=True):
    """The revisions that a question names.

    Attributes:
        base: The revision before, possibly `LAST_RELEASE`; None for the last commit.
        head: The revision after, possibly `LAST_RELEASE`; None for the files on disk.
        is_staged: Whether the staged files are the state after.
        is_pair: Whether the text names a revision itself, not only "my changes" or "the last commit".
        is_one: Whether the text names only the revision after, as "what changed in v1.2" does.
    """

    base: str | None = None
    head: str | None = None
    is_staged: bool = False
    is_pair: bool = False
    is_one: bool = False


def _get_versions(text: str) -> tuple[str, str] | None:
    """Return the two versions that a text names anywhere, the lower one first; None if it does not name two."""
    named = {each[0]: [part.rjust(_WIDTH, "0") for part in _PART.findall(each[0])] for each in _VERSION.finditer(text)}
    lower, *higher = sorted(named, key=named.__getitem__) or [""]
    return (lower, higher[0]) if len(higher) == 1 else None


def get_changed_part(code: CodeIndex, text: str) -> str:
    """Return the directory with product code that plain words of a question about a change name; "" if there is none.

    One with a plain name in the singular may be named in the plural: `connector` for "in the connectors".
    """
    parts = {file.rpartition("/")[0] for file in code.files if role_of(file) is FileRole.PRODUCT and get_language(file)}
    holders = {"/".join(each.split("/")[:depth]) for each in parts for depth in range(1, each.count("/") + 2)}
    for name in _iter_parts(text):
        named = [each for each in holders if each and f"/{each}".endswith(f"/{name}")]
        if named:
            return min(named, key=lambda each: (each.count("/"), each))
    return ""


def _iter_parts(text: str) -> Iterator[str]:
    """Yield what directories may be called that a text restricts a change to, likeliest first."""
    for found in _CHANGED_PART.finditer(text):
        words = (found["within"] or found["before"]).split()
        for name in ("/".join(words), "-".join(words), "_".join(words), words[0]):
            yield name
            yield name.removesuffix("s")


def get_change(text: str, is_known: Callable[[str], bool]) -> AskedChange | None:
    """Return the change that a text is about; None if it is about none.

    `is_known` returns whether a word is a symbol or a path of the workspace, and so probably no revision.
    """

    def is_revision(word: str) -> bool:
        return _SURE.fullmatch(word) is not None

    pairs = [
        (found["base"].rstrip("."), found["head"].rstrip(".")) for pattern in _BOTH for found in pattern.finditer(text)
    ]
    sure = next((pair for pair in pairs if all(map(is_revision, pair))), None) or _get_versions(text)
    likely = (pair for pair in pairs if any(map(is_revision, pair)) and not any(map(is_known, pair)))
    if ends := sure or next(likely, None):
        return AskedChange(*ends, is_pair=True)
    since = _SINCE.search(text)
    if since and is_revision(since["base"]):
        return AskedChange(since["base"], None, is_pair=True)
    last = CHANGED_LAST.search(text)
    if last:
        count = last["count"] or "1"
        return AskedChange(f"HEAD~{_NUMBERS.get(count.lower()) or int(count)}", "HEAD")
    release = _LAST_RELEASE.search(text)
    if release and release["since"]:
        return AskedChange(LAST_RELEASE, None, is_pair=True)
    if release:
        return AskedChange(None, LAST_RELEASE, is_pair=True, is_one=True)
    one = next((each for each in _ONE.finditer(text) if is_revision(each["head"])), None)
    if one:
        return AskedChange(f"{one['head']}~1", one["head"], is_pair=True, is_one=True)
    if _STAGED.search(text):
        return AskedChange(None, None, is_staged=True)
    return AskedChange() if _OWN.search(text) else None


def read_asked_changes(text: str) -> tuple[str, ...]:
    """Return the kinds of change that a question may ask for alone: "added" and "removed"."""
    return tuple(kind for kind, words in _ASKED_CHANGES if words.search(text))


def read_asked_definitions(text: str) -> AskedDefinitions | None:
    """Return the definitions of which a question asks what was added or removed, None if it asks for all."""
    return next((asked for words, asked in _ASKED_DEFINITIONS if words.search(text)), None)
