"""Pictures of a workspace: SVG written here, Mermaid, and one self-contained HTML page.

The same values give the same bytes, and every box and arrow shows a count of the index.

Knows: the structure, calls and history it is given; how they are laid out and drawn.
Does not know: how they are found.
"""
