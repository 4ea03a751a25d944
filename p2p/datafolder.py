"""The data folder belongs to one process at a time; a second one is told which has it.

The lock is the operating system's, so it dies with its process, however that ends.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from p2p.trouble import Trouble

LOCK_NAME = "facedown.lock"

if sys.platform == "win32":
    import msvcrt

    _BEYOND = 1 << 20
    """Windows keeps others from reading locked bytes: lock one far behind the process number."""

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _BEYOND, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Hold the folder, made if need be for this user alone, while the block runs.

    Raises Trouble ``data-in-use``, naming the process that holds it, or ``data-permission``.
    """
    descriptor = _open(folder)
    try:
        try:
            _take(folder, descriptor)
        except OSError as error:
            raise no_permission(folder, error) from None
        yield
    finally:
        os.close(descriptor)


def _open(folder: Path) -> int:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise no_permission(folder, error) from None


def _take(folder: Path, descriptor: int) -> None:
    if not _try_lock(descriptor):
        raise Trouble(
            "data-in-use",
            f"The data folder {folder} is in use by another Facedown (process "
            f"{_holder(descriptor)}). Close that one, or choose another folder with --data.",
        )
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, b"%d\n" % os.getpid())


def no_permission(folder: Path, error: OSError) -> Trouble:
    """What to tell when the folder cannot be used at all."""
    why = error.strerror or str(error)
    return Trouble("data-permission", f"The data folder {folder} cannot be used: {why}.")


def _holder(descriptor: int) -> str:
    """The process number that the holder wrote down."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    with suppress(OSError, ValueError):
        return str(int(os.read(descriptor, 32)))
    return "unknown"
