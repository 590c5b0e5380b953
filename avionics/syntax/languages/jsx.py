"""JSX: JavaScript with elements, which its grammar knows anyway.

Knows: its name.
Does not know: anything else that TypeScript does not.
"""

from __future__ import annotations

import attrs

from avionics.syntax.languages.typescript import SPEC as TYPESCRIPT

SPEC = attrs.evolve(TYPESCRIPT, name="jsx", grammar="javascript")
