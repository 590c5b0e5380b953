"""How names of Python work."""

from __future__ import annotations

import builtins
import sys

from msgspec import structs

from avionics.syntax.languages.python.standard_bases import StandardMembers
from avionics.syntax.languages.python.standard_types import BUILTINS, MODULE_STUBS, TYPE_FORMS
from avionics.syntax.spec import LanguageSpec


def _distribution_of(module: str) -> str:
    """Return the package that provides a module, "" for the standard library."""
    top = module.partition(".")[0]
    return "" if top in sys.stdlib_module_names else top


_BUILTIN_NAMES = frozenset(dir(builtins)) | {
    "__file__", "__path__", "__builtins__", "__annotations__", "__dict__", "__class__", "__module__", "__qualname__",
    "__cached__", "__version__", "WindowsError", "reveal_type", "reveal_locals", "unicode", "basestring", "long",
    "xrange", "raw_input", "unichr", "execfile", "get_ipython", "_",
    "ExceptionGroup", "BaseExceptionGroup", "EncodingWarning", "aiter", "anext", "PythonFinalizationError",
}  # fmt: skip
"""The names of every supported version of Python, of Python 2, of notebooks, and `_`, which gettext installs."""

SPEC = LanguageSpec(
    name="python",
    builtin_names=_BUILTIN_NAMES,
    outside_members=StandardMembers(),
    is_closed=True,
    stub=BUILTINS,
    module_stubs=MODULE_STUBS,
    generator="generator",
    type_forms=TYPE_FORMS,
    module_system="python_packages",
    doc_files=("__init__.py", "__init__.pyi"),
    executed_classes=True,
    module_values=True,
    module_tables=frozenset({"sys.modules", "modules"}),
    module_loaders=("__import__", "import_module", "importorskip"),
    distribution=_distribution_of,
)

DIALECTS = {"notebook": structs.replace(SPEC, name="notebook")}
