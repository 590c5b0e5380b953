"""List the lines of a workspace that may declare the option that a text is about."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.options.declarations import (
    SETTINGS_FILE,
    OptionCandidate,
    build_configured,
    get_mention,
    iter_candidates,
)
from avionics.index.options.documentation import (
    DocumentedOption,
    fold_option,
    is_aside,
    is_document,
    is_sample,
    list_documents,
    read_documentation,
)
from avionics.index.options.match_score import meaning_of
from avionics.index.options.option_names import cut_stems, spell_option
from avionics.index.options.placeholders import list_placeholders
from avionics.index.options.schemas import list_schema_options
from avionics.index.search.query import spellings_of, stem, text_stems
from avionics.index.search.synonyms import kinds_of
from avionics.late_pattern import late_pattern
from avionics.syntax.registry import get_language

_OF_A_TOOL = late_pattern(r"\.config\.[cm]?[jt]s\Z|(?:completions?/[^/]*|[\w-]+[-_.]completions?\.\w+)\Z")
"""A file that sets options of a tool instead of declaring any, or that completes commands in a shell."""
_TRANSLATED = late_pattern(
    r"(?:^|/)(?:i18n|l10n|intl|locali[sz]ations?|locales?|lang(?:uage)?s?|translations?)/(?:[^/]+/)?"
    r"([a-z]{2,3}(?:[-_][A-Za-z]{2,4})?)(?=[./])"
)
"""The path of the texts of a program in one language; their keys are no options."""
_ENGLISH = ("en", "en-US", "en_US", "en-us", "en_us", "en-GB", "en_GB")
_OF_SETTINGS_FILE = 0.25
"""What the name of a file with settings counts when files are chosen: about as much as a word of fifty files."""
_COMMAND, _SHEBANG, _MAX_COMMANDS = late_pattern(r"(?:\A|(?:^|/)(?:s?bin|scripts?|exe|cli)/)[a-z][\w-]*\Z"), "#!", 40
"""The path of a file without a suffix that may be a program, and what its text begins with if it is one."""
_OF_FRAMEWORK = late_pattern(r"(?:^|/)application(?:-\w+)?\.(?:properties|ya?ml)\Z")
"""A configuration file of Spring, Micronaut or Quarkus: https://docs.spring.io/spring-boot/reference/features/external-config.html."""
_MAX_FILES, _MAX_DOCUMENTS, _MAX_UNDECLARED = 250, 24, 20
_MAX_CHARACTERS = 5_000_000
"""Characters of the best files of code that are read, about 150,000 lines."""
_MIN_DESCRIBING, _MAX_DESCRIBED, _MAX_NAMED = 4, 60, 10
"""The words that suffice for a documented option to be looked at, and how many of these and of those whose name is a
word of the text are."""


def list_candidates(code: CodeIndex, wanted: Sequence[str], scope: str | None) -> list[OptionCandidate]:
    """Return the lines that may declare an option which some stems describe, from a directory or file.

    Where documents describe the option, the files that mention its name are read, too.
    """
    texts = _read_files(code, _choose_files(code, wanted, scope))
    documents = (*list_documents(code), *_choose_documents(code, wanted))
    texts |= {file: code.read_text(file) for file in dict.fromkeys(documents)}
    texts |= {file: text for file in _list_commands(code) if (text := code.read_text(file)).startswith(_SHEBANG)}
    documented = read_documentation(texts)
    described = _choose_described(documented, wanted)
    texts = _read_files(code, _list_declaring(code, described)) | texts
    sources = {file: text for file, text in texts.items() if not is_document(file)}
    candidates = [each for file, text in sources.items() for each in iter_candidates(file, text, documented)]
    candidates += list_placeholders(code, documented, scope)
    candidates += list_schema_options(code, documented, scope)
    candidates += _iter_undeclared(described, candidates, sources)
    return [*candidates, *_iter_configured(described, candidates, texts)]


def _read_files(code: CodeIndex, files: Sequence[str]) -> dict[str, str]:
    """Return file → text for the first of some files that are not too long together."""
    texts: dict[str, str] = {}
    left = _MAX_CHARACTERS
    for file in files:
        if left <= 0:
            break
        texts[file] = code.read_text(file)
        left -= len(texts[file])
    return texts


def _list_commands(code: CodeIndex) -> list[str]:
    """Return the files that may be programs in a language that their names do not tell, as `bin/serve`."""
    return [
        path for path in code.snapshot.entries if _COMMAND.search(path) and role_of(path) < FileRole.TEST
    ][:_MAX_COMMANDS]  # fmt: skip


def _choose_files(code: CodeIndex, wanted: Sequence[str], scope: str | None) -> list[str]:
    """Return the product files that have most of the words, or whose name says that they have settings."""
    # A name may have two of the words as one, or one with "no" before it.
    joined = {each: [f"{other}{each}" for other in (*wanted, "no") if other != each] for each in wanted}
    counts = _weigh_files(code, joined)
    for file in code.files:
        if SETTINGS_FILE.search(file):
            counts[file] += _OF_SETTINGS_FILE  # type: ignore[assignment]
    chosen = [
        file for file, _ in counts.most_common()
        if role_of(file) < FileRole.TEST and get_language(file) and (not scope or file.startswith(scope))
        and not _OF_A_TOOL.search(file) and not _has_texts(code, file)
    ]  # fmt: skip
    return chosen[:_MAX_FILES]


def _has_texts(code: CodeIndex, file: str) -> bool:
    """Return whether a file has the texts of a program in one language, which are also there in English."""
    found = _TRANSLATED.search(file)
    if found is None:
        return False
    others = (f"{file[: found.start(1)]}{each}{file[found.end(1) :]}" for each in _ENGLISH)
    return any(each in code.snapshot.entries for each in others)


def _choose_documents(code: CodeIndex, wanted: Sequence[str]) -> list[str]:
    """Return the documents that have most of the words, whatever their paths say."""
    counts = _weigh_files(code, dict.fromkeys(wanted, ()))
    about = (file for file, _ in counts.most_common() if is_document(file) and not is_aside(file))
    return [file for file in about if role_of(file) < FileRole.TEST][:_MAX_DOCUMENTS]


def _weigh_files(code: CodeIndex, spellings: Mapping[str, Sequence[str]]) -> Counter[str]:
    """Return file → the weights of the stems that it has, for stem → further words that count as it; rare ones more."""
    weights: Counter[str] = Counter()
    for each, further in spellings.items():
        spelled = {word for alike in kinds_of(each) for word in spellings_of(alike)}
        having = code.words.count_in_files(code.words.term_postings(spelled.union(further)))
        for file in having:
            weights[file] += 1 / math.log(3 + len(having))  # type: ignore[assignment]
    return weights


def _choose_described(documented: Mapping[str, DocumentedOption], wanted: Sequence[str]) -> list[DocumentedOption]:
    """Return the documented options whose documentation contains at least half of the words, those with most first.

    Of a long text, which also tells a story, it may contain fewer.
    """
    counts: dict[tuple[str, int], tuple[int, DocumentedOption]] = {}
    for each in documented.values():
        words = cut_stems(text_stems(f"{each.name} {each.text}"))
        counts[each.file, each.line] = sum(bool(meaning_of(one) & words) for one in wanted), each
    found = sorted(counts.values(), key=lambda counted: -counted[0])
    least = min((len(wanted) + 1) // 2, _MIN_DESCRIBING, max((count for count, _ in found), default=0))
    enough = [each for count, each in found if count >= max(1, least)][:_MAX_DESCRIBED]
    named = [each for _, each in found if each not in enough and stem(each.name.strip("-").lower()) in wanted]
    return [*enough, *named[:_MAX_NAMED]]


def _list_declaring(code: CodeIndex, described: Sequence[DocumentedOption]) -> list[str]:
    """Return the product files that mention one of some options."""
    files: dict[str, None] = {}
    for each in described:
        for name in _names_in_code(each):
            having = [set(code.files_with_word(word)) for word in name.split("-")]
            files |= dict.fromkeys(sorted(set.intersection(*having)))
    return [file for file in files if role_of(file) < FileRole.TEST and get_language(file)][:_MAX_FILES]


def _names_in_code(option: DocumentedOption) -> tuple[str, ...]:
    """Return the words that code may have for a documented option, also joined by hyphens as keys are."""
    spelled = (*spell_option(option.name), *spell_option(option.name.rpartition(".")[2]))
    return tuple(dict.fromkeys(each for each in spelled if each.replace("-", "_").isidentifier()))


def _iter_configured(
    described: Sequence[DocumentedOption], candidates: Sequence[OptionCandidate], texts: Mapping[str, str]
) -> Iterator[OptionCandidate]:
    """Yield the keys of configuration files that no code of the workspace is known to declare.

    A framework reads the file, or it is a sample that tells users what they may set.
    """
    known = {fold_option(each.name) for each in candidates}
    for option in described:
        is_for_users = _OF_FRAMEWORK.search(option.file) or is_sample(option.file)
        if is_for_users and known.isdisjoint((fold_option(option.name), fold_option(option.name.rpartition(".")[2]))):
            yield build_configured(option, texts[option.file])


def _iter_undeclared(
    described: Sequence[DocumentedOption], candidates: Sequence[OptionCandidate], texts: Mapping[str, str]
) -> Iterator[OptionCandidate]:
    """Yield where code mentions the documented options that no line is known to declare."""
    declared = {fold_option(each.name) for each in candidates}
    left = [
        each
        for each in described
        if declared.isdisjoint((fold_option(each.name), fold_option(each.name.rpartition(".")[2])))
    ]
    for option in left[:_MAX_UNDECLARED]:
        names = _names_in_code(option)
        found = (
            get_mention(file, text, option, name) for file, text in texts.items() for name in names if name in text
        )
        yield from (each for each in (next(filter(None, found), None),) if each)
