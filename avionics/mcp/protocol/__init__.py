"""The Model Context Protocol itself: messages, parameters, methods, and the conversation with one client.

Knows: the form of messages, the revisions of the protocol, which method belongs to which.
Does not know: what a method answers; what carries the messages.
"""
