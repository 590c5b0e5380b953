"""Parameter schemas: read, validate, export.

Knows: types and JSON Schema.
Does not know: any tool.
"""
