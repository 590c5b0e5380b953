"""A workspace at a revision answers as a checkout of that revision would."""

from __future__ import annotations

import pytest

from avionics.index.stored_contents import build_partial_index
from avionics.model.errors import SourceError, UsageError
from avionics.settings import Settings
from avionics.source.search.pattern import parse_pattern
from avionics.tools.internal.files.grep_search import grep_search
from avionics.workspace import Workspace

FILES = {
    "app/__init__.py": "from app.core import run\n",
    "app/core.py": '"""Core."""\n\n\ndef run(x):\n    return helper(x)\n\n\ndef helper(x):\n    return x\n',
    "app/crlf.py": "def crlf():\r\n    return 'run'\r\n",
    "app/bom.py": "\ufeffdef bom():\n    run()\n",
    "docs/index.md": "How to run it.\n",
    "latin.txt": b"caf\xe9 run\n",
    "data.bin": b"\0\1run\n",
    "long.txt": "x" * 70_000 + " run\n",
    "empty.py": "",
    "no_newline.py": "run = 1",
}
PATTERNS = ["run", r"def \w+", "RUN", "^$", r"caf. run", "nothing like it", r"return|import"]


@pytest.fixture
def repository(git_repository):
    """A tagged version, then another one with an untracked and an ignored file beside it."""
    made = git_repository(FILES)
    (made.root / "link.py").symlink_to("empty.py")
    made.commit("linked")
    made.git("tag", "v1")
    made.commit(
        "changed", {"app/core.py": "def run(x):\n    return 2\n", "docs/index.md": None, ".gitignore": "*.log\n"}
    )
    (made.root / "new.py").write_text("def untracked(): ...\n")
    (made.root / "a.log").write_text("run\n")
    return made


@pytest.fixture
def checkout(repository, settings, tmp_path):
    """A work tree of the tagged version."""
    repository.git("worktree", "add", "--quiet", str(tmp_path / "checkout"), "v1")
    with Workspace.open(tmp_path / "checkout", settings) as opened:
        yield opened


def test_the_files_are_those_of_a_checkout(repository, checkout, workspace):
    then = workspace(root=repository.root).at("v1")
    there = checkout.source.walk()
    assert then.source.walk().paths == there.paths
    assert then.source.walk().skipped == there.skipped
    assert then.source.find_paths("**/*.py") == checkout.source.find_paths("**/*.py")
    for path in there.paths:
        assert then.source.read(path) == checkout.source.read(path)
        assert then.source.lines(path) == checkout.source.lines(path)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("programs", [True, False], ids=["ripgrep", "python"])
def test_a_search_finds_what_it_finds_in_a_checkout(repository, checkout, tmp_path, settings, pattern, programs):
    given = settings if programs else Settings(cache_directory=settings.cache_directory, program_directories=())
    with Workspace.open(repository.root, given) as opened:
        then, there = opened.at("v1").source.search(pattern), checkout.source.search(pattern)
    assert then.engine == ("ripgrep" if programs else "python")
    assert (then.matches, then.truncated, then.files_searched, then.skipped) == (
        there.matches,
        there.truncated,
        there.files_searched,
        there.skipped,
    )


@pytest.mark.parametrize("indexed", ["nothing", "the disk", "the revision"])
def test_a_text_search_is_that_of_every_file_whatever_is_known(repository, checkout, workspace, indexed):
    opened = workspace(root=repository.root)
    {"nothing": lambda: None, "the disk": opened.index, "the revision": lambda: opened.at("v1").index()}[indexed]()
    for pattern in (*PATTERNS, "helper", "crlf"):
        then, there = grep_search(opened.at("v1"), pattern), grep_search(checkout, pattern)
        assert (then.matches, then.files_searched, then.coverage) == (
            there.matches,
            there.files_searched,
            there.coverage,
        )


def test_a_text_search_reads_what_may_match_of_what_is_known(git_repository, workspace):
    repository = git_repository({f"f{number}.py": f"name_{number} = {number}\n" for number in range(90)})
    repository.git("tag", "v1")
    repository.commit("changed", {"f1.py": "other = 1\n", "f2.py": None})
    opened = workspace(root=repository.root)
    pattern = parse_pattern("name_7", literal=True)
    then = opened.at("v1")
    assert len(build_partial_index(then.source, opened.store, 10**8).narrow(pattern)) == 90
    opened.index()
    matching = {"f7.py", *(f"f7{number}.py" for number in range(10))}
    assert build_partial_index(then.source, opened.store, 10**8).narrow(pattern) == {"f1.py", "f2.py", *matching}
    assert len(grep_search(then, "name_7").matches) == 11
    then.index()
    assert build_partial_index(then.source, opened.store, 10**8).narrow(pattern) == matching
    opened.store.clear(lambda root: False, 10**9)
    assert len(grep_search(then, "name_7").matches) == 11


def test_definitions_and_usages_are_those_of_a_checkout(repository, checkout, workspace):
    opened = workspace(root=repository.root)
    then = opened.at("v1").code
    for name in ("run", "helper", "crlf", "bom"):
        assert then.find_definitions(name) == checkout.code.find_definitions(name)
        for each in then.find_definitions(name):
            assert then.usages(each) == checkout.code.usages(each)
    assert opened.code.find_definitions("helper") == ()
    assert [each.file for each in opened.code.find_definitions("untracked")] == ["new.py"]


def test_only_contents_never_seen_are_read(repository, workspace):
    opened = workspace(root=repository.root)
    opened.index()
    first, again = opened.at("v1").index(), opened.at("v1").index()
    assert (first.files, first.parsed) == (6, 3)
    assert (again.files, again.parsed) == (6, 0)
    assert opened.at("HEAD").index().parsed == 0


def test_a_revision_is_opened_once_and_by_any_of_its_names(repository, workspace):
    opened = workspace(root=repository.root)
    then = opened.at("v1")
    assert opened.at("HEAD~1") is then
    assert opened.at(repository.git("rev-parse", "v1")) is then
    assert then.at("v1") is then
    assert then.revision == repository.git("rev-parse", "v1")
    assert opened.revision == ""


def test_nothing_is_written_into_the_repository(repository, workspace):
    before = sorted(path for path in repository.root.rglob("*") if path.is_file())
    opened = workspace(root=repository.root)
    opened.at("v1").code.find_definitions("run")
    opened.close()
    assert sorted(path for path in repository.root.rglob("*") if path.is_file()) == before


def test_a_bad_revision_is_an_error_with_near_names(repository, workspace):
    with pytest.raises(UsageError, match="no such revision: v2") as refused:
        workspace(root=repository.root).at("v2")
    assert refused.value.hint == "did you mean v1?"


def test_what_is_not_there_is_refused_as_in_a_work_tree(repository, checkout, workspace):
    then = workspace(root=repository.root).at("v1")
    for path in ("app", "app/cor.py", "link.py", "new.py"):
        with pytest.raises(SourceError) as there:
            checkout.source.read(path)
        with pytest.raises(SourceError) as refused:
            then.source.read(path)
        assert (str(refused.value), refused.value.hint) == (str(there.value), there.value.hint)


def test_a_partial_clone_says_what_is_missing(repository, workspace, tmp_path):
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("-c", "protocol.file.allow=always", "clone", "--quiet", "--filter=blob:none",
                   f"file://{repository.root}", str(tmp_path / "clone"))  # fmt: skip
    then = workspace(root=tmp_path / "clone").at("v1")
    assert then.source.count_missing() == 2
    assert [each.file for each in then.code.find_definitions("run")] == ["no_newline.py"]
    with pytest.raises(SourceError, match="not in this partial clone"):
        then.source.read("app/core.py")


def test_repositories_with_longer_ids_are_read_too(git_repository, workspace, tmp_path):
    made = git_repository(name="long")
    made.git("init", "--quiet", "--object-format=sha256", str(tmp_path / "sha256"))
    other = type(made)(tmp_path / "sha256")
    other.commit("first", {"a.py": "def f(): ...\nf()\n"})
    (definition,) = workspace(root=other.root).at("HEAD").code.find_definitions("f")
    assert len(workspace(root=other.root).at("HEAD").code.usages(definition).usages) == 1


def test_data_with_the_suffix_of_a_language_is_text_on_disk_and_at_a_revision(git_repository, workspace):
    made = git_repository(
        {
            "translations/shop_de.ts": '<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS><source>open</source></TS>\n',
            "translations/en.ts": "export const open = 'Open';\n",
            "src/open_de.ts": "export const open = 1;\n",
        }
    )
    opened = workspace(root=made.root)
    for there in (opened, opened.at("HEAD")):
        assert sorted(there.code.files) == ["src/open_de.ts", "translations/en.ts"]
        assert "translations/shop_de.ts" in there.source.walk().paths
