"""How names of Go work."""

from __future__ import annotations

from collections.abc import Mapping

from avionics.late_pattern import late_pattern
from avionics.syntax.languages.standard_members import read_standard_members
from avionics.syntax.spec import LanguageSpec


def _distribution_of(path: str) -> str:
    """Return the module that most likely provides a package; "" for the standard library, whose paths have no dot."""
    parts = path.split("/")
    return "/".join(parts[:3]) if "." in parts[0] else ""


PREDECLARED = frozenset(
    {
        "C", "any", "append", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "complex128",
        "complex64", "copy", "delete", "error", "false", "float32", "float64", "imag", "int", "int16", "int32",
        "int64", "int8", "iota", "len", "make", "max", "min", "new", "nil", "panic", "print", "println", "real",
        "recover", "rune", "string", "true", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr",
    }
)  # fmt: skip
"""The predeclared identifiers (https://go.dev/ref/spec#Predeclared_identifiers), and cgo's package."""

VALUED_KEYS = late_pattern(r"type \w+(?:\[.{0,200}?\])? (?:= )?(?:map)?\[")
"""The declaration of a type in whose literals names before colons are values: keys of a map, indices of an array."""

_TAKING: Mapping[tuple[str, ...], Mapping[int, str]] = {
    ("sort.Sort", "sort.Stable", "sort.IsSorted", "sort.Reverse"): {0: "sort.Interface"},
    ("fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "io.WriteString", "bufio.NewWriter", "log.New", "io.MultiWriter"): {
        0: "io.Writer"
    },
    ("io.ReadAll", "io/ioutil.ReadAll", "bufio.NewReader", "bufio.NewScanner", "io.LimitReader", "io.NopCloser"): {
        0: "io.Reader"
    },
    ("io.Copy", "io.CopyN"): {0: "io.Writer", 1: "io.Reader"},
    ("io.TeeReader",): {0: "io.Reader", 1: "io.Writer"},
    ("encoding/json.NewEncoder", "encoding/xml.NewEncoder", "encoding/csv.NewWriter"): {0: "io.Writer"},
    ("encoding/json.NewDecoder", "encoding/xml.NewDecoder", "encoding/csv.NewReader"): {0: "io.Reader"},
    ("net/http.Handle", "net/http.ListenAndServe"): {1: "net/http.Handler"},
    ("flag.Var",): {0: "flag.Value"},
}
"""Functions of the standard library that programs give their own types → position → the interface that they take."""

SPEC = LanguageSpec(
    name="go",
    jumps=frozenset({"break", "continue", "goto"}),
    builtin_names=PREDECLARED,
    outside_members=read_standard_members("go"),
    outside_parameters={name: taken for names, taken in _TAKING.items() for name in names},
    module_system="go_packages",
    doc_files=("doc.go",),
    distribution=_distribution_of,
    open_classes=True,
    own_interface_members=True,
    static_types=True,
    structural_interfaces=True,
    valued_keys=VALUED_KEYS,
    stub="go.go",
)
