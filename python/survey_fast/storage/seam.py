"""Every call to the file system that storage makes, behind one name each.

Storage takes a ``Files`` wherever it works. The real one hands each call to the operating
system; a test hands in one that records the calls, fails one of them or stops there for good.
"""

# ruff: noqa: D102 - the protocol describes the calls, once

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final, Protocol, TypeAlias

__all__ = ["SYSTEM", "Content", "Files", "SystemFiles"]

Content: TypeAlias = bytes | memoryview
"""What can be written."""


class Files(Protocol):
    """The calls. Faults are OSError, as the operating system reports them."""

    def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
        """A descriptor."""

    def open_at(self, folder: int, name: str, flags: int) -> int:
        """A descriptor of what has this name in an open folder."""

    def read(self, descriptor: int, count: int) -> bytes:
        """At most ``count`` bytes from where the descriptor stands."""

    def pread(self, descriptor: int, count: int, offset: int) -> bytes:
        """At most ``count`` bytes from ``offset``."""

    def write(self, descriptor: int, content: Content) -> int:
        """How many of the bytes were taken, which may be fewer than all."""

    def fsync(self, descriptor: int) -> None:
        """Returns when what was written is on disk."""

    def ftruncate(self, descriptor: int, length: int) -> None:
        """Cuts the file to ``length`` bytes."""

    def lseek(self, descriptor: int, offset: int) -> None:
        """Places the descriptor ``offset`` bytes after the start."""

    def fstat(self, descriptor: int) -> os.stat_result:
        """What an open file is."""

    def lstat(self, path: Path) -> os.stat_result:
        """What has this name; a link is itself."""

    def lstat_at(self, folder: int, name: str) -> os.stat_result:
        """What has this name in an open folder; a link is itself."""

    def link(self, source: Path, target: Path) -> None:
        """A second name for a file. Never replaces what has that name."""

    def unlink(self, path: Path) -> None:
        """Removes a name."""

    def replace(self, source: Path, target: Path) -> None:
        """Gives a file another name, in place of what has it."""

    def flock(self, descriptor: int, operation: int) -> None:
        """Locks or unlocks an open file."""

    def close(self, descriptor: int) -> None:
        """Gives the descriptor back."""

    def listdir(self, path: Path) -> list[str]:
        """The names in a folder."""

    def mkdir(self, path: Path, mode: int = 0o700) -> None:
        """A new folder."""

    def rmdir(self, path: Path) -> None:
        """Removes an empty folder."""


class SystemFiles:
    """The operating system's calls, each as :class:`Files` describes it."""

    def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
        return os.open(path, flags | os.O_CLOEXEC, mode)

    def open_at(self, folder: int, name: str, flags: int) -> int:
        return os.open(name, flags | os.O_CLOEXEC, dir_fd=folder)

    def read(self, descriptor: int, count: int) -> bytes:
        return os.read(descriptor, count)

    def pread(self, descriptor: int, count: int, offset: int) -> bytes:
        return os.pread(descriptor, count, offset)

    def write(self, descriptor: int, content: Content) -> int:
        return os.write(descriptor, content)

    def fsync(self, descriptor: int) -> None:
        os.fsync(descriptor)

    def ftruncate(self, descriptor: int, length: int) -> None:
        os.ftruncate(descriptor, length)

    def lseek(self, descriptor: int, offset: int) -> None:
        os.lseek(descriptor, offset, os.SEEK_SET)

    def fstat(self, descriptor: int) -> os.stat_result:
        return os.fstat(descriptor)

    def lstat(self, path: Path) -> os.stat_result:
        return os.lstat(path)

    def lstat_at(self, folder: int, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def link(self, source: Path, target: Path) -> None:
        target.hardlink_to(source)

    def unlink(self, path: Path) -> None:
        path.unlink()

    def replace(self, source: Path, target: Path) -> None:
        source.replace(target)

    def flock(self, descriptor: int, operation: int) -> None:
        fcntl.flock(descriptor, operation)

    def close(self, descriptor: int) -> None:
        os.close(descriptor)

    def listdir(self, path: Path) -> list[str]:
        return [entry.name for entry in path.iterdir()]

    def mkdir(self, path: Path, mode: int = 0o700) -> None:
        path.mkdir(mode)

    def rmdir(self, path: Path) -> None:
        path.rmdir()


SYSTEM: Final[Files] = SystemFiles()
"""What storage uses unless told otherwise."""
