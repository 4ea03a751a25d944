"""Who and which tables are on the network, as far as this peer has heard."""

from __future__ import annotations

from p2p import events as p2p


class Network:
    """Takes events of discovery and of links. ``looks``: whether tables are looked for at all;
    ``since``: when that began, Unix time."""

    def __init__(self, looks: bool, since: float) -> None:
        self.known: frozenset[bytes] = frozenset()
        self._looks = looks
        self._since = since
        self._found: dict[str, p2p.PeerFound] = {}
        self._heard: dict[tuple[str, str], p2p.TableSeen] = {}
        self._off: str | None = None

    def take(self, event: p2p.PeerEvent) -> None:
        """Notes an event; most are about other things."""
        match event:
            case p2p.DiscoveryOff(reason):
                self._off = reason
            case p2p.PeerFound():
                self._found[event.short] = event
            case p2p.PeerLost(short):
                self._found.pop(short, None)
            case p2p.TableSeen():
                self._heard[event.short, event.table] = event
            case p2p.Unlinked(_, _, short, _):
                self._heard = {at: seen for at, seen in self._heard.items() if at[0] != short}
            case _:
                pass

    def plain(self) -> dict[str, object]:
        """The section ``network``."""
        found = self._found.values()
        return {
            "discovery": self._looks and self._off is None,
            "reason": self._off,
            "since": int(self._since * 1000),
            "peers": [{"short": one.short, "name": one.name, "how": one.how} for one in found],
            "tables": self._tables(),
        }

    def _tables(self) -> list[dict[str, object]]:
        tables = [
            _row(seen, seen.short, "", "member", False)
            # What somebody calls out counts more than what it once said on a link.
            for (short, _), seen in self._heard.items()
            if short not in self._found
        ]
        for one in self._found.values():
            # Claimed by mDNS; proved only once there is a link.
            known = one.key_hint in self.known
            tables += [_row(offer, one.short, one.name, one.how, known) for offer in one.tables]
        return tables


def _row(
    offer: p2p.TableOffer | p2p.TableSeen, short: str, opener: str, how: p2p.How, known: bool
) -> dict[str, object]:
    return {
        "table": offer.table,
        "game": offer.game,
        "taken": offer.taken,
        "seats": offer.seats,
        "short": short,
        "opener": opener,
        "how": how,
        "known": known,
    }
