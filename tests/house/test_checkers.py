"""Lint, format and types are part of the one test command."""

from __future__ import annotations


def test_the_linter_is_content(content):
    content("ruff", "check", "--quiet", "--output-format=concise", ".")


def test_no_code_is_commented_out(content):
    content("ruff", "check", "--quiet", "--output-format=concise", "--select", "ERA", ".")


def test_the_formatter_would_change_nothing(content):
    content("ruff", "format", "--quiet", "--check", "--output-format=concise", ".")


def test_the_types_are_proven(content, root):
    # Writing a cache takes a third of the time; whoever runs mypy by hand has one.
    no_cache = [] if (root / ".mypy_cache").exists() else ["--cache-dir=/dev/null"]
    content("mypy", "--no-error-summary", *no_cache)
