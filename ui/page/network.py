"""Who and which tables are on the network, as far as this peer has heard."""

from __future__ import annotations

from typing import Final

from p2p import events as p2p

MOST: Final = 64
"""Tables, and peers, that are shown; and linked peers whose tables are kept."""


class Network:
    """Takes events of discovery and of links. ``looks``: whether tables are looked for at all;
    ``since``: when that began, Unix time."""

    def __init__(self, looks: bool, since: float) -> None:
        self.known: frozenset[bytes] = frozenset()
        self._looks = looks
        self._since = since
        self._found: dict[str, p2p.PeerFound] = {}
        self._told: dict[bytes, p2p.TablesTold] = {}
        self._off: str | None = None

    def take(self, event: p2p.PeerEvent) -> bool:
        """Notes an event; whether it says anything about the network, as most do not."""
        match event:
            case p2p.DiscoveryOff(reason):
                self._off = reason
            case p2p.PeerFound():
                self._found.pop(event.short, None)
                self._found[event.short] = event
                for before in list(self._found)[:-MOST]:
                    del self._found[before]
            case p2p.PeerLost(short):
                self._found.pop(short, None)
            case p2p.TablesTold(_, key, offers):
                self._told.pop(key, None)
                if offers:
                    self._told[key] = event
                for old in list(self._told)[:-MOST]:
                    del self._told[old]
            case p2p.Unlinked(key, _, _, _):
                self._told.pop(key, None)
            case _:
                return False
        return True

    def going_on(self) -> list[p2p.TableOffer]:
        """Tables that go on from another one, as their openers themselves tell on a link."""
        return [
            offer
            for told in self._told.values()
            for offer in told.offers
            if offer.origin and offer.opener == told.key
        ]

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
        """One row for each name and opener, whoever tells of it."""
        tables: dict[tuple[bytes, str], dict[str, object]] = {}
        for one in self._found.values():
            for offer in one.tables:
                # Only own tables are called out. Claimed, and proved only once there is a link.
                row = _row(offer, one.key_hint, one.short, one.name, one.how)
                tables[one.key_hint, offer.table] = row
        # What the opener itself says on a link counts most, and what members say least.
        for told in sorted(self._told.values(), key=lambda told: told.key):
            for offer in told.offers:
                at = (offer.opener, offer.table)
                own = offer.opener == told.key
                if own or at not in tables:
                    row = _row(offer, offer.opener, told.short if own else "", "", "member")
                    held = tables.get(at, row)
                    tables[at] = row | {name: held[name] for name in ("opener", "how")}
        rows = [row | {"known": key in self.known} for (key, _), row in tables.items()]
        # Whoever we know is shown however many there are.
        return sorted(rows, key=lambda row: not row["known"])[:MOST]


def _row(
    offer: p2p.TableOffer, key: bytes, short: str, opener: str, how: p2p.How
) -> dict[str, object]:
    return {
        "table": offer.table,
        "game": offer.game,
        "taken": offer.taken,
        "seats": offer.seats,
        "key": key,
        "short": short,
        "opener": opener,
        "how": how,
        "goes_on": bool(offer.origin),
    }
