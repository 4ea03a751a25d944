"""Chat's driver: who is at the table, by which links they hear, and what is told. SPEC 11.12."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import trio

from p2p.chat import Chatter, Line
from p2p.events import ChatSaid, PeerEvent
from p2p.lobby import Lobby
from p2p.mesh import Mesh
from p2p.messages import Chat
from p2p.outputs import Phase
from p2p.shorts import Shorts
from protocol.agreement import Agreement
from protocol.errors import LocalError


@dataclass(frozen=True, slots=True)
class Company:
    """The keys at this table, the own one too; ``places``: the ids it has, the newest first."""

    places: tuple[bytes, ...]
    keys: tuple[bytes, ...]


def company(lobby: Lobby | None, agreement: Agreement | None) -> Company | None:
    """Who is at a peer's table: the one that it waits at, else the one that plays, or has."""
    ids = () if lobby is None else (lobby.info.lobby,)
    if lobby is not None and lobby.phase is Phase.SEATED and lobby.listing is not None:
        return Company(ids, tuple(member.key for member in lobby.listing.members))
    if agreement is None:
        return None
    # What was said before the last one knew of the agreement still has the lobby's id.
    before = ids if lobby is not None and lobby.phase is Phase.AGREED else ()
    return Company((agreement.table_id, *before), agreement.keys)


class Talking:
    """``company``: the table at which this peer is, or None. ``name_of``: a key's name."""

    def __init__(
        self,
        chatter: Chatter,
        mesh: Mesh,
        shorts: Shorts,
        tell: Callable[[PeerEvent], None],
        name_of: Callable[[bytes], str],
        company: Callable[[], Company | None],
    ) -> None:
        self._chatter = chatter
        self._mesh = mesh
        self._shorts = shorts
        self._tell = tell
        self._name_of = name_of
        self._company = company

    async def say(self, text: str) -> None:
        """Says a line to all at the table; LocalError as ``Chatter.say``, and at no table."""
        company = self._company()
        if company is None:
            raise LocalError("This peer is at no table: there is nobody to talk to.")
        message = self._chatter.say(company.places[0], text, trio.current_time())
        self._mesh.post(company.keys, message)
        await self._show(message.key, text, own=True)

    async def received(self, source: bytes, message: Chat) -> None:
        """A line by the link with this key; raises PeerFault if the link is to blame."""
        company = self._company() or Company((), ())
        line = self._chatter.hear(
            source, message, company.places, company.keys, trio.current_time()
        )
        if line is not None:
            self._pass_on(source, line, company, message)
            await self._show(line.author, line.text, own=False)

    def _pass_on(self, source: bytes, line: Line, company: Company, message: Chat) -> None:
        others = tuple(key for key in company.keys if key not in (source, line.author))
        self._mesh.post(others, message)

    async def _show(self, key: bytes, text: str, own: bool) -> None:
        short = await self._shorts.of(key)
        self._tell(ChatSaid(key, self._name_of(key), short, text, own))
