"""What keeps this computer from playing, with a word that programs can tell it by."""

from __future__ import annotations

from protocol.errors import LocalError


class Trouble(LocalError):
    """One clear sentence for people; ``reason`` is one of the words below.

    ``data-in-use``, ``data-permission``, ``data-damaged``, ``data-newer``, ``data-full``,
    ``port-in-use``, ``interface``, ``network-permission``.
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason
