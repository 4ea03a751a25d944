"""``facedown tables``: looks on the network for a moment and lists the tables that wait."""

from __future__ import annotations

import json

import trio

from p2p.discovery import SERVICE_TYPE, Discovery, Found, Lost, Sighting, Unavailable
from p2p.interfaces import chosen, local_addresses
from p2p.multicast import open_multicast
from protocol.agreement import VERSION
from ui import exits
from ui.exits import Exit
from ui.signals import obeyed
from ui.trouble import say
from ui.wording import count, shown

FULL = "no seat is free, it plays or is about to"


def run(
    interface: str | None, seconds: float, as_json: bool, service_type: str = SERVICE_TYPE
) -> int:
    """The command; returns the exit code."""
    choice = chosen(interface)
    local_addresses(choice)  # says at once if the interface is not there
    sightings, trouble = trio.run(_look, choice, seconds, service_type)
    if as_json:
        for sighting in sightings:
            for line in objects(sighting):
                print(json.dumps(line))
    else:
        for text in _lines(sightings, seconds):
            print(text)
    if trouble is not None and not sightings:
        raise Exit(exits.CANNOT_START, trouble)
    return exits.DONE


async def _look(
    choice: str | None, seconds: float, service_type: str
) -> tuple[list[Sighting], str | None]:
    """Who was seen, by name, and why nobody could be, if so."""
    seen: dict[str, Sighting] = {}
    trouble: str | None = None
    # Port 0: we only look. The name and the key are never told to anybody.
    async with (
        obeyed(),
        open_multicast(choice, "looking", bytes(32), 0, service_type=service_type) as discovery,
    ):
        with trio.move_on_after(seconds):
            trouble = await _gather(discovery, seen)
    return sorted(seen.values(), key=lambda sighting: sighting.instance), trouble


async def _gather(discovery: Discovery, seen: dict[str, Sighting]) -> str | None:
    """Follows what is called out; returns only if that is impossible, with the reason."""
    async for event in discovery.events:
        match event:
            case Found(sighting):
                seen[sighting.instance] = sighting
            case Lost(instance):
                seen.pop(instance, None)
            case Unavailable(reason):
                return reason
    return None


def objects(sighting: Sighting) -> list[dict[str, object]]:
    """A JSON object for each table that a peer calls out."""
    return [
        {
            "table": table.name,
            "game": table.game,
            "taken": table.taken,
            "seats": table.seats,
            "free": table.taken < table.seats,
            "by": sighting.name,
            "short": sighting.short,
            "addresses": [str(address) for address in sighting.addresses],
        }
        for table in sighting.tables
    ]


def _lines(sightings: list[Sighting], seconds: float) -> list[str]:
    found = []
    for sighting in sightings:
        who = f"{shown(sighting.name)} ({sighting.short}) at {sighting.addresses[0]}"
        for table in sighting.tables:
            free = table.taken < table.seats
            seats = f"{table.taken} of {table.seats} seats taken" if free else FULL
            found.append(f'"{shown(table.name)}": {shown(table.game)}, {seats}; told by {who}')
        if sighting.version != VERSION:
            say(f"{who} speaks version {sighting.version} of the protocol, this is {VERSION}.")
    if not found:
        here = count(len(sightings), "peer")
        return [f"no open table in {seconds:g} s ({here} seen)"]
    return found
