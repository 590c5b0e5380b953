"""Whatever bytes, arguments, paths and messages come: an answer or a refusal, never a fault.

Quick here; AVIONICS_LONG_TESTS=500 gives every property five hundred times as many examples.
"""

from __future__ import annotations

import json
import os
import string
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from avionics.cli.input.values import parse_parameters
from avionics.mcp.protocol.messages import ErrorReply, get_id, iter_messages
from avionics.model.errors import UsageError
from avionics.source.globs import compile_glob
from avionics.source.paths import RepoPath
from avionics.store.codec import PackedFacts, decode_facts, decode_uses, encode_facts, encode_uses
from avionics.store.payload import from_payload, to_payload
from avionics.syntax.engine.grammars import has_grammar
from avionics.syntax.extract import extract_facts, extract_uses
from avionics.syntax.registry import LANGUAGES, require_rules
from avionics.tools import tool_catalog
from avionics.tools.answers.answer import escape_entry, escape_headline, visible
from avionics.tools.secrets.secret_scan import mask_secrets

MANY = 40 * max(1, int(os.environ.get("AVIONICS_LONG_TESTS") or 1))
fuzzed = settings(max_examples=MANY, deadline=None, suppress_health_check=list(HealthCheck))

ANYTHING = st.text(st.characters(codec=None), max_size=80)
WORDS = st.sampled_from(
    ["def f", "class A", "import a", "from . import *", "async ", "await ", "lambda x:", "return ", "if ", "else",
    "for i in ", "while ",
     "(", ")", "[", "]", "{", "}", "<", ">", ":", ";", ",", ".", "=", "=>", "->", "::", "*", "&", "@", "#", "//", "/*",
     "*/", '"""', "'",
     '"', "`", "${", "\\", "\n", "\n    ", "\t", "\r", "\0", "x", "y", "T", "0", "1e9", "fn f()", "impl T for A ",
     "struct A ", "enum E ",
     "trait T ", "mod m ", "use a::b;", "package p", "func (a *A) F() ", "interface I ", "type T ", "namespace n ",
     "template<class T>",
     "#define X", "#if 1", "#include <a>", "public ", "static ", "void f()", "const x", "let y", "export default ",
     "extends A", "yield ",
     "match x ", "case ", "macro_rules! m", "global x", "nonlocal y", "del x", "with a as b:", "try:", "except E:",
     "__all__ = ['a']", "é",
     "\ud83d", "\x85", "\u2028", "<A/>", "</A>", "this", "self", "super()", "new A()", "var z", "declare ",
     "abstract ", "?.", "!", "%", "|"]
)  # fmt: skip
SOURCES = st.one_of(
    st.binary(max_size=300),
    st.lists(WORDS, max_size=60).map(lambda parts: " ".join(parts).encode("utf-8", "surrogatepass")),
    st.tuples(WORDS, st.integers(1, 400)).map(lambda pair: (pair[0] * pair[1]).encode("utf-8", "surrogatepass")),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANYTHING,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANYTHING, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@fuzzed
@given(content=SOURCES)
def test_any_bytes_have_facts_in_any_language(language, content):
    if not has_grammar(require_rules(language).grammar):
        pytest.skip("its grammar is not installed")
    facts = extract_facts(content, language)
    lines = content.count(b"\n") + 1
    for symbol in facts.symbols:
        assert 1 <= symbol.span.start_line <= symbol.span.end_line <= lines
        assert 1 <= symbol.line <= lines
        assert symbol.column >= 0
        assert symbol.parent < len(facts.symbols)
    kept = decode_facts(encode_facts(facts))
    assert kept.symbols == facts.symbols
    from_payload(to_payload(PackedFacts.of(facts)), PackedFacts)
    uses = extract_uses(content, language, facts)
    again = decode_uses(encode_uses(uses))
    assert dict(again.references) == dict(uses.references)
    assert dict(again.bindings) == dict(uses.bindings)


BROKEN = (
    ("csharp", b"await this"),
    ("python", b"def\0a(:"),
    ("python", b"def f():;"),
    ("csharp", b"class A{void f(){await}}"),
)


@pytest.mark.parametrize(("language", "content"), BROKEN, ids=range(len(BROKEN)))
def test_what_broke_it_once_is_read(language, content):
    extract_uses(content, language, extract_facts(content, language))


@fuzzed
@given(
    st.sampled_from(sorted(tool_catalog.get_tool_names())),
    st.dictionaries(ANYTHING | st.sampled_from(["path", "symbol"]), JSON, max_size=4),
)
def test_any_arguments_are_judged(name, arguments):
    tool = tool_catalog.get_tool(name)
    for fault in tool.parameter_schemas.find_faults(arguments):
        assert len(fault) < 2_000


@fuzzed
@given(
    st.one_of(
        ANYTHING,
        st.lists(st.sampled_from(["..", ".", "a", "/", "", "\0", "~", "\\", "root", "%2e"]), max_size=12).map("/".join),
    )
)
def test_any_path_stays_inside_or_is_refused(text):
    root = Path("/some/root")
    try:
        place = RepoPath.parse(text, (root,))
    except UsageError:
        return
    assert ".." not in place.parts
    assert not any("/" in part or "\0" in part or part in {"", "."} for part in place.parts)
    assert os.path.normpath(root.joinpath(*place.parts)).startswith(str(root))


@fuzzed
@given(st.one_of(ANYTHING, st.text("*?[]{},!a/\\.-", max_size=40)), ANYTHING)
def test_any_glob_compiles_or_is_refused(glob, name):
    try:
        compile_glob(glob).fullmatch(name)
    except UsageError:
        return


@fuzzed
@given(st.lists(st.one_of(ANYTHING, st.tuples(st.sampled_from(["a", "b"]), ANYTHING).map("=".join)), max_size=5),
       st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from(["integer", "array<integer>?", "object",
       "boolean?", "number"])))  # fmt: skip
def test_any_parameters_of_the_command_line_are_read_or_refused(given_words, types):
    try:
        parse_parameters(given_words, types)
    except UsageError:
        return


@fuzzed
@given(st.one_of(st.binary(max_size=200), JSON.map(lambda value: json.dumps(value).encode()),
                 st.fixed_dictionaries({"jsonrpc": st.just("2.0")}, optional={"id": JSON, "method": JSON,
                 "params": JSON, "result": JSON})
                 .map(lambda value: json.dumps(value).encode()), st.text(string.punctuation + "id01",
                 max_size=60).map(str.encode)))  # fmt: skip
def test_any_message_is_served_or_refused(data):
    for message in iter_messages(data):
        if isinstance(message, ErrorReply):
            json.loads(message.to_bytes())
    get_id(data)


@fuzzed
@given(
    st.one_of(
        ANYTHING,
        st.lists(st.sampled_from(["[", "next: ", "\n", "x (3):", "error: ", "a", " ", "1│ "]), max_size=12).map(
            "".join
        ),
    )
)
def test_no_text_can_be_taken_for_ours(text):
    for line in escape_entry(text).split("\n"):
        assert not line.startswith(("[", "next: ", "error: ", "hint: "))
    for line in escape_headline(text).split("\n")[1:]:
        assert not line.startswith(("[", "next: ", "error: ", "hint: "))
    assert visible(visible(text)) == visible(text)


@fuzzed
@given(JSON)
def test_withholding_changes_nothing_but_secrets(value):
    shown = mask_secrets(value)
    assert type(shown) is type(value)
