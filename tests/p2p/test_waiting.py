"""Peers at a table that waits, by real sockets: readiness, invite codes, chat."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import trio

from p2p import invites
from p2p.chat import OWN_BURST
from p2p.events import Agreed, ChatSaid, LobbyChanged, PeerEvent, Refused, Unlinked
from p2p.identity import short_bytes
from p2p.invites import Invite
from p2p.peer import Peer, PeerConfig, open_peer
from p2p.transport import Address
from protocol.agreement import table_code
from protocol.errors import LocalError
from tests.p2p.test_peer import LOOPBACK, config, told

pytestmark = [pytest.mark.trio, pytest.mark.slow]


class Peers(AsyncExitStack):
    """Peers on loopback, closed at the end of the block."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    async def start(self, name: str, ready: bool = True) -> Peer:
        """One more."""
        usual = config(self._folder, name)
        chosen = PeerConfig(usual.data, name, LOOPBACK, discovery=False, ready=ready)
        return await self.enter_async_context(open_peer(chosen))


async def lobby(peer: Peer, players: dict[str, bool]) -> None:
    """Waits until just these players sit at the table, ready or not."""
    while True:
        event = await told(peer, LobbyChanged)
        assert isinstance(event, LobbyChanged)
        if {player.name: player.ready for player in event.players} == players:
            return


async def refusal(peer: Peer) -> str:
    """The code of the next refusal."""
    event = await told(peer, Refused)
    assert isinstance(event, Refused)
    return event.code


async def lines(peer: Peer, count: int) -> list[tuple[str, str, bool]]:
    """The next things that are said: by whom, what, and whether it is the own line."""
    found: list[PeerEvent] = [await told(peer, ChatSaid) for _ in range(count)]
    return [(e.name, e.text, e.own) for e in found if isinstance(e, ChatSaid)]


async def test_a_table_begins_when_the_last_one_is_ready(tmp_path: Path) -> None:
    """Everybody sees who is ready; then all are told the same terms and the same code."""
    async with Peers(tmp_path) as peers:
        anna = await peers.start("anna", ready=False)
        bert = await peers.start("bert")
        with pytest.raises(LocalError, match="waits at no table"):
            await anna.ready(True)
        await anna.open_table("kitchen", "azi", {"hands": 1}, 2)
        await bert.join("kitchen", (LOOPBACK, anna.port))
        for peer in (anna, bert):
            await lobby(peer, {"anna": False, "bert": True})
        await bert.ready(False)
        await lobby(anna, {"anna": False, "bert": False})
        await anna.ready(True)
        await lobby(bert, {"anna": True, "bert": False})
        await bert.ready(True)
        for peer in (anna, bert):
            event = await told(peer, Agreed)
            assert isinstance(event, Agreed)
            assert event.code == table_code(event.table_id)
            assert (event.table, event.game) == ("kitchen", "azi")
            assert dict(event.options)["hands"] == 1
            assert all(player.ready for player in event.players)
        with pytest.raises(LocalError, match="waits at no table"):
            await anna.ready(False)


async def test_a_code_leads_to_an_invite_table(tmp_path: Path) -> None:
    """Nobody else sees it; each player can give out codes; in the end all agree."""
    async with Peers(tmp_path) as peers:
        anna, bert, carl = [await peers.start(name) for name in ("anna", "bert", "carl")]
        (plain,) = anna.invites()
        assert invites.decode(plain).token == b""
        await anna.open_table("secret", "azi", {"hands": 1}, 3, invite=True)
        (code,) = anna.invites()
        assert invites.decode(code).address == Address(LOOPBACK, anna.port)
        await bert.join(None, (LOOPBACK, anna.port))
        assert await refusal(bert) == "no-such-table"
        await bert.join(code=plain)
        assert await refusal(bert) == "no-such-table"
        await bert.join(code=code.lower())
        await lobby(anna, {"anna": True, "bert": True})
        await lobby(bert, {"anna": True, "bert": True})
        (other,) = bert.invites()
        assert invites.decode(other).address.port == bert.port
        assert invites.decode(other).token == invites.decode(code).token
        await carl.join(code=other)
        ids = set()
        for peer in (anna, bert, carl):
            event = await told(peer, Agreed)
            assert isinstance(event, Agreed)
            ids.add(event.table_id)
        assert len(ids) == 1
        assert invites.decode(carl.invites()[0]).token == b""


async def test_a_code_that_does_not_fit_opens_nothing(tmp_path: Path) -> None:
    """Another token, another key, a letter that is wrong, another game: each in its own words."""
    async with Peers(tmp_path) as peers:
        anna, bert = await peers.start("anna"), await peers.start("bert")
        await anna.open_table("secret", "azi", {}, 3, invite=True)
        (code,) = anna.invites()
        right = invites.decode(code)
        with pytest.raises(LocalError, match="no invite code"):
            await bert.join(code=code[:-1])
        await bert.join(code=invites.encode(Invite(right.address, right.short, b"wrong")))
        assert await refusal(bert) == "invite"
        # Just after the wrong one it takes another second.
        await bert.join(game="hazari", code=code)
        assert await refusal(bert) == "game"
        await bert.join(table="other", code=code)
        assert await refusal(bert) == "no-such-table"
        carl = await peers.start("carl")
        false = invites.encode(Invite(right.address, short_bytes(carl.key), right.token))
        with pytest.raises(LocalError, match="Somebody else answers at"):
            await carl.join(code=false)
        gone = await told(carl, Unlinked)
        assert isinstance(gone, Unlinked)
        assert gone.key == anna.key


async def test_a_code_without_token_finds_an_open_table(tmp_path: Path) -> None:
    """It is an address whose key is known."""
    async with Peers(tmp_path) as peers:
        anna, bert = await peers.start("anna"), await peers.start("bert")
        await anna.open_table("kitchen", "azi", {"hands": 1}, 2)
        await bert.join(code=anna.invites()[0])
        await told(bert, Agreed)


async def test_all_at_a_table_hear_what_is_said(tmp_path: Path) -> None:
    """While it waits and when it plays; by way of others too; nobody else hears it."""
    async with Peers(tmp_path) as peers:
        anna, bert, carl = [await peers.start(name) for name in ("anna", "bert", "carl")]
        with pytest.raises(LocalError, match="nobody to talk to"):
            await anna.say("hello?")
        await anna.open_table("kitchen", "azi", {}, 3)
        await bert.join(None, (LOOPBACK, anna.port))
        await lobby(anna, {"anna": True, "bert": True})
        await lobby(bert, {"anna": True, "bert": True})
        await anna.say("hällo")
        await bert.say("hi")
        for peer in (anna, bert):
            own = peer is anna
            assert sorted(await lines(peer, 2)) == [("anna", "hällo", own), ("bert", "hi", not own)]
        await carl.join(None, (LOOPBACK, anna.port))
        for peer in (anna, bert, carl):
            await told(peer, Agreed)
        await carl.say("good luck")
        for peer in (anna, bert, carl):
            assert await lines(peer, 1) == [("carl", "good luck", peer is carl)]
        for text, why in (("x" * 501, "cannot be said"), ("a\nb", "cannot be said")):
            with pytest.raises(LocalError, match=why):
                await carl.say(text)
        for _ in range(OWN_BURST - 1):
            await carl.say("spam")
        with pytest.raises(LocalError, match="Not so fast"):
            await carl.say("spam")
        with trio.fail_after(5):
            assert (await lines(anna, 3))[0] == ("carl", "spam", False)
