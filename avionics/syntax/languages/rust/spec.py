"""How names of Rust work."""

from __future__ import annotations

from avionics.syntax.languages.distributions import first_part_but
from avionics.syntax.languages.standard_members import read_standard_members
from avionics.syntax.spec import LanguageSpec
from avionics.syntax.type_forms import TypeForms

_BUILTIN_NAMES = frozenset(
    {
        "AsMut", "AsRef", "AsyncFn", "AsyncFnMut", "AsyncFnOnce", "Box", "Clone", "Copy", "Default",
        "DoubleEndedIterator", "Drop", "Eq", "Err", "ExactSizeIterator", "Extend", "Fn", "FnMut", "FnOnce", "From",
        "FromIterator", "Future", "Into", "IntoFuture", "IntoIterator", "Iterator", "None", "Ok", "Option", "Ord",
        "PartialEq", "PartialOrd", "Result", "Self", "Send", "Sized", "Some", "String", "Sync", "ToOwned",
        "ToString", "TryFrom", "TryInto", "Unpin", "Vec", "alloc", "bool", "char", "core", "drop", "f32", "f64",
        "i128", "i16", "i32", "i64", "i8", "isize", "slice", "std", "str", "u128", "u16", "u32", "u64", "u8", "usize",
    }
)  # fmt: skip
"""The standard prelude and the primitive types."""

SPEC = LanguageSpec(
    name="rust",
    builtin_names=_BUILTIN_NAMES,
    outside_members=read_standard_members("rust"),
    module_system="rust_crates",
    distribution=first_part_but("std", "core", "alloc", "proc_macro"),
    doc_files=("lib.rs", "mod.rs", "src/lib.rs", "main.rs", "src/main.rs"),
    open_classes=True,
    path_separator="::",
    dereferences=True,
    own_fields=True,
    implementations_are_uses=True,
    non_virtual_members=r"pub\b",
    nearest_stars=True,
    stub="rust.rs",
    stub_roots=("std", "core", "alloc"),
    shared_types=frozenset(
        {
            "Arc",
            "BTreeMap",
            "Box",
            "Cow",
            "Future",
            "HashMap",
            "HashSet",
            "Option",
            "Rc",
            "Result",
            "String",
            "Vec",
            "VecDeque",
        }
    ),
    type_forms=TypeForms(modules=frozenset({"builtins"}), own=frozenset({"Self"})),
)
