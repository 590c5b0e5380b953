"""Files made to cost: what nests, repeats or never ends, in the words of every language."""

from __future__ import annotations

from collections.abc import Callable, Iterator

BRACES = ("c", "cpp", "csharp", "go", "java", "javascript", "jsx", "kotlin", "php", "rust", "tsx", "typescript")
PAGES = ("html", "svelte", "vue")

OPENERS: dict[str, str] = {
    "round": "(",
    "square": "[",
    "curly": "{",
    "angle": "<",
    "closing": ")",
    "quote": '"',
    "single": "'",
    "template": "`${",
    "comment": "/*",
    "triple": '"""',
    "hash": "#",
    "at": "@",
    "star": "*",
    "minus": "- ",
    "bang": "!",
    "tilde": "~",
    "and": "&",
    "dot": ".",
    "comma": ",",
    "colon": ":",
    "semicolon": ";",
    "arrow": "=>",
    "backslash": "\\\n",
    "spaces": " ",
    "tabs": "\t",
    "newlines": "\n",
    "returns": "\r",
    "nul": "\0",
    "wide": "é",
    "letters": "a",
    "digits": "1",
    "words": "a ",
    "dollar": "$",
    "interpolated": '"${',
    "hashed": '"#{',
    "f-strings": "f'{",
    "tag": "<a>",
    "heredoc": "<<A\n",
    "percent": "%",
    "pipe": "|",
    "question": "?",
    "if-hash": "#if A\n",
    "else-hash": "#else\n",
    "define": "#define A A\n",
    "raw": 'r#"',
    "at-string": '@"',
    "equals": "a=",
    "calls": "f(",
    "called": "()",
    "members": "a.",
    "indexed": "[0]",
    "plus": "1+",
    "ternary": "a?b:",
    "lambda": "x=>",
    "generic": "A<",
    "casts": "(a)",
    "not": "not ",
    "async": "async ",
    "new": "new ",
    "pairs": "a,b=",
    "ranges": "1..",
    "pointers": "a->",
    "scopes": "a::",
    "spread": "...",
    "script": "<script>",
    "style": "<style>",
    "mustache": "{{",
    "attribute": "<a b='",
    "open-tag": "<a b ",
    "cdata": "<![CDATA[",
}
"""What is repeated to the file's end, in any language."""

BLOCKS: dict[str, tuple[str, str, str, str]] = {
    "c": ("void f(){", "if(x){", "}", "}"),
    "cpp": ("void f(){", "if(x){", "}", "}"),
    "csharp": ("class P{void f(){", "if(x){", "}", "}}"),
    "go": ("package p\nfunc f(){", "if x {", "}", "}"),
    "java": ("class P{void f(){", "if(x){", "}", "}}"),
    "javascript": ("function f(){", "if(x){", "}", "}"),
    "kotlin": ("fun f(){", "if(x){", "}", "}"),
    "php": ("<?php function f(){", "if($x){", "}", "}"),
    "ruby": ("def f\n", "if x\n", "end\n", "end"),
    "rust": ("fn f(){", "if x {", "}", "}"),
    "typescript": ("function f(){", "if(x){", "}", "}"),
    "bash": ("f(){\n", "if x; then\n", "fi\n", "}"),
    "lua": ("function f()\n", "if x then\n", "end\n", "end"),
    "swift": ("func f(){", "if x {", "}", "}"),
    "dart": ("void f(){", "if(x){", "}", "}"),
    "scala": ("def f={", "if(x){", "}", "}"),
}
CLASSES: dict[str, tuple[str, str, str]] = {
    "c": ("", "struct A{", "};"),
    "cpp": ("", "class A{", "};"),
    "csharp": ("", "class A{", "}"),
    "go": ("package p\ntype T ", "struct{a ", "}"),
    "java": ("", "class A{", "}"),
    "javascript": ("", "class A{static x=", "}"),
    "kotlin": ("", "class A{", "}"),
    "php": ("<?php ", "function f(){", "}"),
    "ruby": ("", "class A\n", "end\n"),
    "rust": ("", "mod a{", "}"),
    "typescript": ("", "namespace A{", "}"),
    "dart": ("", "class A{", "}"),
    "scala": ("", "class A{", "}"),
    "swift": ("", "class A{", "}"),
    "proto": ("", "message A{", "}"),
}
DEFINITIONS: dict[str, tuple[str, str, str]] = {
    "c": ("", "int a{0}();\n", ""),
    "cpp": ("namespace n{{}}", "int a{0}();\n", ""),
    "csharp": ("class P{\n", "int A{0};\n", "}"),
    "go": ("package p\n", "var a{0} int\n", ""),
    "html": ("<script>", "var a{0};\n", "</script>"),
    "java": ("class P{\n", "int a{0};\n", "}"),
    "javascript": ("", "var a{0};\n", ""),
    "jsx": ("", "var a{0};\n", ""),
    "kotlin": ("", "val a{0}=0\n", ""),
    "php": ("<?php class P{\n", "var $a{0};\n", "}"),
    "python": ("", "a{0}=0\n", ""),
    "ruby": ("", "A{0}=0\n", ""),
    "rust": ("", "fn a{0}(){{}}\n", ""),
    "svelte": ("<script>", "let a{0};\n", "</script>"),
    "tsx": ("", "let a{0};\n", ""),
    "typescript": ("interface P{\n", "a{0}:T;\n", "}"),
    "vue": ("<script>", "let a{0};\n", "</script>"),
    "bash": ("", "a{0}(){{ :;}}\n", ""),
    "lua": ("", "function a{0}()end\n", ""),
    "swift": ("", "var a{0}=0\n", ""),
    "proto": ("", "message A{0}{{}}\n", ""),
    "graphql": ("", "type A{0}{{a:B}}\n", ""),
    "dart": ("", "var a{0};\n", ""),
    "scala": ("", "def a{0}=0\n", ""),
}
IMPORTS: dict[str, tuple[str, str]] = {
    "c": ("", '#include "a{0}.h"\n'),
    "cpp": ("", "using a{0}::b;\n"),
    "csharp": ("", "using A{0};\n"),
    "go": ("package p\nimport (\n", '"a{0}"\n'),
    "java": ("", "import a.B{0};\n"),
    "javascript": ("", "import a{0} from 'b'\n"),
    "kotlin": ("", "import a.b{0}\n"),
    "php": ("<?php\n", "use A\\B{0};\n"),
    "python": ("", "import a{0}\n"),
    "ruby": ("", "require 'a{0}'\n"),
    "rust": ("", "use a::b{0};\n"),
    "typescript": ("", "export*from'./a{0}'\n"),
    "vue": ("<script>\n", "import a{0} from 'b'\n"),
}
CHAINS: dict[str, tuple[str, str]] = {
    "cpp": ("", "class A{1}:A{0}{{}};\n"),
    "csharp": ("", "class A{1}:A{0}{{}}\n"),
    "java": ("", "class A{1} extends A{0}{{}}\n"),
    "javascript": ("", "class A{1} extends A{0}{{}}\n"),
    "kotlin": ("", "open class A{1}:A{0}()\n"),
    "php": ("<?php ", "class A{1} extends A{0}{{}}\n"),
    "python": ("", "class A{1}(A{0}):0\n"),
    "ruby": ("", "class A{1}<A{0};end\n"),
    "rust": ("", "type A{1}=A{0};\n"),
    "typescript": ("", "type A{1}=A{0}|A{1}\n"),
    "go": ("package p\n", "type A{1} struct{{A{0}}}\n"),
    "c": ("", "typedef A{0} A{1};\n"),
}
SPECIAL: dict[str, Callable[[int], str]] = {
    "python-elifs": lambda size: "if a:0\n" + "elif a:0\n" * (size // 9),
    "python-deep": lambda size: "".join(" " * depth + "if x:\n" for depth in range(int((2 * size) ** 0.5))),
    "python-quoted": lambda size: "x:" + "'list[" * 4 + "\n" + "".join(f"x{at}:'a'\n" for at in range(size // 10)),
    "python-defaults": lambda size: "def f(a=" * (size // 8) + "0",
    "python-decorators": lambda size: "@a\n" * (size // 3) + "def f():0\n",
    "python-comprehended": lambda size: "[" * (size // 12) + "y" + " for y in z]" * (size // 12),
    "python-globals": lambda size: "def f():\n" + " global a\n a=1\n" * (size // 15),
    "c-macro": lambda size: "#define A(x) " + "x+f(x) \\\n" * (size // 9) + "\nint a(){return A(1);}\n",
    "c-macros": lambda size: "".join(f"#define A{at + 1} A{at} A{at}\n" for at in range(size // 26)),
    "c-declarators": lambda size: "int " + "(*" * (size // 3) + "a" + ")" * (size // 3) + ";",
    "c-conditionals": lambda size: "#if A\n" * (size // 14) + "int a;\n" + "#endif\n" * (size // 14),
    "c-elses": lambda size: "#if A\nint a(){\n#else\nint b(){\n#endif\n}\n" * (size // 40),
    "c-unbalanced": lambda size: "#if A\nint a(){ if (x) {\n#else\nint b(){\n#endif\n" * (size // 44),
    "c-elses-if": lambda size: "int f(){if(a)b;" + "else if(a)b;" * (size // 12) + "}",
    "cpp-templates": lambda size: "template<" * (size // 9) + "class T",
    "cpp-generics": lambda size: "A<" * (size // 3) + "int" + ">" * (size // 3) + " a;",
    "cpp-namespaces": lambda size: "namespace a{int b;}\n" * (size // 20),
    "cpp-qualified": lambda size: "void " + "a::" * (size // 3) + "b(){}",
    "cpp-chevrons": lambda size: "auto x = a" + "<b" * (size // 2) + ";",
    "csharp-interpolated": lambda size: '$"{' * (size // 5) + "0" + '}"' * (size // 5),
    "csharp-namespaces": lambda size: "namespace a{class B{}}\n" * (size // 23),
    "csharp-preprocessor": lambda size: "#if A\nclass B{\n#else\nclass C{\n#endif\n}\n" * (size // 40),
    "go-types": lambda size: "package p\nvar x " + "[]" * (size // 2) + "int",
    "java-generics": lambda size: "class A<T extends " + "A<" * (size // 3) + "T" + ">" * (size // 3) + "{}",
    "java-strings": lambda size: "class A{String s=" + '"a"+' * (size // 4) + '"b";}',
    "javascript-templates": lambda size: "`${" * (size // 5) + "0" + "}`" * (size // 5),
    "javascript-chained": lambda size: "a" + ".then(x=>x)" * (size // 11),
    "javascript-callbacks": lambda size: "f(function(){" * (size // 15) + "})" * (size // 15),
    "javascript-objects": lambda size: "x=" + "{a:" * (size // 4) + "0" + "}" * (size // 4),
    "javascript-arrays": lambda size: "x=[" + "1," * (size // 2) + "]",
    "javascript-strings": lambda size: "x=[" + "'ab'," * (size // 5) + "]",
    "javascript-minified": lambda size: "!function(e,t){" + "e.a=t(1),n.b=e[2];" * (size // 18) + "}(a,b)",
    "javascript-commas": lambda size: "var x=(" + "a=1," * (size // 4) + "0)",
    "jsx-elements": lambda size: "x=" + "<a>" * (size // 7) + "</a>" * (size // 7),
    "jsx-attributes": lambda size: "x=<a " + "b={1} " * (size // 6) + "/>",
    "kotlin-interpolated": lambda size: "val a=" + '"${' * (size // 5) + "0" + '}"' * (size // 5),
    "kotlin-lambdas": lambda size: "val a=" + "{x->" * (size // 5) + "0" + "}" * (size // 5),
    "php-tags": lambda size: "<?php ?>" * (size // 8),
    "php-opened": lambda size: "<?php " * (size // 6),
    "php-arrays": lambda size: "<?php $x=" + "[" * (size // 2) + "]" * (size // 2) + ";",
    "ruby-interpolated": lambda size: '"#{' * (size // 5) + "0" + '}"' * (size // 5),
    "ruby-heredocs": lambda size: "f(" + "<<A," * 200 + ")\n" + "x\n" * (size // 2),
    "ruby-calls": lambda size: "a " * (size // 2),
    "ruby-reopened": lambda size: "class A;def b;end;end\n" * (size // 22),
    "rust-generics": lambda size: "type A=" + "Vec<" * (size // 5) + "u8" + ">" * (size // 5) + ";",
    "rust-macro": lambda size: "macro_rules! m{" + "($a:expr)=>{f($a)};" * (size // 19) + "}",
    "rust-tokens": lambda size: "m!{" + "a(b)," * (size // 5) + "}",
    "rust-nested-tokens": lambda size: "m!" + "{" * (size // 2) + "}" * (size // 2),
    "rust-uses": lambda size: "use a::" + "{b," * (size // 4) + "}" * (size // 4) + ";",
    "rust-comments": lambda size: "/*" * (size // 4) + "*/" * (size // 4),
    "tsx-elements": lambda size: "x=" + "<A b={" * (size // 12) + "0" + "}></A>" * (size // 12),
    "typescript-conditional": lambda size: "type A<T>=" + "T extends A<T>?B:" * (size // 17) + "C",
    "typescript-generics": lambda size: "type A=" + "B<" * (size // 3) + "C" + ">" * (size // 3),
    "typescript-unions": lambda size: "type A=" + "|'ab'" * (size // 5),
    "typescript-objects": lambda size: "type A=" + "{a:" * (size // 4) + "B" + "}" * (size // 4),
    "typescript-reopened": lambda size: "namespace A{export const b=1}\n" * (size // 30),
    "typescript-arrows": lambda size: "x=" + "(a:A)=>" * (size // 7) + "0",
    "typescript-casts": lambda size: "x=a" + " as B" * (size // 5),
    "vue-scripts": lambda size: "<script>a</script>" * (size // 18),
    "html-ends": lambda size: "</script " * (size // 9),
    "html-quotes": lambda size: "<script " + "a='" * (size // 3),
    "vue-equals": lambda size: "<script " + "type=" * (size // 5),
    "vue-template": lambda size: "<template>" * (size // 10),
    "vue-events": lambda size: '<a @b="c" :d="e">' * (size // 17),
    "vue-names": lambda size: "<script>import A from 'a'</script><template>" + "<A/>" * (size // 4),
    "html-handlers": lambda size: '<a onclick="f()">' * (size // 17),
    "svelte-blocks": lambda size: "{#if a}" * (size // 7),
    "notebook-cells": lambda size: (
        '{"cells":[\n' + '{"cell_type":"code",\n"source":[\n"a=1\\n",\n"b"]},\n' * (size // 44)
    ),
    "notebook-line": lambda size: '"source": [\n"' + "a" * size + '"',
    "notebook-deep": lambda size: "[" * size,
    "notebook-escapes": lambda size: '"cell_type": "code"\n"source": [\n"' + "\\" * size,
    "notebook-spaces": lambda size: '"source"' + " " * size,
}
"""`<language>-<what>` → the file of about that size."""


def iter_bombs(language: str, size: int) -> Iterator[tuple[str, bytes]]:
    """Every bomb for a language, by name, of about so many bytes."""
    start = {"php": "<?php ", "html": "<script>", "vue": "<script>", "svelte": "<script>", "go": "package p\n"}
    for name, part in OPENERS.items():
        yield name, (start.get(language, "") + part * (size // len(part))).encode()
    if language in BLOCKS:
        head, opened, closed, end = BLOCKS[language]
        times = size // (len(opened) + len(closed))
        yield "blocks", (head + opened * times + closed * times + end).encode()
        yield "blocks-open", (head + opened * (size // len(opened))).encode()
    if language in CLASSES:
        head, opened, closed = CLASSES[language]
        times = size // (len(opened) + len(closed))
        yield "classes", (head + opened * times + closed * times).encode()
    if language in DEFINITIONS:
        head, line, end = DEFINITIONS[language]
        yield (
            "definitions",
            (head + "".join(line.format(at) for at in range(size // len(line.format(99_999)))) + end).encode(),
        )
    for name, table in (("imports", IMPORTS), ("chain", CHAINS)):
        if language in table:
            head, line = table[language]
            count = size // len(line.format(99_999, 99_999))
            yield name, (head + "".join(line.format(at, at + 1) for at in range(count))).encode()
    for name, build in SPECIAL.items():
        if name.startswith(f"{language}-"):
            yield name, build(size).encode()
