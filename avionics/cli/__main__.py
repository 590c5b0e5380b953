"""`python -m avionics.cli`, the same as `avionics`.

Knows: the entry point.
Does not know: any command.
"""

from __future__ import annotations

import sys

from avionics.cli.main import main

sys.exit(main())
