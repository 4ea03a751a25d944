"""Nothing secret is told, printed, logged, reported or left for others to read. SECURITY.md.

Real sessions, real peers and a real ``facedown play`` run while everything that they say is
collected; then it is searched for the secrets that were in play, in every form that bytes and
numbers take in texts.
"""

from __future__ import annotations

import base64
import contextlib
import hmac
import json
import logging
import os
import re
import secrets
import signal
import stat
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import NoReturn

import pytest
import trio
from packaging.requirements import Requirement

from p2p import identity
from p2p.database import FILE_NAME as DATABASE
from p2p.database import Database
from p2p.events import Agreed, PeerEvent, SessionTold
from p2p.invites import Invite
from p2p.messages import Knock
from p2p.peer import PeerConfig, open_peer
from p2p.statements import Join
from p2p.transport import Address
from protocol.effects import Effect, Job, PersistSecret
from protocol.errors import LocalError
from protocol.events import MatchOver, YourMove
from protocol.own import OwnPart
from protocol.pack import PackState
from protocol.packmaker import PackSecrets
from protocol.session import Session
from tests.protocol.tables import Table, by_strategy, entropy, make_table
from tests.ui.processes import Running, command
from ui import exits
from ui.lines import Lines, plain
from ui.page.keep import FILE_NAME as PAGE_FILE
from ui.page.state import State
from ui.telling import tell
from ui.trouble import guarded

LOOPBACK = "127.0.0.1"
POSIX = pytest.mark.skipif(os.name != "posix", reason="file modes are of POSIX")


def forms(secret: object) -> Iterator[str]:
    """Every way in which a secret may stand in a text."""
    if isinstance(secret, bytes):
        yield repr(secret)[2:-1]
        yield secret.hex()
        yield base64.b64encode(secret).decode().rstrip("=")
        yield base64.urlsafe_b64encode(secret).decode().rstrip("=")
        yield str(int.from_bytes(secret, "big"))
        yield str(list(secret))[1:-1]
    elif isinstance(secret, int):
        yield str(secret)
        yield f"{secret:x}"
        yield from forms(secret.to_bytes(32, "big"))
    elif isinstance(secret, tuple):
        yield str(secret)[1:-1]
    else:
        yield str(secret)


def leaked(texts: Iterable[str], *kept: object) -> list[tuple[object, str]]:
    """The secrets that stand in a text, with what is around each."""
    sought = [(secret, form) for secret in kept for form in forms(secret)]
    assert all(len(form) >= 10 for _, form in sought), "too short to be looked for"
    return [
        (secret, text[max(0, text.index(form) - 200) : text.index(form) + 80])
        for text in texts
        for secret, form in sought
        if form in text
    ]


# Sessions: what they ask for, tell and hold.


class Drawn:
    """A source of entropy that remembers all that it gave."""

    def __init__(self, *seed: object) -> None:
        self.given: list[bytes] = []
        self._draw = entropy(*seed)

    def __call__(self, count: int) -> bytes:
        self.given.append(self._draw(count))
        return self.given[-1]


class Overheard:
    """A table of Azi that was played to its end, all that was said of it, and its secrets."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.jobs: list[str] = []
        self.seeds: list[bytes] = []
        self.made: list[PackSecrets] = []
        self.table: Table = make_table("hygiene", "azi", {"hands": 2, "blind": "on"}, 3)
        self.draws = [Drawn("hygiene", seat) for seat in range(3)]
        for seat, seated in enumerate(self.table.seats):
            key = self.table.keys[seat]
            seated.session = Session(self.table.agreement, seat, key, self.draws[seat])
        self.table.play = by_strategy("azi", "random", "hygiene")
        self.table.watch = self._watch
        self.table.begin()
        while self.table.queue:
            self.table.deliver(7)
            self._look()

    def _watch(self, seat: int, effect: Effect) -> None:
        if isinstance(effect, PersistSecret):
            self.seeds.append(effect.value)
            number = int(effect.name.partition("/")[2])
            rules = self.table.seats[seat].session.history.lanes[number].rules
            assert isinstance(rules, PackState)
            self.made.append(PackSecrets(rules.plan, seat, effect.value))
        elif isinstance(effect, Job):
            self.jobs.append(repr(effect))
        else:
            self.texts.append(f"{effect!r} {effect!s}")

    def _look(self) -> None:
        """What a debugger or a careless log line would show."""
        for seated in self.table.seats:
            session = seated.session
            for one in (session, session.history.table, session.view, session._own._packs):
                self.texts.append(repr(one))
            self.texts += [repr(lane) for lane in session.history.lanes.values()]
            self.texts += [f"{fault!r} {fault}" for fault in seated.faults]

    @property
    def secrets(self) -> list[object]:
        """Seeds of keys and packs, and what follows from these."""
        found: list[object] = [*self.seeds]
        found += [key.private_bytes_raw() for key in self.table.keys]
        for made in self.made:
            found += [made.x, made.permutation, *made.commitment_randomness[:3]]
            found += made.mix_randomness[:3]
        return found


@pytest.fixture(scope="module")
def overheard() -> Overheard:
    """One table for all tests of sessions."""
    return Overheard()


def test_what_is_looked_for_would_be_found() -> None:
    """The search itself works: for bytes, numbers and rows of numbers."""
    seed, number, row = bytes(range(100, 132)), 3**150, tuple(range(20))
    text = f"{seed!r} {number} {row}"
    assert {found for found, _ in leaked([text], seed, number, row)} == {seed, number, row}
    assert leaked([json.dumps({"key": seed}, default=plain)], seed)
    assert leaked([f"{number:#x}"], number)
    assert not leaked([text], bytes(range(32)), 3**151)


def test_sessions_tell_no_secret(overheard: Overheard) -> None:
    """Effects, events, faults, states and views of a whole match, as texts."""
    assert len(overheard.seeds) >= 6
    assert len(overheard.texts) > 200
    assert leaked(overheard.texts, *overheard.secrets) == []


def test_no_fresh_randomness_is_told(overheard: Overheard) -> None:
    """Nonces of proofs come from it, and from the seat's secret."""
    fresh = [given for draw in overheard.draws for given in draw.given if len(given) == 32]
    assert leaked(overheard.texts, *fresh) == []


def test_jobs_show_no_secret(overheard: Overheard) -> None:
    """They hold what they work with; of secrets only the name is shown."""
    assert overheard.jobs
    assert leaked(overheard.jobs, *overheard.secrets) == []


def test_jobs_show_no_fresh_randomness(overheard: Overheard) -> None:
    """Nothing prints a job today."""
    fresh = [given for draw in overheard.draws for given in draw.given]
    assert leaked(overheard.jobs, *fresh) == []


def test_effect_that_stores_a_secret_does_not_show_it() -> None:
    """It is the one effect that must never be logged as it is."""
    assert (
        leaked([repr(PersistSecret("pack/1", bytes(range(100, 132))))], bytes(range(100, 132)))
        == []
    )


def test_what_holds_a_secret_does_not_show_it() -> None:
    """By repr or str, alone or inside something else."""
    seed, token = secrets.token_bytes(32), b"\x81token\x82!!"
    me = identity.make(seed)
    table = make_table("shown", "azi", {}, 2)
    session = table.seats[0].session
    own = OwnPart(session.history, 0, entropy("own"), {"pack/1": seed})
    rules = session.history.lanes[1].rules
    assert isinstance(rules, PackState)
    pack = PackSecrets(rules.plan, 0, seed)
    holders = [
        me,
        own,
        pack,
        {"packs": [pack]},
        session,
        Invite(Address("10.0.0.7", 1), b"short", token),
        Knock(token),
        Join("azi", "ana", b"", (), token),
    ]
    texts = [f"{one!r} {one!s}" for one in holders]
    assert leaked(texts, seed, token, pack.x, pack.permutation) == []


def test_refusals_name_no_card_and_no_secret(overheard: Overheard) -> None:
    """What a session says to a caller that asks for what may not be."""
    session = overheard.table.seats[0].session
    texts = []
    for wrong in (("up",), ("play", 99), ("bid", 10**9), ("x" * 100,)):
        with pytest.raises(LocalError) as refused:
            session.move(wrong, 0.0)
        texts.append(f"{refused.value!r} {refused.value}")
    assert leaked(texts, *overheard.secrets) == []


# Crash reports.


@POSIX
def test_crash_report_holds_places_and_no_values(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], overheard: Overheard
) -> None:
    """A fault deep inside, where secrets are in every frame above."""
    made = overheard.made[0]
    folder = tmp_path / "data"

    def deep(x: int, seed: bytes) -> NoReturn:
        raise AssertionError("something that nobody foresaw")

    code = guarded(lambda: deep(made.x, made.seed), lambda: folder)
    (report,) = folder.iterdir()
    said = capfd.readouterr()
    assert code == exits.INTERNAL
    assert "something that nobody foresaw" in report.read_text()
    assert leaked([report.read_text(), said.out, said.err], *overheard.secrets) == []
    assert modes(tmp_path) == []


# Peers in life.


def modes(folder: Path) -> list[str]:
    """What below a folder others could read, with its mode: all but 0600 and 0700."""
    wrong = []
    for path in folder.rglob("*"):
        wanted = 0o700 if path.is_dir() else 0o600
        if stat.S_IMODE(path.lstat().st_mode) != wanted:
            wrong.append(f"{path.relative_to(folder)} {path.lstat().st_mode:o}")
    return wrong


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """All that is drawn in this process by the source that peers use."""
    given: list[bytes] = []
    real = secrets.token_bytes

    def token_bytes(count: int | None = None) -> bytes:
        given.append(real(count))
        return given[-1]

    monkeypatch.setattr(secrets, "token_bytes", token_bytes)
    return given


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """All that anybody logs, at every level."""
    texts: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            texts.append(f"{record.getMessage()} {record.args!r} {record.exc_text}")

    root, handler = logging.getLogger(), Keep()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield texts
    root.removeHandler(handler)
    root.setLevel(before)


@pytest.mark.slow
@POSIX
def test_peers_in_life_tell_no_secret(
    tmp_path: Path,
    drawn: list[bytes],
    logged: list[str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A match of two over TLS, by an invite code: lines of the bot, sections of the page, logs."""
    told: list[str] = []
    stored: set[bytes] = set()
    over = [trio.Event(), trio.Event()]

    async def follow(number: int, peer: object, wanted: Callable[[object], object]) -> None:
        lines = Lines(told.append)
        me = {"name": "x", "key": peer.key, "short": "QHS7KE8R", "data": str(tmp_path)}  # type: ignore[attr-defined]
        state = State("x", peer.key, "QHS7KE8R")  # type: ignore[attr-defined]
        async for event in peer.events:  # type: ignore[attr-defined]
            look(event, lines, me, state)
            inner = event.event if isinstance(event, SessionTold) else event
            if isinstance(inner, YourMove):
                stored.update(b for b in drawn if len(b) == 32 and on_disk(b))
                await peer.move(wanted(inner.view))  # type: ignore[attr-defined]
            if isinstance(inner, MatchOver):
                over[number].set()

    def look(event: PeerEvent, lines: Lines, me: dict[str, object], state: State) -> None:
        told.append(repr(event))
        tell(lines, event, me)
        state.take(event)
        told.append(json.dumps(state.sections, default=plain))

    def on_disk(secret: bytes) -> bool:
        return any(secret in path.read_bytes() for path in tmp_path.rglob(f"{DATABASE}*"))

    async def play() -> None:
        async with trio.open_nursery() as nursery, contextlib.AsyncExitStack() as stack:
            peers = []
            for number, name in enumerate(("anna", "bert")):
                config = PeerConfig(tmp_path / name, name, LOOPBACK, discovery=False)
                peers.append(await stack.enter_async_context(open_peer(config)))
                choose = by_strategy("azi", "random", name)
                nursery.start_soon(follow, number, peers[-1], lambda view, c=choose: c(0, view))
            await peers[0].open_table("kitchen", "azi", {"hands": 1}, 2, invite=True)
            await peers[1].join(code=peers[0].invites()[0])
            with trio.fail_after(60):
                for one in over:
                    await one.wait()
            await peers[0].say("good game")
            await trio.sleep(0.1)
            await stack.aclose()
            nursery.cancel_scope.cancel()

    trio.run(play)
    assert any(Agreed.__name__ in text for text in told)
    keys = [identity.load_or_make(tmp_path / name).signing_key for name in ("anna", "bert")]
    pem = [(tmp_path / n / identity.FILE_NAME).read_text().split("\n")[1] for n in ("anna", "bert")]
    said = capfd.readouterr()
    everything = [*told, *logged, said.out, said.err]
    kept = [one for one in drawn if len(one) == 32]
    assert leaked(everything, *kept, *pem, *[key.private_bytes_raw() for key in keys]) == []
    # The seeds of the packs were on disk while they were of use, and are not any more. The nonces
    # of the agreement are on disk too, and no secret.
    database = Database(tmp_path / "anna" / DATABASE)
    (table,) = database.tables()
    database.close()
    seeds = [one for one in stored if one not in table.sealed]
    assert len(seeds) >= 2
    assert [one for one in seeds if on_disk(one)] == []
    assert modes(tmp_path) == []


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """``facedown play`` with a bot, visited by a browser and by a stranger, then ended."""
    folder = tmp_path_factory.mktemp("hygiene") / "data"
    mask = os.umask(0o022)  # the usual one: what is private must be so by its own mode
    arguments = ["play", "--data", str(folder), "--name", "anna", "--no-open", "--no-discovery"]
    process = Running(command(*arguments, "--bots", "1", "--game", "azi", "--option", "hands=1"))
    try:
        address = process.until(lambda line: line.startswith("http"))
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with browser.open(address) as answer:
            pages = [answer.read().decode()]
        cookies = [c.value for h in browser.handlers for c in getattr(h, "cookiejar", ())]
        for where in (address, address.partition("?")[0]):  # the address is used up by now
            try:
                urllib.request.urlopen(where).close()
            except urllib.error.HTTPError as refused:
                with refused:
                    pages.append(refused.read().decode())
        trio.run(trio.sleep, 2)
        process.process.send_signal(signal.SIGTERM)
        process.wait()
    finally:
        process.end()
        os.umask(mask)
    return {
        "folder": folder,
        "address": address,
        "cookies": cookies,
        "pages": pages,
        "out": process.said,
        "err": process.words,
    }


@pytest.mark.slow
@POSIX
def test_page_and_its_program_tell_no_secret(played: dict[str, object]) -> None:
    """But for the one-time address, which is told once, on purpose."""
    folder, address = played["folder"], played["address"]
    assert isinstance(folder, Path)
    assert isinstance(address, str)
    kept = json.loads((folder / PAGE_FILE).read_text())["secret"]
    port = address.partition("?")[0].rstrip("/").rpartition(":")[2]
    window = hmac.digest(bytes.fromhex(kept), f"window {port}".encode(), "sha256")
    (cookie,) = played["cookies"]  # type: ignore[misc]
    out, err, pages = played["out"], played["err"], played["pages"]
    texts = ["\n".join(one) for one in (out, err, pages)]  # type: ignore[call-overload]
    key = identity.load_or_make(folder).signing_key.private_bytes_raw()
    assert leaked(texts, bytes.fromhex(kept), cookie, window, key) == []
    token = address.partition("token=")[2]
    assert len(token) >= 32
    assert [text.count(token) for text in texts] == [1, 0, 0]
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert [path for path in files if token.encode() in path.read_bytes()] == []
    assert [path for path in files if cookie.encode() in path.read_bytes()] == []


@pytest.mark.slow
@POSIX
def test_data_folder_of_play_is_for_its_user_alone(played: dict[str, object]) -> None:
    """Key, tables, secrets, the page's file, and those of its bots."""
    folder = played["folder"]
    assert isinstance(folder, Path)
    assert {path.name for path in folder.iterdir()} >= {identity.FILE_NAME, DATABASE, PAGE_FILE}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [one for one in modes(folder) if not one.startswith("bots ")] == []


@pytest.mark.slow
@POSIX
def test_folder_of_bots_is_for_its_user_alone(played: dict[str, object]) -> None:
    """It stands in a folder that nobody else may enter."""
    folder = played["folder"]
    assert isinstance(folder, Path)
    assert modes(folder) == []


# Dependencies.


def test_every_dependency_is_named_with_its_reason() -> None:
    """In SECURITY.md, those that come along too; and each has a least version."""
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    told = (root / "SECURITY.md").read_text().partition("## Dependencies")[2]
    rows = {line.split("|")[1].strip() for line in told.splitlines() if line.startswith("| ")}
    words = set(re.findall(r"[\w-]+", told.lower().replace("_", "-")))
    for one in project["dependencies"]:
        assert one.partition(">=")[0] in rows, one
    for one in [*project["dependencies"], *(item for extra in extras for item in extra)]:
        assert ">=" in one, one
        assert re.split(r"[\[>]", one)[0] in words, one
    missing = {name for name in brought(project["dependencies"]) if name not in words}
    assert missing == set()


def brought(declared: Iterable[str], seen: frozenset[str] = frozenset()) -> set[str]:
    """All that these bring along on this machine."""
    found: set[str] = set()
    for one in declared:
        need = Requirement(one)
        extras = sorted(need.extras) or [""]
        if need.marker is not None and not any(need.marker.evaluate({"extra": e}) for e in extras):
            continue
        name = need.name.lower().replace("_", "-")
        if name in seen | found:
            continue
        found.add(name)
        more = metadata.requires(need.name) or []
        wanted = [m for m in more if "extra ==" not in m]
        found |= brought(wanted, seen | frozenset(found))
    return found


def test_ranges_of_dependencies_hold_what_is_installed() -> None:
    """So what is tested is what the ranges say."""
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    for one in project["dependencies"]:
        need = Requirement(one)
        assert need.specifier.contains(metadata.version(need.name)), one
