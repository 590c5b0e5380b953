"""The architecture contract in avionics.toml is kept, and it sees what it forbids."""

from __future__ import annotations

import pytest

from avionics.settings import Settings
from avionics.tools.composite.check_architecture import check_architecture
from avionics.workspace import Workspace

STUBS = [
    "avionics/__init__.py", "avionics/__main__.py", "avionics/agents/a.py", "avionics/bounded_cache.py",
    "avionics/cancellation.py",
    "avionics/cli/a.py", "avionics/connect/a.py",
    "avionics/cross_repository/a.py", "avionics/fleet/a.py", "avionics/history/a.py", "avionics/index/code_index.py",
    "avionics/index/references/import_graph.py", "avionics/index/scopes/a.py", "avionics/index/types/a.py",
    "avionics/late_pattern.py",
    "avionics/lsp/a.py", "avionics/mcp/a.py", "avionics/model/a.py", "avionics/overlay.py", "avionics/pictures/a.py",
    "avionics/own_process.py", "avionics/pinned_index.py", "avionics/process_end.py", "avionics/quick_imports.py",
    "avionics/sandbox/a.py", "avionics/scip/a.py", "avionics/scratch.py", "avionics/semantic/a.py",
    "avionics/settings.py", "avionics/source/a.py", "avionics/standard_streams.py",
    "avionics/store/a.py", "avionics/syntax/a.py",
    "avionics/tools/builtin/a.py", "avionics/tools/catalog.py", "avionics/tools/composite/a.py",
    "avionics/tools/internal/a.py", "avionics/tools/resilient/a.py", "avionics/tools/standalone/a.py",
    "avionics/tools/unified/a.py", "avionics/workspace.py", "protocols/a.py",
]  # fmt: skip
"""A file for each pattern of the contract."""


def test_the_contract_is_kept(root, tmp_path):
    with Workspace.open(root, Settings(cache_directory=tmp_path)) as workspace:
        answer = check_architecture(workspace)
    assert [violation.to_text() for violation in answer.violations] == []
    assert [rule.rule for rule in answer.rules if rule.checked.startswith("0 ")] == []


@pytest.mark.parametrize(
    ("rule", "file", "text"),
    [
        ("layers", "avionics/store/a.py", "def read():\n    from avionics.index import code_index\n"),
        ("layers", "avionics/stray.py", ""),
        ("adapters", "avionics/history/a.py", "from ..source import a\n"),
        ("model", "avionics/model/a.py", "import avionics.settings\n"),
        ("tool categories", "avionics/tools/internal/a.py", "from avionics.tools.composite import a\n"),
        ("tools on their own", "avionics/tools/unified/a.py", "from avionics.tools.standalone.a import x\n"),
        ("built-in tools", "avionics/tools/builtin/a.py", "from avionics.tools.internal.a import x\n"),
        ("executor pipeline", "avionics/tools/catalog.py", "from avionics.tools.composite.a import x\n"),
        ("size", "avionics/cli/a.py", "x = 1\n" * 601),
        ("cycles", "avionics/settings.py", "if TYPE_CHECKING:\n    import avionics.cancellation\n"),
    ],
)
def test_what_the_contract_forbids_is_seen(root, workspace, rule, file, text):
    files = dict.fromkeys(STUBS, "") | {"avionics/cancellation.py": "import avionics.settings\n"}
    contract = (root / "avionics.toml").read_text("utf-8")
    answer = check_architecture(workspace({**files, file: text, "avionics.toml": contract}))
    assert {violation.rule for violation in answer.violations} == {rule}


def test_what_the_contract_allows_is_not_reported(root, workspace):
    files = dict.fromkeys(STUBS, "") | {
        "avionics/history/a.py": "import avionics.settings\n",
        "avionics/tools/unified/a.py": "from avionics.tools.internal.a import x\n",
        "avionics.toml": (root / "avionics.toml").read_text("utf-8"),
    }
    answer = check_architecture(workspace(files))
    assert (answer.violations, answer.kept) == ((), True)
