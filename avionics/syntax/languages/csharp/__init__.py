"""C#.

Knows: the node types of tree-sitter-c-sharp, and C#'s scoping rules
(https://learn.microsoft.com/dotnet/csharp/language-reference/language-specification/basic-concepts).
Does not know: other files, how facts are joined.
"""
