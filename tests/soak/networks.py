"""Scenarios on networks of their own: partitions, cables, access points, addresses, IPv6."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from tests.soak.faults import Scenario, about, clock, seat_of, well
from tests.soak.lan import Lan, made, missing
from tests.soak.match import NAMES, Table, Violation, seated
from tests.soak.member import Member

PORT = 7421


@contextmanager
def playing(
    folder: Path,
    lan: Lan,
    by: str,
    game: str = "azi",
    options: Sequence[str] = ("hands=6",),
    interface: str | None = "fd0",
) -> Iterator[Table]:
    """A table of one peer on each host at which the first hand has begun; judged at the end.

    ``by``: ``mdns``, ``address``: others cannot be found by themselves, or ``code``: they could be
    if multicast came through, and join by an invite code.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table = Table(folder, 0)
    for number, name in enumerate(NAMES[: lan.count]):
        bare = ["--no-shorts", "--port", str(PORT)]
        bare += ["--no-discovery"] if by == "address" else []
        inside = lan.inside(number)
        table.members.append(Member(name, folder, table.said, bare, inside, interface))
    opener, *others = table.members
    opener.way = ["--open", "--table", "soak", "--game", game, "--seats", str(lan.count)]
    for option in options:
        opener.way += ["--option", option]
    if by == "code":
        opener.way.append("--invite")
    with made(lan), seated(table):
        opener.start()
        table.until_told("invites" if by == "code" else "lobby", 30, [opener])
        host = f"[{lan.v6_address(0)}]" if not lan.v4 else lan.v4_address(0)
        for member in others:
            if by == "mdns":
                member.way = ["--table", "soak"]
            elif by == "code":
                member.way = ["--join", opener.told("invites")[0]["codes"][0]]
            else:
                member.way = ["--table", "soak", "--join", f"{host}:{PORT}"]
            member.start()
        table.until_told("hand_started", 90)
        yield table
        well(table)


def steps(table: Table) -> int:
    """How many steps have closed, at all peers together."""
    return sum(len(member.told("step")) for member in table.members)


def partition_in_halves(folder: Path) -> str:
    """Two hear each other and the other two do: both wait, and go on together."""
    seen = []
    for game, by in (("azi", "address"), ("hazari", "mdns")):
        lan = Lan(4)
        options = ("hands=3", "grace_seconds=5", clock(game))
        with playing(folder / game, lan, by, game, options) as table:
            table.until_told("move", 60)
            lan.move((1, 3), 1)
            table.quiet(12)
            before = steps(table)
            table.quiet(40)
            if steps(table) != before or any(member.over for member in table.members):
                raise Violation(f"half of a table goes on: {table.whereabouts()}")
            if any(member.told("gone") for member in table.members):
                raise Violation("half of a table has declared the other half gone")
            lan.move((1, 3), 0)
            start = time.monotonic()
            table.until(lambda n=before: steps(table) > n, 60, "they go on together")  # type: ignore[misc]
            seen.append(f"{game}: goes on after {time.monotonic() - start:.0f} s")
    return ", ".join(seen)


def partition_of_one(folder: Path) -> str:
    """Three hear each other, one hears nobody: three go on, and it comes back."""
    seen = []
    for game, by in (("azi", "mdns"), ("hazari", "address")):
        lan = Lan(4)
        hands = "hands=6" if game == "azi" else "hands=3"
        options = (hands, "grace_seconds=5", clock(game))
        with playing(folder / game, lan, by, game, options) as table:
            table.until_told("move", 60)
            lone, three = table.members[2], [*table.members[:2], table.members[3]]
            lan.move((2,), 1)
            start = time.monotonic()
            table.until_told("gone", 120, three, about(seat_of(lone)))
            gone = time.monotonic() - start
            before = steps(table)
            table.quiet(4)
            if steps(table) <= before:
                raise Violation(f"three of four do not go on: {table.whereabouts()}")
            if any(line["seat"] != seat_of(lone) for line in lone.told("gone")):
                raise Violation("one of four has declared others gone")
            lan.move((2,), 0)
            start = time.monotonic()
        seen.append(f"{game}: gone after {gone:.0f} s, over {time.monotonic() - start:.0f} s later")
    return ", ".join(seen)


def partition_again(folder: Path) -> str:
    """Partitions that change while the others vote: 3-1, 2-2, 1-3 and 2-2 the other way."""
    lan = Lan(4)
    with playing(
        folder, lan, "address", "azi", ("hands=50", "grace_seconds=2", "turn_seconds=5")
    ) as table:
        times = 0
        for away, seconds in (
            ((3,), 14.0),
            ((3, 2), 9.0),
            ((2,), 16.0),
            ((), 3.0),
            ((0, 1), 13.0),
            ((0,), 15.0),
            ((1,), 15.0),
            ((), 0.5),
            ((0, 1, 2), 16.5),
        ):
            if any(member.over for member in table.members):
                break
            lan.move(range(4), 0)
            lan.move(away, 1)
            times += 1
            table.quiet(seconds)
        lan.move(range(4), 0)
    gone = max(len(member.told("gone")) for member in table.members)
    back = max(len(member.told("went_back")) for member in table.members)
    return f"{times} partitions, {gone} times gone and {back} times gone back at one peer at most"


def cable(folder: Path) -> str:
    """Cables are pulled and plugged in again: one, two, all, within the grace."""
    lan = Lan(4)
    times = 0
    with playing(folder, lan, "mdns", "azi", ("hands=8",)) as table:
        for hosts, seconds in (((1,), 3.0), ((0,), 9.0), ((2, 3), 7.0), (range(4), 12.0)):
            if any(member.over for member in table.members):
                break
            lan.plug(hosts, False)
            table.quiet(seconds)
            lan.plug(hosts, True)
            table.quiet(2.0)
            times += 1
    return f"{times} times cables were out"


def isolation(folder: Path) -> str:
    """An access point that passes no multicast on: an address and an invite code lead there."""
    for by in ("code", "address"):
        lan = Lan(3, multicast=False)
        with playing(folder / by, lan, by, "azi", ("hands=2",)):
            continue
    return "joined by code and by address, and played"


def star(folder: Path) -> str:
    """Three clients of an access point reach only the fourth, by cable: all goes through that."""
    for game, hands in (("azi", 5), ("hazari", 2)):
        lan = Lan(4, isolated=(1, 2, 3))
        with playing(folder / game, lan, "mdns", game, (f"hands={hands}",)) as table:
            for number in (2, 0, 3):
                table.quiet(1.0)
                victim = table.members[number]
                if not victim.over:
                    table.kill(victim, "any", 0.3)
                    table.until(lambda: not table.restarts, 10, "it is started")
                    table.until_told("resumed", 60, [victim])
    return "played through one, also when that was killed"


def new_address(folder: Path) -> str:
    """One has another address from now on; then, with mDNS, all of them at once."""
    lan = Lan(4)
    with playing(folder / "one", lan, "address", "azi", ("hands=6",)) as table:
        table.until_told("move", 60)
        lan.change_v4(1, lan.v4_address(1), "10.77.0.101")
        before = steps(table)
        start = time.monotonic()
        table.until(lambda: steps(table) > before + 40, 60, "it goes on")
        one = time.monotonic() - start
    return f"one: {one:.0f} s, all: over after {_new_addresses(folder / 'all', None):.0f} s"


def new_address_of_chosen(folder: Path) -> str:
    """All have another address, and have chosen their interface by its name."""
    return f"over after {_new_addresses(folder, 'fd0'):.0f} s"


def _new_addresses(folder: Path, interface: str | None) -> float:
    lan = Lan(4)
    with playing(folder, lan, "mdns", "azi", ("hands=6",), interface) as table:
        table.until_told("move", 60)
        for host in range(4):
            lan.change_v4(host, lan.v4_address(host), f"10.77.0.{101 + host}")
        start = time.monotonic()
    return time.monotonic() - start


def v6_only(folder: Path) -> str:
    """There is no IPv4 at all, so no mDNS (SPEC 11.4): an address leads there."""
    lan = Lan(3, v4=False, v6=True)
    with playing(folder, lan, "address", "azi", ("hands=3",)):
        pass
    return "joined by address, and played"


def two_networks(folder: Path) -> str:
    """Every host is on two networks; each of them breaks down for a while."""
    lan = Lan(3, networks=2)
    with playing(folder, lan, "mdns", "azi", ("hands=12",), None) as table:
        taken = []
        for broken in (0, 1, 0):
            if any(member.over for member in table.members):
                break
            lan.plug(range(3), False, broken)
            before, start = steps(table), time.monotonic()
            enough = partial(on, table, before + 30)
            table.until(enough, 90, f"it goes on by the other network than {broken}")
            taken.append(time.monotonic() - start)
            lan.plug(range(3), True, broken)
            table.quiet(1)
    return "went on after " + ", ".join(f"{seconds:.0f}" for seconds in taken) + " s"


def on(table: Table, number: int) -> bool:
    """Whether so many steps have closed, or the match is over."""
    return steps(table) >= number or any(member.over for member in table.members)


def where_possible(scenario: Scenario) -> Scenario:
    """The scenario, or a word why not."""

    def play(folder: Path) -> str:
        lack = missing()
        return f"skipped: {lack}" if lack else scenario(folder)

    return play


SCENARIOS: Final[Mapping[str, Scenario]] = {
    "partition-2-2": where_possible(partition_in_halves),
    "partition-3-1": where_possible(partition_of_one),
    "partitions": where_possible(partition_again),
    "cable": where_possible(cable),
    "isolation": where_possible(isolation),
    "star": where_possible(star),
    "address": where_possible(new_address),
    "address-chosen": where_possible(new_address_of_chosen),
    "ipv6": where_possible(v6_only),
    "two-networks": where_possible(two_networks),
}
