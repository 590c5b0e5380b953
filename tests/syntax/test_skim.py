"""Includes that are read without a parser, as a parser reads them."""

from __future__ import annotations

import pytest

from avionics.syntax.extract import extract_facts
from avionics.syntax.registry import require_rules

C = require_rules("c").textual

CERTAIN = (
    "",
    '#include <a/b.h>\n  #  include\t"c.h" // why\n#include "d e.h"',
    '/* a */\n#ifdef A\n# include <a.h>\n#else\n#include <b.h>\n#endif\nint f(void) { return 1; }\n#include "z.h"\n',
    '#ifdef __cplusplus\nextern "C" {\n#endif\n#include "in.h"\n#ifdef __cplusplus\n}\n#endif\n#include "out.h"\n',
    '#include NAME\n#include_next <a.h>\n#define S "#include <b.h>"\n',
)
UNCERTAIN = (
    "/* as in\n#include <a.h>\n*/\n",
    'static const char *names[] = {\n#include "names.h"\n};\n',
    "/* never closed\n#include <a.h>\n",
)


@pytest.mark.parametrize("text", CERTAIN)
def test_includes_are_read_as_a_parser_reads_them(text):
    lines = tuple((each.module, each.level) for each in extract_facts(text.encode(), "c").imports)
    assert C.scan_includes(text.encode()) == lines


@pytest.mark.parametrize("text", UNCERTAIN)
def test_what_only_a_parser_can_tell_is_left_to_it(text):
    assert C.scan_includes(text.encode()) is None


def test_other_languages_are_left_to_their_parsers():
    assert require_rules("python").textual.scan_includes(b"import a\n") is None
