"""What a changed file shows by itself: syntax errors, and definitions that shadow one another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Cause, ChangeFinding, Proof, Rule, Severity, Site
from avionics.model.enums import SymbolKind
from avionics.model.facts import FileFacts, Symbol

_SHADOWING = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS})


def iter_syntax_errors(pair: VersionPair) -> Iterator[ChangeFinding]:
    """Yield the first syntax error of each changed file that had none before."""
    for each in pair.files:
        if not each.after or not pair.after.has_file(each.after):
            continue
        problems = [found for found in pair.after.facts(each.after).problems if _is_error(found.message)]
        had = each.before and pair.before.has_file(each.before) and pair.before.facts(each.before).problems
        if problems and not had:
            place = Site(each.after, problems[0].line)
            # The grammar does not expand macros, so code that it rejects in a new file may still be valid.
            is_sure = bool(each.before) or not pair.after.resolver.scopes.spec(each.after).linkage
            yield ChangeFinding(
                Rule.SYNTAX_ERROR,
                Severity.ERROR if is_sure else Severity.WARNING,
                Proof.CERTAIN if is_sure else Proof.POSSIBLE,
                Cause.NOT_PARSED,
                problems[0].message,
                None,
                (place,),
                holder=each.after,
            )


def _is_error(message: str) -> bool:
    return message == "syntax error" or message.startswith("missing ")


def iter_duplicates(pair: VersionPair) -> Iterator[ChangeFinding]:
    """Yield the definitions that shadow an earlier one of the same scope, where the file had no such pair before."""
    for each in pair.files:
        if not each.after or not pair.readable.get(each.after) or not pair.after.has_file(each.after):
            continue
        if not pair.after.resolver.scopes.spec(each.after).executed_classes:
            continue
        known = set(_read_duplicates(pair.before.facts(each.before))) if each.before else set()
        lines = pair.after.read_text(each.after).split("\n")
        for name, symbols in _read_duplicates(pair.after.facts(each.after)).items():
            first, last = symbols[0], symbols[-1]
            if (
                name not in known
                and _margin(lines, first) == _margin(lines, last)
                and not _is_branch(lines, first, last)
            ):
                yield ChangeFinding(
                    Rule.DUPLICATE_DEFINITION,
                    Severity.ERROR,
                    Proof.CERTAIN,
                    Cause.DEFINED_TWICE,
                    name,
                    Site(each.after, first.line),
                    (Site(each.after, last.line, last.column),),
                    holder=each.after,
                )


def _read_duplicates(facts: FileFacts) -> dict[str, list[Symbol]]:
    """Return qualified name → plain definitions, for names with several."""
    found: defaultdict[str, list[Symbol]] = defaultdict(list)
    for symbol in facts.symbols:
        found[symbol.qualname].append(symbol)
    return {
        name: symbols
        for name, symbols in found.items()
        if len(symbols) > 1 and all(each.kind in _SHADOWING and not each.decorators for each in symbols) and name != "_"
    }


def _margin(lines: list[str], symbol: Symbol) -> int:
    text = lines[symbol.span.start_line - 1]
    return len(text) - len(text.lstrip())


def _is_branch(lines: list[str], first: Symbol, last: Symbol) -> bool:
    """Return whether a line between two definitions leaves their block, or the first one is deleted or used there."""
    margin = _margin(lines, first)
    between = lines[first.span.end_line : last.span.start_line - 1]
    is_left = any(line.strip() and len(line) - len(line.lstrip()) < margin for line in between)
    return is_left or any(first.name in line for line in between)
