"""Files: bounded reads that follow no link, durable publication."""

from survey_fast.storage.files import publish, read_bounded

__all__ = ["publish", "read_bounded"]
