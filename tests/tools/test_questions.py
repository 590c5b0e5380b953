from __future__ import annotations

import pytest

from avionics.tools.questions.question_reader import read_in_full
from avionics.tools.questions.reading import read_question

FILES = {
    "app/__init__.py": "",
    "app/views.py": "class View:\n    def render(self):\n        return draw()\n\n\ndef draw():\n    return 1\n",
    "app/forms/fields.py": "def clean(value):\n    return value\n",
    "app/store.py": "class Setting: ...\n\n\nclass Run:\n    setting = None\n    colour = None\n",
    "test/test_a.py": "class Test: ...\n",
    "app/colour/__init__.py": "RED = 1\n",
    "app/engine/battery.py": "def module():\n    return 1\n",
    "app/engine/aws.py": "def module():\n    return 2\n\n\nclass ContentTypeParser: ...\n",
    "app/engine/keys.py": "grace = 1\n\n\nclass Limits:\n    GracePeriod = 3\n    changed = False\n",
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
        ("where does it detect that the old View is in use", "phrase", ""),
        ("where do we make sure that only fields are drawn which are referenced by a View?", "phrase", ""),
        ("who calls nothing_like_it?", "phrase", ""),
        ("nowhere", "phrase", ""),
        ("which tests cover View?", "tests", "View"),
        ("which tests cover views", "tests", "View"),
        ("is draw tested?", "tests", "draw"),
        ("is draw used by product code or only tested?", "usage", "draw"),
        ("tests for app/forms", "tests", "app/forms"),
        ("add tests for the parser", "phrase", ""),
        ("unused functions", "unused", ""),
        ("is there any dead code in app/forms?", "unused", "app/forms"),
        ("unused functions in forms", "unused", "app/forms"),
        ("unused functions in nowhere", "unused", ""),
        ("what are the entry points?", "entries", ""),
        ("list all routes", "entries", ""),
        ("which routes are there for birds", "phrase", ""),
        ("which commands does the app have", "entries", ""),
        ("which commands does draw call", "callees", "draw"),
        ("how are routes matched?", "flow", ""),
        ("list the packages", "parts", "."),
        ("which modules are there in app/forms?", "parts", "app/forms"),
        ("what does this project do?", "map", "."),
        ("what does View inherit from", "bases", "View"),
        ("base classes of View", "bases", "View"),
        ("does View extend Store?", "bases", "View"),
        ("what methods does View have?", "members", "View"),
        ("which methods does draw call", "callees", "draw"),
        ("how many subclasses does View have", "kin", "View"),
        ("which tests fail if I change draw?", "tests", "draw"),
        ("where is View.render returned", "usage", "View.render"),
        ("where is the colour returned", "phrase", ""),
        ("what classes are defined in app/forms", "members", "app/forms"),
        ("unused functions in app/forms", "unused", "app/forms"),
        ("who implements View?", "kin", "View"),
        ("which classes extend View", "kin", "View"),
        ("which functions does draw call", "callees", "draw"),
        ("what depends on app/forms", "dependents", "app/forms"),
        ("what would break if I change View::render", "usage", "View.render"),
        ("who uses views?", "usage", "View"),
        ("what changed recently in app/views.py", "history", "app/views.py"),
        ("who wrote fields.py?", "history", "app/forms/fields.py"),
        ("what is a View?", "symbol", "View"),
        ("where is draw implemented", "symbol", "draw"),
        ("where are the settings defined?", "symbol", "Setting"),
        ("where is the colour defined?", "map", "app/colour"),
        ("where are the forms?", "map", "app/forms"),
        ("where can I find views.py", "map", "app/views.py"),
        ("where are the tests?", "map", "test"),
        ("what does the forms package do?", "map", "app/forms"),
        ("who uses the package forms", "dependents", "app/forms"),
        ("add a parameter to missing.frobnicate, what has to be touched", "phrase", ""),
        ("show me the code of View.render", "code", "View.render"),
        ("what does draw do?", "code", "draw"),
        ("signature of draw", "code", "draw"),
        ("which tests cover the battery module", "tests", "app/engine/battery.py"),
        ("why was the aws module changed last", "history", "app/engine/aws.py"),
        ("who uses the content type parser", "usage", "ContentTypeParser"),
        ("why was nothing of the kind ever changed", "history", ""),
        ("grace_period", "symbol", "Limits.GracePeriod"),
        ("view.render", "symbol", "View.render"),
        ("/srv/elsewhere/app/views.py:3", "place", "View.render"),
        ("app/missing.py", "phrase", ""),
        ("what is in app/missing.py", "phrase", ""),
        ("how does a view get to draw?", "path", ""),
        ("how does a view get its content type parser?", "flow", ""),
        ("how does render get a clean value?", "flow", ""),
        ("how does it work?", "map", "."),
        ("what is in this repo", "map", "."),
        ('Traceback:\n  File "/x/app/views.py", line 3, in render\nNameError: x', "traceback", ""),
    ],
)
def test_a_question_has_a_kind_and_a_subject(workspace, text, kind, about):
    question = read_question(workspace(FILES).code, text)
    assert (question.intent.value, question.subject) == (kind, about)


@pytest.mark.parametrize(
    "name",
    [
        "draw",
        "View",
        "clean",
        "RED",
        "ERROR",
        "module",
        "unused",
        "tests",
        "render",
        "grace_period",
        "colour",
        "nowhere",
    ],
)
def test_a_name_alone_is_read_as_the_rules_would_read_it(workspace, name):
    named = "ERROR = 1\n\n\ndef unused(): ...\n\n\ndef tests(): ...\n\n\nclass Table:\n    def render(self): ...\n"
    code = workspace(FILES | {"app/names.py": named}).code
    assert read_question(code, name) == read_in_full(code, name)
    assert read_question(code, name, "app") == read_in_full(code, name, "app")


MEMBERS = {
    "web/view.py": "class View:\n    title = None\n    def render(self): ...\n    def clear(self): ...\n",
    "web/table.py": "from web.view import View\n\n\nclass DataTable(View):\n    def clear(self): ...\n",
    "db/table.py": "class Handler:\n    def clear(self): ...\n    def table(self): ...\n",
    "web/handler.py": "class Handler:\n    def clear(self): ...\n",
}


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("who calls clear on DataTable?", "web/table.py:DataTable.clear"),
        ("who calls the clear method of the data table?", "web/table.py:DataTable.clear"),
        ("who calls the DataTable clear method", "web/table.py:DataTable.clear"),
        ("who calls DataTable's clear", "web/table.py:DataTable.clear"),
        ("who calls DataTable.clear? (not interested in the tests)", "web/table.py:DataTable.clear"),
        ("who calls DataTable.clear, no tests", "web/table.py:DataTable.clear"),
        ("users of the clear() in DataTable class", "web/table.py:DataTable.clear"),
        ("who calls render on DataTable", "web/view.py:View.render"),
        ("who uses the title attribute of View", "web/view.py:View.title"),
        ("who calls clear of the db table Handler", "db/table.py:Handler.clear"),
        ("who calls clear in the web handler", "web/handler.py:Handler.clear"),
        ("users of View", "web/view.py:View"),
        ("who uses the Handler of db/table.py", "db/table.py:Handler"),
        ("who calls nothing on DataTable", "web/table.py:DataTable"),
    ],
)
def test_a_member_named_with_its_class_is_meant_and_not_the_class(workspace, text, about):
    definition = read_question(workspace(MEMBERS).code, text).definition
    assert definition is not None
    assert f"{definition.file}:{definition.symbol.qualname}" == about


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("who imports certmagic?", "certmagic"),
        ("which files import rich.text", "rich.text"),
        ("what imports rich", "rich"),
        ("who imports imports", "go/imports.go"),
        ("who imports nothing_like_it", "nothing_like_it"),
    ],
)
def test_a_question_for_importers_may_name_a_library(workspace, text, module):
    files = {
        "go/imports.go": 'package imports\n\nimport "github.com/caddyserver/certmagic"\n',
        "a.py": "from rich.text import Text\n",
        "b.py": "def rich(): ...\n",
    }
    assert read_question(workspace(files).code, text).path == module


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("who calls no_such_thing?", "no_such_thing"),
        ("who uses the Frobnicator", "Frobnicator"),
        ("app/missing.py:12", "app/missing.py"),
        ("what is in app/missing.py", "app/missing.py"),
        ("Widget", "Widget"),
        ("who calls Vieww.render?", "Vieww.render"),
        ("what breaks if I change Vieww.render", "Vieww.render"),
        ("which tests cover Vieww::render", "Vieww.render"),
        ("who calls self.render?", ""),
    ],
)
def test_a_name_or_path_that_nothing_has_is_told(workspace, text, missing):
    assert read_question(workspace(FILES).code, text).missing == missing


def test_of_methods_that_nothing_uses_the_one_of_the_most_used_class_is_meant(workspace):
    made = "class Model:\n    def columns(self):\n        return []\n"
    files = {
        "app/alpha.py": made,
        "app/beta.py": made,
        "app/shop.py": "from app.beta import Model\n\n\nclass Cart(Model): ...\n\n\nclass Till(Model): ...\n",
    }
    found = read_question(workspace(files).code, "what does Model.columns do?")
    assert found.definition.file == "app/beta.py"
    assert [each.file for each in found.others] == ["app/alpha.py"]
