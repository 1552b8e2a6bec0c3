"""The slow, obvious answers that the fast code is compared with.

Nothing here is shipped and nothing here is clever. Each module states the rules it keeps and
follows them word by word with the standard library, so that a reader can check the rule instead
of the program. Property tests run both sides and compare codes, pointers and values; messages
are for people and are never compared.
"""
