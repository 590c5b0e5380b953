"""Find where a program leaves itself: the database, the network, the file system, another process.

People name such an end of a flow without a symbol: "how does POST /orders get to the database?". It is every function
with a line that shows it: a statement in SQL, a call by which libraries of many languages send, write or start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.model.file_roles import is_product
from avionics.index.model.values import ClassType, InstanceType
from avionics.late_pattern import late_pattern
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex

_MAX_FILES, _MAX_PLACES = 400, 400


class Notion(Struct, frozen=True):
    """An end outside of the program.

    Attributes:
        name: What it is called in an answer.
        asked: How people name it, as a pattern.
        words: Words of which each line that shows it has one.
        shown: What such a line has, as a pattern.
        bases: Names of classes of libraries whose members lead there.
        modules: How the modules of these begin.
    """

    name: str
    asked: re.Pattern[str]
    words: tuple[str, ...]
    shown: re.Pattern[str]
    bases: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


def _notion(name: str, asked: str, words: str, shown: str, bases: str = "", modules: str = "") -> Notion:
    pattern = late_pattern(rf"(?:the )?(?:{asked})", re.IGNORECASE)
    return Notion(
        name, pattern, tuple(words.split()), late_pattern(shown), tuple(bases.split()), tuple(modules.split())
    )


_NOTIONS = (
    _notion(
        "the database",
        r"data ?bases?|db|sql|data ?store|persistence(?: layer)?|sql (?:query|queries|statement)s?",
        "SELECT INSERT UPDATE DELETE select insert update delete execute executemany executeQuery executeUpdate query"
        " Query QueryRow QueryContext QueryRowContext Exec ExecContext prepareStatement createQuery sqlite3_step db DB"
        " sqlite3_exec fetch_one fetch_all persist save findAll findById findOne findMany create bulk_create",
        r"[\"'`(\s](?:SELECT\s|INSERT\s+(?:OR \w+ )?INTO|UPDATE [\w\"`.]+ SET|DELETE FROM"
        r"|select (?:distinct )?[\w.*]+,? (?:\w+ ){0,6}?from |insert into|update \w+ set|delete from)"
        r"|\.(?:execute(?:many|Query|Update|_sql)?|Query(?:Row)?(?:Context)?|Exec(?:Context)?|prepareStatement|createQuery"
        r"|fetch_(?:one|all|optional)|findAll|findById|findOne|findMany|bulk_create|persist)\(|\bsqlite3_(?:step|exec)\("
        r"|(?i:\b(?:session|repository|repo|db|database|dao|manager|prisma|objects|models?)\w*\.(?:\w+\.)?"
        r"(?:add|save|create|insert|updates?|delete|commit|query|find\w*|first|where|get|raw)\()",
        bases="Repository CrudRepository ListCrudRepository PagingAndSortingRepository ListPagingAndSortingRepository"
        " JpaRepository MongoRepository R2dbcRepository ReactiveCrudRepository PageableRepository PanacheRepository",
        modules="org.springframework.data. io.micronaut.data. io.quarkus.hibernate. jakarta.data.",
    ),
    _notion(
        "the network",
        r"networks?|wire|sockets?|http request|remote (?:server|host|service)|upstream(?: server)?",
        "urlopen requests httpx fetch HttpClient reqwest Dial DialContext connect send sendto recv socket RoundTrip Do",
        r"\b(?:urlopen|fetch|sendto?|recv|connect|socket)\(|\b(?:requests|httpx|reqwest|http)\.\w+\("
        r"|\.(?:Dial(?:Context)?|RoundTrip|Do|send|sendall|connect|request)\(",
    ),
    _notion(
        "the file system",
        r"file ?systems?|(?:hard )?disks?|files? on disk",
        "open write_text write_bytes fwrite fopen writeFile writeFileSync WriteFile Create OpenFile File Files rename",
        r"\b(?:open|fopen|fwrite)\(|\.(?:write_text|write_bytes|writeFile(?:Sync)?|WriteFile|OpenFile|createWriteStream)"
        r"\(|\bos\.Create\(|\bFile::(?:create|open)\(|\bFiles\.write|\bnew File(?:Output|Input)Stream\(",
    ),
    _notion(
        "another process",
        r"(?:sub|child |other |another )process(?:es)?|shells?|external (?:commands?|programs?)",
        "subprocess Popen exec execv execvp execve fork Command spawn spawnSync ProcessBuilder posix_spawn popen"
        " system",
        r"\bsubprocess\.\w+\(|\bPopen\(|\bexec\.Command|\bCommand::new\(|\b(?:spawn|spawnSync|execFile|fork|popen|system"
        r"|execv[pe]*|posix_spawnp?)\(|\bnew ProcessBuilder\(",
    ),
)


def get_notion(text: str) -> Notion | None:
    """Return the end outside the program that a text names; None if it names none."""
    asked = text.strip()
    return next((each for each in _NOTIONS if each.asked.fullmatch(asked)), None)


def map_leaving(code: CodeIndex, notion: Notion) -> dict[Definition, int]:
    """Return product functions with an effect outside the program → the first line that has it."""
    from avionics.index.analysis.flow_steps import FlowSteps

    found: dict[Definition, int] = {}
    steps = FlowSteps(code)
    for file, line in chain(_iter_lines(code, notion), _iter_member_calls(code, notion)):
        found.setdefault(steps.get_holder(file, line), line)
        if len(found) == _MAX_PLACES:
            break
    return found


def _iter_member_calls(code: CodeIndex, notion: Notion) -> Iterator[tuple[str, int]]:
    """Yield uses of inherited members in product classes whose library base has the effect."""
    for owner in _iter_heirs(code, notion):
        for file in sorted(filter(is_product, code.files_with_word(owner.name))):
            for references in code.uses(file).references.values():
                for each in references:
                    if each.receiver is not None and _is_object_of(code, file, each, owner):
                        yield file, each.line


def _iter_heirs(code: CodeIndex, notion: Notion) -> Iterator[Definition]:
    """Yield the product classes that inherit from a library class with the effect."""
    members = code.resolver.inference.members
    having = {file for base in notion.bases for file in code.files_with_word(base) if is_product(file)}
    for file in sorted(having)[:_MAX_FILES]:
        for index, symbol in enumerate(code.facts(file).symbols):
            if symbol.bases and any(
                base.startswith(notion.modules) for base in members.lineage(ClassType(file, index)).externals
            ):
                yield Definition(file, symbol, index)


def _is_object_of(code: CodeIndex, file: str, reference: Reference, owner: Definition) -> bool:
    """Return whether a member is taken of an object of a class, as far as its type is known."""
    assert reference.receiver is not None
    kinds = code.resolver.inference.infer(reference.receiver, file, reference.scope, reference.line)
    owned = ClassType(owner.file, owner.index)
    return any(isinstance(each, InstanceType) and each.of == owned for each in kinds)


def _iter_lines(code: CodeIndex, notion: Notion) -> Iterator[tuple[str, int]]:
    """Yield the lines of product code that show a notion."""
    having = {file for word in notion.words for file in code.files_with_word(word) if is_product(file)}
    for file in sorted(having)[:_MAX_FILES]:
        for number, line in enumerate(code.read_text(file).split("\n"), 1):
            if notion.shown.search(line):
                yield file, number
