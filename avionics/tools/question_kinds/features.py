"""Read the features of a question by which its kind is guessed: its words, and which things of code it names."""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise

from avionics.index.search.query import stem
from avionics.late_pattern import late_pattern
from avionics.syntax.registry import get_language

_MASKS = (
    ("QUOTE", late_pattern(r"\"[^\"\n]{3,}\"")),
    ("FLAG", late_pattern(r"(?<![\w-])--?[a-z][\w-]*")),
    (
        "REVISION",
        late_pattern(r"\bHEAD\b(?>(?:[~^]\d*)*)|(?<![\w./-])[\w-]++\.\d[\w.+-]*+|\b(?=[a-f]{0,39}\d)[0-9a-f]{7,40}\b"),
    ),
    ("PATH", late_pattern(r"(?<![\w/@.+-])[\w@.+-]+/[\w@.+/()\[\]-]*")),
    ("PATH", late_pattern(r"(?<![\w.])\w[\w-]*\.[a-z]{1,4}\b(?!\()")),
    ("ROUTE", late_pattern(r"(?<![\w.])/[\w{}<>:*./-]+")),
    (
        "NAME",
        late_pattern(r"`[^`\n]+`|\b\w+(?:(?:::|\.)\w+)+|\b\w+\(\)|\b\w*[a-z][A-Z]\w*|\b[A-Za-z0-9]*_\w+"),
    ),
    ("NAME", late_pattern(r"(?<=[\w,] )[A-Z]\w*[a-z]\w*")),
    ("NUMBER", late_pattern(r"\d+")),
)
"""Words that replace the names of things in code, with patterns of these names, in the order of replacement."""
_WORD = late_pattern(r"[A-Za-z]+(?:'[a-z]+)?|->|\?")
_TITLED = late_pattern(r"\s*+(?:[A-Z]\w*(?:Error|Exception)\b|[^\s:]+(?: [^\s:]+){0,3}:\s)")
_MAX_WORDS = 80
"""The words of a text that are read; a longer text is no question."""
_MAX_NAMES = 3


def list_features(text: str) -> list[str]:
    """Return the features of a question, sorted.

    They are the stems of its words, each after `~`, its pairs of words, the words that it begins with, how many names
    it has, and whether it ends with a question mark or begins with a title as messages do. In capital letters, `NAME`
    stands for any name that is written as code or with a capital letter within a sentence, `PATH` for any path, and so
    on.
    """
    masked = text
    for mask, pattern in _MASKS:
        masked = pattern.sub(partial(_mask, mask), masked)
    words = [each if each in _NAMES_OF_MASKS else each.lower() for each in _WORD.findall(masked)[:_MAX_WORDS]]
    found = {each if each in _NAMES_OF_MASKS else f"~{stem(each)}" for each in words}
    found.update(f"{first} {second}" for first, second in pairwise(words))
    found.update(f"^ {' '.join(words[:size])}" for size in (1, 2))
    found.add(f"names {min(words.count('NAME'), _MAX_NAMES)}")
    if words[-1:] != ["?"]:
        found.add("no ?")
    if _TITLED.match(text):
        found.add("title:")
    return sorted(found)


def _mask(mask: str, found: re.Match[str]) -> str:
    """Return the word for a text; the text itself for `Cart.add`, which is no file although it has the form of one."""
    is_name = mask != "PATH" or "/" in found[0] or get_language(found[0]) is not None
    return f" {mask} " if is_name else found[0]


_NAMES_OF_MASKS = frozenset(mask for mask, _ in _MASKS)
