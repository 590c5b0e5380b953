"""Answer how a project is tested, built or started: the commands that its files declare or write. Nothing is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.inventory.task_readers import GUIDE, WORKFLOW, ProjectTask
from avionics.index.inventory.tasks import find_tasks
from avionics.index.scopes.symbol_lookup import is_within
from avionics.index.search.query import stem
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.tools.answers.answer import Section, shorten
from avionics.tools.questions.intents import Question
from avionics.tools.questions.rules.inventory_rules import read_task
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, make_section

if TYPE_CHECKING:
    from avionics.workspace import Workspace

_MAX_DECLARED, _MAX_WRITTEN = 10, 6
_BODY, _HELP = 110, 90
_WORD = late_pattern(r"[a-z]+")
_MIN_BEGINNING = 4


class TaskItem(Struct, frozen=True):
    """A command for developers: where it is declared or written, what one types and what that runs."""

    file: str
    line: int
    command: str
    runs: str
    help: str

    @classmethod
    def of(cls, task: ProjectTask) -> TaskItem:
        """Return the item of a command."""
        return cls(task.file, task.line, task.typed, task.body, task.help)

    def to_text(self) -> str:
        runs = f" → {shorten(self.runs, _BODY)}" if self.runs else ""
        said = f" — {shorten(self.help, _HELP)}" if self.help else ""
        return f"{self.file}:{self.line}  {self.command}{runs}{said}"


def answer_task(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the commands with which one does to a project what a question asks; None if no file has one."""
    asked = read_task(question.text)
    if asked is None:
        return None
    code, (purpose, words) = workspace.code, asked
    found = find_tasks(code.paths, code.read_text, purpose, tuple(map(stem, words)))
    found = tuple(each for each in found if is_within(each.file, question.scope))
    if not found:
        return None
    declared = [each for each in found if each.name and not each.is_usual][:_MAX_DECLARED]
    workflows = [each for each in found if not each.name and WORKFLOW.search(each.file)][:_MAX_WRITTEN]
    written = [each for each in found if not each.name and GUIDE.search(each.file)][:_MAX_WRITTEN]
    usual = [each for each in found if each.is_usual][:_MAX_WRITTEN]
    best = found[0]
    if best.is_usual:
        told = "is usual with this build tool; no file declares a command for it"
    else:
        told = f"is {'declared' if best.name else 'written'} at {best.file}:{best.line}"
    written_of = f"{best.file} {best.name} {best.typed} {best.body} {best.help}".lower()
    unnamed = [each for each in words if not _has_word(written_of, stem(each))]
    told += f"; it does not name {' or '.join(unnamed)}" if unnamed else ""
    shown = len(declared) + len(workflows) + len(written) + len(usual)
    return build_answer(
        question,
        f"to {purpose.value}: `{best.typed}` {told}; {plural(len(found), 'command')} known, and nothing was run",
        Coverage(len(found), shown, Certainty.AT_LEAST, settled=True),
        _list_commands("commands", "declared commands", declared, 5.0),
        _list_commands("workflow", "run by the build server", workflows, 2.0),
        _list_commands("guide", "written in guides", written, 2.0),
        _list_commands("usual", "usual with the build tools here", usual, 1.0),
    )


def _has_word(text: str, stemmed: str) -> bool:
    """Return whether a text has a stem, or a word that the stem begins with: `lint` of "linter"."""
    words = (each for each in _WORD.findall(text) if len(each) >= _MIN_BEGINNING)
    return stemmed in text or any(map(stemmed.startswith, words))


def _list_commands(key: str, title: str, tasks: list[ProjectTask], share: float) -> Section:
    return make_section(key, title, list(map(TaskItem.of, tasks)), share, counts=True)
