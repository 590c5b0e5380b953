"""Repositories in Java, C and C++ find the libraries that they use: by packages, and by public headers."""

from __future__ import annotations

import json

import pytest

from avionics.cli.main import main

JAVA_LIBRARY = {
    "pom.xml": "<project><groupId>org.shelf</groupId><artifactId>box</artifactId><version>3.1</version></project>",
    "src/main/java/org/shelf/box/Box.java": (
        "package org.shelf.box;\n\npublic class Box {\n    public int put(int item) {\n        return item;\n    }\n}\n"
    ),
}
JAVA_USER = {
    "app/src/main/java/com/shop/Sale.java": (
        "package com.shop;\n\nimport org.shelf.box.Box;\n\npublic class Sale {\n    int sell() {\n"
        "        Box box = new Box();\n        return box.put(2);\n    }\n}\n"
    ),
}
JAVA_OTHER = {
    "src/main/java/org/bag/Bag.java": (
        "package org.bag;\n\npublic class Bag {\n    int put(int x) { return x; }\n    int go() { return put(1); }\n}\n"
    ),
}
C_LIBRARY = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.5)\nproject(shelf VERSION 2.4 LANGUAGES C)\n",
    "include/shelf/box.h": "#ifndef SHELF_BOX\n#define SHELF_BOX\nint box_put(int item);\n#endif\n",
    "src/box.c": '#include "shelf/box.h"\n\nint box_put(int item)\n{\n    return item;\n}\n',
}
C_USER = {
    "main.c": '#include <shelf/box.h>\n#include <stdio.h>\n#include "own.h"\n\nint main(void)\n{\n'
              "    return box_put(2) + own();\n}\n",
    "own.h": "static int own(void) { return 1; }\n",
}  # fmt: skip
C_OTHER = {"other.c": "static int box_put(int item) { return item; }\n\nint use(void) { return box_put(1); }\n"}
CPP_USER = {
    "main.cpp": '#include "shelf/box.h"\n\nint run() {\n    return box_put(7);\n}\n',
}


RUST_LIBRARY = {
    "Cargo.toml": '[package]\nname = "shelf-box"\nversion = "1.4.0"\n',
    "src/lib.rs": "mod inner;\npub use crate::inner::Bin;\n",
    "src/inner.rs": "pub struct Bin;\n\nimpl Bin {\n    pub fn put(&self, item: u8) -> u8 {\n        item\n    }\n}\n",
}
RUST_USE = "use shelf_box::Bin;\n\npub fn sell() -> u8 {\n    let bin = Bin;\n    bin.put(2)\n}\n"
RUST_USER = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n\n[dependencies]\nshelf-box = "1"\n',
    "src/lib.rs": RUST_USE,
}
RUST_MEMBER = {
    "Cargo.toml": '[workspace]\nmembers = ["app"]\n\n[workspace.dependencies]\nshelf-box = { version = "1.2" }\n',
    "app/Cargo.toml": "[package]\nname = 'app'\n\n[dependencies]\nkept = { package = 'shelf-box', version = '1' }\n",
    "app/src/lib.rs": RUST_USE.replace("shelf_box", "kept"),
    "other/Cargo.toml": '[package]\nname = "other"\n\n[dependencies]\nshelf-box = { workspace = true }\n',
    "other/src/lib.rs": RUST_USE,
}
RUST_OTHER = {
    "Cargo.toml": '[package]\nname = "bag"\n\n[dependencies]\nshelf-box = { path = "own" }\n',
    "src/lib.rs": RUST_USE,
    "own/Cargo.toml": '[package]\nname = "shelf-box"\n',
    "own/src/lib.rs": RUST_LIBRARY["src/inner.rs"],
}


@pytest.fixture
def fill(fleet, git_repository):
    def add(**repositories):
        for name, files in repositories.items():
            git_repository(files, f"clones/{name}")
        assert fleet.run("add", str(fleet.clones)) == 0
        assert fleet.run("worker", "--drain") == 0
        return {each.name: each.id for each in fleet.catalogue.list_repositories()}

    return add


def ask(fleet, capsys, symbol, *more):
    capsys.readouterr()
    assert main(["fleet", "refs", symbol, "--json", "--fleet", fleet.url, *more]) == 0
    return json.loads(capsys.readouterr().out)


def places(answer):
    return {each["repository"]: [(use["file"], use["line"]) for use in each["usages"]]
            for each in answer["repositories"]}  # fmt: skip


def test_java_by_its_packages(fleet, fill, capsys):
    numbers = fill(shelf=JAVA_LIBRARY, shop=JAVA_USER, other=JAVA_OTHER)
    answer = ask(fleet, capsys, "Box.put")
    assert answer["packages"] == ["org.shelf:box 3.1"]
    assert places(answer) == {"shop": [("app/src/main/java/com/shop/Sale.java", 8)]}
    assert answer["coverage"]["asked"] == 2, "the repository that does not import it is not read"
    assert [each.root for each in fleet.catalogue.read_packages(numbers["shelf"])] == ["org/shelf/box"]


def test_overloads_are_asked_together(fleet, fill, capsys):
    box = JAVA_LIBRARY["src/main/java/org/shelf/box/Box.java"]
    more = "    public int put(String name) {\n        return 0;\n    }\n}\n"
    library = {**JAVA_LIBRARY, "src/main/java/org/shelf/box/Box.java": box.removesuffix("}\n") + more}
    named = {path: text.replace("put(2)", 'put("two")') for path, text in JAVA_USER.items()}
    fill(shelf=library, shop=JAVA_USER, named=named)
    place = [("app/src/main/java/com/shop/Sale.java", 8)]
    assert places(ask(fleet, capsys, "Box.put")) == {"shop": place, "named": place}


def test_a_call_of_one_of_the_overloads_is_a_usage_if_it_can_mean_no_other(fleet, fill, capsys):
    """The argument comes from outside, so that the call may mean either of two overloads, but not a third."""
    box = JAVA_LIBRARY["src/main/java/org/shelf/box/Box.java"].removesuffix("}\n")
    one, two = (
        f"    public int put({each}) {{\n        return 0;\n    }}\n" for each in ("String name", "Box a, Box b")
    )
    path = "src/main/java/org/shelf/box/Box.java"
    user = {file: text.replace("put(2)", "put(org.far.Away.get())") for file, text in JAVA_USER.items()}
    fill(shelf={**JAVA_LIBRARY, path: f"{box}{one}{two}}}\n"}, shop=user)
    answer = ask(fleet, capsys, "Box.put")
    assert places(answer) == {"shop": [("app/src/main/java/com/shop/Sale.java", 8)]}


def test_a_call_that_may_mean_an_overload_of_another_class_is_a_possible_usage(fleet, fill, capsys):
    """The class inherits an overload that is not asked about."""
    path = "src/main/java/org/shelf/box/Box.java"
    box = JAVA_LIBRARY[path].replace("class Box", "class Box extends Crate")
    crate = "package org.shelf.box;\n\npublic class Crate {\n    public int put(String name) { return 0; }\n}\n"
    user = {file: text.replace("put(2)", "put(org.far.Away.get())") for file, text in JAVA_USER.items()}
    fill(shelf={**JAVA_LIBRARY, path: box, path.replace("Box", "Crate"): crate}, shop=user)
    answer = ask(fleet, capsys, "Box.put")
    assert places(answer) == {"shop": []}


def test_c_and_cpp_by_their_headers(fleet, fill, capsys):
    fill(shelf=C_LIBRARY, shop=C_USER, other=C_OTHER, more=CPP_USER)
    answer = ask(fleet, capsys, "box_put", "--owner", "shelf")
    assert answer["packages"] == ["shelf 2.4"]
    found = places(answer)
    assert found["shop"] == [("main.c", 7)]
    assert found["more"] == [("main.cpp", 4)]
    assert "other" not in found
    assert answer["coverage"]["asked"] == 3


def test_rust_by_its_crates(fleet, fill, capsys):
    """The dependency is named by a version, for a whole workspace, or under another name; one by a path is another."""
    fill(shelf=RUST_LIBRARY, shop=RUST_USER, member=RUST_MEMBER, other=RUST_OTHER)
    answer = ask(fleet, capsys, "Bin.put", "--owner", "shelf")
    assert answer["packages"] == ["shelf-box 1.4.0"]
    assert places(answer) == {
        "shop": [("src/lib.rs", 5)],
        "member": [("app/src/lib.rs", 5), ("other/src/lib.rs", 5)],
    }


def test_own_and_standard_headers_are_no_imports(fleet, fill):
    fill(shop=C_USER)
    import psycopg

    with psycopg.connect(fleet.url) as connection:
        assert connection.execute("SELECT manager, root FROM imported_names").fetchall() == [("headers", "shelf/box.h")]


def test_gradle_names_its_project(fleet, fill):
    sources = {each: text for each, text in JAVA_LIBRARY.items() if each != "pom.xml"}
    numbers = fill(shelf={**sources, "build.gradle.kts": 'group = "org.shelf"\nversion = "9.0"\n',
                          "settings.gradle.kts": 'rootProject.name = "crate"\n'})  # fmt: skip
    (package,) = fleet.catalogue.read_packages(numbers["shelf"])
    assert (package.name, package.version, package.root) == ("org.shelf:crate", "9.0", "org/shelf/box")
