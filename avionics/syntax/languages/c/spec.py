"""How names of C work."""

from __future__ import annotations

from avionics.model.reasons import ReasonKind
from avionics.syntax.languages.distributions import of_header
from avionics.syntax.spec import LanguageSpec

_BUILTIN_NAMES = frozenset(
    {
        "EOF", "NULL", "alignas", "alignof", "assert", "bool", "errno", "false", "nullptr", "offsetof", "ptrdiff_t",
        "size_t", "ssize_t", "static_assert", "stderr", "stdin", "stdout", "thread_local", "true", "typeof",
        "va_arg", "va_copy", "va_end", "va_list", "va_start",
        "asprintf", "explicit_bzero", "freezero", "fseeko", "ftello", "getdelim", "getentropy", "getopt_long",
        "getpeereid", "getprogname", "gettimeofday", "gmtime_r", "inet_aton", "inet_ntop", "inet_pton", "isblank",
        "localtime_r", "memmem", "memmove", "mempcpy", "memrchr", "mkdtemp", "mkstemp", "nanosleep", "pread", "pwrite",
        "reallocarray", "realpath", "recallocarray", "setenv", "setprogname", "snprintf", "stpcpy", "strcasecmp",
        "strcasestr", "strchrnul", "strdup", "strerror_r", "strlcat", "strlcpy", "strncasecmp", "strndup", "strnlen",
        "strsep", "strtok_r", "strtoll", "strtonum", "strtoull", "timegm", "unsetenv", "usleep", "vasprintf",
        "vsnprintf",
    }
)  # fmt: skip
"""Keywords of newer standards, and what the standard headers have that projects define for systems without it."""

SPEC = LanguageSpec(
    name="c",
    jumps=frozenset({"goto"}),
    builtin_names=_BUILTIN_NAMES,
    module_system="c_includes",
    distribution=of_header,
    late_locals=True,
    open_classes=True,
    static_types=True,
    import_aliases=False,
    has_free_names=True,
    linkage=True,
    text_mention_reason=ReasonKind.MACRO_TEXT,
)
