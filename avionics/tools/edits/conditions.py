"""Find uses that may be compiled without their definition, and therefore need another definition with the name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from avionics.index.code_index import CodeIndex
from avionics.model.knowledge import UsageReport
from avionics.syntax.conventions import Branch, read_tests
from avionics.syntax.registry import conventions_of

_Tests = frozenset[tuple[str, bool]]


def iter_undefined(code: CodeIndex, report: UsageReport) -> Iterator[tuple[str, int]]:
    """Yield the file and line of uses that may be compiled where no definition of the report is."""
    branches: dict[str, tuple[Branch, ...]] = {}

    def ask(file: str, line: int) -> _Tests:
        if file not in branches:
            read = conventions_of(file).list_branches
            content = code.read_content(file) if read is not None else b""
            branches[file] = read(content) if read is not None else ()
        return read_tests(branches[file], line)

    defined = [ask(each.file, each.line) for each in report.definitions]
    if all(defined):
        for usage in report.usages:
            if not _is_covered(ask(usage.file, usage.line), defined):
                yield usage.file, usage.line


def _is_covered(used: _Tests, defined: Iterable[_Tests]) -> bool:
    """Return whether one of the definitions is compiled wherever a use is."""
    left = {tests - used for tests in defined}
    single = {test for tests in left if len(tests) == 1 for test in tests}
    return frozenset() in left or any((asked, not answer) in single for asked, answer in single)
