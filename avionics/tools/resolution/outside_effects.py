"""Find code with an effect outside the program: the database, the network, the file system, another process.

Questions name such an end of a flow without a symbol: "how does POST /orders get to the database?". It includes every
function with a line that has the effect: an SQL statement, or a call of a library that sends, writes or starts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.model.file_roles import is_product, role_of
from avionics.index.model.values import ClassType, InstanceType
from avionics.index.search.query import stem
from avionics.late_pattern import late_pattern
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex

_MAX_FILES, _MAX_PLACES = 400, 400


class OutsideEffect(Struct, frozen=True):
    """An effect outside the program, which a question may name as the end of a flow.

    Attributes:
        name: Its name in an answer.
        asked: The pattern of its names in questions.
        words: Words of which each line with the effect contains at least one.
        shown: The pattern of such lines.
        bases: Names of library classes whose members have the effect.
        modules: Prefixes of their modules.
        verbs: Stems of verbs for the effect.
    """

    name: str
    asked: re.Pattern[str]
    words: tuple[str, ...]
    shown: re.Pattern[str]
    bases: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    verbs: frozenset[str] = frozenset()


def _build_effect(
    name: str, asked: str, words: str, shown: Sequence[str], bases: str = "", modules: str = "", verbs: str = ""
) -> OutsideEffect:
    pattern = late_pattern(rf"(?:the )?(?:{asked})", re.IGNORECASE)
    return OutsideEffect(
        name,
        pattern,
        tuple(words.split()),
        late_pattern("|".join(shown)),
        tuple(bases.split()),
        tuple(modules.split()),
        frozenset(map(stem, verbs.split())),
    )


_FILE_OBJECT = (
    r" (?:(?:to|from|on) )?(?:the |a |an |any )?(?:real |actual )?(?:files?|disk)(?: (?:on|to|from) (?:the )?disk)?"
)
"""Words for files that are written, read or removed."""


_OF_URL = r"\(\)(?:\.(?:Get|Has|Add|Set|Del|Encode)\(|\[|\s*\Z)"
"""The rest of a line after `url.Query`, which parses the parameters of a URL in Go."""
_SERVING = (
    "Handle|HandleFunc|HandlerFunc|Error|Redirect|NotFound|ListenAndServe|ListenAndServeTLS|Serve|ServeFile|SetCookie"
    "|MaxBytesReader|StripPrefix|FileServer|TimeoutHandler|NewServeMux|StatusText|DetectContentType|createServer"
)
"""Functions of the modules named `http` in Go and JavaScript that send nothing to another host."""

_STATEMENT = (
    r"[\"'`(\s](?:SELECT\s|INSERT\s+(?:OR \w+ )?INTO|UPDATE [\w\"`.]+ SET|DELETE FROM"
    r"|select (?:distinct )?[\w.*]+,? (?:\w+ ){0,6}?from |insert into|update \w+ set|delete from)"
)
"""A statement in SQL."""
_DATABASE_CALL = (
    r"\.(?:execute(?:many|Query|Update|_sql)?|QueryRow(?:Context)?|QueryContext|Exec(?:Context)?|prepareStatement"
    rf"|Query(?!{_OF_URL})|createQuery|fetch_(?:one|all|optional)|findAll|findById|findOne|findMany|bulk_create|persist)\("
    r"|\bsqlite3_(?:step|exec)\("
    r"|(?i:\b(?:session|repository|repo|db|database|dao|manager|prisma|objects|models?)\w*\.(?:\w+\.)?"
    r"(?:add|save|create|insert|updates?|delete|commit|query|find\w*|first|where|get|raw)\()"
)
_DATABASE_CALL_OF_DOTNET = (
    # ADO.NET, Dapper and Entity Framework, whose methods may have type arguments.
    r"\.(?:Execute(?:Reader|Scalar|NonQuery)(?:Async)?|Query(?:First|Single|Multiple)?(?:OrDefault)?Async"
    r"|SaveChanges(?:Async)?|CreateDbContext(?:Async)?|FromSql(?:Raw|Interpolated)?)[<(]"
    r"|(?i:connection|conn|transaction)\.(?:Execute|Query(?:First|Single)?)(?:OrDefault)?(?:Async)?[<(]"
)
_DATABASE_CALL_OF_PHP = (
    r"(?:(?<![A-Za-z])(?i:pdo|mysqli|wpdb|db|dbh|database|connection|conn|stmt|statement)"
    r"|(?<=[a-z])(?:Pdo|PDO|Db|DB|Database|Connection|Statement))\w{0,20}(?:\(\))?->"
    r"(?:query|exec|execute|prepare|insert|update|delete|fetch\w*|get_(?:results|row|var|col))\("
    r"|\b(?:mysqli|pg)_(?:query|execute|prepare)\("
    r"|\bDB::(?:table|select|insert|update|delete|statement|transaction)\("
)
_DATABASE_CALL_OF_RUBY = (
    r"\b[A-Z]\w*\.(?:find_by|find_or_create_by|find_each|exec_query)\b|\.(?:save|update|destroy)!"
    r"|@[a-z_]\w{0,40}\.(?:save|destroy|update(?:_attributes?|_columns?)?)\b"
)
_REQUEST = (
    rf"\b(?:urlopen|fetch|sendto?|recv|connect|socket)\(|\b(?:requests|httpx|reqwest|http(?!\.(?:{_SERVING})\())\.\w+\("
    r"|\.(?:Dial(?:Context)?|RoundTrip|sendall|connect|request)\(|(?<!once)(?<!Once)\.Do\("
    r"|(?<!res)(?<!reply)(?<!response)\.send\("
)
_REQUEST_OF_DOTNET = (
    r"(?i:\b_?http\w{0,40}|client)\.(?:Get|Post|Put|Patch|Delete|Send)(?:FromJson|AsJson|String|Stream)?Async[<(]"
)
_REQUEST_OF_OTHERS = (
    # PHP, Ruby, and OkHttp of Kotlin and Java.
    r"\bcurl_exec\(|\bp?fsockopen\(|\bNet::HTTP\b|\b(?:Faraday|HTTParty)\.\w|\.newCall\("
)
_FILE_WRITTEN = (
    r"\bfwrite\(|\.(?:write_text|write_bytes|writeFile(?:Sync)?|WriteFile|createWriteStream|(?:write|append)(?:Text|Bytes))\("
    r"|\bos\.Create\(|\bFile::create\(|\bFiles\.write|\bfile_put_contents\("
    r"|\bFile\.(?:(?:Write|Append)All\w+|OpenWrite|CreateText|write)\("
)

_EFFECTS = (
    _build_effect(
        "the database",
        r"data ?bases?|db|sql|data ?store|persistence(?: layer)?|sql (?:query|queries|statement)s?",
        "SELECT INSERT UPDATE DELETE select insert update delete execute executemany executeQuery executeUpdate query"
        " Query QueryRow QueryContext QueryRowContext Exec ExecContext prepareStatement createQuery sqlite3_step db DB"
        " sqlite3_exec fetch_one fetch_all persist save findAll findById findOne findMany create bulk_create"
        " Execute ExecuteAsync ExecuteReader ExecuteReaderAsync ExecuteScalar ExecuteScalarAsync ExecuteNonQuery"
        " ExecuteNonQueryAsync QueryAsync QueryFirstAsync QueryFirstOrDefaultAsync QuerySingleAsync"
        " QuerySingleOrDefaultAsync SaveChanges SaveChangesAsync CreateDbContext CreateDbContextAsync FromSql"
        " FromSqlRaw PDO pdo mysqli mysqli_query pg_query find_by exec_query add commit find first where get raw"
        " updates fetch_optional execute_sql table statement transaction prepare fetch exec destroy",
        (_STATEMENT, _DATABASE_CALL, _DATABASE_CALL_OF_DOTNET, _DATABASE_CALL_OF_PHP, _DATABASE_CALL_OF_RUBY),
        bases="Repository CrudRepository ListCrudRepository PagingAndSortingRepository ListPagingAndSortingRepository"
        " JpaRepository MongoRepository R2dbcRepository ReactiveCrudRepository PageableRepository PanacheRepository",
        modules="org.springframework.data. io.micronaut.data. io.quarkus.hibernate. jakarta.data.",
    ),
    _build_effect(
        "the network",
        r"networks?|wire|sockets?|http request|remote (?:server|host|service)|upstream(?: server)?",
        "urlopen requests httpx http fetch HttpClient reqwest Dial DialContext connect request send sendto recv socket"
        " RoundTrip Do GetAsync PostAsync PutAsync SendAsync Async curl_exec fsockopen Net Faraday HTTParty newCall",
        (_REQUEST, _REQUEST_OF_DOTNET, _REQUEST_OF_OTHERS),
    ),
    _build_effect(
        "the file system",
        r"file ?systems?|(?:hard )?disks?|files? on disk",
        "open write_text write_bytes fwrite fopen writeFile writeFileSync WriteFile createWriteStream Create OpenFile"
        " File Files rename file_put_contents file_get_contents FileStream FileOutputStream FileInputStream FileUtils"
        " StreamWriter StreamReader writeText readText appendText writeBytes readBytes",
        (
            _FILE_WRITTEN,
            r"\b(?:open|fopen|file_get_contents)\(|\.(?:OpenFile|read(?:Text|Bytes))\(|\bFile::open\("
            r"|\bnew (?:File(?:Output|Input)?Stream|StreamWriter|StreamReader)\(|\bFileUtils\.\w"
            r"|\bFile\.(?:ReadAll\w+|Open\w*|Create\w*|Delete|Copy|Move|read|open|delete)\(",
        ),
    ),
    _build_effect(
        "writing a file",
        rf"(?:writ(?:e|ing)|sav(?:e|ing)|stor(?:e|ing)){_FILE_OBJECT}",
        "open write_text write_bytes fwrite fopen writeFile writeFileSync WriteFile createWriteStream Create OpenFile"
        " File Files FileOutputStream FileWriter fs file_put_contents StreamWriter writeText appendText writeBytes",
        (
            _FILE_WRITTEN,
            r"\bf?open\([^\n]{1,200}, ?[\"'][wax]b?[+t]?[\"']|\bos\.OpenFile\(|\bfs::write\("
            r"|\bnew (?:FileOutputStream|FileWriter|StreamWriter)\(",
        ),
        verbs="write save store persist dump record export",
    ),
    _build_effect(
        "removing a file",
        rf"(?:remov|delet|eras|clear|unlink)(?:e|ing){_FILE_OBJECT}",
        "unlink rmtree rmdir remove Remove RemoveAll rm rmSync unlinkSync remove_file remove_dir remove_dir_all"
        " deleteIfExists delete Delete FileUtils",
        (
            r"\b(?:unlink|rmtree|rmdir)\(|\bos\.(?:remove|Remove(?:All)?)\(|\bfs\w*\.(?:rm|unlink)(?:Sync)?\("
            r"|\bfs::remove_\w+\(|\bFiles\.delete(?:IfExists)?\(|\.unlink\(",
            r"\b(?:File|Directory)\.[dD]elete\(|\bFileUtils\.(?:rm|remove)\w*",
        ),
        verbs="remove delete erase unlink purge clear",
    ),
    _build_effect(
        "another process",
        r"(?:sub|child |other |another )process(?:es)?|shells?|external (?:commands?|programs?)",
        "subprocess Popen exec execFile execv execvp execve fork Command spawn spawnSync ProcessBuilder posix_spawn"
        " popen system Process proc_open shell_exec passthru Open3",
        (
            r"\bsubprocess\.\w+\(|\bPopen\(|\bexec\.Command|\bCommand::new\(|\b(?:spawn|spawnSync|execFile|fork|popen|system"
            r"|execv[pe]*|posix_spawnp?)\(",
            # The JVM and .NET, PHP, Ruby.
            r"\bnew Process(?:Builder)?\(|\bProcessBuilder\(|\bProcess\.(?:Start|spawn)\("
            r"|\b(?:proc_open|shell_exec|passthru)\(|\bOpen3\.\w|\bIO\.popen\(|(?<![.\w])system [\"'\w]",
        ),
    ),
)


def get_outside_effect(text: str) -> OutsideEffect | None:
    """Return the effect outside the program that a text names; None if it names none."""
    asked = text.strip()
    return next((each for each in _EFFECTS if each.asked.fullmatch(asked)), None)


def get_effect_of(verb: str) -> OutsideEffect | None:
    """Return the effect that the stem of a verb expresses; None if it expresses none."""
    return next((each for each in _EFFECTS if verb in each.verbs), None)


def map_functions_with(code: CodeIndex, effect: OutsideEffect) -> dict[Definition, int]:
    """Map product functions with an effect outside the program to the first line that has it."""
    from avionics.index.flows.flow_steps import FlowSteps

    found: dict[Definition, int] = {}
    steps = FlowSteps(code)
    for file, line in chain(_iter_lines(code, effect), _iter_member_calls(code, effect)):
        found.setdefault(steps.get_holder(file, line), line)
        if len(found) == _MAX_PLACES:
            break
    return found


def _iter_member_calls(code: CodeIndex, effect: OutsideEffect) -> Iterator[tuple[str, int]]:
    """Yield uses of inherited members in product classes whose library base has the effect."""
    for owner in _iter_subclasses(code, effect):
        for file in sorted(filter(is_product, code.files_with_word(owner.name))):
            for references in code.uses(file).references.values():
                for each in references:
                    if each.receiver is not None and _is_object_of(code, file, each, owner):
                        yield file, each.line


def _iter_subclasses(code: CodeIndex, effect: OutsideEffect) -> Iterator[Definition]:
    """Yield the product classes that inherit from a library class with the effect."""
    members = code.resolver.inference.members
    having = {file for base in effect.bases for file in code.files_with_word(base) if is_product(file)}
    for each in code.iter_all_definitions(sorted(having)[:_MAX_FILES]):
        above = members.lineage(ClassType.of(each)).externals if each.symbol.bases else ()
        if any(base.startswith(effect.modules) for base in above):
            yield each


def _is_object_of(code: CodeIndex, file: str, reference: Reference, owner: Definition) -> bool:
    """Return whether a member access may be on an object of a class, given what is known of its type."""
    assert reference.receiver is not None
    kinds = code.resolver.inference.infer(reference.receiver, file, reference.scope, reference.line)
    owned = ClassType.of(owner)
    return any(isinstance(each, InstanceType) and each.of == owned for each in kinds)


def _iter_lines(code: CodeIndex, effect: OutsideEffect) -> Iterator[tuple[str, int]]:
    """Yield the lines of product code that have the effect, those of the files with the rarest words for it first."""
    weights: Counter[str] = Counter()
    for word in effect.words:
        having = [file for file in code.files_with_word(word) if is_product(file)]
        for file in having:
            weights[file] += 1 / len(having)  # type: ignore[assignment]
    # A line is looked at only if it has a word, for which the shortest ones suffice: `find` for `findAll`.
    marks = [word for word in effect.words if not any(other != word and other in word for other in effect.words)]
    for file in sorted(weights, key=lambda each: (role_of(each), -weights[each], each))[:_MAX_FILES]:
        for number, line in enumerate(code.read_lines(file), 1):
            if any(mark in line for mark in marks) and effect.shown.search(line):
                yield file, number
