"""The shape of the stored file.

Facts are kept by content: `blobs` joins (git blob id, language, extractor version) to a small number, and
everything else speaks of that number. Postings are packed: a row is a page of many words of a segment, never an
occurrence, and a segment is what one transaction wrote. Within a kind the rows of a segment lie together, so writing
one only appends, and merging small ones only reads them.
Vectors are kept by the digest of what was embedded, so they belong to no blob; the oldest make room for new ones.

Knows: tables and pragmas.
Does not know: who reads and writes them.
"""

from __future__ import annotations

VERSION = 6
"""Raised whenever the tables or the packing change: a file of another version is moved aside."""

APPLICATION_ID = 0x6176696F
"""`avio`, in SQLite's own place for it: another program's file is never taken for ours."""

FILE_PRAGMAS = ("PRAGMA page_size = 16384", "PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = WAL")
"""Set once, when the file is made. WAL lets readers continue while one process writes. Rows are a few kilobytes
long, so large pages waste little space behind them."""

CONNECTION_PRAGMAS = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -32768",
    "PRAGMA mmap_size = 0",
)
"""Set on every connection. In WAL mode, NORMAL loses nothing that was committed when a process is killed. The cache is
32 MB. Memory-mapped I/O is off: a file truncated under the map would end the process instead of raising."""

SCHEMA = (
    """CREATE TABLE blobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        oid TEXT NOT NULL,
        language TEXT NOT NULL,
        extractor INTEGER NOT NULL,
        lines INTEGER NOT NULL,
        words INTEGER NOT NULL,
        symbols INTEGER NOT NULL,
        problem TEXT,
        UNIQUE (oid, language, extractor)
    )""",
    "CREATE TABLE facts (blob INTEGER PRIMARY KEY, data BLOB NOT NULL)",
    "CREATE TABLE uses (blob INTEGER PRIMARY KEY, data BLOB NOT NULL)",
    "CREATE TABLE segments (id INTEGER PRIMARY KEY, last INTEGER NOT NULL, pairs INTEGER NOT NULL)",
    """CREATE TABLE postings (
        kind INTEGER NOT NULL,
        segment INTEGER NOT NULL,
        first BLOB NOT NULL,
        page BLOB NOT NULL,
        PRIMARY KEY (kind, segment, first)
    )""",
    "CREATE TABLE snapshots (root TEXT PRIMARY KEY, used INTEGER NOT NULL, data BLOB NOT NULL)",
    "CREATE TABLE listings (digest TEXT PRIMARY KEY, data BLOB NOT NULL)",
    "CREATE TABLE vectors (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, data BLOB NOT NULL)",
    "CREATE TABLE clearings (id INTEGER PRIMARY KEY AUTOINCREMENT)",
    "INSERT INTO clearings DEFAULT VALUES",
)
"""Each eviction starts a generation. Readers that hold blob numbers compare generations before they answer."""

DERIVED = "finding "
"""Prefix of the keys under which values derived from facts are stored; an eviction drops them."""

WORD = 1
"""Postings of identifiers as written."""

TERM = 2
"""Postings of lower-case parts of words; what a word is as a whole is found under WORD."""

NAME = 3
"""Postings of folded definition names."""

LOOSE = 4
"""Loose names (`syntax/loose`): in the place of a count stand the numbers of a use, pair by pair. Segments of an
earlier time have none."""

KINDS = (WORD, TERM, NAME, LOOSE)

PART = 5
"""Which three letters are on which pages of words (`store/vocabulary`). It follows from the words, so it is none of the
`KINDS`; small segments and those of an earlier time have none."""
