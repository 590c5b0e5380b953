"""Notebooks: the code cells of Jupyter's files, read as Python.

Knows: that notebooks hold Python.
Does not know: notebooks of other kernels, which give syntax errors at most.
"""

from __future__ import annotations

import attrs

from avionics.syntax.languages.embedded_code import cells
from avionics.syntax.languages.python import SPEC as PYTHON

SPEC = attrs.evolve(PYTHON, name="notebook", prepare=cells)
