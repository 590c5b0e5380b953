"""Edits of real repositories that break something: definitions renamed, removed or hidden, parameters changed, modules
moved. bench_check.py asks what a change breaks after them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import attrs

from avionics.index.changes.signature_compat import split_at_commas
from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol

_SUFFIXES = {
    "python": (".py",), "typescript": (".ts",), "go": (".go",), "rust": (".rs",), "java": (".java",), "c": (".c", ".h"),
}  # fmt: skip
_NEW_PARAMETER = {
    "python": "{name}", "typescript": "{name}: string", "go": "{name} string", "rust": "{name}: u32",
    "java": "String {name}", "c": "int {name}",
}  # fmt: skip
_RECEIVERS = re.compile(r"\s*(?:self|cls|&?\s*(?:'\w+\s+)?(?:mut\s+)?self)\s*(?:,|(?=\)))\s*")
_PARAMETER_KINDS = ("add-parameter", "drop-parameter", "reorder-parameters", "require-parameter", "change-override")
_KINDS = ("rename", "rename", "remove", "add-field", "hide", *_PARAMETER_KINDS)
_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_HOLDERS = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE})

_MOVED_ALONE = frozenset({"python", "typescript", "rust", "c"})
"""Languages in which other files name the path of a file."""

_PACKAGE = re.compile(r"^package ([\w.]+);", re.M)
_GO_NAMED = re.compile(r"\w+\s*(?:,\s*\w+\s*)*\s[^\s,)]")
_MARKED = re.compile(r"[*<\[{=/]|\.\.\.")


@attrs.frozen
class Edit:
    """One seeded edit: its kind, the file and the name it is about."""

    kind: str
    file: str
    name: str


def find_anchors(code: CodeIndex, language: str) -> list[tuple[str, Symbol]]:
    """Return the definitions of product code that edits may be about."""
    found = []
    for file in code.files:
        if not file.endswith(_SUFFIXES[language]) or role_of(file) is not FileRole.PRODUCT:
            continue
        symbols = code.facts(file).symbols
        for symbol in symbols:
            is_inner = symbol.parent >= 0 and symbols[symbol.parent].kind in _FUNCTIONS
            if not is_inner and len(symbol.name) > 3 and not symbol.name.startswith("__"):
                found.append((file, symbol))
    return found


def find_overriding(anchors: list[tuple[str, Symbol]]) -> frozenset[tuple[str, int]]:
    """Return the file and line of the methods whose name a base or, where types name none, some interface has."""
    members: dict[str, set[str]] = {}
    asked: set[str] = set()
    holders = {(file, each.qualname): each for file, each in anchors if each.kind in _HOLDERS}
    for file, each in anchors:
        holder = holders.get((file, each.qualname.rpartition(".")[0]))
        if holder is not None and each.kind is SymbolKind.METHOD:
            members.setdefault(holder.name, set()).add(each.name)
            asked.update({each.name} if holder.kind is SymbolKind.INTERFACE else ())
    found = set()
    for file, each in anchors:
        holder = holders.get((file, each.qualname.rpartition(".")[0]))
        if holder is None or each.kind is not SymbolKind.METHOD:
            continue
        bases = {re.split(r"[<\[(]", base)[0].rpartition(".")[2] for base in holder.bases}
        is_asked = file.endswith((".go", ".rs")) and holder.kind is not SymbolKind.INTERFACE and each.name in asked
        if is_asked or any(each.name in members.get(base, ()) for base in bases):
            found.add((file, each.line))
    return frozenset(found)


def edit(root: Path, language: str, file: str, symbol: Symbol, kind: str, number: int) -> Edit | None:
    """Make one edit; None where the definition does not lend itself to it."""
    path = root / file
    lines = path.read_text("utf-8", "surrogateescape").split("\n")
    at = symbol.line - 1
    if at >= len(lines) or lines[at][symbol.column : symbol.column + len(symbol.name)] != symbol.name:
        return None
    end, name = symbol.column + len(symbol.name), symbol.name
    if kind == "rename":
        lines[at] = f"{lines[at][: symbol.column]}{symbol.name}Zz{lines[at][end:]}"
    elif kind == "remove":
        if symbol.span.end_line - symbol.span.start_line > 40 or symbol.kind is SymbolKind.MODULE:
            return None
        margin = lines[symbol.span.start_line - 1][: -len(lines[symbol.span.start_line - 1].lstrip()) or None]
        indent = margin if not margin.strip() else ""
        lines[symbol.span.start_line - 1 : symbol.span.end_line] = [f"{indent}pass"] if language == "python" else [""]
    elif kind == "hide":
        hidden = _hide(lines[at], symbol, language)
        if hidden is None:
            return None
        lines[at] = hidden
    elif kind in _PARAMETER_KINDS:
        if symbol.kind not in _FUNCTIONS or not lines[at][end:].startswith("("):
            return None
        written = _NEW_PARAMETER[language].format(name=f"extra{number}")
        changed = _change_parameters(lines[at][end + 1 :], kind, written, language)
        if changed is None:
            return None
        lines[at] = lines[at][: end + 1] + changed
    elif kind == "add-field":
        is_line = symbol.span.start_line == symbol.span.end_line == symbol.line and lines[at].count(symbol.name) == 1
        if symbol.kind is not SymbolKind.ATTRIBUTE or symbol.parent < 0 or not is_line or "(" in lines[at]:
            return None
        name = f"Extra{number}" if symbol.name[0].isupper() else f"extra{number}"
        lines.insert(at, f"{lines[at][: symbol.column]}{name}{lines[at][end:]}")
    path.write_text("\n".join(lines), "utf-8", "surrogateescape")
    return Edit(f"{kind} {symbol.kind.value}" if kind in {"rename", "remove", "hide"} else kind, file, name)


def _hide(line: str, symbol: Symbol, language: str) -> str | None:
    """Return the line of a definition without what lets other files have it; None if nothing does."""
    before, after = line[: symbol.column], line[symbol.column :]
    if language == "c":
        is_plain = symbol.kind is SymbolKind.FUNCTION and line[:1].isalpha() and "static" not in before
        return f"static {line}" if is_plain else None
    if language == "java":
        return (
            before.replace("public ", "private " if symbol.parent >= 0 else "", 1) + after
            if "public " in before
            else None
        )
    mark = {"typescript": "export ", "rust": "pub "}.get(language)
    is_marked = mark is not None and before.lstrip().startswith(mark) and "default " not in before
    return before.replace(mark or "", "", 1) + after if is_marked else None


def _change_parameters(rest: str, kind: str, written: str, language: str) -> str | None:
    receiver = _RECEIVERS.match(rest)
    start = receiver.end() if receiver is not None else 0
    head, tail = rest[:start], rest[start:]
    if receiver is not None and not head.rstrip().endswith(","):
        head = f"{head}, "
    is_empty = tail.lstrip().startswith(")") or tail.startswith("void)")
    if kind in {"add-parameter", "change-override"}:
        if language == "go" and not is_empty and not _GO_NAMED.match(tail):
            written = written.partition(" ")[2]  # Either all parameters of a list have names, or none has.
        return f"{head}{written}{tail.removeprefix('void').lstrip()}" if is_empty else f"{head}{written}, {tail}"
    if is_empty or ")" not in tail or "(" in tail.partition(")")[0]:
        return None
    listed, _, after = tail.partition(")")
    if kind == "reorder-parameters":
        return _reorder(head, listed, after, language)
    if kind == "require-parameter":
        return _require(head, listed, after, language)
    first, comma, others = listed.partition(",")
    if any(mark in first for mark in "*<[{=") or "..." in first or (comma and "[" in others):
        return None
    return f"{head if comma else head.rstrip(', ')}{others.lstrip()}){after}"


def _reorder(head: str, listed: str, after: str, language: str) -> str | None:
    """Return a parameter list whose first two parameters changed places."""
    parts = [*split_at_commas(listed)]
    if len(parts) < 2 or any(_MARKED.search(each) for each in parts[:2]):
        return None
    # In Go `a, b int` is one type for two names.
    is_grouped = language == "go" and any(" " not in each for each in parts[:2])
    is_optional = any("?" in each.partition(":")[0] for each in parts[:2])
    return None if is_grouped or is_optional else f"{head}{', '.join([parts[1], parts[0], *parts[2:]])}){after}"


def _require(head: str, listed: str, after: str, language: str) -> str | None:
    """Return a parameter list whose first optional parameter is required, and for Python all before it."""
    parts = [*split_at_commas(listed)]
    at = next((at for at, each in enumerate(parts) if "=" in each or "?:" in each), -1)
    if at < 0 or language not in {"python", "typescript"} or parts[at].startswith(("*", "/")):
        return None
    if language == "typescript" and ("?:" not in parts[at] and ":" not in parts[at]):
        return None
    parts[at] = parts[at].replace("?:", ":", 1) if "?:" in parts[at] else parts[at].partition("=")[0].rstrip()
    return f"{head}{', '.join(parts)}){after}"


def make_edits(
    root: Path, language: str, anchors: list[tuple[str, Symbol]], count: int, chance: random.Random
) -> list[Edit]:
    """Make a batch of edits, at most one a file, and return them."""
    done: list[Edit] = []
    used: set[str] = set()
    if language == "rust" and chance.random() < 0.1:
        return [*_iter_moved(root, language, sorted({file for file, _ in anchors}), chance)]
    overriding = find_overriding(anchors)
    for number, (file, symbol) in enumerate(chance.sample(anchors, min(len(anchors), count * 12))):
        if len(done) >= count:
            break
        if file in used:
            continue
        kind = chance.choice(_KINDS)
        if symbol.kind in _FUNCTIONS and chance.random() < 0.5:
            kind = chance.choice(_PARAMETER_KINDS)  # Most definitions do not lend themselves to them.
        if kind == "change-override" and (file, symbol.line) not in overriding:
            continue
        found = edit(root, language, file, symbol, kind, number)
        if found is not None:
            used.add(file)
            done.append(found)
    if language != "rust":
        done.extend(_iter_moved(root, language, sorted({file for file, _ in anchors} - used), chance))
    return done


def _iter_moved(root: Path, language: str, left: list[str], chance: random.Random) -> Iterator[Edit]:
    """Move one of the files that were not edited, or in Java its package."""
    if language == "c":
        left = [file for file in left if file.endswith(".h")]
    left = [file for file in left if "__init__" not in file and not file.endswith(("lib.rs", "mod.rs"))]
    if not left:
        return
    file = chance.choice(left)
    if language in _MOVED_ALONE:
        (root / file).rename(root / move(file))
        yield Edit("move-module", file, Path(file).stem)
    elif language == "java" and (found := _PACKAGE.search(text := (root / file).read_text("utf-8", "surrogateescape"))):
        moved = text[: found.end(1)] + ".moved" + text[found.end(1) :]
        (root / file).write_text(moved, "utf-8", "surrogateescape")
        yield Edit("move-package", file, Path(file).stem)


def move(file: str) -> str:
    """Return the path that a file is moved to."""
    stem, dot, suffix = file.rpartition(".")
    return f"{stem}_moved{dot}{suffix}"
