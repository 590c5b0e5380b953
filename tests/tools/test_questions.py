from __future__ import annotations

import pytest

from avionics.tools.questions import read_question

FILES = {
    "app/__init__.py": "",
    "app/views.py": "class View:\n    def render(self):\n        return draw()\n\n\ndef draw():\n    return 1\n",
    "app/forms/fields.py": "def clean(value):\n    return value\n",
}


@pytest.mark.parametrize(
    ("text", "kind", "about"),
    [
        ("draw", "symbol", "draw"),
        ("View.render()", "symbol", "View.render"),
        ("`draw`", "symbol", "draw"),
        ("app/views.py", "map", "app/views.py"),
        ("app/forms/", "map", "app/forms"),
        ("views.py", "map", "app/views.py"),
        ("app/views.py:3", "place", "View.render"),
        ("who calls draw?", "usage", "draw"),
        ("Where is View.render used", "usage", "View.render"),
        ("is it safe to rename `clean`?", "usage", "clean"),
        ("subclasses of View", "kin", "View"),
        ("why does draw return 1", "history", "draw"),
        ("history of app/forms/fields.py", "history", "app/forms/fields.py"),
        ("what is in app/forms?", "map", "app/forms"),
        ("overview of forms", "map", "app/forms"),
        ("how does rendering work?", "flow", ""),
        ("what happens when a view is drawn", "flow", ""),
        ("clean the value of a field", "phrase", ""),
        ("who calls nothing_like_it?", "phrase", ""),
        ("nowhere", "phrase", ""),
        ('Traceback:\n  File "/x/app/views.py", line 3, in render\nNameError: x', "traceback", ""),
    ],
)
def test_a_question_has_a_kind_and_a_subject(workspace, text, kind, about):
    question = read_question(workspace(FILES).code, text)
    subject = question.definition.symbol.qualname if question.definition else question.path
    assert (question.kind.value, subject) == (kind, about)
