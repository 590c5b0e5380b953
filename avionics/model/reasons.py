"""Reasons: why an answer is less than everything, or why something was chosen, as values.

A reason is data: code decides by its kind. Each kind has the template of its sentence, which
`avionics.tools.answers.reasons` completes: `[file is|files are]` means the first words where the count is one, else the
others; `file[|s]` is `file` or `files`. `{place}` is `file:line`. A place or a count that a template does not mention
is added at the end: `instance may escape at app.py:12`, `receiver type unknown (71)`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from typing import Self

from msgspec import Struct, structs


class ReasonKind(Enum):
    """Every reason an answer can give, grouped by subject, with the template of its sentence."""

    template: str

    def __new__(cls, template: str) -> Self:
        """Return the next kind; two kinds may say the same."""
        kind = object.__new__(cls)
        kind._value_ = len(cls.__members__)
        kind.template = template
        return kind

    # A mention may be a usage, but it is not proven.
    RECEIVER_TYPE_UNKNOWN = "receiver type unknown"
    DECORATED_RECEIVER = "the receiver is a function that a decorator may replace"
    RECEIVER_NOT_ANALYZED = "receiver expression not analyzed"
    KEY_OR_FIELD = "a field of an unknown type, or a key with this name"
    CALLEE_UNKNOWN = "called function unknown"
    CALLED_VALUE_UNKNOWN = "the called value has an unknown type"
    INSIDE_MACRO = "inside a macro"
    MEMBER_NOT_DECLARED = "the receiver's class does not declare it"
    MODULE_NOT_FOUND = "its module belongs to the workspace but was not found"
    BASE_CLASS_UNKNOWN = "base class unknown"
    BLANKET_IMPLEMENTATION = "a blanket implementation may provide it"
    DYNAMIC_MODULE = "the module computes its attributes"
    AMBIGUOUS_OVERLOAD = "one of {total} overloads"
    OTHER_SPECIALIZATION = "the template with arguments that may differ"
    INHERITED_OVERLOAD = "one of several overloads, some of them inherited or added elsewhere"
    PYTEST_FIXTURE = "through a pytest fixture with this name"
    NOT_DECLARED = "no visible declaration"
    FOUND_BY_ARGUMENT = "a call that may find it in another namespace, through its arguments or a `using`"
    DEFINED_BY_DEFAULT = "a macro that another file defines only if it is not defined yet"
    WRAPPED = "through a wrapper: the result of a call that is given it"
    STRING_LITERAL = "string literal with this name"
    DIRECTIVE = "directive with this name"
    MAPPING_KEY = "key of a mapping, or compared text, with this name"
    MACRO_TEXT = "in macro text or an inactive #if branch"
    CODE_NOT_READ = "in code that is not analyzed: a template, a macro or code with errors"
    CONFIGURATION_REFERENCE = "qualified name in configuration"
    TEMPLATE_REFERENCE = "in an expression of a template"
    UNREAD_LANGUAGE = "in code that is not parsed: another language, or a file included as text"
    FOREIGN_CODE = "in code of another language that calls native functions"
    MEMBER_ACCESS = "possible member access"
    UNLOCATED_IMPORT = "{place} imports this name from a module that was not found"
    TEXT_MENTION = "{subject} mentions its name"
    THROUGH_OVERRIDDEN = "through {subject}, which it overrides"
    IMPLICIT_CALL = "called implicitly on objects of its class"
    USED_REMOVED = "used a symbol that was removed"
    IMPORTS_CHANGED_MODULE = "imports a module whose top-level code changed"
    IMPORTS_MOVED_FILE = "imports a file that has moved"

    # A symbol may be reached without its name.
    DECORATOR = "the decorator @{subject} may register it"
    CLASS_DECORATOR = "the decorator @{subject} may register its class"
    SPECIAL_NAME = "special name that the language uses implicitly"
    CLASS_NOT_SETTLED = "{subject} has {count} possible usage[|s], which may construct it"
    IMPLICIT_CONSTRUCTION = "constructor may run without its class being named"
    OPERATOR = "operators and destructors are called without their names"
    COLLECTED_TEST = "test runners collect it by its name"
    JSX_ELEMENT = "JSX elements may use it"
    RENAMED_BY_MACRO = "a macro renames it to {subject}, and it may be used by that name"
    DECLARED_TYPE = "its object has a declared type and may be used through it"
    FUNCTION_VALUE = "a function within an expression is used where it is written"
    ANONYMOUS_CLASS = "its class is anonymous and its instances may be used anywhere"
    OVERRIDES = "overrides {subject} and may be called through it"
    IMPLEMENTS = "implements {subject} and may be called through it"
    THROUGH_INTERFACE = "{count} usage[|s] [is|are] of [a method|methods] related by an interface"
    ANONYMOUS_INTERFACE = "required by an anonymous interface"
    OUTSIDE_INTERFACE = "may satisfy an interface of an imported package"
    EXTERNAL_BASE = "its class inherits from {subject}, outside the workspace, which may use it"
    FOUND_BY_BASE = "inherits from {subject}, outside the workspace, which may discover it"
    OUTSIDE_TEMPLATE = "specializes {subject}, a template outside the workspace, which may use it"
    UNKNOWN_BASE = "its class has an unknown base, which may use it"
    MAPPED_TYPE = "may be used through a type with the keys of {subject}"
    PASTED_NAME = "the macro {subject} may build its name"
    PASTED_PART = "a macro may join its name from parts such as {subject} at {place}"
    LINKED_ELSEWHERE = "{place} declares the same name for the linker"
    INCLUDED_COPY = "{place} includes one of several headers of that name; the compiler's options decide which"
    OTHER_NAME = "may be used as {subject}"
    TAG_AND_TYPEDEF = "the {subject} of this name is used too and counted separately"
    RECURSIVE_ONLY = "used only in its own body"
    CONSTRUCTED_OBJECT = "it may exist only for its constructor or destructor"
    PRIVATE_CONSTRUCTOR = "private constructor that prevents instantiation"
    ENUM_MEMBER = "enum members are also reached by value, by name and by iteration"
    SET_BY_POSITION = "a literal or a call sets the fields of its type by their order"
    COMPARED_FIELD = "the generated equality, hash and text of its class read it"
    MEMORY_LAYOUT = "code may depend on the memory layout of its type"
    FIELD_TAG = "libraries read and set it by its tag {subject}"
    STUB = "a stub declares it for other code that defines it"
    BUILT_NAME = "a name that may match is built from parts"
    COMPUTED_ACCESS = "its container is accessed by a computed name"
    EXECUTED_TEXT = "{place} executes computed code in its file"
    LISTED_MEMBERS = "members of an unknown object are listed"
    FOUND_BY_LIBRARY = "{subject} discovers classes of the project without naming them"
    SUBCLASS_WITH_EXTERNAL_BASE = "{subject} ({place}) inherits it along with {detail}, outside the workspace"
    SUBCLASS_WITH_UNKNOWN_BASE = "{subject} ({place}) inherits it along with an unknown base"
    SUBCLASS_COMBINES = "{subject} ({place}) combines it with {detail}"
    LIBRARY_PROTOCOL = "libraries call members with this name on objects they are given"
    ESCAPING_INSTANCE = "instance may escape"
    ESCAPING_MODULE = "its module may be passed to code outside"
    MANGLED_NAME = "its mangled name {subject} is used"
    PROTOCOL_MEMBER = "the protocol {subject} ({place}) declares this member"
    DEFAULT_EXPORT = "default export of a file that may be loaded by its path"
    FILE_NOT_IMPORTED = "its file is not imported and may be loaded by its path"
    FILE_OF_FRAMEWORK = "a framework may load its file by its path and take what it exports"
    WRAPPED_HEADER = "{place} passes its header to other languages"
    AUGMENTATION = "{place} adds it to an external declaration"

    # A symbol counts as used although no usage names it.
    CALLED_BY_LANGUAGE = "called implicitly by the language"
    RUN_BY_LANGUAGE = "run by the language when the program starts"
    PYTEST_HOOK = "pytest calls hooks with this name"
    INHERITED_TEST = "test runners collect it in {subject} ({place})"
    REGISTERED = "registered by @{subject}"
    AUTOUSE_FIXTURE = "pytest runs it automatically"
    OVERRIDES_USED = "overrides {subject} ({place}), which is used"

    # Something was not examined, or not fully.
    USE_UNDETERMINED = "its use is being determined"
    SCOPE_UNKNOWN = "its scope could not be determined"
    USAGES_UNSUPPORTED = "usages are not analyzed in {subject}; {count} file[|s] mention[s|] the name"
    PARSED_IN_PART = "{subject} could be parsed only in part"
    FILES_PARSED_IN_PART = "{count} file[|s] that mention[s|] it could be parsed only in part: {subject}[|, …]"
    CHANGED_FILES_PARSED_IN_PART = "{count} changed file[|s] could be parsed only in part ({subject})"
    VENDORED_FILES_NOT_COMPARED = (
        "{count} changed file[|s] of vendored code [is|are] not compared; give [its|a] directory as scope: {subject}"
    )
    FILES_NOT_EXAMINED = "{count} file[|s] that mention[s|] it [was|were] not examined in time: {subject}"
    MENTIONS_NOT_EXAMINED = "{count} mention[|s] [is|are] in [a file|files] that could not be read"
    LEDGER_MISMATCH = "its mentions do not add up, which is a bug in avionics: please report it"
    FILES_NOT_READ = (
        "{count} file[|s] that may define or use it [was|were] not read in time; `avionics index` reads all files"
    )
    WORDS_NOT_SEARCHED = "not every word that may lead to it was searched for in time"
    NO_WORD = "its name has no letter, and only words are looked for"
    DEFINITIONS_NOT_CHECKED = (
        "{count} definition[|s] [was|were] not checked in time; narrow the scope or allow more seconds"
    )
    FILES_NOT_CHECKED = "{count} file[|s] [was|were] not checked in time: {subject}; allow more seconds"
    TIME_RAN_OUT = "the time for an answer ran out, so there may be more; allow more seconds"
    ALIAS_LIMIT = "imported under too many names to follow all of them"
    FOLLOW_LIMIT = "only {count} definition[|s] [was|were] followed"
    MATCH_LIMIT = "stopped after {count} match[|es]"
    SEARCH_TIMEOUT = "stopped after {subject} s"
    FILES_SKIPPED = "{count} skipped: {subject} ({detail})"
    FILES_IGNORED = "ignored files are not listed"
    IGNORED_BY_RULE = "the rule {subject} ({place}) ignores {count} file[|s]; AVIONICS_NO_IGNORE=1 shows [it|them]"
    RULE_NOT_OBEYED = "the rule {subject} ({place}) is not applied outside git: it would ignore all files ({count})"
    FILES_RANKED = "only the best {count} of {total} matching files [was|were] ranked"
    FILES_UNSUPPORTED = "{count} changed file[|s] in [an |]unsupported language[|s] ({subject})"
    FILES_OUTSIDE_VERDICT = "{count} changed file[|s] [is|are] outside the verdict ({subject})"
    FILES_NOT_PARSED = (
        "not examined: {count} file[|s] with removed or changed names in code that could not be parsed ({subject})"
    )
    FILES_TOO_LARGE = "not examined: {count} file[|s] too large to parse may use the names in question ({subject})"
    NAMES_SEARCHED_IN_PART = "{subject} was looked for in {count} of the {total} files that mention it"
    FINDINGS_SUPPRESSED = "{count} finding[|s] accepted by [a comment|comments]"
    FINDINGS_IN_BASELINE = "{count} finding[|s] accepted by the baseline"
    TOO_LARGE_TO_COMPARE = "{subject} differs but is too large to compare line by line"
    NOT_COMPARED = "{count} file[|s] [is|are] too large to compare"
    IMPORTS_UNRESOLVED = (
        "{count} relative import[|s] could not be resolved ({subject}); what [it|they] import[s|] is not checked"
    )
    SUBMODULES = "changes within {count} submodule[|s] ({subject}) are not examined"
    SEPARATE_REPOSITORY = "{subject} is a separate repository; its commits are not included"
    SHALLOW_CLONE = "shallow clone: older commits are missing"
    SHALLOW_BLAME = "shallow clone: older lines are attributed to its first commit"
    COMMIT_LIMIT = "only the latest [commit was|{count} commits were] read"
    TEXT_HISTORY = "no symbol is named {subject} now; these commits added or removed that text"
    UNKNOWN_SUBCLASS = "a class with an unknown base may be another one"
    EXTERNAL_BASES = "outside the workspace: {subject}"
    DEFINED_OUTSIDE = "defined outside the workspace, where it may have other names"
    CUSTOM_REGISTRATION = "entry points that a program registers itself are not detected"
    TEST_SCRIPTS = "usages in {count} test script[|s] ({subject}) are not analyzed"
    NO_TESTS = "no tests found"
    INDIRECT_TEST_USE = "use through a client, a subprocess, configuration or a computed name is not detected"
    STEP_FAILED = "{subject}"
    RANKED_BY_WORDS = "ranked by words alone; {subject} was not used"
    RANKED_BY_MEANING = "{subject} compared {count} of {total} passages by meaning"
    NOTHING_TO_COMPARE = "nothing to compare by meaning"
    PASSAGES_NOT_COMPARED = "{count} passage[|s] not compared after {subject} s; asking again compares more"
    CITATIONS_CHANGED = "{count} cited place[|s] changed while the answer was made ({subject})"

    # An answer is shortened.
    CUT_TO_BUDGET = "cut to about {count} token[|s]"
    ITEMS_LEFT_OUT = "{count} item[|s] left out"
    ITEMS_SHORTENED = "{count} item[|s] shortened"
    NOT_QUOTED = "{count} more counted but not quoted"
    OUTSIDE_SCOPE = "{count} more usage[|s] outside {subject}"
    DEFINITIONS_NOT_LISTED = "{count} more definition[|s] of this name [is|are] not listed"
    AUXILIARY_NOT_LISTED = "{count} in tests, generated or vendored code [is|are] not listed"
    ENTRIES_NOT_LISTED = "{count} more [is|are] not listed"
    CALLS_NOT_LISTED = "{count} call[|s] [is|are] not listed"
    LIST_LIMIT = "{count} of {total} {subject} listed"
    RELATION_LIMIT = "at most {count} of each relation"
    DEPTH_LIMIT = "more beyond depth {count}"
    FLOW_DEPTH_LIMIT = "{count} function[|s] at depth {total} [has|have] further calls (…)"
    FLOW_SIZE_LIMIT = "{count} function[|s] not expanded to keep the answer short (…)"
    PATHS_SEARCHED = (
        "searched forward from {count} definition[|s], {subject} steps deep, and backward from {total}, {detail} deep"
    )
    PATH_SEARCH_CUT = "the search ended at its limit; allow more seconds, or name places nearer to each other"
    PATH_CALLS_NOT_FOLLOWED = (
        "{count} call[|s] on the way may lead there: what [it|they] call[s|] is not known ({subject}[|, …])"
    )
    PATH_POSSIBLE_STEPS = "{count} step[|s] [is|are] only possible: {subject}[|, …]"
    SECRETS_WITHHELD = "{count} secret[|s] withheld ({subject})"

    # What a reader has to know of the subject.
    NO_MATCH = "no match for {subject}"
    OTHER_DEFINITIONS = "{count} other definition[|s] [is|are] not explained: {subject}"
    BASE_NOT_ANCESTOR = "the base is not an ancestor: what only the base has counts as removed"
    COMMENTS_ONLY = "{count} symbol[|s] changed only in comments"
    MODULE_CODE_CHANGED = "top-level code changed in {subject}; every test that imports it runs it"
    SHARED_FIXTURE_CHANGED = "{subject} runs for every test in its directory"

    # A change of a public symbol may break code that uses it.
    REMOVED = "removed"
    REMOVED_UNLESS_INHERITED = "removed, unless {subject}, outside the workspace, has it too"
    MOVED = "moved to {subject}"
    FILE_MOVED = "its file is now {subject}"
    BASES_REMOVED = "no longer inherits from {subject}"
    REQUIRED_MEMBER_ADDED = "code that builds, matches or implements {subject} has to name it"
    KIND_CHANGED = "changed from {subject} to {detail}"
    PARAMETERS_CHANGED = "parameters changed"
    PARAMETER_REMOVED = "parameter {subject} removed"
    PARAMETER_KEYWORD_ONLY = "parameter {subject} must now be passed by name"
    PARAMETER_REQUIRED = "parameter {subject} is now required"
    PARAMETER_ADDED = "new required parameter {subject}"
    PARAMETERS_REORDERED = "parameters reordered"
    PARAMETER_INSERTED = "new parameter before existing ones"

    # A search result matches the query.
    IN_TRACEBACK = "traceback"
    PLACE_NAMED = "place named"
    PATH_NAMED = "path named"
    NAMED = "named"
    NAMED_IN_TEXT = "named in the text"
    SIMILAR_NAME = "similar name"
    QUOTED_TEXT = 'text "{subject}"'
    FIELD_MATCH = "{subject}"  # noqa: PIE796  STEP_FAILED says the same
    BODY_MATCH = "body: {subject}"
    CALLED_BY_MATCH = "called in {subject}"


OUT_OF_TIME = frozenset({
    ReasonKind.FILES_NOT_EXAMINED, ReasonKind.FILES_NOT_READ, ReasonKind.WORDS_NOT_SEARCHED,
    ReasonKind.DEFINITIONS_NOT_CHECKED, ReasonKind.FILES_NOT_CHECKED, ReasonKind.TIME_RAN_OUT,
    ReasonKind.SEARCH_TIMEOUT,
})  # fmt: skip
"""Reasons that mean that time ran out."""


class Reason(Struct, frozen=True):
    """A reason and its subject.

    Attributes:
        kind: What it says.
        count: The number of items that it is about.
        place: The file and line that it is about.
        subject: The name, file or text that it is about.
        detail: A second subject.
        total: The number that `count` is a part of, or a limit.
    """

    kind: ReasonKind
    count: int = 1
    place: tuple[str, int] | None = None
    subject: str = ""
    detail: str = ""
    total: int = 0


def count_reasons(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Join equal reasons into one each with its count, the most frequent first."""
    return tuple(structs.replace(reason, count=count) for reason, count in Counter(reasons).most_common())
