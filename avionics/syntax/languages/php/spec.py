"""How names of PHP work."""

from __future__ import annotations

from avionics.late_pattern import late_pattern
from avionics.syntax.languages.distributions import of_namespace
from avionics.syntax.spec import LanguageSpec

SPEC = LanguageSpec(
    name="php",
    called_members=r"__[a-z]\w*",
    module_system="jvm_namespaces",
    distribution=of_namespace,
    separate_functions=True,
    ignores_case=True,
    existence_check=late_pattern(
        r"\b(?:(?:function|class|interface|trait|enum)_exists|is_callable)\(\s*+['\"]\\*+(\w++)"
    ),
    bound_names=late_pattern(r"\$"),
)
