"""Svelte's components: their scripts, read as TypeScript, which JavaScript is too.

Knows: that code stands in `<script>`.
Does not know: templates and styles.
"""

from __future__ import annotations

import attrs

from avionics.syntax.languages.embedded_code import scripts
from avionics.syntax.languages.typescript import SPEC as TYPESCRIPT

SPEC = attrs.evolve(TYPESCRIPT, name="svelte", prepare=scripts)
