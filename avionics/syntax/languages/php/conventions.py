"""The conventions of PHP."""

from __future__ import annotations

import re

from avionics.syntax.conventions import Conventions, FileNames, ImplicitUse, NamingString

CONVENTIONS = Conventions(
    files=FileNames(unread_code=re.compile(r"\.(?:phtml|phpt|inc|module|theme|install|latte|volt|twig|ctp|neon)$")),
    implicit=ImplicitUse(
        harmless_decorators=frozenset({"Override", "Deprecated"}),
        constructors=("__construct",),
        naming_strings=(NamingString(r"""["'](?:[\w\\]+::)?NAME["']"""),),
    ),
    definition_lines=r"[ \t]*(?:[a-z]+[ \t]+)*(?:function|class|interface|trait|enum)[ \t]+&?(\w+)",
)
