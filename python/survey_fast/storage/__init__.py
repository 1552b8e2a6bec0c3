"""The one place that touches files: bounded reads, durable publication, the log and its lock."""

from pathlib import Path
from typing import TypeAlias

from survey_fast.storage.arguments import path_argument
from survey_fast.storage.chain import Event, LogView
from survey_fast.storage.files import publish, read_bounded
from survey_fast.storage.lock import RECORD, Lock, held
from survey_fast.storage.log import AppendLog
from survey_fast.storage.seam import SYSTEM, Files, SystemFiles
from survey_fast.storage.waiting import CLOCK, COMMAND_WAIT, SERVER_WAIT, Clock

FilePath: TypeAlias = Path
"""Where a file is. Packages that only hand paths on name them by this."""

__all__ = [
    "CLOCK",
    "COMMAND_WAIT",
    "RECORD",
    "SERVER_WAIT",
    "SYSTEM",
    "AppendLog",
    "Clock",
    "Event",
    "FilePath",
    "Files",
    "Lock",
    "LogView",
    "SystemFiles",
    "held",
    "path_argument",
    "publish",
    "read_bounded",
]
