"""Read what forms say of the settings that they let people change: the label and the hint beside a field.

The field has the name of the setting, in whatever way a framework binds them: `name="settings.max_rows"`,
`formControlName="maxRows"`, `v-model="config.maxRows"`.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import takewhile

from avionics.index.options.documentation import DocumentedOption
from avionics.late_pattern import late_pattern

_FORM = late_pattern(
    r"\.(?:html?|xhtml|gohtml|tmpl|vue|svelte|[jt]sx|cshtml|razor|phtml|twig|erb|ejs|jinja2?|j2|mustache|hbs|pug|ftl|jsp)\Z"
)
_OF_SETTINGS = late_pattern(r"setting|config|option|prefer|admin|setup|profile")
_FIELD = late_pattern(
    r"\b(?:name|formControlName|v-model(?:\.\w+)*|ng-model|asp-for|bind:value|\[\(ngModel\)\]|data-(?:setting|key|name))"
    r"\s*+=\s*+[\"'{`]{1,2}(?:[\w$]++[.-])*([A-Za-z_]\w{2,})[\"'}`]"
)
_TAG = late_pattern(r"<[^<>\n]{0,400}>|\{\{[^{}\n]{0,200}\}\}|</?\w[^<>\n]{0,400}\Z|\A[^<>\n]{0,400}/?>")
_SAID = late_pattern(
    r"\b(?:label|hint|title|placeholder|help|description|caption|tooltip)\w*+\s*+=\s*+"
    r"(?:\"([^\"\n]{3,200})\"|'([^'\n]{3,200})'|`([^`\n]{3,200})`)"
)
_ABOVE, _BELOW, _MAX_LINE = 3, 5, 400


def is_form(file: str) -> bool:
    """Return whether a file may have a form for settings."""
    return _FORM.search(file) is not None and _OF_SETTINGS.search(file.lower()) is not None


def iter_labelled(file: str, text: str) -> Iterator[DocumentedOption]:
    """Yield the settings that fields of a form are bound to, with the texts beside each field."""
    lines = [line[:_MAX_LINE] for line in text.split("\n")]
    fields = [(number, match[1]) for number, line in enumerate(lines) if "=" in line and (match := _FIELD.search(line))]
    for at, (number, name) in enumerate(fields):
        above = max((other for other, named in fields[:at] if named != name), default=-1)
        below = min((other for other, named in fields[at + 1 :] if named != name), default=len(lines))
        near = lines[max(above + 1, number - _ABOVE) : number + 1]
        # A label behind the field is that of the next one if there is one before it.
        is_labelled = any("<label" in line for line in near)
        behind = lines[number + 1 : min(below, number + _BELOW)]
        near += takewhile(lambda line: "<label" not in line, behind) if is_labelled else behind
        said = [match[match.lastindex or 0] for line in near for match in _SAID.finditer(line)]
        said += (html.unescape(_TAG.sub(" ", line)) for line in near if "<" in line or "=" not in line)
        words = " ".join(" ".join(said).split())
        if words:
            yield DocumentedOption(name, words, file, number + 1)
