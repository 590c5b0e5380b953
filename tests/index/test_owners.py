"""Owners as CODEOWNERS files declare them."""

from __future__ import annotations

import pytest

from avionics.index.analysis.code_owners import find_declared_owners, read_owner_rules

TEXT = """# comment
*        @all
/docs/   @writers
*.js     @web @js  # more
src/core @core
/build/*.py @ci
src/free
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("a.py", ("@all",)),
        ("docs/a/b.md", ("@writers",)),
        ("src/docs/x.md", ("@all",)),
        ("deep/er/x.js", ("@web", "@js")),
        ("src/core/x/y.py", ("@core",)),
        ("build/x.py", ("@ci",)),
        ("build/sub/x.py", ("@all",)),
        ("src/free", ()),
    ],
)
def test_the_last_rule_that_fits_names_the_owners(path, owners):
    place, rules = read_owner_rules({"CODEOWNERS", "a.py"}, {"CODEOWNERS": TEXT}.__getitem__)
    assert place == "CODEOWNERS"
    assert find_declared_owners(rules, path) == owners


def test_without_such_a_file_nobody_is_declared():
    assert read_owner_rules({"a.py"}, {}.__getitem__) == ("", ())
