"""`python -m avionics.cli`, the same as `avionics`.

Python searches the working directory for modules first, which may belong to someone else. It is removed from the path
here, unless avionics itself is in it.
"""

from __future__ import annotations

import os
import sys

if not sys.flags.safe_path and sys.path[0] != os.path.dirname(os.path.dirname(os.path.dirname(__file__))):
    del sys.path[0]

from avionics.cli.warm.client import main

sys.exit(main())
