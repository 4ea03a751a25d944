"""How values stand in the files, and bytes that are wrong in every protocol."""

from __future__ import annotations

from typing import TypeAlias

from protocol.group import ORDER
from protocol.hashing import Part

Json: TypeAlias = "int | str | list[Json] | dict[str, Json] | None"
Case: TypeAlias = dict[str, Json]

P = 2**256 - 2**32 - 977
"""The prime that coordinates are reduced by."""

Q = ORDER.to_bytes(32, "big")
O_AS_ZEROS = bytes(33)
OFF_THE_CURVE = b"\x02" + (5).to_bytes(32, "big")
X_TOO_LARGE = b"\x02" + (P + 1).to_bytes(32, "big")


def plain(part: Part) -> Json:
    """A part of a hash: hex for bytes, numbers, lists."""
    if isinstance(part, bytes):
        return part.hex()
    if isinstance(part, int):
        return part
    return [plain(item) for item in part]


def hexed(fields: tuple[bytes, ...]) -> Json:
    """The fields of a proof or deck."""
    return [field.hex() for field in fields]
