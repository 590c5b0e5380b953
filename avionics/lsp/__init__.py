"""The language server: answers editors about files as they are on the screen.

Knows: the Language Server Protocol, open documents, workspace folders.
Does not know: how names are resolved, how facts are stored.
"""
