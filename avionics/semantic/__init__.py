"""Semantic similarity: embeddings, vector stores and rerankers.

Knows: vectors, where they are kept, and how texts become vectors and are ranked.
Does not know: code, tools, accounts.
"""
