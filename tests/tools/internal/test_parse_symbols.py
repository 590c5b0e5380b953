"""parse_symbols shows what the bytes of a file say by themselves."""

from __future__ import annotations

import pytest

from avionics.model.errors import SourceError, UsageError
from avionics.tools.internal.symbols.parse_symbols import ParsedImportItem, ParsedItem, parse_symbols

SOURCE = """\
import os as system
from .a import b

__all__ = ["K"]


@final
class K(Base, metaclass=M):
    def _hidden(self):
        import json
"""


def test_bases_decorators_exports_and_imports_are_as_written(workspace):
    answer = parse_symbols(workspace({"k.py": SOURCE}), "k.py")
    assert answer.exports == ("K",)
    assert answer.headline().endswith("; exports 1 name: K")
    found = {each.symbol: each for each in answer.symbols}
    assert found["K"] == ParsedItem(
        "k.py", 8, 6, 7, 10, "K", "class", "class K(Base, metaclass=M)", "", "", True, ("Base",), ("final",)
    )
    assert (found["K._hidden"].parent, found["K._hidden"].exported) == ("K", False)
    assert answer.imports == (
        ParsedImportItem("k.py", 1, "os", "", "system", 0, False),
        ParsedImportItem("k.py", 2, "a", "b", "b", 1, False),
        ParsedImportItem("k.py", 10, "json", "", "json", 0, True),
    )
    assert [item.to_text() for item in answer.imports] == [
        "1 import os as system",
        "2 from .a import b",
        "10 import json (in a function)",
    ]


def test_computed_exports_are_said_to_be_beside_those_that_are_written(workspace):
    answer = parse_symbols(workspace({"k.py": 'from . import a\n__all__ = ["K", *a.__all__]\n'}), "k.py")
    assert answer.exports == ("K", "*")
    assert answer.headline().endswith("; exports 1 name: K and computed ones")


def test_it_reads_the_bytes_and_so_also_an_ignored_file(workspace):
    opened = workspace({".gitignore": "made.py\n", "made.py": "x = 1\n"})
    assert [each.symbol for each in parse_symbols(opened, "made.py").symbols] == ["x"]
    assert "made.py" not in opened.code.files


def test_what_could_not_be_parsed_is_listed(workspace):
    answer = parse_symbols(workspace({"bad.py": "x = 1\ndef (:\n"}), "bad.py")
    assert ([each.symbol for each in answer.symbols], answer.problems[0].line) == (["x"], 2)


def test_a_file_that_is_missing_or_of_no_language_is_refused(workspace):
    opened = workspace({"a.txt": "x"})
    with pytest.raises(SourceError, match=r"there is no file 'b\.py'"):
        parse_symbols(opened, "b.py")
    with pytest.raises(UsageError, match="unsupported language"):
        parse_symbols(opened, "a.txt")
