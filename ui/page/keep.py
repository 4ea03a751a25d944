"""What the page keeps in the data folder: its secret, ports, the player's name, who is muted."""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from protocol.agreement import MAX_NAME
from protocol.errors import PeerFault
from protocol.wire import text

FILE_NAME: Final = "page.json"


class Kept:
    """A few small values, for this user's eyes only; without a readable file it starts anew."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE_NAME
        self._values: dict[str, object] = {}
        with suppress(OSError, ValueError, RecursionError):
            found = json.loads(self._file.read_text(encoding="utf-8"))
            if isinstance(found, dict):
                self._values = found
        try:
            text(self.text("name") or "", MAX_NAME, "a name")
        except PeerFault:
            # The player did not type it now, and would not know where to look for it.
            self._values.pop("name", None)

    def number(self, name: str) -> int:
        """A number that was kept, or 0."""
        value = self._values.get(name)
        return value if type(value) is int and 0 <= value < 65536 else 0

    def text(self, name: str) -> str | None:
        """A text that was kept, or None."""
        value = self._values.get(name)
        return value if isinstance(value, str) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """Texts that were kept, or none."""
        value = self._values.get(name)
        return tuple(one for one in value if isinstance(one, str)) if type(value) is list else ()

    def mapping(self, name: str) -> dict[str, object]:
        """Values by name that were kept, or none."""
        value = self._values.get(name)
        return dict(value) if isinstance(value, dict) else {}

    def secret(self, length: int) -> bytes:
        """The secret of this folder, made at first use."""
        with suppress(ValueError):
            found = bytes.fromhex(self.text("secret") or "")
            if len(found) == length:
                return found
        made = secrets.token_bytes(length)
        self.put(secret=made.hex())
        return made

    def put(self, **values: object) -> None:
        """Keeps values; a disk that takes nothing is no reason not to play."""
        self._values |= values
        draft = self._file.with_name(f"{FILE_NAME}.{os.getpid()}.new")
        with suppress(OSError):
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            with open(os.open(draft, flags, 0o600), "w", encoding="utf-8") as file:
                json.dump(self._values, file)
            draft.replace(self._file)
