"""On a terminal, long lines are broken between words, and what can be pasted is not."""

from __future__ import annotations

from avionics.cli.output.style import Style, iter_coloured

TEXT = """main → Reader.readFromCommand: 2 paths, the shortest with 3 steps of the program

  src/core.go:415 calls Reader.restart (src/reader.go:101) | go reader.restart(command, environ, readyChan)
   12│     return some_function_with_a_long_name(first_argument, second_argument, third_argument)
next: avionics run read_code --param path=src/core.go --param start_line=400 --param end_line=430 # for the rest"""


def test_lines_are_broken_between_words_and_code_is_cut():
    lines = list(iter_coloured(TEXT, Style(), 60))
    assert lines == [
        "main → Reader.readFromCommand: 2 paths, the shortest with 3",
        "    steps of the program",
        "",
        "  src/core.go:415 calls Reader.restart (src/reader.go:101) |",
        "      go reader.restart(command, environ, readyChan)",
        "   12│     return some_function_with_a_long_name(first_argu…",
        TEXT.rsplit("\n", maxsplit=1)[-1],
    ]


def test_without_columns_nothing_is_broken():
    assert "\n".join(iter_coloured(TEXT, Style())) == TEXT


def test_a_word_longer_than_the_terminal_stays_whole():
    assert list(iter_coloured("x\n" + "a" * 90, Style(), 40)) == ["x", "a" * 90]
