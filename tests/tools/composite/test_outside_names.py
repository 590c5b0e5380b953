"""A name that only libraries define has usages, subclasses and implementers, as far as its imports prove them."""

from __future__ import annotations

import pytest

from avionics.model.enums import Certainty
from avionics.tools.composite.explore_symbol_usage import explore_symbol_usage
from avionics.tools.unified.analyze import analyze

PYTHON = {
    "app/errors.py": "from lib.errors import Failure\n\n\nclass Refused(Failure):\n    pass\n",
    "app/run.py": (
        "import os\nimport lib.errors as faults\n\n\ndef run(Failure2, box):\n"
        "    if os.environ.get('A'):\n        raise faults.Failure()\n    return box.get('A')\n"
    ),
    "app/held.py": (
        "import os.path\nimport lib\n\n\ndef held():\n    join = os.path.join\n    session = lib.session()\n"
        "    return join, session\n"
    ),
    "app/box.py": "class Box:\n    def get(self, name):\n        return name\n",
    "docs/use.md": "A `Failure` ends the run.\n",
}
GO = {
    "go.mod": "module example.com/app\n",
    "app.go": (
        'package app\n\nimport "net/http"\n\ntype Site struct{}\n\n'
        "func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {}\n\n"
        "type Page struct{}\n\nfunc (p Page) Handler() http.Handler { return nil }\n"
    ),
}
GO_YAML = {
    "go.mod": "module example.com/app\n",
    "app.go": (
        'package app\n\nimport (\n\t"gopkg.in/yaml.v3"\n\ttoml "example.com/go-toml/v2"\n)\n\n'
        "func Load(b []byte) {\n\tyaml.Unmarshal(b, nil)\n\ttoml.Unmarshal(b, nil)\n}\n"
    ),
}
RUST = {
    "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\n',
    "src/lib.rs": (
        "use std::fmt;\nuse tokio::net::TcpStream;\n\npub struct Frame;\n\nimpl fmt::Display for Frame {}\n\n"
        "#[derive(Clone, Default)]\n#[repr(C)]\npub enum Theme {\n    #[default]\n    Default,\n}\n\n"
        "pub struct Client;\n\nimpl Client {\n    pub fn connect() { TcpStream::connect(1); }\n}\n"
    ),
}
JAVA = {
    "src/main/java/app/Names.java": (
        "package app;\n\nimport java.util.Iterator;\nimport org.check.Validator;\n\n"
        "class Names implements Validator {\n    Iterator<String> iterator() { return null; }\n}\n"
    ),
    "src/test/java/app/NamesTest.java": (
        "package app;\n\nimport other.Validator;\n\nclass NamesTest {\n    Validator it;\n}\n"
    ),
}


SPRING = {
    "app/OwnerRepository.java": "package app;\n\nimport org.data.JpaRepository;\n\n"
    "interface OwnerRepository extends JpaRepository<String, Integer> {\n    String find();\n}\n",
    "app/Owners.java": "package app;\n\nclass Owners {\n    private final OwnerRepository owners;\n\n"
    "    Owners(OwnerRepository owners) { this.owners = owners; }\n\n    void add(String owner) {\n"
    "        this.owners.save(owner);\n        this.save(owner);\n    }\n\n"
    "    void save(String it) { owners.find(); }\n}\n",
}


@pytest.mark.parametrize(
    ("files", "symbol", "meant", "usages"),
    [
        (PYTHON, "Failure", "lib.errors.Failure", ["app/errors.py:1", "app/errors.py:4", "app/run.py:7"]),
        (PYTHON, "errors.Failure", "lib.errors.Failure", ["app/errors.py:1", "app/errors.py:4", "app/run.py:7"]),
        (PYTHON, "os.environ.get", "os.environ.get", ["app/run.py:6"]),
        (PYTHON, "os.path.join", "os.path.join", ["app/held.py:6"]),
        (PYTHON, "session", "lib.session", ["app/held.py:7"]),
        (GO, "http.Handler", "net/http.Handler", ["app.go:11"]),
        (PYTHON, "faults.Failure", "lib.errors.Failure", ["app/errors.py:1", "app/errors.py:4", "app/run.py:7"]),
        (GO_YAML, "yaml.Unmarshal", "gopkg.in/yaml.v3.Unmarshal", ["app.go:9"]),
        (GO_YAML, "toml.Unmarshal", "example.com/go-toml/v2.Unmarshal", ["app.go:10"]),
        (RUST, "TcpStream::connect", "tokio.net.TcpStream.connect", ["src/lib.rs:18"]),
        (
            JAVA,
            "Validator",
            "org.check.Validator",
            ["src/main/java/app/Names.java:4", "src/main/java/app/Names.java:6"],
        ),
        (
            JAVA,
            "other.Validator",
            "other.Validator",
            ["src/test/java/app/NamesTest.java:3", "src/test/java/app/NamesTest.java:6"],
        ),
    ],
)
def test_the_usages_of_a_library_s_name_are_those_its_imports_prove(workspace, files, symbol, meant, usages):
    answer = explore_symbol_usage(workspace(files), symbol)
    assert answer.symbol == meant
    assert [f"{each.file}:{each.line}" for each in answer.usages] == usages
    assert answer.coverage.certainty is Certainty.AT_LEAST
    assert answer.ledger is not None
    assert answer.ledger.adds_up


@pytest.mark.parametrize("symbol", ["Missing", "other.Failure", "Failure2", "os.environ.pop"])
def test_a_name_that_no_import_proves_has_no_usages(workspace, symbol):
    answer = explore_symbol_usage(workspace(PYTHON), symbol)
    assert (answer.usages, answer.coverage.found) == ((), 0)


@pytest.mark.parametrize(
    ("files", "question", "classes"),
    [
        (PYTHON, "which classes inherit from Failure?", ["Refused"]),
        (GO, "who implements http.Handler?", ["Site"]),
        (RUST, "implementations of Display", ["Frame"]),
        (RUST, "who implements Default?", ["Theme"]),
        (JAVA, "who implements Validator", ["Names"]),
    ],
)
def test_a_question_about_a_library_s_type_is_answered_with_the_classes_below_it(workspace, files, question, classes):
    answer = analyze(workspace(files), question)
    assert [each.symbol for each in answer.get_items("subclasses")] == classes


@pytest.mark.parametrize(
    ("files", "question", "meant"),
    [
        (PYTHON, "who calls os.environ.get?", "os.environ.get"),
        (RUST, "who calls TcpStream::connect?", "tokio.net.TcpStream.connect"),
        (JAVA, "who implements Iterator?", "java.util.Iterator"),
        (PYTHON, "who calls box.get?", "Box.get"),
        (SPRING, "who calls OwnerRepository.save?", "OwnerRepository.save (outside the workspace): at least 1 usage"),
        (SPRING, "who calls OwnerRepository.find?", "OwnerRepository.find (method"),
    ],
)
def test_the_last_part_of_a_library_s_name_is_not_taken_for_a_symbol_of_the_workspace(
    workspace, files, question, meant
):
    assert meant in analyze(workspace(files), question).headline().splitlines()[0]


def test_a_name_that_nothing_defines_is_said_to_be_mentioned_or_not(workspace):
    tree = workspace({"a.py": "# Frobnicator is planned\n", "b.py": "x = 1\n"})
    assert "1 file mentions Frobnicator" in analyze(tree, "who calls Frobnicator?").headline()
    assert "no file mentions Glorpifier" in analyze(tree, "who calls Glorpifier?").headline()


@pytest.mark.parametrize("symbol", ["json.Unmarshal", "v3.Marshal", "toml.yaml.Unmarshal"])
def test_a_module_is_meant_only_by_its_path_or_the_name_it_is_imported_under(workspace, symbol):
    answer = explore_symbol_usage(workspace(GO_YAML), symbol)
    assert (answer.usages, answer.definitions) == ((), ())
