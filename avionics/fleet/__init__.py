"""The fleet's stores: a catalogue and a queue in PostgreSQL, immutable segments in an object store.

Knows: psycopg, procrastinate, obstore, SQL.
Does not know: what facts say, how repositories are read, who asks.
"""
