"""Read options whose name, text and default are constants of their own: `PORT_CONFIG`, `PORT_DOC`, `DEFAULT_PORT`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from avionics.index.options.blocks import DescribedOption
from avionics.index.options.declared_names import OptionKind
from avionics.index.options.descriptions import read_text
from avionics.index.options.documentation import fold_option
from avionics.late_pattern import late_pattern

_ASSIGNED = late_pattern(r"(?<![\w.])(\w++)(?:\s?:\s?&?[\w' ]{1,20})?\s?:?=(?!=)\s?(\S.*+)?")
_NAMED = late_pattern(r"\"([A-Za-z][\w.-]*+)\"\s*+[;,]?\s*+\Z")
_OF_NAME = late_pattern(r"(?:config|key|name|property|prop|option|opt|env|flag|setting)\Z")
_OF_TEXT = ("doc", "docs", "help", "desc", "description", "usage")
_PLAIN = late_pattern(r"([^;]{1,60}+)(?:;|\Z)")
_MAX_PIECES, _MIN_TEXT = 8, 12
"""Lines that a text may have, and the least letters of one."""


def read_texts(lines: Sequence[str]) -> dict[str, str]:
    """Return constant or variable → the text that it holds."""
    found: dict[str, str] = {}
    for number, line in enumerate(lines):
        assigned = _ASSIGNED.search(line) if "=" in line else None
        if assigned and (assigned[2] or "")[:2].lstrip("(")[:1] in {"", '"', "'", "`"}:
            text = read_text("\n".join((assigned[2] or "", *lines[number + 1 : number + _MAX_PIECES])))
            if len(text) >= _MIN_TEXT and " " in text:
                found[assigned[1]] = text
    return found


def read_constants(lines: Sequence[str], texts: Mapping[str, str]) -> Iterator[DescribedOption]:
    """Yield the options whose names are constants beside which another one has a text about them."""
    about = {fold_option(name): text for name, text in texts.items()}
    if not any(each.endswith(_OF_TEXT) for each in about):
        return
    matches = ((number, _ASSIGNED.search(line)) for number, line in enumerate(lines) if "=" in line)
    assigned = [(number, match[1], match[2] or "") for number, match in matches if match]
    values = {fold_option(name): value for _, name, value in assigned}
    for number, variable, value in assigned:
        named, own = _NAMED.match(value), _OF_NAME.sub("", fold_option(variable))
        text = next((about[own + end] for end in _OF_TEXT if own + end in about), "") if named and own else ""
        if named and text:
            default = _PLAIN.match(values.get(f"default{own}", "") or values.get(f"{own}default", ""))
            kind = OptionKind.ENVIRONMENT if named[1].isupper() else OptionKind.PROPERTY
            yield DescribedOption({number: (kind, named[1])}, frozenset(), text, default[1].strip() if default else "")
