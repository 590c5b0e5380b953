"""Distributions: the packages that provide modules from outside the workspace."""

from __future__ import annotations

from collections.abc import Callable

from avionics.late_pattern import late_pattern


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HEADER = late_pattern(r"\.(h|hh|hpp|hxx)$")
_STANDARD_HEADERS = _words(
    """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic
    stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
    cassert ccomplex cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstdbool cstddef
    cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype
    algorithm any array atomic barrier bit bitset charconv chrono codecvt compare concepts condition_variable coroutine
    deque exception execution expected filesystem flat_map flat_set format forward_list fstream functional future
    generator initializer_list iomanip ios iosfwd iostream istream iterator latch list map mdspan memory memory_resource
    mutex new numbers numeric optional ostream print queue random ranges ratio regex scoped_allocator semaphore set
    shared_mutex source_location span spanstream sstream stack stacktrace stdexcept stdfloat stop_token streambuf
    string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map
    unordered_set utility valarray variant vector version
    dirent dlfcn execinfo fcntl fnmatch getopt glob grp iconv langinfo libgen malloc memory netdb nl_types poll pthread
    pwd regex resolv sched semaphore spawn strings syslog termios ucontext unistd utime wordexp
    arpa net netinet sys linux windows
    """
)
"""Headers of the C and C++ standards and of POSIX (https://en.cppreference.com/w/cpp/header), without suffixes."""
_NODE = _words(
    """
    assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events
    fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream
    string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib
    """
)
"""Modules of Node.js (https://nodejs.org/api/)."""
_RUBY = _words(
    """
    abbrev base64 benchmark bigdecimal bundler cgi coverage csv date delegate digest drb English erb etc expect fcntl
    fiber fiddle fileutils find forwardable getoptlong io ipaddr irb json logger matrix monitor mutex_m net nkf objspace
    observer open-uri open3 openssl optparse ostruct pathname pp prettyprint prime pstore psych pty racc rbconfig rdoc
    readline reline resolv rinda ripper rubygems securerandom set shellwords singleton socket stringio strscan syslog
    tempfile thread time timeout tmpdir tracer tsort un uri weakref win32ole yaml zlib
    """
)
"""Libraries of Ruby (https://docs.ruby-lang.org/en/3.3/standard_library_rdoc.html)."""
_JAVAX = _words(
    """
    accessibility annotation crypto imageio lang management naming net print rmi script security sound sql swing tools
    transaction xml
    """
)
"""Parts of `javax` in the JDK; the others come from packages."""
_REVERSED = _words("org com io net edu dev de fr uk ch nl me app gov")
"""First parts of names that are reversed internet domains."""


def of_header(path: str) -> str:
    """Return the first part of an included path, "" for standard headers."""
    first = _HEADER.sub("", path.partition("/")[0])
    return "" if first in _STANDARD_HEADERS else first


def of_node_module(name: str) -> str:
    """Return the npm package of a module, such as `@scope/name` of `@scope/name/deep`; "" for Node.js itself."""
    parts = name.split("/")
    if name.startswith("node:") or parts[0] in _NODE:
        return ""
    return "/".join(parts[:2]) if name.startswith("@") else parts[0]


def of_library(path: str) -> str:
    """Return the gem that a required path most likely belongs to, "" for Ruby's own libraries."""
    first = path.partition("/")[0]
    return "" if first in _RUBY else first


def of_namespace(name: str) -> str:
    """Return the first two parts of a PHP namespace, "" for a name without one, which PHP provides."""
    return ".".join(name.split(".")[:2]) if "." in name else ""


def of_java_package(name: str) -> str:
    """Return the owner of a Java or Kotlin package, such as `org.junit`; "" for the JDK and Kotlin."""
    parts = name.split(".")
    if parts[0] in {"java", "jdk", "kotlin"} or (parts[0] == "javax" and parts[1:] and parts[1] in _JAVAX):
        return ""
    return ".".join(parts[:2]) if parts[0] in _REVERSED else parts[0]


def first_part_but(*standard: str) -> Callable[[str], str]:
    """Make a rule that returns the first part of a dotted name, "" for a part of the standard library."""

    def distribution_of(name: str) -> str:
        first = name.partition(".")[0]
        return "" if first in standard else first

    return distribution_of
