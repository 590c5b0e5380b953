"""Lint, format and types are part of the one test command."""

from __future__ import annotations


def test_the_linter_is_content(run_checker):
    run_checker("ruff", "check", "--quiet", "--output-format=concise", ".")


def test_no_code_is_commented_out(run_checker):
    run_checker("ruff", "check", "--quiet", "--output-format=concise", "--select", "ERA", ".")


def test_the_formatter_would_change_nothing(run_checker):
    run_checker("ruff", "format", "--quiet", "--check", "--output-format=concise", ".")


def test_the_types_are_proven(run_checker):
    # Half a minute of processor time without the cache that it leaves, a second with it.
    run_checker("mypy", "--no-error-summary")
