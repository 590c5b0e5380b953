"""Measure how often `avionics ask` is right on questions whose truth was found by reading first.

The questions are in `ask_questions.txt`, which describes its format. An answer is right if it meets every condition of
its question; it contains a false claim if it matches what it must not contain.

    python tests/bench/bench_ask.py --repos DIR [--half NAME] [--only TEXT] [--show]

DIR has or receives a clone of each repository. Print for each kind how many answers are right, then the lengths of
all answers; with `--show` also the answers that are wrong.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import attrs

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.cli.running import answer_question

_DATA = Path(__file__).with_name("ask_questions.txt")
_NO_MODEL = {"model": "", "base_url": None, "api": None, "key_file": None, "no_tool_calls": False}
_DEFAULT_RANK = 12
_SEGMENT = r"(?:[\w@.+-]+|\[[\w.-]+\]|\([\w-]+\))"
_CITED = re.compile(
    rf"(?<![\w/])([\w@.+-]+(?:/{_SEGMENT})*\.\w+|[\w./+-]+/[\w.+-]+|[A-Z]\w*file):(\d+)(?:-(\d+))?((?:,\d+)*)"
)
_NUMBERED = re.compile(r"\s*(\d+)│")
_FLOW = re.compile(r"^\s*:([\d,]+) →")


@attrs.frozen
class Place:
    """A place that an answer must cite: lines of a file, among its first places."""

    file: str
    start: int
    end: int
    rank: int


@attrs.frozen
class Question:
    """A question, what its answer must contain (each condition a tuple of alternatives), and must not."""

    repository: Repository
    kind: str
    text: str
    must: tuple[tuple[Place | re.Pattern[str], ...], ...]
    forbidden: tuple[re.Pattern[str], ...]


@attrs.frozen
class Repository:
    """A repository at a commit, and which half of the questions it is in."""

    name: str
    url: str
    commit: str
    half: str

    def check_out(self, root: Path) -> Path:
        """Return the directory with the commit's files, cloned if it is missing."""
        path = root / self.name
        if not path.exists():
            subprocess.run(["git", "clone", "-q", self.url, path], check=True)
        head = subprocess.run(["git", "-C", path, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
        if head.stdout.strip() != self.commit:
            subprocess.run(["git", "-C", path, "checkout", "-q", self.commit], check=True)
        return path


def read_questions(path: Path | None = None) -> list[Question]:
    """Return the questions of a file in order, by default those of `ask_questions.txt`."""
    repository: Repository | None = None
    questions: list[Question] = []
    for line in (path or _DATA).read_text("utf-8").splitlines():
        if line.startswith("["):
            name, rest = line[1:].split("]")
            repository = Repository(name, *rest.split())
        elif line and repository and not line.startswith("#"):
            kind, text, must, forbidden = (each.strip() for each in f"{line} ".split(" | "))
            wanted = tuple(tuple(map(_read_condition, each.split(" || "))) for each in must.split(" ; "))
            refused = tuple(re.compile(each[1:-1]) for each in forbidden.split(" ; ") if each)
            questions.append(Question(repository, kind, text.replace(r"\n", "\n"), wanted, refused))
    return questions


def _read_condition(text: str) -> Place | re.Pattern[str]:
    text = text.strip()
    if text.startswith("/"):
        return re.compile(text[1:-1])
    place, rank = text, ""
    if (at := text.rfind("@")) > text.rfind(":"):
        place, rank = text[:at], text[at + 1 :]
    file, _, lines = place.rpartition(":")
    start, _, end = lines.partition("-")
    return Place(file, int(start), int(end or start), int(rank or _DEFAULT_RANK))


def find_places(answer: str) -> Iterator[tuple[int, str, int, int]]:
    """Yield the places that an answer cites or shows, each with its rank."""
    rank, shown_file, seen = 0, "", set()
    for line in answer.splitlines():
        numbered = _NUMBERED.match(line)
        if numbered:
            yield rank, shown_file, int(numbered[1]), int(numbered[1])
            continue
        flow = _FLOW.match(line)
        if flow:
            for number in flow[1].split(","):
                yield rank, shown_file, int(number), int(number)
        for file, start, end, more in _CITED.findall(line):
            if (file, start) not in seen:
                seen.add((file, start))
                rank += 1
            if not flow:
                shown_file = file
            yield rank, file, int(start), int(end or start)
            for number in more.split(",")[1:]:
                yield rank, file, int(number), int(number)


def find_faults(question: Question, answer: str) -> list[str]:
    """Return the conditions that an answer does not meet."""
    places = list(find_places(answer))

    def is_met(condition: Place | re.Pattern[str]) -> bool:
        if isinstance(condition, re.Pattern):
            return condition.search(answer) is not None
        return any(
            file == condition.file and start <= condition.end and condition.start <= end and rank <= condition.rank
            and (start == end or end - start <= max(40, condition.end - condition.start) or start >= condition.start)
            for rank, file, start, end in places
        )  # fmt: skip

    return [" || ".join(map(str, each)) for each in question.must if not any(map(is_met, each))]


def main() -> None:
    """Ask, and print the figures."""
    questions = read_questions()
    halves = sorted({each.repository.half for each in questions})
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--half", choices=halves, default="first")
    parser.add_argument("--only", default="", help="ask only questions whose kind, repository or text contains this")
    parser.add_argument("--show", action="store_true", help="print the answers that are wrong")
    options = parser.parse_args()
    by_kind: dict[str, list[int]] = {}
    lengths, seconds = [], []
    for question in questions:
        repository = question.repository
        if repository.half != options.half or options.only not in f"{repository.name} {question.kind} {question.text}":
            continue
        path, started = repository.check_out(options.repos), perf_counter()
        try:
            result = answer_question(question.text, path, None, None, None, False, _NO_MODEL)
            answer = result.text or result.error or ""
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        seconds.append(perf_counter() - started)
        lengths.append(len(answer))
        faults = find_faults(question, answer)
        false = [each.pattern for each in question.forbidden if each.search(answer)]
        counts = by_kind.setdefault(question.kind, [0, 0, 0])
        counts[0] += 1
        counts[1] += not faults and not false
        counts[2] += bool(false)
        if faults or false:
            print(f"WRONG {repository.name} {question.kind}: {question.text}  [{len(answer)}]")
            print("   " + "\n   ".join([*faults, *(f"FALSE {each}" for each in false)]))
            if options.show:
                print("\n".join(f"      > {each}" for each in answer.splitlines()[:45]))
        sys.stdout.flush()
    _print_figures(by_kind, lengths, seconds)


def _print_figures(by_kind: dict[str, list[int]], lengths: list[int], seconds: list[float]) -> None:
    print()
    for kind, (asked, right, false) in sorted(by_kind.items()):
        print(f"{kind:12} {right:3} of {asked:3}" + (f", {false} false" if false else ""))
    asked, right, false = (sum(each[at] for each in by_kind.values()) for at in range(3))
    print(f"{'all':12} {right:3} of {asked:3} ({100 * right / max(1, asked):.0f} %), {false} with a false claim")
    print(f"characters: median {statistics.median(lengths):.0f}, longest {max(lengths)}")
    print(f"seconds: median {statistics.median(seconds):.2f}, longest {max(seconds):.2f}")


if __name__ == "__main__":
    main()
