"""Find where a program leaves itself: the database, the network, the file system, another process.

People name such an end of a flow without a symbol: "how does POST /orders get to the database?". It is every function
with a line that shows it: a statement in SQL, a call by which libraries of many languages send, write or start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.model.file_roles import is_product
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
    """

    name: str
    asked: re.Pattern[str]
    words: tuple[str, ...]
    shown: re.Pattern[str]


def _notion(name: str, asked: str, words: str, shown: str) -> Notion:
    return Notion(name, re.compile(rf"(?:the )?(?:{asked})", re.IGNORECASE), tuple(words.split()), re.compile(shown))


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
    """Return the end outside of a program that a text names, None for none."""
    asked = text.strip()
    return next((each for each in _NOTIONS if each.asked.fullmatch(asked)), None)


def find_leaving(code: CodeIndex, notion: Notion) -> tuple[Definition, ...]:
    """Return the functions of product code with a line that shows where the program leaves itself."""
    from avionics.index.analysis.flow_steps import FlowSteps

    found: dict[Definition, None] = {}
    steps = FlowSteps(code)
    for file, line in _iter_lines(code, notion):
        found[steps.get_holder(file, line)] = None
        if len(found) == _MAX_PLACES:
            break
    return tuple(found)


def _iter_lines(code: CodeIndex, notion: Notion) -> Iterator[tuple[str, int]]:
    """Yield the lines of product code that show a notion."""
    having = {file for word in notion.words for file in code.files_with_word(word) if is_product(file)}
    for file in sorted(having)[:_MAX_FILES]:
        for number, line in enumerate(code.read_text(file).split("\n"), 1):
            if notion.shown.search(line):
                yield file, number
