"""The schema of the stored file.

Facts are stored by content: `blobs` maps (git blob id, language, extractor version) to a small id, which all other
tables use. Postings are packed: a row is a page of many words of a segment, not one occurrence, and a segment is what
one transaction wrote. Within a kind the rows of a segment are adjacent, so writing a segment only appends, and merging
small ones only reads them. Vectors are stored by the digest of the embedded text and belong to no blob; new ones
replace the oldest.
"""

from __future__ import annotations

VERSION = 9
"""Raised whenever the tables or the packing change: a file of another version is moved aside."""

APPLICATION_ID = 0x6176696F
"""`avio`, in SQLite's own field for it, so that the file of another program is never mistaken for a store."""

FILE_PRAGMAS = (
    "PRAGMA synchronous = OFF",
    "PRAGMA page_size = 16384",
    "PRAGMA auto_vacuum = INCREMENTAL",
    "PRAGMA journal_mode = WAL",
)
"""Set once, when the file is made. No other process sees the file before it is complete, so SQLite need not wait for
the disk after each step. WAL lets readers continue while one process writes. Rows are a few kilobytes long, so large
pages waste little space after them."""

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

WHOLE = """SELECT EXISTS (SELECT 1 FROM clearings)
    AND (EXISTS (SELECT 1 FROM facts) OR NOT EXISTS (SELECT 1 FROM blobs WHERE symbols > 0))
    AND (EXISTS (SELECT 1 FROM blobs) OR NOT EXISTS (SELECT 1 FROM facts))
    AND (EXISTS (SELECT 1 FROM segments) AND EXISTS (SELECT 1 FROM postings)
        OR NOT EXISTS (SELECT 1 FROM blobs WHERE words > 0))"""
"""1 unless a table that others rely on was emptied; without its rows, answers would wrongly be empty."""

DERIVED = "finding "
"""Prefix of the keys under which values derived from facts are stored; an eviction drops them."""

STATUS = "status "
"""Prefix of the keys under which the status of the tree of a snapshot is stored; an eviction drops it."""

STUB = "stub "
"""Prefix of the keys under which the facts of stubs of standard libraries are stored; an eviction drops them."""

COMMITS = "commits "
"""Prefix of the keys under which the rows of commits are stored; an eviction drops them."""

WORD = 1
"""Postings of identifiers as written."""

TERM = 2
"""Postings of lower-case parts of the words of code; whole words, of all files, are found under WORD."""

NAME = 3
"""Postings of folded definition names."""

LOOSE = 4
"""Free names: instead of a count, the postings hold the numbers of a use, two by two. Segments of earlier versions
have none."""

KINDS = (WORD, TERM, NAME, LOOSE)

PART = 5
"""Which trigrams are on which pages of words (see `store.vocabulary`). It can be derived from the words, so it is not
one of the `KINDS`; small segments and those of earlier versions have none."""
