"""Render reasons as English, by one template for each kind.

`[file is|files are]` means the first words where the count is one, else the others; `file[|s]` is `file` or `files`.
`{place}` is `file:line`. A place or a count that a template does not mention is added at the end: `instance may escape
at app.py:12`, `receiver type unknown (71)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from avionics.late_pattern import late_pattern
from avionics.model.reasons import Reason, ReasonKind

_K = ReasonKind
_NUMBER = late_pattern(r"\[([^|\[\]]*)\|([^|\[\]]*)\]", needs=("|",))

TEMPLATES: Final[Mapping[ReasonKind, str]] = MappingProxyType(
    {
        _K.RECEIVER_TYPE_UNKNOWN: "receiver type unknown",
        _K.DECORATED_RECEIVER: "the receiver is a function that a decorator may replace",
        _K.RECEIVER_NOT_ANALYZED: "receiver expression not analyzed",
        _K.KEY_OR_FIELD: "a field of an unknown type, or a key with this name",
        _K.CALLEE_UNKNOWN: "called function unknown",
        _K.CALLED_VALUE_UNKNOWN: "the called value has an unknown type",
        _K.INSIDE_MACRO: "inside a macro",
        _K.MEMBER_NOT_DECLARED: "the receiver's class does not declare it",
        _K.MODULE_NOT_FOUND: "its module belongs to the workspace but was not found",
        _K.BASE_CLASS_UNKNOWN: "base class unknown",
        _K.BLANKET_IMPLEMENTATION: "a blanket implementation may provide it",
        _K.DYNAMIC_MODULE: "the module computes its attributes",
        _K.AMBIGUOUS_OVERLOAD: "one of {total} overloads",
        _K.OTHER_SPECIALIZATION: "the template with arguments that may differ",
        _K.INHERITED_OVERLOAD: "one of several overloads, some of them inherited or added elsewhere",
        _K.PYTEST_FIXTURE: "through a pytest fixture with this name",
        _K.NOT_DECLARED: "no visible declaration",
        _K.WRAPPED: "through a wrapper: the result of a call that is given it",
        _K.FOUND_BY_ARGUMENT: "a call that may find it in another namespace, through its arguments or a `using`",
        _K.DEFINED_BY_DEFAULT: "a macro that another file defines only if it is not defined yet",
        _K.STRING_LITERAL: "string literal with this name",
        _K.DIRECTIVE: "directive with this name",
        _K.MAPPING_KEY: "key of a mapping, or compared text, with this name",
        _K.MACRO_TEXT: "in macro text or an inactive #if branch",
        _K.CODE_NOT_READ: "in code that is not analyzed: a template, a macro or code with errors",
        _K.CONFIGURATION_REFERENCE: "qualified name in configuration",
        _K.TEMPLATE_REFERENCE: "in an expression of a template",
        _K.UNREAD_LANGUAGE: "in code that is not parsed: another language, or a file included as text",
        _K.FOREIGN_CODE: "in code of another language that calls native functions",
        _K.MEMBER_ACCESS: "possible member access",
        _K.UNLOCATED_IMPORT: "{place} imports this name from a module that was not found",
        _K.TEXT_MENTION: "{subject} mentions its name",
        _K.THROUGH_OVERRIDDEN: "through {subject}, which it overrides",
        _K.IMPLICIT_CALL: "called implicitly on objects of its class",
        _K.USED_REMOVED: "used a symbol that was removed",
        _K.IMPORTS_CHANGED_MODULE: "imports a module whose top-level code changed",
        _K.IMPORTS_MOVED_FILE: "imports a file that has moved",
        _K.DECORATOR: "the decorator @{subject} may register it",
        _K.TOOL_COMMENT: "a tool may read the comment",
        _K.OUTSIDE_SCRIPT: "a script from outside may read it, which is loaded",
        _K.CODE_EXAMPLE: "tests may run the example",
        _K.MARKING_MEMBER: "the compiler or a checker reads it",
        _K.EMBEDDED_FILE: "its file is text that another one takes",
        _K.CLASS_DECORATOR: "the decorator @{subject} may register its class",
        _K.SPECIAL_NAME: "special name that the language uses implicitly",
        _K.CLASS_NOT_SETTLED: "{subject} has {count} possible usage[|s], which may construct it",
        _K.IMPLICIT_CONSTRUCTION: "constructor may run without its class being named",
        _K.OPERATOR: "operators and destructors are called without their names",
        _K.COLLECTED_TEST: "test runners collect it by its name",
        _K.JSX_ELEMENT: "JSX elements may use it",
        _K.RENAMED_BY_MACRO: "a macro renames it to {subject}, and it may be used by that name",
        _K.DECLARED_TYPE: "its object has a declared type and may be used through it",
        _K.FUNCTION_VALUE: "a function within an expression is used where it is written",
        _K.ANONYMOUS_CLASS: "its class is anonymous and its instances may be used anywhere",
        _K.OVERRIDES: "overrides {subject} and may be called through it",
        _K.IMPLEMENTS: "implements {subject} and may be called through it",
        _K.THROUGH_INTERFACE: "{count} usage[|s] [is|are] of [a method|methods] related by an interface",
        _K.ANONYMOUS_INTERFACE: "required by an anonymous interface",
        _K.OTHER_NAME: "may be used as {subject}",
        _K.SHARED_NAME: "another definition of this name, which it may stand in for, is used",
        _K.OUTSIDE_INTERFACE: "may satisfy an interface of an imported package",
        _K.EXTERNAL_BASE: "its class inherits from {subject}, outside the workspace, which may use it",
        _K.FOUND_BY_BASE: "inherits from {subject}, outside the workspace, which may discover it",
        _K.RECEIVED_BY_HOOK: "{subject} receives it and may keep it",
        _K.OUTSIDE_TEMPLATE: "specializes {subject}, a template outside the workspace, which may use it",
        _K.OUTSIDE_NAMESPACE: "adds to {subject}, a namespace outside the workspace that others name too",
        _K.UNKNOWN_BASE: "its class has an unknown base, which may use it",
        _K.MAPPED_TYPE: "may be used through a type with the keys of {subject}",
        _K.PASTED_NAME: "the macro {subject} may build its name",
        _K.PASTED_PART: "a macro may join its name from parts such as {subject} at {place}",
        _K.INCLUDED_COPY: "{place} includes one of several headers of that name; the compiler's options decide which",
        _K.LINKED_ELSEWHERE: "{place} declares the same name for the linker",
        _K.TAG_AND_TYPEDEF: "the {subject} of this name is used too and counted separately",
        _K.RECURSIVE_ONLY: "used only in its own body",
        _K.CONSTRUCTED_OBJECT: "it may exist only for its constructor or destructor",
        _K.PRIVATE_CONSTRUCTOR: "private constructor that prevents instantiation",
        _K.ENUM_MEMBER: "enum members are also reached by value, by name and by iteration",
        _K.SET_BY_POSITION: "a literal or a call sets the fields of its type by their order",
        _K.COMPARED_FIELD: "the generated equality, hash and text of its class read it",
        _K.MEMORY_LAYOUT: "code may depend on the memory layout of its type",
        _K.FIELD_TAG: "libraries read and set it by its tag {subject}",
        _K.STUB: "a stub declares it for other code that defines it",
        _K.BUILT_NAME: "a name that may match is built from parts",
        _K.COMPUTED_ACCESS: "its container is accessed by a computed name",
        _K.EXECUTED_TEXT: "{place} executes computed code in its file",
        _K.LISTED_MEMBERS: "members of an unknown object are listed",
        _K.FOUND_BY_LIBRARY: "{subject} discovers classes of the project without naming them",
        _K.SUBCLASS_WITH_EXTERNAL_BASE: "{subject} ({place}) inherits it along with {detail}, outside the workspace",
        _K.SUBCLASS_WITH_UNKNOWN_BASE: "{subject} ({place}) inherits it along with an unknown base",
        _K.SUBCLASS_COMBINES: "{subject} ({place}) combines it with {detail}",
        _K.LIBRARY_PROTOCOL: "libraries call members with this name on objects they are given",
        _K.ESCAPING_INSTANCE: "instance may escape",
        _K.ESCAPING_MODULE: "its module may be passed to code outside",
        _K.MANGLED_NAME: "its mangled name {subject} is used",
        _K.AUGMENTATION: "{place} adds it to an external declaration",
        _K.PROTOCOL_MEMBER: "the protocol {subject} ({place}) declares this member",
        _K.DEFAULT_EXPORT: "default export of a file that may be loaded by its path",
        _K.FILE_NOT_IMPORTED: "its file is not imported and may be loaded by its path",
        _K.FILE_NOT_USED: "no other file uses anything of its file, which a tool or a framework may load",
        _K.FILE_OF_FRAMEWORK: "a framework may load its file by its path and take what it exports",
        _K.WRAPPED_HEADER: "{place} passes its header to other languages",
        _K.CALLED_BY_LANGUAGE: "called implicitly by the language",
        _K.RUN_BY_LANGUAGE: "run by the language when the program starts",
        _K.PYTEST_HOOK: "pytest calls hooks with this name",
        _K.INHERITED_TEST: "test runners collect it in {subject} ({place})",
        _K.REGISTERED: "registered by @{subject}",
        _K.AUTOUSE_FIXTURE: "pytest runs it automatically",
        _K.OVERRIDES_USED: "overrides {subject} ({place}), which is used",
        _K.USE_UNDETERMINED: "its use is being determined",
        _K.SCOPE_UNKNOWN: "its scope could not be determined",
        _K.USAGES_UNSUPPORTED: "usages are not analyzed in {subject}; {count} file[|s] mention[s|] the name",
        _K.PARSED_IN_PART: "{subject} could be parsed only in part",
        _K.FILES_PARSED_IN_PART: "{count} file[|s] that mention[s|] it could be parsed only in part: {subject}[|, …]",
        _K.CHANGED_FILES_PARSED_IN_PART: "{count} changed file[|s] could be parsed only in part ({subject})",
        _K.VENDORED_FILES_NOT_COMPARED: (
            "{count} changed file[|s] of vendored code [is|are] not compared; give [its|a] directory as scope: "
            "{subject}"
        ),
        _K.FILES_NOT_EXAMINED: "{count} file[|s] that mention[s|] it [was|were] not examined in time: {subject}",
        _K.MENTIONS_NOT_EXAMINED: "{count} mention[|s] [is|are] in [a file|files] that could not be read",
        _K.LEDGER_MISMATCH: "its mentions do not add up, which is a bug in avionics: please report it",
        _K.FILES_NOT_READ: (
            "{count} file[|s] that may define or use it [was|were] not read in time; `avionics index` reads all files"
        ),
        _K.WORDS_NOT_SEARCHED: "not every word that may lead to it was searched for in time",
        _K.NO_WORD: "its name has no letter, and only words are looked for",
        _K.DEFINITIONS_NOT_CHECKED: (
            "{count} definition[|s] [was|were] not checked in time; narrow the scope or allow more seconds"
        ),
        _K.FILES_NOT_CHECKED: "{count} file[|s] [was|were] not checked in time: {subject}; allow more seconds",
        _K.TIME_RAN_OUT: "the time for an answer ran out, so there may be more; allow more seconds",
        _K.ALIAS_LIMIT: "imported under too many names to follow all of them",
        _K.FOLLOW_LIMIT: "only {count} definition[|s] [was|were] followed",
        _K.MATCH_LIMIT: "stopped after {count} match[|es]",
        _K.SEARCH_TIMEOUT: "stopped after {subject} s",
        _K.FILES_SKIPPED: "{count} skipped: {subject} ({detail})",
        _K.FILES_IGNORED: "ignored files are not listed",
        _K.IGNORED_BY_RULE: (
            "the rule {subject} ({place}) ignores {count} file[|s]; AVIONICS_NO_IGNORE=1 shows [it|them]"
        ),
        _K.RULE_NOT_OBEYED: (
            "the rule {subject} ({place}) is not applied outside git: it would ignore all files ({count})"
        ),
        _K.FILES_RANKED: "only the best {count} of {total} matching files [was|were] ranked",
        _K.FILES_OUTSIDE_VERDICT: "{count} changed file[|s] [is|are] outside the verdict ({subject})",
        _K.FILES_NOT_PARSED: (
            "not examined: {count} file[|s] with removed or changed names in code that could not be parsed ({subject})"
        ),
        _K.FILES_TOO_LARGE: (
            "not examined: {count} file[|s] too large to parse may use the names in question ({subject})"
        ),
        _K.NAMES_SEARCHED_IN_PART: "{subject} was looked for in {count} of the {total} files that mention it",
        _K.FINDINGS_SUPPRESSED: "{count} finding[|s] accepted by [a comment|comments]",
        _K.FINDINGS_IN_BASELINE: "{count} finding[|s] accepted by the baseline",
        _K.FILES_UNSUPPORTED: "{count} changed file[|s] in [an |]unsupported language[|s] ({subject})",
        _K.TOO_LARGE_TO_COMPARE: "{subject} differs but is too large to compare line by line",
        _K.NOT_COMPARED: "{count} file[|s] [is|are] too large to compare",
        _K.IMPORTS_UNRESOLVED: (
            "{count} relative import[|s] could not be resolved ({subject}); what [it|they] import[s|] is not checked"
        ),
        _K.SUBMODULES: "changes within {count} submodule[|s] ({subject}) are not examined",
        _K.SEPARATE_REPOSITORY: "{subject} is a separate repository; its commits are not included",
        _K.SHALLOW_CLONE: "shallow clone: older commits are missing",
        _K.SHALLOW_BLAME: "shallow clone: older lines are attributed to its first commit",
        _K.TEXT_HISTORY: "no symbol is named {subject} now; these commits added or removed that text",
        _K.COMMIT_LIMIT: "only the latest [commit was|{count} commits were] read",
        _K.UNKNOWN_SUBCLASS: "a class with an unknown base may be another one",
        _K.EXTERNAL_BASES: "outside the workspace: {subject}",
        _K.DEFINED_OUTSIDE: "defined outside the workspace, where it may have other names",
        _K.CUSTOM_REGISTRATION: "entry points that a program registers itself are not detected",
        _K.TEST_SCRIPTS: "usages in {count} test script[|s] ({subject}) are not analyzed",
        _K.NO_TESTS: "no tests found",
        _K.INDIRECT_TEST_USE: "use through a client, a subprocess, configuration or a computed name is not detected",
        _K.STEP_FAILED: "{subject}",
        _K.RANKED_BY_WORDS: "ranked by words alone; {subject} was not used",
        _K.RANKED_BY_MEANING: "{subject} compared {count} of {total} passages by meaning",
        _K.NOTHING_TO_COMPARE: "nothing to compare by meaning",
        _K.PASSAGES_NOT_COMPARED: "{count} passage[|s] not compared after {subject} s; asking again compares more",
        _K.CITATIONS_CHANGED: "{count} cited place[|s] changed while the answer was made ({subject})",
        _K.CUT_TO_BUDGET: "cut to about {count} token[|s]",
        _K.ITEMS_LEFT_OUT: "{count} item[|s] left out",
        _K.ITEMS_SHORTENED: "{count} item[|s] shortened",
        _K.NOT_QUOTED: "{count} more counted but not quoted",
        _K.OUTSIDE_SCOPE: "{count} more usage[|s] outside {subject}",
        _K.DEFINITIONS_NOT_LISTED: "{count} more definition[|s] of this name [is|are] not listed",
        _K.AUXILIARY_NOT_LISTED: "{count} in tests, generated or vendored code [is|are] not listed",
        _K.ENTRIES_NOT_LISTED: "{count} more [is|are] not listed",
        _K.CALLS_NOT_LISTED: "{count} call[|s] [is|are] not listed",
        _K.LIST_LIMIT: "{count} of {total} {subject} listed",
        _K.RELATION_LIMIT: "at most {count} of each relation",
        _K.DEPTH_LIMIT: "more beyond depth {count}",
        _K.FLOW_DEPTH_LIMIT: "{count} function[|s] at depth {total} [has|have] further calls (…)",
        _K.FLOW_SIZE_LIMIT: "{count} function[|s] not expanded to keep the answer short (…)",
        _K.PATHS_SEARCHED: (
            "searched forward from {count} definition[|s], {subject} steps deep, and backward from {total}, "
            "{detail} deep"
        ),
        _K.PATH_SEARCH_CUT: "the search ended at its limit; allow more seconds, or name places nearer to each other",
        _K.PATH_CALLS_NOT_FOLLOWED: (
            "{count} call[|s] on the way may lead there: what [it|they] call[s|] is not known ({subject}[|, …])"
        ),
        _K.PATH_POSSIBLE_STEPS: "{count} step[|s] [is|are] only possible: {subject}[|, …]",
        _K.SECRETS_WITHHELD: "{count} secret[|s] withheld ({subject})",
        _K.NO_MATCH: "no match for {subject}",
        _K.OTHER_DEFINITIONS: "{count} other definition[|s] [is|are] not explained: {subject}",
        _K.BASE_NOT_ANCESTOR: "the base is not an ancestor: what only the base has counts as removed",
        _K.COMMENTS_ONLY: "{count} symbol[|s] changed only in comments",
        _K.MODULE_CODE_CHANGED: "top-level code changed in {subject}; every test that imports it runs it",
        _K.SHARED_FIXTURE_CHANGED: "{subject} runs for every test in its directory",
        _K.REMOVED: "removed",
        _K.REMOVED_UNLESS_INHERITED: "removed, unless {subject}, outside the workspace, has it too",
        _K.MOVED: "moved to {subject}",
        _K.FILE_MOVED: "its file is now {subject}",
        _K.BASES_REMOVED: "no longer inherits from {subject}",
        _K.REQUIRED_MEMBER_ADDED: "code that builds, matches or implements {subject} has to name it",
        _K.KIND_CHANGED: "changed from {subject} to {detail}",
        _K.PARAMETERS_CHANGED: "parameters changed",
        _K.PARAMETER_REMOVED: "parameter {subject} removed",
        _K.PARAMETER_KEYWORD_ONLY: "parameter {subject} must now be passed by name",
        _K.PARAMETER_REQUIRED: "parameter {subject} is now required",
        _K.PARAMETER_ADDED: "new required parameter {subject}",
        _K.PARAMETERS_REORDERED: "parameters reordered",
        _K.PARAMETER_INSERTED: "new parameter before existing ones",
        _K.IN_TRACEBACK: "traceback",
        _K.PLACE_NAMED: "place named",
        _K.PATH_NAMED: "path named",
        _K.NAMED: "named",
        _K.NAMED_IN_TEXT: "named in the text",
        _K.SIMILAR_NAME: "similar name",
        _K.QUOTED_TEXT: 'text "{subject}"',
        _K.FIELD_MATCH: "{subject}",
        _K.BODY_MATCH: "body: {subject}",
        _K.CALLED_BY_MATCH: "called in {subject}",
    }
)


def describe_reason(reason: Reason | None) -> str:
    """Return the sentence for a reason; "" if it has none."""
    if reason is None:
        return ""
    template = TEMPLATES[reason.kind]
    text = _NUMBER.sub(lambda found: found[1 if reason.count == 1 else 2], template)
    place = ":".join(map(str, reason.place or ()))
    phrase = text.format(
        count=reason.count, total=reason.total, subject=reason.subject, detail=reason.detail, place=place
    )
    if place and "{place}" not in text:
        phrase = f"{phrase} at {place}"
    return f"{phrase} ({reason.count})" if reason.count > 1 and text == template and "{count}" not in text else phrase


def describe_reasons(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """Return the sentences for reasons, in order."""
    return tuple(map(describe_reason, reasons))
