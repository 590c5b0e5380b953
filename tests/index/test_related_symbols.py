from __future__ import annotations

from avionics.index.analysis import related_symbols as relatedness

FILES = {
    "pack/__init__.py": "",
    "pack/base.py": "class Base:\n    def run(self):\n        return 1\n",
    "pack/child.py": "from pack.base import Base\n\n\nclass Child(Base):\n"
    "    def run(self):\n        return start_engine()\n\n\n"
    "def start_engine():\n    return Child().run()\n",
    "tests/test_child.py": "from pack.child import start_engine\n\n\ndef test_it():\n    start_engine()\n",
}


def brief(found):
    return [(each.file, each.symbol, each.relation, each.why) for each in found]


def test_users_say_how_they_use_it_and_tests_are_apart(workspace):
    code = workspace(FILES).code
    (definition,) = code.find_definitions("start_engine")
    assert brief(relatedness.find_users(definition, code.usages(definition))) == [
        ("pack/child.py", "Child.run", "uses it", "calls start_engine"),
        ("tests/test_child.py", "test_it", "test", "calls start_engine"),
    ]


def test_callees_subclasses_and_overrides_are_related(workspace):
    code = workspace(FILES).code
    (base,) = code.find_definitions("Base")
    (run,) = code.find_definitions("Base.run")
    (child_run,) = code.find_definitions("Child.run")
    assert brief(relatedness.find_kin(code, base)) == [("pack/child.py", "Child", "subclass", "inherits from Base")]
    assert brief(relatedness.find_kin(code, run)) == [("pack/child.py", "Child.run", "override", "overrides run")]
    assert brief(relatedness.find_kin(code, child_run)) == [
        ("pack/base.py", "Base.run", "overridden", "run overrides it")
    ]
    assert brief(relatedness.find_callees(code, child_run)) == [
        ("pack/child.py", "start_engine", "it uses", "called at pack/child.py:6")
    ]


def test_imports_relate_files_both_ways(workspace):
    code = workspace(FILES).code
    assert brief(relatedness.find_imported(code, "pack/child.py")) == [
        ("pack/base.py", "", "it imports", "imported at pack/child.py:1 (Base)")
    ]
    assert brief(relatedness.find_importing(code, "pack/child.py")) == [
        ("tests/test_child.py", "", "test", "imports start_engine")
    ]


def test_siblings_are_the_other_symbols_of_the_same_holder(workspace):
    code = workspace(FILES).code
    (definition,) = code.find_definitions("start_engine")
    assert brief(relatedness.find_siblings(code, definition)) == [
        ("pack/child.py", "Child", "same module", "also in pack.child")
    ]


def test_methods_outside_their_class_are_siblings_and_fields_come_last(workspace):
    go = "package a\n\ntype C struct{}\n\nfunc (c *C) One() {}\n\nfunc Other() {}\n\nfunc (c *C) Two() {}\n"
    python = "class K:\n    size = 1\n\n    def one(self):\n        pass\n\n    def two(self):\n        pass\n"
    code = workspace({"a.go": go, "k.py": python}).code
    (one,) = code.find_definitions("C.One")
    assert brief(relatedness.find_siblings(code, one)) == [("a.go", "C.Two", "same class", "also in C")]
    (one,) = code.find_definitions("K.one")
    assert [each.symbol for each in relatedness.find_siblings(code, one)] == ["K.two", "K.size"]


def test_a_files_own_test_does_not_hide_the_other_files_like_it(workspace):
    words = [f"telling{number}word" for number in range(30)]
    files = {
        "logger.py": "\n".join(words),
        "test_logger.py": "\n".join(words * 3),
        "recovery.py": "\n".join(words[:3]),
        **{f"x{number}.py": "y = 1\n" for number in range(9)},
    }
    opened = workspace(files)
    found = relatedness.find_similar_files(opened.code, "logger.py", files["logger.py"].encode())
    assert [each.file for each in found] == ["test_logger.py", "recovery.py"]


def test_long_lists_of_imported_names_are_cut(workspace):
    names = ", ".join(f"n{number}" for number in range(9))
    code = workspace({"a.py": "".join(f"n{n} = 1\n" for n in range(9)), "b.py": f"from a import {names}\n"}).code
    assert [each.why for each in relatedness.find_imported(code, "b.py")] == [
        "imported at b.py:1 (n0, n1, n2, n3 and 5 more)"
    ]
    assert [each.why for each in relatedness.find_importing(code, "a.py")] == ["imports n0, n1, n2, n3 and 5 more"]
