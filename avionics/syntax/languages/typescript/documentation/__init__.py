"""JSDoc comments, which declare types in JavaScript.

Knows: the tags with types, and how types are written in them
(https://www.typescriptlang.org/docs/handbook/jsdoc-supported-types.html).
Does not know: what the code behind a comment is.
"""
