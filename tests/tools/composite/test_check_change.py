"""What a change breaks: against the last commit, between revisions, and what is accepted."""

from __future__ import annotations

import json

import pytest
from msgspec import structs

import avionics.workspace as workspaces
from avionics.cli.main import main
from avionics.index.facts import on_demand_facts
from avionics.index.facts.on_demand_facts import OnDemandFacts
from avionics.index.verdicts import comparison
from avionics.model.enums import Certainty
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.answers.answer import render, to_result
from avionics.tools.composite.check_change import answer_check, check_change
from avionics.tools.resolution.revision_pair import STAGED, open_revision_pair
from avionics.workspace import Workspace
from tests.sarif import require_sarif


@pytest.fixture
def repository(git_repository):
    made = git_repository(
        {
            "core.py": "def stop(): ...\ndef run(mode): ...\n",
            "main.py": "from core import run, stop\nrun(1)\nstop()\n",
            "notes.txt": "Call stop to stop.\n",
        }
    )
    made.git("tag", "v1")
    return made


BROKEN = "def halt(): ...\ndef run(mode, depth): ...\n"


def test_the_files_on_the_disk_are_checked_against_the_last_commit(repository, workspace):
    (repository.root / "core.py").write_text(BROKEN)
    answer = check_change(workspace(root=repository.root))
    assert [(each.rule, each.places, each.fix, each.change) for each in answer.errors] == [
        ("missing-import", ("main.py:1",), "use 'halt'", "was core.py:1"),
        ("call-mismatch", ("main.py:2",), "pass 'depth', or give the parameter a default", "core.py:2"),
    ]
    assert to_result(answer).data["citations"] == ["main.py:1", "main.py:2"]


@pytest.fixture
def hurried(repository, settings, monkeypatch):
    """Return a workspace that was never indexed, and has no time to read its files one by one."""
    monkeypatch.setattr(workspaces, "_COLD_FILES", 1)
    monkeypatch.setattr(on_demand_facts, "_SECONDS", -9.0)
    monkeypatch.setattr(on_demand_facts, "_SECONDS_IN_LARGE_TREE", -9.0)
    (repository.root / "core.py").write_text("def run(mode): ...\ndef stop(): ...\ndef later(): ...\n")
    with Workspace.open(repository.root, settings) as opened:
        yield opened


def test_of_files_that_there_was_no_time_to_read_nothing_is_missing(hurried):
    with hurried.pinned_index():
        assert isinstance(hurried.code.source, OnDemandFacts)
        answer = check_change(hurried)
        assert (answer.findings, answer.coverage.certainty) == ((), Certainty.EXACT)


def test_in_a_large_tree_files_that_there_was_no_time_to_read_are_not_checked(hurried, monkeypatch):
    monkeypatch.setattr(on_demand_facts, "_LARGE_TREE", 1)
    with hurried.pinned_index():
        answer = check_change(hurried)
    assert (answer.errors, answer.coverage.certainty) == ((), Certainty.AT_LEAST)
    assert ReasonKind.FILES_NOT_READ in {each.kind for each in answer.coverage.reasons}


def test_two_revisions_are_checked_whatever_lies_on_the_disk(repository, workspace):
    repository.commit("second", {"core.py": BROKEN})
    (repository.root / "core.py").unlink()
    answer = check_change(workspace(root=repository.root), "v1", "HEAD")
    assert [each.rule for each in answer.findings] == ["missing-import", "call-mismatch"]
    assert check_change(workspace(root=repository.root), "HEAD", "HEAD").findings == ()


def test_what_is_staged_is_checked_and_nothing_else(repository, workspace):
    (repository.root / "core.py").write_text(BROKEN)
    opened = workspace(root=repository.root)
    assert answer_check(open_revision_pair(opened, None, STAGED), frozenset()).findings == ()
    repository.git("add", "core.py")
    (repository.root / "core.py").write_text("def stop(): ...\ndef run(mode): ...\n")
    answer = answer_check(open_revision_pair(opened, None, STAGED), frozenset())
    assert [each.rule for each in answer.findings] == ["missing-import", "call-mismatch"]


def test_a_comment_accepts_its_line_for_the_rules_it_names(repository, workspace):
    main_file = "from core import run, stop  # avionics: ignore[missing-import]\n# avionics: ignore\nrun(1)\n"
    repository.commit("accepting", {"main.py": main_file})
    (repository.root / "core.py").write_text(BROKEN)
    answer = check_change(workspace(root=repository.root))
    assert answer.findings == ()
    assert Reason(ReasonKind.FINDINGS_SUPPRESSED, 2) in answer.coverage.reasons
    (repository.root / "main.py").write_text(main_file.replace("missing-import", "call-mismatch"))
    assert [each.rule for each in check_change(workspace(root=repository.root)).findings] == ["missing-import"]


def test_a_baseline_accepts_what_it_lists(repository, workspace):
    (repository.root / "core.py").write_text(BROKEN)
    pair = open_revision_pair(workspace(root=repository.root), None, None)
    keys = [each.key for each in answer_check(pair, frozenset()).findings]
    answer = answer_check(pair, frozenset(keys[:1]))
    assert [each.key for each in answer.findings] == keys[1:]
    assert Reason(ReasonKind.FINDINGS_IN_BASELINE, 1) in answer.coverage.reasons


def test_files_outside_the_verdict_are_said(repository, workspace):
    (repository.root / "core.py").write_text("def stop(:\ndef run(mode): ...\n")
    (repository.root / "notes.txt").write_text("Call halt to stop.\n")
    answer = check_change(workspace(root=repository.root))
    assert [(each.rule, each.file) for each in answer.findings] == [("syntax-error", "core.py")]
    assert {reason.kind for reason in answer.coverage.reasons} == {
        ReasonKind.CHANGED_FILES_PARSED_IN_PART,
        ReasonKind.FILES_UNSUPPORTED,
    }
    assert "core.py" in render(answer)


def test_of_files_that_cannot_be_parsed_those_that_name_the_class_of_a_changed_constructor_are_said(
    repository, workspace
):
    repository.commit(
        "constructor",
        {
            "cart.py": "class Cart:\n    def __init__(self): ...\n",
            "odd.py": "from cart import Cart\ndef late(:\n    Cart(\n",
            "odd_elsewhere.py": "class Other:\n    def __init__(self): ...\ndef late(:\n",
        },
    )
    (repository.root / "cart.py").write_text("class Cart:\n    def __init__(self, item): ...\n")
    answer = check_change(workspace(root=repository.root))
    said = {each.kind: each.subject for each in answer.coverage.reasons}
    assert said == {ReasonKind.FILES_NOT_PARSED: "odd.py"}


@pytest.mark.parametrize("head", [None, STAGED])
def test_files_that_were_not_examined_and_name_what_is_gone_are_said(repository, settings, head):
    large = "# halting\n" * 200
    repository.commit(
        "unexamined",
        {
            "large.py": f"from core import stop\nstop()\n{large}",
            "odd.py": "import core\ndef late(:\n    core.stop(\n",
            "odd_elsewhere.py": "halt(]\n# stop\n",
            "other_large.py": f"unstoppable = 1\n{large}",
        },
    )
    (repository.root / "core.py").write_text(BROKEN)
    repository.git("add", "core.py")
    with Workspace.open(repository.root, structs.replace(settings, max_file_bytes=1_000)) as opened:
        answer = answer_check(open_revision_pair(opened, None, head), frozenset())
    said = {each.kind: each.subject for each in answer.coverage.reasons}
    assert said[ReasonKind.FILES_NOT_PARSED] == "odd.py"
    # Nothing searches the large files of a revision, so each may use it.
    assert said[ReasonKind.FILES_TOO_LARGE] == ("large.py" if head is None else "large.py, other_large.py")
    assert answer.coverage.certainty is Certainty.AT_LEAST


def test_files_that_cannot_be_examined_and_name_nothing_that_is_gone_are_not_said(repository, settings):
    repository.commit("unexamined", {"large.py": "stop()\n" * 200, "odd.py": "stop(]\n"})
    (repository.root / "core.py").write_text("def stop(): ...\ndef run(mode): ...\ndef more(): ...\n")
    with Workspace.open(repository.root, structs.replace(settings, max_file_bytes=1_000)) as opened:
        assert check_change(opened).coverage.reasons == ()


def test_the_command_prints_every_format_and_fails_as_asked(repository, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "cache"))
    (repository.root / "core.py").write_text(BROKEN)
    at = ["--repo", str(repository.root)]
    assert main(["check", *at]) == 1
    assert "main.py:1 missing-import" in capsys.readouterr().out
    assert main(["check", *at, "--fail-on", "never", "--format", "github"]) == 0
    assert capsys.readouterr().out.startswith("::error file=main.py,line=1,title=avionics missing-import::'stop'")
    assert main(["check", *at, "--format", "json"]) == 1
    assert [each["rule"] for each in json.loads(capsys.readouterr().out)["data"]["errors"]] == [
        "missing-import",
        "call-mismatch",
    ]
    assert main(["check", *at, "--format", "sarif"]) == 1
    results = require_sarif(json.loads(capsys.readouterr().out))
    assert [each["ruleId"] for each in results] == ["missing-import", "call-mismatch"]
    assert results[0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_a_name_that_was_not_looked_for_everywhere_is_said(repository, workspace, monkeypatch):
    monkeypatch.setattr(comparison, "MAX_NAMED_FILES", 1)
    repository.commit("another", {"far/other.py": "from core import stop\n"})
    (repository.root / "core.py").write_text(BROKEN)
    answer = check_change(workspace(root=repository.root))
    assert "stop was looked for in 1 of the 2 files that mention it" in render(answer)
    assert answer.coverage.certainty is Certainty.AT_LEAST
    assert [each.places for each in answer.errors if each.rule == "missing-import"] == [("main.py:1",)]


def test_a_baseline_is_written_and_read_back(repository, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "cache"))
    (repository.root / "core.py").write_text(BROKEN)
    at = ["--repo", str(repository.root)]
    assert main(["check", *at, "--write-baseline"]) == 0
    assert main(["check", *at]) == 0
    assert "2 findings accepted by the baseline" in capsys.readouterr().out
    (repository.root / ".avionics-baseline.json").write_text("[]")
    assert main(["check", *at]) == 2
    assert "no list 'accepted'" in capsys.readouterr().err


def test_every_rule_is_explained(capsys):
    from avionics.index.verdicts.findings import Cause, Rule
    from avionics.tools.answers.findings import MESSAGES, RULES

    assert set(RULES) == set(Rule)
    assert set(MESSAGES) == set(Cause)
    assert main(["explain", "missing-import"]) == 0
    assert "Proven when" in capsys.readouterr().out
    assert main(["explain", "nonsense"]) == 2


CONTRACT = '[[contract.rules]]\nname = "no core"\ntype = "forbidden"\nfrom = ["main.py"]\nto = ["core.py"]\n'


def test_a_violation_of_the_contract_counts_from_the_change_that_brings_it(git_repository, workspace):
    repository = git_repository({"core.py": "x = 1\n", "main.py": "y = 2\n", "avionics.toml": CONTRACT})
    opened = workspace(root=repository.root)
    assert check_change(opened).findings == ()
    (repository.root / "main.py").write_text("import core\ny = 2\n")
    (found,) = check_change(opened).errors
    assert (found.rule, found.places) == ("contract-violation", ("main.py:1",))
    assert "no core" in found.message
    repository.commit("broken", {"main.py": "import core\ny = 2\n"})
    (repository.root / "main.py").write_text("import core\nimport os\ny = 2\n")
    assert check_change(opened).findings == ()


def test_what_is_left_unused_is_looked_for_when_asked(git_repository, workspace):
    files = {"core.py": "def _help(): ...\n", "main.py": "from core import _help\n_help()\n"}
    repository = git_repository(files)
    (repository.root / "main.py").write_text("")
    opened = workspace(root=repository.root)
    assert check_change(opened).findings == ()
    assert [(each.rule, each.places) for each in check_change(opened, notes=True).infos] == [
        ("left-unused", ("core.py:1",))
    ]
