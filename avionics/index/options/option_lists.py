"""List the environment variables that product code reads, and the flags that its command lines take."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Sequence, Set

from msgspec import structs

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.options.declarations import SETTINGS_FILE, OptionCandidate, iter_candidates
from avionics.index.options.declared_names import OptionKind, reads_any_variable
from avionics.index.options.match_score import MIN_INSIDE_UPPER, OptionMatch, meaning_of
from avionics.index.options.placeholders import list_placeholders
from avionics.index.options.question_words import LISTING, OF_FILES, read_kinds, read_wanted
from avionics.index.options.settings_classes import SETTINGS_BASE
from avionics.index.search.query import stem, text_stems
from avionics.late_pattern import late_pattern
from avionics.syntax.registry import get_language

_READS_ENVIRONMENT = ("getenv", "environ", "environment", "env")
"""Parts of the names of functions that read environment variables, those that mean nothing else first."""
_DECLARES_FLAGS = (
    "flag", "flags", "getopt", "argparse", "clap", "pflag", "yargs", "commander", "picocli", "argument",
    "usage", "option", "options", "args", "arg", "parser",
)  # fmt: skip
"""Parts of the names with which code declares the flags of a command line, those that mean little else first."""
_SEVERAL = late_pattern(r"\b(?:flags|options|switches|arguments|args|parameters)\b", re.IGNORECASE)
_OF_PROGRAMS = frozenset(map(stem, ("command", "cli", "program", "binary", "tool")))
"""Stems of the words for what all flags belong to."""
_MAX_FILES = 250
_ASKS_HOW = late_pattern(
    r"\W*(?:how|where|when) (?:are|do|does|is|did|were) (?:the |all |its |our )?env(?:ironment)?[ -](?:variables|vars)"
    r" (?!(?:that|which|for|to|who)\b)\w",
    re.IGNORECASE,
)


def find_environment_variables(code: CodeIndex, text: str, scope: str | None = None) -> tuple[OptionMatch, ...]:
    """Return the environment variables that product code reads, best match first; () if the text asks for no variable.

    Names in lines that may be about anything, such as those in a list of exports, are left out.
    """
    if read_kinds(text) != {OptionKind.ENVIRONMENT}:
        return ()
    wanted = read_wanted(text)
    # "Which variable moves the config directory" leaves no other words, so words for files are looked for, too.
    wanted += [each for each in dict.fromkeys(text_stems(text)) if each in OF_FILES and each not in wanted]
    reading = _list_reading(code)
    tables = _list_directories(code, reading)
    files = [*reading, *sorted(code.files_with_word(SETTINGS_BASE))]
    files += [file for file in code.files if posixpath.dirname(file) in tables]
    chosen = [
        file for file in dict.fromkeys(files)
        if role_of(file) is FileRole.PRODUCT and (not scope or file.startswith(scope))
    ]  # fmt: skip
    read = [each for file in chosen[:_MAX_FILES] for each in iter_candidates(file, code.read_text(file))]
    placed = (each for each in list_placeholders(code, {}, scope) if role_of(each.file) is FileRole.PRODUCT)
    found = (each for each in (*_clear_labels(read, tables), *placed) if not each.is_guess)
    variables = (each for each in found if (each.label or each.kind) is OptionKind.ENVIRONMENT)
    best: dict[str, OptionMatch] = {}
    for match in (_match_words(each, wanted) for each in variables if each.name.isupper()):
        if match.name not in best or match.share > best[match.name].share:
            best[match.name] = match
    return tuple(sorted(best.values(), key=lambda each: -each.score))


def list_flags(code: CodeIndex, scope: str | None = None) -> tuple[OptionMatch, ...]:
    """Return the flags that product code takes on a command line, file by file, the file with most of them first."""
    files = dict.fromkeys(file for part in _DECLARES_FLAGS for file in sorted(code.words.term_counts(part)))
    chosen = [
        file for file in files
        if role_of(file) is FileRole.PRODUCT and get_language(file) and (not scope or file.startswith(scope))
    ]  # fmt: skip
    read = (each for file in chosen[:_MAX_FILES] for each in iter_candidates(file, code.read_text(file)))
    found: dict[str, OptionCandidate] = {}
    for each in (each for each in read if each.kind is OptionKind.FLAG and not each.is_guess):
        if each.name not in found or (each.help and not found[each.name].help):
            found[each.name] = each
    counts = Counter(each.file for each in found.values())
    ordered = sorted(found.values(), key=lambda each: (-counts[each.file], each.file, each.line))
    return tuple(
        OptionMatch(each.name, each.kind, each.file, each.line, each.help, each.default, "", 1.0, 1.0)
        for each in ordered
    )


def mark_variables(code: CodeIndex, candidates: Sequence[OptionCandidate]) -> list[OptionCandidate]:
    """Return candidates; names in capitals beside code that reads variables by computed names are such variables."""
    directories = {posixpath.dirname(each.file) for each in candidates if each.label}
    reading = [file for file in _list_reading(code) if posixpath.dirname(file) in directories] if directories else []
    return _clear_labels(candidates, _list_directories(code, reading))


def _clear_labels(candidates: Sequence[OptionCandidate], directories: Set[str]) -> list[OptionCandidate]:
    """Return candidates; those in files for settings of the directories are no guesses."""
    return [
        structs.replace(each, label=None, is_guess=False)
        if each.label and SETTINGS_FILE.search(each.file) and posixpath.dirname(each.file) in directories
        else each
        for each in candidates
    ]


def _list_reading(code: CodeIndex) -> list[str]:
    """Return the product files that mention the environment, those that surely do first."""
    found = dict.fromkeys(file for part in _READS_ENVIRONMENT for file in sorted(code.words.term_counts(part)))
    return [file for file in found if role_of(file) is FileRole.PRODUCT][:_MAX_FILES]


def _list_directories(code: CodeIndex, files: Sequence[str]) -> set[str]:
    """Return the directories of those files that read variables by computed names."""
    return {posixpath.dirname(file) for file in files if reads_any_variable(code.read_text(file))}


def _match_words(variable: OptionCandidate, wanted: Sequence[str]) -> OptionMatch:
    """Return a variable with the share of some stems that it has; one is added to its score for each in its name."""
    name = variable.name.lower()
    in_name, beside = set[str](), set[str]()
    for one in wanted:
        # Names such as IRCNICK do not separate their words.
        if (len(one) >= MIN_INSIDE_UPPER and one in name) or meaning_of(one) & variable.named:
            in_name.add(one)
        elif meaning_of(one) & variable.beside:
            beside.add(one)
    share = len(in_name | beside) / max(1, len(wanted))
    place = (variable.name, variable.kind, variable.file, variable.line)
    return OptionMatch(*place, variable.help, variable.default, "", share, share + len(in_name))


def asks_how_variables_are_used(text: str) -> bool:
    """Return whether a text asks for the code that deals with environment variables, not for one of them."""
    return _ASKS_HOW.match(text) is not None


def get_listed_kind(code: CodeIndex, text: str) -> OptionKind | None:
    """Return the kind of which a text asks for all: environment variables or flags; None if it asks for one option."""
    kinds = read_kinds(text)
    left = {each for each in read_wanted(text) if each not in LISTING}
    if kinds == {OptionKind.FLAG} and _SEVERAL.search(text) and left <= _OF_PROGRAMS:
        return OptionKind.FLAG
    if kinds != {OptionKind.ENVIRONMENT}:
        return None
    # "Which variables does the shop read?" names the whole product.
    of_product = {stem(part.lower()) for file in code.files for part in file.split("/")[:2]} if left else set[str]()
    return OptionKind.ENVIRONMENT if left <= of_product else None
