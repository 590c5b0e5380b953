"""Find the files and directories that a sentence mentions, written as paths or called by their names.

A path is found as it is written, by its end, or by the name of a file without its suffix. Restrictions such as "in
src/billing" are read apart from what a question is about.
"""

from __future__ import annotations

import re

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.search.query import find_names, is_stop_word
from avionics.late_pattern import late_pattern
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.syntax.registry import get_language
from avionics.tools.questions.mention_resolver import (
    HYPHENATED,
    QUESTION_WORDS,
    QUOTES,
    WORD,
    drop_described,
    iter_joined,
    split_plain,
)
from avionics.tools.resolution.path_resolver import find_paths, get_imported, is_hosted

PATHLIKE = late_pattern(
    r"(?<![\w.@-])[\w.@-]++(?:/[\w.@-]+)+/?|(?<![\w@-])[\w@-]++/|(?<![\w.-])[\w-]++(?:\.[\w-]++)*\.[a-z]{1,4}\b"
)
"""What may be a path: words with slashes between or behind them, or a name with an ending."""
_FILE = late_pattern(r"(?<![\w:/.@+-])(?P<path>(?:[\w.@+-]++/|/)+[\w.@+-]*\w\.[a-z]\w{0,4})(?::[1-9]\d{0,8})?(?![\w/])")
"""The path of a file, perhaps with a line."""
CALLED_PART = late_pattern(
    r"(?<![\w./-])[`'\"]?(?P<before>(?!(?:of|in|to|by|for|from|on|the|this|that|an?|our|which|what|each)\b)[^\W\d]"
    r"[\w.-]{0,80})[`'\"]? (?:sub)?(?:package|module|crate|directory|folder)\b"
    r"|(?<!\w)(?:package|module|crate|directory|folder) [`'\"]?(?P<after>[^\W\d][\w.-]{0,80})",
    re.IGNORECASE,
)
"""A word by which a sentence refers to a directory or module."""
_WITHIN = late_pattern(r"\b(?:in|inside|of|under|within) (?:the )?[`'\"]?([^\W\d][\w.-]*)[`'\"]?\W*\Z", re.IGNORECASE)
"""The place at the end of a sentence: "unused functions in billing"."""
_PLACE_AT_END = late_pattern(
    r"\b(?:in|inside|under|within|from) (?:the )?(?:(?:file|directory|folder|package|module) )?"
    r"[`'\"]?(?P<place>[\w@./+-]*\w/?)[`'\"]?(?: (?:file|directory|folder|package|module))?(?:,? (?:please|pls))?\W*\Z",
    re.IGNORECASE,
)
_USERS_PLACE = late_pattern(
    r"\A\W*(?:who|what|where|which|how many|anything|anyone)\b(?: \w+)?"
    r"(?P<within> (?:in|inside|under|within|from) (?:the )?(?:(?:file|directory|folder|package|module) )?"
    r"[`'\"]?(?P<place>[\w@./+-]*\w/?)[`'\"]?(?: (?:file|directory|folder|package|module))?)"
    r"(?= (?:still |also |ever )?(?:calls?|uses?|imports?|includes?|requires?|depends? on|needs?|references?"
    r"|invokes?)\b)",
    re.IGNORECASE,
    needs=(" in ", " inside ", " under ", " within ", " from "),
)
_ASKED_FOR = late_pattern(
    r"\A\W*which \w+ (?=(?:calls?|uses?|imports?|includes?|requires?|needs?|references?|invokes?|renders?)\b)",
    re.IGNORECASE,
)
"""What a question asks for, which is no subject of it: "which templates use header?"."""
_TOP_DOCUMENT = late_pattern(r"README(?:\.\w+)?", re.IGNORECASE)


def get_path(code: CodeIndex, text: str, *, is_written: bool = False) -> str | None:
    """Return the directory or file that a text mentions, else None.

    With `is_written`, it must be written as a path or called one (`the confirm package`); else a name suffices.
    """
    paths, directories = code.snapshot.entries, code.snapshot.directories
    for written in map(str, (*PATHLIKE.findall(text), *HYPHENATED.findall(text))):
        path = written.strip("/").rstrip(".")
        if path in paths or path in directories:
            return path
        if inner := [each for each in directories if each.endswith(f"/{path}")]:
            return min(inner, key=lambda each: (role_of(f"{each}/x"), each.count("/"), each))
        ending = find_paths(paths, path) if "." in path or "/" in path else ()
        if known := next(iter(ending), "") or get_imported(code, path):
            return known
        if find_written_files(written) or is_hosted(path):
            return None
    if not is_written and (joined := get_joined_path(code, text)):
        return joined
    for word in _list_called_parts(code, text) if is_written else _list_subject_words(drop_described(code, text)):
        dotted = word.strip(QUOTES).replace(".", "/")
        named = [path for path in directories if path == dotted or path.endswith(f"/{dotted}")]
        named = named or [path for path in paths if f"/{path}".rpartition(".")[0].endswith(f"/{dotted}")]
        if named and not is_stop_word(word):
            return min(named, key=lambda path: (_is_plain_file(code, path), path.count("/"), len(path), path))
    return _get_module(code, text) if is_written else None


def _get_module(code: CodeIndex, text: str) -> str | None:
    """Return the one file of product code that a text names without its suffix: "cart_lines runs twice"; else None."""
    for name in find_names(text):
        if "_" in name.strip("_") and not code.find_definitions(name):
            files = [each for each in code.files if _get_stem(each) == name and role_of(each) < FileRole.TEST]
            if len(files) == 1:
                return files[0]
    return None


def _list_called_parts(code: CodeIndex, text: str) -> list[str]:
    """Return the words that a text calls a directory or module, then its dotted names that nothing else is called."""
    called = [found["before"] or found["after"] for found in CALLED_PART.finditer(text)]
    names = (each for each in find_names(text.replace("::", ".")) if "." in each)
    return [*called, *(each for each in names if not code.find_definitions(each))]


def has_subject_word(text: str) -> bool:
    """Return whether a text has words besides stop words and those of the question itself."""
    return any(not QUESTION_WORDS.fullmatch(word) for word in _list_subject_words(text))


def get_file_called(named: tuple[Definition, ...]) -> str | None:
    """Return the file of one of some definitions that has the definition's name, in lower case.

    None if there is none.
    """
    return next((each.file for each in named if each.name.islower() and _get_stem(each.file) == each.name), None)


def _list_subject_words(text: str) -> list[str]:
    """Return the words of a text, last first, without stop words; those of the question only if it has no others."""
    unqualified = re.sub(r"\b\w+::", "", _ASKED_FOR.sub("", text))  # `Cart::add` means no file `Cart`.
    words = [word for word in reversed(WORD.findall(unqualified)) if not is_stop_word(word)]
    return [word for word in words if not QUESTION_WORDS.fullmatch(word)] or words


def get_directory_within(code: CodeIndex, text: str) -> str | None:
    """Return the directory that the end of a text names: `src/billing` for "unused functions in billing", else None."""
    found = _WITHIN.search(text)
    if found is None:
        return None
    ending = f"/{found[1].replace('.', '/')}/"
    named = {f"/{file}".partition(ending)[0] + ending for file in code.files if ending in f"/{file}"}
    return min((each.strip("/") for each in named), key=lambda path: (path.count("/"), path), default=None)


def get_path_at_end(code: CodeIndex, text: str) -> str | None:
    """Return the directory or file to which the end of a text restricts it, else None."""
    found = _PLACE_AT_END.search(text)
    return _get_named_place(code, found["place"]) if found else None


def split_users_place(code: CodeIndex, text: str) -> tuple[str, str]:
    """Return a text without the place to which it restricts users, and that directory or file; "" if it has none.

    The place is before the verb: "who in src/billing calls draw".
    """
    found = _USERS_PLACE.search(text)
    if found is None:
        return text, ""
    path = _get_named_place(code, found["place"])
    return (text[: found.start("within")] + text[found.end("within") :], path) if path else (text, "")


def _get_named_place(code: CodeIndex, name: str) -> str | None:
    """Return the directory or file that is written as `name` or called so, else None."""
    return get_path(code, name, is_written=True) or get_directory_within(code, f"in {name}")


def get_joined_path(code: CodeIndex, text: str) -> str:
    """Return the file with code that consecutive words of a text name: `soft_delete.go` for "soft delete"; else ""."""
    joined = {fold_name(name): at for at, (name, _) in enumerate(iter_joined(split_plain(text)))}
    named = ((joined.get(fold_name(_get_stem(file).replace("-", ""))), file) for file in code.files) if joined else ()
    found = [(at, role_of(file), file.count("/"), file) for at, file in named if at is not None]
    return min(found)[-1] if found else ""


def _get_stem(file: str) -> str:
    """Return the name of a file without its endings."""
    return file.rpartition("/")[2].partition(".")[0]


def _is_plain_file(code: CodeIndex, path: str) -> bool:
    """Return whether a path is a file without code, such as a page about the module of that name."""
    return path in code.snapshot.entries and not code.has_file(path)


def is_file_name(text: str) -> bool:
    """Return whether a word is the path of a file, or the name of a file in a supported language."""
    return "/" in text or bool(PATHLIKE.fullmatch(text) and get_language(text))


def find_written_files(text: str) -> tuple[str, ...]:
    """Return the paths of files in a text; they need not exist."""
    return tuple(match["path"] for match in _FILE.finditer(text))


def is_project_name(code: CodeIndex, name: str) -> bool:
    """Return whether a name is that of a package in a manifest and occurs in a document at the root."""
    documents = (path for path in code.paths if _TOP_DOCUMENT.fullmatch(path))
    if not any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code.read_text(each), re.IGNORECASE) for each in documents
    ):
        return False
    from avionics.index.modules.package_coordinates import find_coordinates

    packages = find_coordinates(code.paths, code.read_text)
    return name in {re.split(r"[/:]", each.name)[-1] for each in packages}
