"""Walk syntax trees and build facts; shared by all languages.

Knows: the shape of a tree and of facts.
Does not know: any language.
"""
