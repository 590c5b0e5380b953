"""An answer whose index loses its facts midway is made once more."""

from __future__ import annotations

from typing import Any

import pytest

from avionics.model import Caller, Status, ToolCall, ToolCategory, ToolContext
from avionics.tools.catalog import ToolCatalog
from avionics.tools.declare import read_signature
from avionics.tools.executor import ToolExecutor
from avionics.tools.ids import ToolId
from avionics.workspace import Workspace

USING = {f"{name}.py": "from kept import kept\nkept()\n" for name in ("one", "two")}


@pytest.mark.parametrize(
    ("clearings", "status", "answer"), [(1, Status.SUCCESS, ["one.py", "two.py"]), (2, Status.ERROR, None)]
)
def test_an_answer_that_a_clearing_cut_off_is_made_once_more(directory, settings, clearings, status, answer):
    root = directory({"kept.py": "def kept(): pass\n", **USING})
    left = [None] * clearings
    with Workspace.open(root, settings) as one, Workspace.open(root, settings) as other:

        def users(workspace: Workspace, name: str) -> Any:
            definition = workspace.code.find_definitions(name)[0]
            if left:
                left.pop()
                other.store.clear(lambda _: False, 10**9)
            return sorted(usage.file for usage in workspace.code.usages(definition).usages if usage.role == "call")

        catalog = ToolCatalog()
        catalog.register_function(
            ToolId.FIND_REFERENCES, users, "Who uses it.", read_signature(users), ToolCategory.INTERNAL
        )
        context = ToolContext(Caller("test"), one)
        with one.pinned_index():
            result = ToolExecutor(catalog, settings=settings).run(
                ToolCall("find_references", {"name": "kept"}), context
            )
    assert (result.status, result.data and result.data["result"]) == (status, answer)
