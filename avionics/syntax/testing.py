"""How the users of a language recognize tests, and the programs that run them."""

from __future__ import annotations

import re

from msgspec import Struct

from avionics.late_pattern import NEVER, late_pattern


class TestRunner(Struct, frozen=True):
    """A program that runs chosen tests.

    Patterns name `{file}`, `{directory}`, `{package}` (the directory as Go names it), `{stem}` (the file without
    directory and suffix), `{name}` (the qualified name), `{first}` and `{last}` (the first and last part of it) and
    `{node}` of a test.

    Attributes:
        command: The words before the tests, and `{tests}` in a word that holds all of them.
        argument: The pattern of one test.
        joined: What joins the tests within `{tests}`.
        file: The file at the root of a project that the runner needs; "" for none.
        text: The text that this file has to contain.
        suffix: The end of the paths of its test files; "" for any.
        group: The pattern of the group of a test; tests of different groups get separate commands.
        option: A word before each test; "" for none.
        titled: The words that run one titled part of a test; () if the runner cannot.
        many: The pattern of an argument in place of many tests, or for a whole file; "" if each is named.
        whole: The words that run all tests of the group, in place of many or for a whole file; () if each is named.
        passed_over: Prefixes of functions in test files that it runs only on request, such as benchmarks.
    """

    __test__ = False

    command: tuple[str, ...]
    argument: str
    joined: str = ""
    file: str = ""
    text: str = ""
    suffix: str = ""
    group: str = ""
    option: str = ""
    titled: tuple[str, ...] = ()
    many: str = ""
    whole: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()


class TestConventions(Struct, frozen=True):
    """How tests are recognized.

    Attributes:
        names: Matches the start of a test's name in a test file.
        collected: Beginnings of the names that test runners call in test files, set-up and tear-down included.
        hooks: Beginnings of the names of functions that test runners call anywhere.
        marks: Found in the decorator of a test.
        runner_marks: Matches the start of a decorator by which a test runner finds a function in any file.
        beside_code: Whether tests are in the same file as the code they test, and marked.
        only_for_tests: Matches a whole decorator of what is compiled only for tests.
        support_files: Found in the path of a test file without tests.
        case_bases: Ends of the names of external classes that make their subclasses test cases.
        case_names: Beginnings of the names of top-level classes that are test cases.
        calls: If tests are calls that take functions without names, `test("adds", () => …)`: words of which each test
            file has at least one.
        fixtures: Ends of the decorators that make a function a fixture.
        example_mark: The beginning of the documentation of a function that exists only to be run as an example.
        has_fixtures: Whether parameters of tests receive the fixtures of the same name.
        fixture_file: The file whose fixtures are available to the tests in its directory and below.
        node_separator: The text between path and names in the notation for one test, `::`; "" for no such notation.
        runners: The programs that run chosen tests; the first one that the project has is used.
        titled: Matches the call that defines a test with a title, where tests are calls.
        parts: Matches the call that defines a titled part of a test, within the function that is the test.
    """

    __test__ = False

    names: re.Pattern[str] = late_pattern("test|Test")
    collected: tuple[str, ...] = ("test", "setup", "teardown", "setUp", "tearDown")
    hooks: tuple[str, ...] = ()
    marks: re.Pattern[str] = late_pattern(r"\b[tT]est\b")
    runner_marks: re.Pattern[str] = NEVER
    beside_code: bool = False
    only_for_tests: re.Pattern[str] = NEVER
    support_files: re.Pattern[str] = late_pattern(r"(^|/)settings\.\w+$")
    case_bases: tuple[str, ...] = ("TestCase",)
    case_names: tuple[str, ...] = ("Test",)
    calls: tuple[str, ...] = ()
    fixtures: tuple[str, ...] = ()
    example_mark: str = ""
    has_fixtures: bool = False
    fixture_file: str = ""
    node_separator: str = ""
    runners: tuple[TestRunner, ...] = ()
    titled: re.Pattern[str] = NEVER
    parts: re.Pattern[str] = NEVER
