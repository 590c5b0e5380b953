"""Two versions, symbol by symbol."""

from __future__ import annotations

import pytest

from avionics.model import Status, ToolCall, ToolContext
from avionics.model.errors import HistoryError, UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.answers.answer import render, to_result
from avionics.tools.composite.compare_revisions import compare_revisions
from avionics.tools.executor import ToolExecutor


@pytest.fixture
def repository(git_repository):
    made = git_repository(
        {
            "pkg/a.py": "def gone(): ...\ndef signed(a): ...\ndef body():\n    return 1\ndef _own(): ...\n",
            "pkg/b.py": "def stays():\n    return 2\n",
            "README.md": "One.\n",
        }
    )
    made.git("tag", "v1")
    made.commit(
        "second",
        {
            "pkg/a.py": "def signed(a, b): ...\ndef body():\n    return 2\n",
            "pkg/b.py": None,
            "pkg/c.py": "def stays():\n    return 2\n",
            "README.md": "Two.\n",
        },
    )
    return made


def test_breaks_come_first_and_everything_is_told_once(repository, workspace):
    answer = compare_revisions(workspace(root=repository.root), "v1", "HEAD")
    assert [(each.symbol, each.was, each.reason) for each in answer.breaks] == [
        ("gone", "pkg/a.py:1", "removed"),
        ("signed", "pkg/a.py:2", "new required parameter b"),
        ("b", "pkg/b.py:1", "its file is now pkg/c.py"),
    ]
    assert [each.symbol for each in answer.removed] == ["gone", "_own"]
    assert [(each.previous_signature, each.signature) for each in answer.signatures] == [
        ("def signed(a)", "def signed(a, b)")
    ]
    assert [(each.symbol, each.file, each.line) for each in answer.bodies] == [("body", "pkg/a.py", 2)]
    assert [(each.before, each.after) for each in answer.renamed] == [("pkg/b.py", "pkg/c.py")]
    assert answer.coverage.reasons == (Reason(ReasonKind.FILES_UNSUPPORTED, subject="README.md"),)
    assert answer.revision == repository.git("rev-parse", "HEAD")


def test_without_a_head_it_is_about_the_files_on_the_disk_untracked_ones_too(repository, workspace):
    (repository.root / "new.py").write_text("def fresh(): ...\n")
    (repository.root / "pkg" / "a.py").write_text("def signed(a, b): ...\n")
    answer = compare_revisions(workspace(root=repository.root), "HEAD")
    assert [each.symbol for each in answer.removed] == ["body"]
    assert [each.symbol for each in answer.added] == ["fresh"]
    assert answer.revision == ""
    assert answer.title.endswith(" → the files on disk")


def test_a_scope_keeps_to_a_directory(repository, workspace):
    answer = compare_revisions(workspace(root=repository.root), "v1", "HEAD", scope="pkg/c.py")
    assert [each.symbol for each in (*answer.moved, *answer.removed, *answer.bodies)] == ["c"]


def test_vendored_files_are_counted_and_compared_only_where_the_scope_is_theirs(git_repository, workspace):
    made = git_repository({"app.go": "package app\n\nfunc Run() {}\n", "vendor/log/log.go": "package log\n"})
    made.commit(
        "update", {"app.go": "package app\n\nfunc Go() {}\n", "vendor/log/log.go": "package log\n\nfunc Info() {}\n"}
    )
    opened = workspace(root=made.root)
    answer = compare_revisions(opened, "HEAD~1", "HEAD")
    assert [each.symbol for each in (*answer.removed, *answer.added)] == ["Run", "Go"]
    assert answer.coverage.reasons == (Reason(ReasonKind.VENDORED_FILES_NOT_COMPARED, subject="vendor/log"),)
    asked = compare_revisions(opened, "HEAD~1", "HEAD", "vendor/log")
    assert [each.symbol for each in asked.added] == ["Info"]
    assert asked.coverage.reasons == ()


def test_equal_revisions_differ_in_nothing(repository, workspace):
    answer = compare_revisions(workspace(root=repository.root), "HEAD", "HEAD")
    assert answer.summary == "no changed symbols"
    assert to_result(answer).status is Status.SUCCESS
    assert "complete" not in render(answer)


def test_a_base_that_is_no_ancestor_is_said(repository, workspace):
    repository.git("checkout", "--quiet", "-b", "side", "v1")
    repository.commit("aside", {"pkg/d.py": "def aside(): ...\n"})
    answer = compare_revisions(workspace(root=repository.root), "main", "side")
    assert answer.coverage.reasons[0] == Reason(ReasonKind.BASE_NOT_ANCESTOR)


def test_citations_are_checked_in_the_revision_they_are_about(repository, workspace):
    (repository.root / "pkg" / "a.py").write_text("")
    context = ToolContext(workspace=workspace(root=repository.root))
    result = ToolExecutor().run(ToolCall("compare_revisions", {"base": "v1", "head": "HEAD"}), context)
    assert result.status is Status.SUCCESS
    assert "pkg/a.py:2" in result.data["citations"]


def test_what_cannot_be_compared_is_refused(repository, workspace, git_repository):
    with pytest.raises(UsageError, match="no such revision: v2"):
        compare_revisions(workspace(root=repository.root), "v2")
    empty = git_repository(name="empty")
    with pytest.raises(HistoryError, match="no commits yet"):
        compare_revisions(workspace(root=empty.root), "HEAD")


def test_a_partial_clone_is_not_taken_for_removals(repository, workspace, tmp_path):
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("-c", "protocol.file.allow=always", "clone", "--quiet", "--filter=blob:none",
                   f"file://{repository.root}", str(tmp_path / "clone"))  # fmt: skip
    with pytest.raises(HistoryError):
        compare_revisions(workspace(root=tmp_path / "clone"), "v1", "HEAD")


@pytest.mark.parametrize(
    ("file", "before", "after", "broken"),
    [
        ("a.rs", "pub struct A { pub a: i32 }\n", "pub struct A { pub a: i32, pub b: i32 }\n", "A.b"),
        ("a.rs", "pub enum A { B { c: i32 } }\n", "pub enum A { B { c: i32, d: i32 } }\n", "A.B.d"),
        ("a.rs", "pub enum A { B }\n", "pub enum A { B, C }\n", "A.C"),
        ("a.rs", "pub struct A { pub a: i32, own: i32 }\n", "pub struct A { pub a: i32, own: i32, pub b: i32 }\n", ""),
        ("a.rs", "#[non_exhaustive]\npub enum A { B }\n", "#[non_exhaustive]\npub enum A { B, C }\n", ""),
        ("a.rs", "struct A { pub a: i32 }\n", "struct A { pub a: i32, pub b: i32 }\n", ""),
        ("a.ts", "export interface A { a: number }\n", "export interface A { a: number; b: number }\n", "A.b"),
        ("a.ts", "export interface A { a: number }\n", "export interface A { a: number; b?: number }\n", ""),
        ("a.ts", "export enum A { B }\n", "export enum A { B, C }\n", ""),
        ("a.go", "package a\n\ntype A interface{ B() }\n", "package a\n\ntype A interface{ B(); C() }\n", "A.C"),
        ("a.go", "package a\n\ntype A interface{ b() }\n", "package a\n\ntype A interface{ b(); C() }\n", ""),
        ("a.go", "package a\n\ntype A struct{ B int }\n", "package a\n\ntype A struct{ B int; C int }\n", ""),
        ("A.java", "public interface A { void b(); }\n", "public interface A { void b(); void c(); }\n", "A.c"),
        ("A.java", "public interface A { void b(); }\n", "public interface A { void b(); default void c() {} }\n", ""),
        ("a.py", "@dataclass\nclass A:\n    b: int\n", "@dataclass\nclass A:\n    b: int\n    c: int\n", "A.c"),
        ("a.py", "@dataclass\nclass A:\n    b: int\n", "@dataclass\nclass A:\n    b: int\n    c: int = 1\n", ""),
        ("a.py", "class A:\n    b: int\n", "class A:\n    b: int\n    c: int\n", ""),
    ],
)
def test_a_member_that_code_outside_has_to_name_breaks_it(git_repository, workspace, file, before, after, broken):
    made = git_repository({file: before})
    made.commit("second", {file: after})
    answer = compare_revisions(workspace(root=made.root), "HEAD~1", "HEAD")
    holder = broken.rpartition(".")[0]
    said = [(broken, f"code that builds, matches or implements {holder} has to name it")] if broken else []
    assert [(each.symbol, each.reason) for each in answer.breaks] == said


def test_scripts_and_units_are_named_before_documents(git_repository, workspace):
    paths = ("CHANGES", "docs/a.rst", "docs/b.yaml", "docs/c.md", "shop.service", "tools/detect")
    made = git_repository({"a.py": "x = 1\n", **dict.fromkeys(paths, "1\n")})
    made.commit("second", {"a.py": "x = 2\n", **dict.fromkeys(paths, "2\n")})
    (reason,) = compare_revisions(workspace(root=made.root), "HEAD~1", "HEAD").coverage.reasons
    assert (reason.count, reason.subject) == (
        6,
        "shop.service, tools/detect, CHANGES, docs/a.rst, docs/b.yaml, docs/c.md",
    )
