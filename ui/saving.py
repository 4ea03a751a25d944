"""A record is written to a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from ui import exits
from ui.exits import Exit


def save(file: Path, record: bytes) -> None:
    """Writes a record; what was in the file is replaced. Raises Exit if that cannot be done."""
    draft = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        try:
            draft.write_bytes(record)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        text = f"the record could not be written to {file}: {error.strerror or error}"
        raise Exit(exits.CANNOT_START, text) from None
