"""Which definitions the changed lines of a commit belong to, by git's own reading of the difference."""

from __future__ import annotations

import pytest

from avionics.index.changes.commit_reader import definition_lines

CASES = [
    ("a.py", "class Cart:\n    def add(self, x):\n        a = 1\n        return x\n", "return x", ["add"]),
    ("a.py", "class Cart:\n    async def add(self):\n        pass\n", "pass", ["add"]),
    ("a.go", "func (c *Cart) Add(x int) int {\n\ta := 1\n\treturn x\n}\n", "return x", ["Add"]),
    ("a.go", "type (\n\tCart struct {\n\t\tname string\n\t\tsize int\n\t}\n)\n", "size int", ["Cart"]),
    (
        "a.rs",
        "impl Cart {\n    pub(crate) fn add(&self) {\n        let a = 1;\n        a\n    }\n}\n",
        "        a\n",
        ["add"],
    ),
    ("a.c", "static int\nadd(int a,\n    int b)\n{\n  int c;\n  return a;\n}\n", "return a", ["add"]),
    ("a.c", "static struct cart *cart_new(int a)\n{\n  int c;\n  return a;\n}\n", "return a", ["cart_new"]),
    ("a.cc", "class Cart {\n  int add(int a) const {\n    int c;\n    return a;\n  }\n};\n", "return a", ["add"]),
    ("A.java", "class A {\n  public List<X> add(int a) {\n    int c;\n    return a;\n  }\n}\n", "return a", ["add"]),
    (
        "A.cs",
        "class A {\n  public async Task<X> Add(int a) {\n    int c;\n    return a;\n  }\n}\n",
        "return a",
        ["Add"],
    ),
    ("a.kt", "class A {\n  private fun add(a: Int): Int {\n    val c = 1\n    return a\n  }\n}\n", "return a", ["add"]),
    (
        "a.php",
        "<?php\nclass A {\n  public function add($a) {\n    $c = 1;\n    return $a;\n  }\n}\n",
        "return $a",
        ["add"],
    ),
    ("a.rb", "class A\n  def self.add(a)\n    c = 1\n    a + c\n  end\nend\n", "a + c", ["add"]),
    (
        "a.ts",
        "class A {\n  async add(a: number): Promise<X> {\n    const c = 1\n    return a\n  }\n}\n",
        "return a",
        ["add"],
    ),
    ("a.ts", "export const add = async (a: number) => {\n  const c = 1\n  return a\n}\n", "return a", ["add"]),
    ("a.js", "app.use = function use(fn) {\n  var c = 1;\n  return fn;\n};\n", "return fn", ["use"]),
]
REFUSALS = [
    ("a.py", "import os\n\nx = os.path\nadd(1)\n", "add(1)"),
    ("a.py", "if x:\n    add(1)\n    add(2)\n", "add(2)"),
    ("a.go", "package a\n\nvar x = add(1)\nvar y = 1\n", "var y = 1"),
    ("a.rs", "use a::b;\nconst X: u8 = 1;\n", "const X: u8 = 1;"),
    ("a.c", "int a;\nint add(int);\nint b;\n", "int b;"),
    ("A.java", "package a;\nimport b;\n", "import b;"),
    ("a.ts", "import { a } from 'a'\nadd(1)\nfor (const x of y) {\n  add(x)\n}\n", "  add(x)"),
    ("a.js", "if (x) {\n  while (y) {\n    add(x)\n  }\n}\n", "    add(x)"),
    ("a.md", "def add():\n    one\n    two\n", "two"),
    ("a.txt", "func Add() {\n  two\n}\n", "two"),
]


def touched_by_last(history, repository):
    read = history(repository.root)
    (commit,) = read.read_touched(read.list_commits(1), definition_lines())
    return commit


@pytest.mark.parametrize(("path", "text", "line", "names"), CASES)
def test_a_changed_line_touches_the_definition_around_it(git_repository, history, path, text, line, names):
    repository = git_repository({path: text})
    repository.commit("Say why", {path: text.replace(line, f"{line} + 1")})
    commit = touched_by_last(history, repository)
    assert (commit.touched, commit.message) == (tuple((path, name) for name in names), "Say why\n")


@pytest.mark.parametrize(("path", "text", "line"), REFUSALS)
def test_a_changed_line_outside_of_definitions_touches_none(git_repository, history, path, text, line):
    repository = git_repository({path: text})
    repository.commit("Say why", {path: text.replace(line, f"{line} + 1")})
    assert touched_by_last(history, repository).touched == ()


def test_a_changed_heading_touches_its_own_definition_and_not_the_one_above(git_repository, history):
    above = "def first():\n    return 1\n\n\n"
    repository = git_repository({"a.py": f"{above}def second():\n    return 2\n"})
    repository.commit("widen", {"a.py": f"{above}def second(x):\n    return 2\n\n\ndef third():\n    return 3\n"})
    assert touched_by_last(history, repository).touched == (("a.py", "second"), ("a.py", "third"))


def test_a_renamed_file_is_touched_under_its_new_name(git_repository, history):
    repository = git_repository({"old.py": "def first():\n    a = 1\n    b = 2\n    return a + b\n"})
    repository.git("mv", "old.py", "new.py")
    repository.commit("move", {"new.py": "def first():\n    a = 1\n    b = 2\n    return a - b\n"})
    commit = touched_by_last(history, repository)
    assert (commit.touched, commit.renames) == ((("new.py", "first"),), (("old.py", "new.py"),))


def test_merges_are_not_listed_and_commits_over_many_files_touch_nothing(git_repository, history):
    repository = git_repository({"a.py": "def f():\n    return 1\n"})
    repository.git("checkout", "--quiet", "-b", "side")
    wide = repository.commit("wide", {f"{number}.py": "def f():\n    return 1\n" for number in range(11)})
    repository.git("checkout", "--quiet", "main")
    narrow = repository.commit("narrow", {"a.py": "def f():\n    return 2\n"})
    repository.git("-c", "user.name=A", "-c", "user.email=a@b", "merge", "--quiet", "--no-ff", "--no-edit", "side")
    read = history(repository.root)
    oids = read.list_commits(2)
    assert set(oids) == {wide, narrow}
    found = {commit.oid: len(commit.touched) for commit in read.read_touched(oids, definition_lines())}
    assert found == {wide: 0, narrow: 1}


def test_content_cannot_pose_as_headings_or_commits(git_repository, history):
    repository = git_repository({"a.py": "def real():\n    text = ''\n    return text\n"})
    oid = repository.git("rev-parse", "HEAD")
    posing = f"    text = '''\n{oid}\ndiff --git a/b.py b/b.py\n@@ -1 +1 @@ def posed():\n'''\n"
    repository.commit("pose", {"a.py": f"def real():\n{posing}    return text\n"})
    assert touched_by_last(history, repository).touched == (("a.py", "real"),)


def test_odd_names_huge_messages_and_unknown_encodings_are_read(git_repository, history):
    paths = ["with space.py", "new\nline.py", 'quo"te.py', "-n.py", "ünï.py"]
    repository = git_repository(dict.fromkeys(paths, "def f():\n    return 1\n"))
    line = b"x = '" + b"y" * 3_000_000 + b"'\n"
    files = dict.fromkeys(paths, b"def f():\n    # \xff\xfe\n    return 2\n")
    (repository.root / "message").write_bytes(b"caf\xe9 " + b"word " * 1_000_000)
    for path, content in {**files, "long.py": b"def g():\n    " + line}.items():
        (repository.root / path).write_bytes(content)
    repository.git("add", "--all", ".")
    repository.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-F", "message")
    commit = touched_by_last(history, repository)
    assert {path for path, name in commit.touched if name == "f"} == set(paths)
    assert len(commit.message) == 4_000


def test_programs_that_attributes_and_configuration_name_do_not_run(git_repository, history, tmp_path):
    mark = tmp_path / "sprung"
    repository = git_repository(
        {"a.py": "def f():\n    return 1\n", ".gitattributes": "*.py diff=evil textconv=evil\n"}
    )
    for key in ("diff.evil.command", "diff.evil.textconv", "diff.lines0.command", "diff.lines0.textconv"):
        repository.git("config", key, f"touch {mark}")
    repository.commit("change", {"a.py": "def f():\n    return 2\n"})
    touched_by_last(history, repository)
    assert not mark.exists()


def test_a_commit_whose_contents_are_missing_touches_nothing_and_the_others_are_read(git_repository, history):
    repository = git_repository({"a.py": "def f():\n    return 0\n"})
    oids = [repository.commit(f"{at}", {"a.py": f"def f():\n    return {at}\n"}) for at in range(1, 6)]
    blob = repository.git("rev-parse", f"{oids[2]}:a.py")
    (repository.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    read = history(repository.root)
    found = {commit.oid: bool(commit.touched) for commit in read.read_touched(oids, definition_lines())}
    assert [found.get(oid) for oid in oids] == [True, True, False, False, True]


def test_a_damaged_commit_ends_nothing_but_itself(git_repository, history):
    repository = git_repository({"a.py": "def f():\n    return 0\n"})
    last = repository.commit("fine", {"a.py": "def f():\n    return 1\n"})
    assert [
        len(each.touched) for each in history(repository.root).read_touched(["0" * 40, last], definition_lines())
    ] == [
        0,
        1,
    ]


def test_a_shallow_clone_is_read_to_its_edge(git_repository, history, tmp_path):
    repository = git_repository({"a.py": "def f():\n    return 0\n"})
    for at in range(1, 4):
        repository.commit(f"{at}", {"a.py": f"def f():\n    return {at}\n"})
    repository.git("clone", "--quiet", "--depth=2", f"file://{repository.root}", str(tmp_path / "shallow"))
    read = history(tmp_path / "shallow")
    found = read.read_touched(read.list_commits(10), definition_lines())
    assert [commit.message for commit in found] == ["3\n", "2\n"]
