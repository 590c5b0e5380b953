"""Types that are built at first use are those that the library builds at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

DESCRIBE = """
import json, sys
if sys.argv[1] == "later":
    import avionics.lsp
import attrs
from lsprotocol import converters, types
converter = converters.get_converter()
classes = {name: each for name, each in vars(types).items() if isinstance(each, type)}
described = {
    name: [[field.name, repr(field.type), repr(field.default), field.init, field.eq] for field in attrs.fields(each)]
    for name, each in classes.items() if attrs.has(each)
}
methods = {name: [each.__hash__ is None, "__eq__" in vars(each)] for name, each in classes.items() if attrs.has(each)}
span = types.Range(types.Position(1, 2), types.Position(3, 4))
edit = types.WorkspaceEdit(changes={"file:///a": [types.TextEdit(span, "new")]})
plain = converter.unstructure(edit)
again = converter.structure(plain, types.WorkspaceEdit)
print(json.dumps([described, methods, plain, repr(again), again == edit, span.start < span.end]))
"""


def describe(when: str) -> list:
    done = subprocess.run(
        [sys.executable, "-c", DESCRIBE, when], cwd=ROOT, capture_output=True, text=True, check=True
    )  # fmt: skip
    return json.loads(done.stdout)


def test_every_type_has_the_fields_and_methods_that_the_library_gives_it():
    now, later = describe("now"), describe("later")
    assert len(now[0]) > 500
    assert later == now


def test_a_start_builds_few_types():
    code = (
        "import avionics.lsp.server\nfrom lsprotocol import types\nfrom avionics.lsp.lazy_types import _LaterFields\n"
        "left = [each for each in vars(types).values() if isinstance(each, type)"
        " and isinstance(vars(each).get('__attrs_attrs__'), _LaterFields)]\nprint(len(left))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) > 450


MEET = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import avionics.lsp
import attrs
from lsprotocol import converters, types
sys.setswitchinterval(1e-6)
converter = converters.get_converter()
together = Barrier(8)
span = types.Range(types.Position(1, 2), types.Position(3, 4))

def meet(number):
    together.wait()
    if number % 2:
        return converter.unstructure(types.InlayHint(span.start, "x")), attrs.has(types.FoldingRange)
    fields = attrs.fields(types.FoldingRange)
    made = types.FoldingRange(1, 2)
    return (made.start_line, converter.unstructure(made)), all(not isinstance(each.type, str) for each in fields)

with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(meet, range(8)))
assert found == [
    ((1, {"startLine": 1, "endLine": 2}), True), ({"position": {"line": 1, "character": 2}, "label": "x"}, True),
] * 4, found
"""


def test_threads_that_meet_a_type_first_find_it_whole():
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", MEET], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
