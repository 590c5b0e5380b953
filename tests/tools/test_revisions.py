"""`rev` in the pipeline: any tool about code answers about a commit, and says so."""

from __future__ import annotations

import pytest

from avionics.model import Caller, Permission, Status, ToolCall, ToolContext
from avionics.tools import tool_catalog
from avionics.tools.executor import ToolExecutor
from avionics.tools.ids import ToolId
from avionics.tools.revisions import WITHOUT_REVISION, takes_revision

OLD = "def old(x):\n    return x\n\n\ndef both():\n    return old(1)\n"
NEW = "def new(x):\n    return x\n\n\n\n\ndef both():\n    return new(1)\n"


@pytest.fixture
def repository(git_repository):
    made = git_repository({"app.py": OLD, "README.md": "An old one.\n"})
    made.git("tag", "v1")
    made.commit("second", {"app.py": NEW, "README.md": "A new one.\n"})
    return made


@pytest.fixture
def ask(repository, workspace):
    """Runs a call on the repository."""
    opened = workspace(root=repository.root)

    def run(tool, **arguments):
        return ToolExecutor().run(ToolCall(tool, arguments), ToolContext(Caller("test"), opened))

    return run


def test_an_answer_about_a_revision_names_it(ask, repository):
    commit = repository.git("rev-parse", "v1")
    result = ask("find_symbol", name="old", rev="v1")
    assert result.status is Status.SUCCESS
    assert result.data["revision"] == commit
    assert result.data["citations"] == ["app.py:1"]
    assert result.text.endswith(f"[as of {commit[:12]} (v1), not the files on the disk]")
    assert "revision" not in ask("find_symbol", name="new").data
    assert ask("find_symbol", name="old").status is Status.NOT_FOUND


@pytest.mark.parametrize(
    ("name", "arguments", "found"),
    [
        ("analyze", {"query": "old"}, "app.py:1"),
        ("search_code", {"query": "old"}, "app.py:1"),
        ("locate", {"symbol": "old"}, "app.py:1"),
        ("explore_symbol_usage", {"symbol": "old"}, "app.py:6"),
        ("map_module", {"path": "app.py"}, "old"),
        ("read_code", {"path": "README.md"}, "An old one."),
        ("read_file", {"path": "README.md"}, "An old one."),
        ("grep_search", {"pattern": "old"}, "README.md:1"),
        ("get_file_symbols", {"path": "app.py"}, "old"),
        ("git_log", {}, "first"),
        ("git_blame", {"path": "app.py"}, "old"),
        ("explain_code_history", {"path": "app.py"}, "first"),
        ("find_references", {"symbol": "old"}, "app.py:6"),
        ("find_unused", {}, "app.py"),
        ("get_index_stats", {}, "1"),
        ("list_files", {}, "app.py"),
    ],
)
def test_every_kind_of_tool_answers_about_the_revision(ask, name, arguments, found):
    result = ask(name, **arguments, rev="v1")
    assert result.status in {Status.SUCCESS, Status.PARTIAL}, result
    assert found in result.text
    assert "new" not in result.text.replace("newest", "")
    assert "(v1), not the files on the disk]" in result.text


def test_a_bad_revision_is_an_error_that_names_the_fix(ask):
    result = ask("find_symbol", name="old", rev="v2")
    assert (result.status, result.error_type, result.hint) == (Status.ERROR, "usage_error", "did you mean v1?")
    for wrong in (3, "", ["v1"]):
        assert ask("find_symbol", name="old", rev=wrong).error_type == "validation_error"
    assert ask("find_symbol", name="new", rev=None).status is Status.SUCCESS


def test_tools_about_the_work_tree_take_no_revision(ask):
    result = ask("git_status", rev="v1")
    assert result.error_type == "validation_error"
    assert "rev: unknown parameter" in result.validation_errors[0]
    assert ask("list_tools", rev="v1").error_type == "validation_error"


def test_every_tool_about_code_takes_a_revision(ask):
    taking = {name for name in tool_catalog.get_tool_names() if takes_revision(tool_catalog.get_tool(name))}
    assert taking == {each.value for each in ToolId} - {each.value for each in WITHOUT_REVISION} - {"list_tools"}


def test_without_git_a_revision_is_refused_with_the_reason(workspace):
    opened = workspace({"a.py": "x = 1\n"})
    result = ToolExecutor().run(ToolCall("find_symbol", {"name": "x", "rev": "HEAD"}), ToolContext(workspace=opened))
    assert (result.error_type, result.error) == ("history_error", "no git history here")


def test_an_answer_about_a_revision_fits_its_budget_with_its_name(repository, workspace):
    from avionics.tools.answers.answer import estimate_tokens

    repository.commit("many", {f"m{n}.py": f"def old_{n}(): ...\n" for n in range(60)})
    opened = workspace(root=repository.root)
    context = ToolContext(workspace=opened, budget_tokens=300)
    result = ToolExecutor().run(ToolCall("grep_search", {"pattern": "old", "rev": "HEAD"}), context)
    assert result.status is Status.PARTIAL
    assert estimate_tokens(result.text) <= 300


def test_guards_hold_for_calls_about_a_revision(repository, workspace):
    caller = Caller("nobody", permissions=frozenset({Permission.NETWORK_ACCESS}), role="planner")
    context = ToolContext(caller, workspace(root=repository.root))
    result = ToolExecutor().run(ToolCall("find_symbol", {"name": "old", "rev": "v1"}), context)
    assert result.error_type == "permission_denied"


def test_the_rest_of_an_answer_about_a_revision_is_about_it_too(repository, workspace):
    from avionics.tools.execution.overflow_store import Offload

    repository.commit("many", {f"m{n}.py": f"\n\ndef old_{n}(): ...\n" for n in range(40)})
    repository.git("tag", "v2")
    repository.commit("none", {f"m{n}.py": None for n in range(40)})
    executor = ToolExecutor(offload=Offload())
    context = ToolContext(workspace=workspace(root=repository.root), budget_tokens=300)
    result = executor.run(ToolCall("grep_search", {"pattern": "old_", "rev": "v2"}), context)
    rest = executor.get_rest(result.rest, context)
    assert rest.data["revision"] == repository.git("rev-parse", "v2")
    assert rest.data["citations"]
    assert "changed while" not in rest.text
