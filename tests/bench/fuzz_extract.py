"""Coverage-guided fuzzing of the extractor: python tests/bench/fuzz_extract.py [LANGUAGE…] [-max_total_time=600]

Needs atheris (`pip install atheris`), which is no dependency: it is run by hand. The first byte of an input chooses the
language, the others are the file. What is not an answer is a fault, and libFuzzer keeps its input as `crash-…`; each
becomes a case in tests/hostile/test_fuzz.py. Known words are given to it as a dictionary, so that it writes code.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

with atheris.instrument_imports(include=["avionics.syntax"]):
    from avionics.store.codec import PackedFacts, decode_facts, decode_uses, encode_facts, encode_uses
    from avionics.store.payload import from_payload, to_payload
    from avionics.syntax.engine.grammars import has_grammar
    from avionics.syntax.extract import extract_facts, extract_uses
    from avionics.syntax.registry import LANGUAGES, require_rules

from tests.hostile.bombs import BLOCKS, CLASSES, DEFINITIONS, IMPORTS, OPENERS

MOST_BYTES = 2_000


def main() -> None:
    asked = [word for word in sys.argv[1:] if not word.startswith("-")]
    options = [word for word in sys.argv[1:] if word.startswith("-")]
    known = [name for name in sorted(LANGUAGES) if has_grammar(require_rules(name).grammar)]
    languages = asked or known

    def judge(data: bytes) -> None:
        if data:
            read_whole(data[1:], languages[data[0] % len(languages)])

    with tempfile.TemporaryDirectory() as directory:
        words = Path(directory, "words")
        parts = {*OPENERS.values(), *(part for table in (BLOCKS, CLASSES, DEFINITIONS, IMPORTS)
                                      for row in table.values() for part in row)} - {""}  # fmt: skip
        words.write_text("".join(f'"{as_entry(part)}"\n' for part in sorted(parts)))
        atheris.Setup([sys.argv[0], f"-dict={words}", f"-max_len={MOST_BYTES}", "-rss_limit_mb=6000", *options], judge)
        atheris.Fuzz()


def as_entry(part: str) -> str:
    """A word as libFuzzer's dictionaries write it."""
    return "".join(chr(byte) if 32 < byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in part.encode())


def read_whole(content: bytes, language: str) -> None:
    """Everything that is ever made of a file's bytes."""
    facts = extract_facts(content, language)
    lines = content.count(b"\n") + 1
    for symbol in facts.symbols:
        assert 1 <= symbol.span.start_line <= symbol.span.end_line <= lines
        assert symbol.column >= 0
        assert symbol.parent < len(facts.symbols)
    assert decode_facts(encode_facts(facts)).symbols == facts.symbols
    from_payload(to_payload(PackedFacts.of(facts)), PackedFacts)
    uses = extract_uses(content, language, facts)
    again = decode_uses(encode_uses(uses))
    assert dict(again.references) == dict(uses.references)
    assert dict(again.bindings) == dict(uses.bindings)


if __name__ == "__main__":
    main()
