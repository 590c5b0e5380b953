"""`python -m avionics`, the same as `avionics`."""

import avionics.cli.__main__  # noqa: F401  it runs
