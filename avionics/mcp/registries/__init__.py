"""Registries over the protocol: any registry as a server, and the tools of other servers in a registry.

Knows: how a tool is listed, called and answered on the wire, in either direction.
Does not know: what a tool does; which calls are allowed, which the executor decides.
"""
