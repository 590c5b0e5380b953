"""The members and associated types of the traits of the standard library and of serde that types implement most."""

from __future__ import annotations

from types import MappingProxyType

_FORMATTING = ("Binary", "Debug", "Display", "LowerExp", "LowerHex", "Octal", "Pointer", "UpperExp", "UpperHex")
_MARKERS = ("Copy", "Eq", "FusedIterator", "RefUnwindSafe", "Send", "Sized", "Sync", "Unpin", "UnwindSafe")
_OPERATORS = (
    "Add", "BitAnd", "BitOr", "BitXor", "Div", "Mul", "Neg", "Not", "Rem", "Shl", "Shr", "Sub",
)  # fmt: skip
_MEMBERS = {
    "Deserialize": "deserialize deserialize_in_place", "Serialize": "serialize",
    "AsMut": "as_mut", "AsRef": "as_ref", "Borrow": "borrow", "BorrowMut": "borrow_mut",
    "Clone": "clone clone_from clone_into to_owned", "Default": "default", "Drop": "drop",
    "Error": "cause description downcast downcast_mut downcast_ref is provide source",
    "ExactSizeIterator": "is_empty len", "Extend": "extend extend_one extend_reserve", "From": "from into try_from",
    "FromIterator": "from_iter", "FromStr": "Err from_str parse", "Hash": "hash hash_slice", "Index": "Output index",
    "IndexMut": "Output index_mut", "Into": "into try_into", "IntoIterator": "IntoIter Item into_iter",
    "Ord": "clamp cmp max min", "PartialEq": "eq ne", "PartialOrd": "ge gt le lt partial_cmp",
    "ToOwned": "Owned clone_into to_owned", "ToString": "to_string", "TryFrom": "Error try_from try_into",
    "TryInto": "Error try_into",
    "Write": "by_ref flush is_write_vectored write write_all write_all_vectored write_char write_fmt write_str "
    "write_vectored",
}  # fmt: skip

OUTSIDE_MEMBERS = MappingProxyType(
    {
        **{f".{name}": frozenset(members.split()) for name, members in _MEMBERS.items()},
        **{f".{name}": frozenset({"fmt", "to_string"}) for name in _FORMATTING},
        **{f".{name}": frozenset() for name in _MARKERS},
        **{f".{name}": frozenset({"Output", name.lower()}) for name in _OPERATORS},
        # What traits give every type, such as `impl<T> From<T> for T`.
        "Object": frozenset({"borrow", "borrow_mut", "from", "into", "try_from", "try_into", "type_id"}),
    }
)
