"""`python -m avionics.cli`, the same as `avionics`.

Python looks for modules in the working directory first, which may be a stranger's: from here on it does not, unless
avionics itself lies there.
"""

from __future__ import annotations

import os
import sys

if not sys.flags.safe_path and sys.path[0] != os.path.dirname(os.path.dirname(os.path.dirname(__file__))):
    del sys.path[0]

from avionics.cli.main import main

sys.exit(main())
