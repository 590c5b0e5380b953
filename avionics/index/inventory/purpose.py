"""What a command of a project is for."""

from __future__ import annotations

from enum import Enum


class Purpose(str, Enum):
    """What a command is for."""

    TEST = "run the tests"
    BUILD = "build it"
    START = "start it"
    CHECK = "check the code"
    FORMAT = "format the code"
    INSTALL = "install what it needs"
    MIGRATE = "migrate the database"
    RELEASE = "release it"
    DOCUMENT = "build the documentation"
    MEASURE = "run the benchmarks"
