"""Threads for the tests of the index."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture
def switching():
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
