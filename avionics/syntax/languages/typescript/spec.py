"""How names of TypeScript work."""

from __future__ import annotations

import re

from msgspec import structs

from avionics.late_pattern import late_pattern
from avionics.syntax.languages.distributions import of_node_module
from avionics.syntax.spec import LanguageSpec

_SPEAKERS = tuple(
    f"{place}index.{ending}" for ending in ("ts", "tsx", "mts", "js", "mjs", "cjs", "jsx") for place in ("", "src/")
)

_OF_ITERATOR = frozenset(
    {
        "next", "return", "throw", "map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some",
        "every", "find",
    }
)  # fmt: skip

_OF_OBJECT = frozenset(
    {
        "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
        "valueOf",
    }
)  # fmt: skip

_BUILTIN_NAMES = frozenset(
    {
        "AbortController", "AbortSignal", "AggregateError", "Array", "ArrayBuffer", "Atomics", "BigInt", "Blob",
        "Boolean", "BroadcastChannel", "Buffer", "CSSStyleSheet", "CustomEvent", "DOMException", "DOMParser",
        "DataView", "Date", "Document", "DocumentFragment", "Element", "Error", "EvalError", "Event", "EventTarget",
        "File", "FileReader", "FinalizationRegistry", "FormData", "Function", "HTMLElement", "Headers", "Image",
        "Infinity", "IntersectionObserver", "Intl", "Iterator", "JSON", "Map", "MessageChannel", "MouseEvent",
        "MutationObserver", "NaN", "Node", "NodeList", "Number", "Object", "Omit", "Partial", "Performance", "Pick",
        "Promise", "Proxy", "RangeError", "ReadableStream", "Readonly", "Record", "ReferenceError", "Reflect",
        "RegExp", "Request", "Required", "ResizeObserver", "Response", "Set", "SharedArrayBuffer", "String",
        "Symbol", "SyntaxError", "Text", "TextDecoder", "TextEncoder", "Touch", "TransformStream", "TypeError",
        "URIError", "URL", "URLSearchParams", "Uint8Array", "WeakMap", "WeakRef", "WeakSet", "WebAssembly",
        "WebSocket", "Window", "Worker", "XMLHttpRequest", "__dirname", "__filename", "addEventListener", "alert",
        "arguments", "atob", "btoa", "cancelAnimationFrame", "clearImmediate", "clearInterval", "clearTimeout",
        "confirm", "console", "crypto", "customElements", "decodeURI", "decodeURIComponent", "describe",
        "devicePixelRatio", "document", "encodeURI", "encodeURIComponent", "escape", "eval", "event", "expect",
        "exports", "fetch", "global", "globalThis", "history", "indexedDB", "isFinite", "isNaN", "it",
        "localStorage", "location", "matchMedia", "module", "name", "navigator", "origin", "parent", "parseFloat",
        "parseInt", "performance", "process", "prompt", "queueMicrotask", "removeEventListener",
        "requestAnimationFrame", "requestIdleCallback", "require", "screen", "self", "sessionStorage",
        "setImmediate", "setInterval", "setTimeout", "status", "structuredClone", "test", "top", "undefined",
        "unescape", "window",
        "blur", "close", "focus", "frames", "length", "open", "print", "scroll", "stop", "toString",
        "after", "afterAll", "afterEach", "before", "beforeAll", "beforeEach", "cy", "jasmine", "jest", "suite", "vi",
    }
)  # fmt: skip
"""The globals of the language, of browsers, Node and test runners that code is likeliest to name."""

SPEC = LanguageSpec(
    name="typescript",
    jumps=frozenset({"break", "continue"}),
    builtin_names=_BUILTIN_NAMES,
    module_system="js_modules",
    module_names=frozenset({"exports", "module", "require", "define"}),
    module_line=late_pattern(r"^[^\S\n]*(?:import|export)\b", re.M),
    module_guard=late_pattern(
        r"\btypeof[ (]+(?:(?:define|exports|module|require)\b"
        r"|(?:document|self|window)\b[^\n]{0,100}\n?[^\n]{0,100}\bexports\b)"
    ),
    module_values=True,
    unnamed_export="default",
    non_virtual_members=r"(?:\w+ )*private\b|#",
    unasked_members=r"(?:\w+ )*(?:static|private|protected) |#",
    module_loaders=("proxyquire", "rewire"),
    component_keys=frozenset({"computed", "methods", "props", "watch"}),
    own_module=frozenset({"exports", "module.exports"}),
    separate_types=True,
    distribution=of_node_module,
    outside_members={
        "ArrayLike": frozenset({"length"}),
        "Iterable": frozenset(),
        "IterableIterator": _OF_ITERATOR,
        "Iterator": _OF_ITERATOR,
        "Object": _OF_OBJECT,
        "PromiseLike": frozenset({"then"}),
        "builtins.AsyncDisposable": frozenset(),  # Nothing but what `Symbol.asyncDispose` names.
        "builtins.Disposable": frozenset(),
    },
    doc_files=_SPEAKERS,
    global_objects=frozenset({"window", "globalThis", "global", "self"}),
    global_interfaces=frozenset({"Window", "WindowOrWorkerGlobalScope", "WorkerGlobalScope", "NodeJS.Global"}),
    open_classes=True,
    stub="typescript.d.ts",
)

DIALECTS = {
    **{name: structs.replace(SPEC, name=name, types_in_comments=True) for name in ("javascript", "jsx")},
    "tsx": structs.replace(SPEC, name="tsx"),
    **{name: structs.replace(SPEC, name=name, is_in_pages=True) for name in ("html", "svelte", "vue")},
}
"""JavaScript is a subset of TypeScript; the scripts in pages are read as TypeScript."""
