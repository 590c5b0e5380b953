"""List the members of a class, wherever they are declared: in its body, in another part of it, or outside of it."""

from __future__ import annotations

from avionics.index.code_index import CodeIndex
from avionics.index.model.values import ClassType
from avionics.model.knowledge import Definition
from avionics.syntax.registry import get_language


def find_members(code: CodeIndex, owner: Definition) -> tuple[Definition, ...]:
    """Return the members in all declarations of a class, those in its own file first, in order."""
    resolver = code.resolver
    of = resolver.scopes.canonical(ClassType(owner.file, owner.index))
    start, language = f"{owner.symbol.qualname}.", get_language(owner.file)
    files = [file for file in code.files_with_word(owner.name) if get_language(file) == language]
    code.load_facts(files)
    found = []
    for file in sorted(files, key=lambda file: (file != owner.file, file)):
        for member in code.iter_definitions(file):
            qualname = member.symbol.qualname
            if qualname.startswith(start) and "." not in qualname[len(start) :]:
                is_inside = file == owner.file and member.symbol.parent == owner.index
                if is_inside or resolver.inference.members.class_of(member) == of:
                    found.append(member)
    return tuple(found)
