from __future__ import annotations

import pytest

from avionics.model.errors import UsageError
from avionics.tools.internal.symbols.find_similar_files import find_similar_files

FILES = {
    "mysql.py": "import base\n\n\ndef alter_column(new_field, old_field):\n    return base.quote_name(new_field)\n",
    "oracle.py": "import base\n\n\ndef alter_column(new_field, old_field):\n    return base.quote_name(old_field)\n",
    "base.py": "def quote_name(name):\n    return name\n",
    "views.py": "def render(page):\n    return page.title\n",
    "more.py": "def nothing():\n    return None\n",
}


def test_files_that_share_rare_words_and_imports_are_similar_best_first(workspace):
    answer = find_similar_files(workspace(FILES), "mysql.py")
    assert answer.files[0].file == "oracle.py"
    assert answer.files[0].imports == ("base.py",)
    assert "new_field" in answer.files[0].terms
    assert "views.py" not in [item.file for item in answer.files]


def test_a_file_like_no_other_has_none_and_an_unknown_path_is_refused(workspace):
    opened = workspace(FILES)
    answer = find_similar_files(opened, "views.py")
    assert (answer.files, answer.headline()) == ((), "no file similar to views.py, by shared rare words and imports")
    with pytest.raises(UsageError):
        find_similar_files(opened, "nowhere.py")
