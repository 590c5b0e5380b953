"""Reasons: why an answer is less than everything, or why something was chosen, as values.

A reason is data: code decides by its kind, and `avionics.tools.answers.reasons` writes the English sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum

from msgspec import Struct, structs


class ReasonKind(str, Enum):
    """Every reason an answer can give, grouped by subject."""

    # A mention may be a usage, but it is not proven.
    RECEIVER_TYPE_UNKNOWN = "receiver_type_unknown"
    DECORATED_RECEIVER = "decorated_receiver"
    RECEIVER_NOT_ANALYZED = "receiver_not_analyzed"
    KEY_OR_FIELD = "key_or_field"
    CALLEE_UNKNOWN = "callee_unknown"
    CALLED_VALUE_UNKNOWN = "called_value_unknown"
    INSIDE_MACRO = "inside_macro"
    MEMBER_NOT_DECLARED = "member_not_declared"
    MODULE_NOT_FOUND = "module_not_found"
    BASE_CLASS_UNKNOWN = "base_class_unknown"
    BLANKET_IMPLEMENTATION = "blanket_implementation"
    DYNAMIC_MODULE = "dynamic_module"
    AMBIGUOUS_OVERLOAD = "ambiguous_overload"
    OTHER_SPECIALIZATION = "other_specialization"
    INHERITED_OVERLOAD = "inherited_overload"
    PYTEST_FIXTURE = "pytest_fixture"
    NOT_DECLARED = "not_declared"
    FOUND_BY_ARGUMENT = "found_by_argument"
    DEFINED_BY_DEFAULT = "defined_by_default"
    WRAPPED = "wrapped"
    STRING_LITERAL = "string_literal"
    DIRECTIVE = "directive"
    MAPPING_KEY = "mapping_key"
    MACRO_TEXT = "macro_text"
    CODE_NOT_READ = "code_not_read"
    CONFIGURATION_REFERENCE = "configuration_reference"
    TEMPLATE_REFERENCE = "template_reference"
    UNREAD_LANGUAGE = "unread_language"
    FOREIGN_CODE = "foreign_code"
    MEMBER_ACCESS = "member_access"
    UNLOCATED_IMPORT = "unlocated_import"
    TEXT_MENTION = "text_mention"
    THROUGH_OVERRIDDEN = "through_overridden"
    IMPLICIT_CALL = "implicit_call"
    USED_REMOVED = "used_removed"
    IMPORTS_CHANGED_MODULE = "imports_changed_module"
    IMPORTS_MOVED_FILE = "imports_moved_file"

    # A symbol may be reached without its name.
    DECORATOR = "decorator"
    TOOL_COMMENT = "tool_comment"
    OUTSIDE_SCRIPT = "outside_script"
    CODE_EXAMPLE = "code_example"
    MARKING_MEMBER = "marking_member"
    EMBEDDED_FILE = "embedded_file"
    CLASS_DECORATOR = "class_decorator"
    SPECIAL_NAME = "special_name"
    CLASS_NOT_SETTLED = "class_not_settled"
    IMPLICIT_CONSTRUCTION = "implicit_construction"
    OPERATOR = "operator"
    COLLECTED_TEST = "collected_test"
    JSX_ELEMENT = "jsx_element"
    RENAMED_BY_MACRO = "renamed_by_macro"
    DECLARED_TYPE = "declared_type"
    FUNCTION_VALUE = "function_value"
    ANONYMOUS_CLASS = "anonymous_class"
    OVERRIDES = "overrides"
    IMPLEMENTS = "implements"
    THROUGH_INTERFACE = "through_interface"
    ANONYMOUS_INTERFACE = "anonymous_interface"
    OUTSIDE_INTERFACE = "outside_interface"
    EXTERNAL_BASE = "external_base"
    FOUND_BY_BASE = "found_by_base"
    RECEIVED_BY_HOOK = "received_by_hook"
    OUTSIDE_TEMPLATE = "outside_template"
    OUTSIDE_NAMESPACE = "outside_namespace"
    UNKNOWN_BASE = "unknown_base"
    MAPPED_TYPE = "mapped_type"
    PASTED_NAME = "pasted_name"
    PASTED_PART = "pasted_part"
    LINKED_ELSEWHERE = "linked_elsewhere"
    INCLUDED_COPY = "included_copy"
    OTHER_NAME = "other_name"
    SHARED_NAME = "shared_name"
    TAG_AND_TYPEDEF = "tag_and_typedef"
    RECURSIVE_ONLY = "recursive_only"
    CONSTRUCTED_OBJECT = "constructed_object"
    PRIVATE_CONSTRUCTOR = "private_constructor"
    ENUM_MEMBER = "enum_member"
    SET_BY_POSITION = "set_by_position"
    COMPARED_FIELD = "compared_field"
    MEMORY_LAYOUT = "memory_layout"
    FIELD_TAG = "field_tag"
    STUB = "stub"
    BUILT_NAME = "built_name"
    COMPUTED_ACCESS = "computed_access"
    EXECUTED_TEXT = "executed_text"
    LISTED_MEMBERS = "listed_members"
    FOUND_BY_LIBRARY = "found_by_library"
    SUBCLASS_WITH_EXTERNAL_BASE = "subclass_with_external_base"
    SUBCLASS_WITH_UNKNOWN_BASE = "subclass_with_unknown_base"
    SUBCLASS_COMBINES = "subclass_combines"
    LIBRARY_PROTOCOL = "library_protocol"
    ESCAPING_INSTANCE = "escaping_instance"
    ESCAPING_MODULE = "escaping_module"
    MANGLED_NAME = "mangled_name"
    PROTOCOL_MEMBER = "protocol_member"
    DEFAULT_EXPORT = "default_export"
    FILE_NOT_IMPORTED = "file_not_imported"
    FILE_NOT_USED = "file_not_used"
    FILE_OF_FRAMEWORK = "file_of_framework"
    WRAPPED_HEADER = "wrapped_header"
    AUGMENTATION = "augmentation"

    # A symbol counts as used although no usage names it.
    CALLED_BY_LANGUAGE = "called_by_language"
    RUN_BY_LANGUAGE = "run_by_language"
    PYTEST_HOOK = "pytest_hook"
    INHERITED_TEST = "inherited_test"
    REGISTERED = "registered"
    AUTOUSE_FIXTURE = "autouse_fixture"
    OVERRIDES_USED = "overrides_used"

    # Something was not examined, or not fully.
    USE_UNDETERMINED = "use_undetermined"
    SCOPE_UNKNOWN = "scope_unknown"
    USAGES_UNSUPPORTED = "usages_unsupported"
    PARSED_IN_PART = "parsed_in_part"
    FILES_PARSED_IN_PART = "files_parsed_in_part"
    CHANGED_FILES_PARSED_IN_PART = "changed_files_parsed_in_part"
    VENDORED_FILES_NOT_COMPARED = "vendored_files_not_compared"
    FILES_NOT_EXAMINED = "files_not_examined"
    MENTIONS_NOT_EXAMINED = "mentions_not_examined"
    LEDGER_MISMATCH = "ledger_mismatch"
    FILES_NOT_READ = "files_not_read"
    WORDS_NOT_SEARCHED = "words_not_searched"
    NO_WORD = "no_word"
    DEFINITIONS_NOT_CHECKED = "definitions_not_checked"
    FILES_NOT_CHECKED = "files_not_checked"
    TIME_RAN_OUT = "time_ran_out"
    ALIAS_LIMIT = "alias_limit"
    FOLLOW_LIMIT = "follow_limit"
    MATCH_LIMIT = "match_limit"
    SEARCH_TIMEOUT = "search_timeout"
    FILES_SKIPPED = "files_skipped"
    FILES_IGNORED = "files_ignored"
    IGNORED_BY_RULE = "ignored_by_rule"
    RULE_NOT_OBEYED = "rule_not_obeyed"
    FILES_RANKED = "files_ranked"
    FILES_UNSUPPORTED = "files_unsupported"
    FILES_OUTSIDE_VERDICT = "files_outside_verdict"
    FILES_NOT_PARSED = "files_not_parsed"
    FILES_TOO_LARGE = "files_too_large"
    NAMES_SEARCHED_IN_PART = "names_searched_in_part"
    FINDINGS_SUPPRESSED = "findings_suppressed"
    FINDINGS_IN_BASELINE = "findings_in_baseline"
    TOO_LARGE_TO_COMPARE = "too_large_to_compare"
    NOT_COMPARED = "not_compared"
    IMPORTS_UNRESOLVED = "imports_unresolved"
    SUBMODULES = "submodules"
    SEPARATE_REPOSITORY = "separate_repository"
    SHALLOW_CLONE = "shallow_clone"
    SHALLOW_BLAME = "shallow_blame"
    COMMIT_LIMIT = "commit_limit"
    TEXT_HISTORY = "text_history"
    UNKNOWN_SUBCLASS = "unknown_subclass"
    EXTERNAL_BASES = "external_bases"
    DEFINED_OUTSIDE = "defined_outside"
    CUSTOM_REGISTRATION = "custom_registration"
    TEST_SCRIPTS = "test_scripts"
    NO_TESTS = "no_tests"
    INDIRECT_TEST_USE = "indirect_test_use"
    STEP_FAILED = "step_failed"
    RANKED_BY_WORDS = "ranked_by_words"
    RANKED_BY_MEANING = "ranked_by_meaning"
    NOTHING_TO_COMPARE = "nothing_to_compare"
    PASSAGES_NOT_COMPARED = "passages_not_compared"
    CITATIONS_CHANGED = "citations_changed"

    # An answer is shortened.
    CUT_TO_BUDGET = "cut_to_budget"
    ITEMS_LEFT_OUT = "items_left_out"
    ITEMS_SHORTENED = "items_shortened"
    NOT_QUOTED = "not_quoted"
    OUTSIDE_SCOPE = "outside_scope"
    DEFINITIONS_NOT_LISTED = "definitions_not_listed"
    AUXILIARY_NOT_LISTED = "auxiliary_not_listed"
    ENTRIES_NOT_LISTED = "entries_not_listed"
    CALLS_NOT_LISTED = "calls_not_listed"
    LIST_LIMIT = "list_limit"
    RELATION_LIMIT = "relation_limit"
    DEPTH_LIMIT = "depth_limit"
    FLOW_DEPTH_LIMIT = "flow_depth_limit"
    FLOW_SIZE_LIMIT = "flow_size_limit"
    PATHS_SEARCHED = "paths_searched"
    PATH_SEARCH_CUT = "path_search_cut"
    PATH_CALLS_NOT_FOLLOWED = "path_calls_not_followed"
    PATH_POSSIBLE_STEPS = "path_possible_steps"
    SECRETS_WITHHELD = "secrets_withheld"

    # What a reader has to know of the subject.
    NO_MATCH = "no_match"
    OTHER_DEFINITIONS = "other_definitions"
    BASE_NOT_ANCESTOR = "base_not_ancestor"
    COMMENTS_ONLY = "comments_only"
    MODULE_CODE_CHANGED = "module_code_changed"
    SHARED_FIXTURE_CHANGED = "shared_fixture_changed"

    # A change of a public symbol may break code that uses it.
    REMOVED = "removed"
    REMOVED_UNLESS_INHERITED = "removed_unless_inherited"
    MOVED = "moved"
    FILE_MOVED = "file_moved"
    BASES_REMOVED = "bases_removed"
    REQUIRED_MEMBER_ADDED = "required_member_added"
    KIND_CHANGED = "kind_changed"
    PARAMETERS_CHANGED = "parameters_changed"
    PARAMETER_REMOVED = "parameter_removed"
    PARAMETER_KEYWORD_ONLY = "parameter_keyword_only"
    PARAMETER_REQUIRED = "parameter_required"
    PARAMETER_ADDED = "parameter_added"
    PARAMETERS_REORDERED = "parameters_reordered"
    PARAMETER_INSERTED = "parameter_inserted"

    # A search result matches the query.
    IN_TRACEBACK = "in_traceback"
    PLACE_NAMED = "place_named"
    PATH_NAMED = "path_named"
    NAMED = "named"
    NAMED_IN_TEXT = "named_in_text"
    SIMILAR_NAME = "similar_name"
    QUOTED_TEXT = "quoted_text"
    FIELD_MATCH = "field_match"
    BODY_MATCH = "body_match"
    CALLED_BY_MATCH = "called_by_match"


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
