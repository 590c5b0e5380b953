"""JavaScript, read by the rules of TypeScript, of which it is a part.

Knows: that its grammar is another.
Does not know: anything else that TypeScript does not.
"""

from __future__ import annotations

import attrs

from avionics.syntax.languages.typescript import SPEC as TYPESCRIPT

SPEC = attrs.evolve(TYPESCRIPT, name="javascript", grammar="javascript")
