"""`python -m avionics`, the same as `avionics`.

Knows: where the command line begins.
Does not know: any command.
"""

import avionics.cli.__main__  # noqa: F401  it runs
