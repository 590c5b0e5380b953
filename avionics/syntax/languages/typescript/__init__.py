"""TypeScript, and with it JavaScript, JSX, TSX and the scripts in HTML, Svelte and Vue files.

Knows: the node types of tree-sitter-typescript and tree-sitter-javascript, and the scoping rules of the languages
(https://tc39.es/ecma262/, https://www.typescriptlang.org/docs/handbook/).
Does not know: other files, how facts are joined.
"""
