from __future__ import annotations

from avionics.index import relatedness

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
