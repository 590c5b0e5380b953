"""Lint, format and types are part of the one test command."""

from __future__ import annotations


def test_the_linter_is_content(content):
    content("ruff", "check", "--quiet", "--output-format=concise", ".")


def test_no_code_is_commented_out(content):
    content("ruff", "check", "--quiet", "--output-format=concise", "--select", "ERA", ".")


def test_the_formatter_would_change_nothing(content):
    content("ruff", "format", "--quiet", "--check", "--output-format=concise", ".")


def test_the_types_are_proven(content):
    # Half a minute of processor time without the cache that it leaves, a second with it.
    content("mypy", "--no-error-summary")
