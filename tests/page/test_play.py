"""``facedown play`` as a process: its first line, its ends, its troubles, where it listens."""

from __future__ import annotations

import re
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from tests.ui.processes import Running, children_of, command, finished, running, soon_gone
from ui import exits

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and /proc"),
]

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/\?token=[\w-]{32}\n")


def play(folder: Path, *more: str) -> list[str]:
    """The command with a data folder of its own, without browser and mDNS."""
    return command("play", "--no-open", "--no-discovery", "--data", str(folder), *more)


def begun(process: Running) -> tuple[str, int]:
    """The page's address, when it has been printed, and its port."""
    line = process.until(lambda line: True, 20)
    found = ADDRESS.fullmatch(line)
    assert found, line
    return line.strip(), int(found[1])


def a_browser() -> urllib.request.OpenerDirector:
    """Something that keeps cookies, and asks no proxy."""
    cookies = urllib.request.HTTPCookieProcessor(CookieJar())
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)


@pytest.fixture
def playing(tmp_path: Path) -> Iterator[Running]:
    """A program that shows its page."""
    with running(play(tmp_path / "data")) as (process,):
        yield process


def test_first_line_is_the_address_and_opens_the_page_once(playing: Running) -> None:
    """Nothing is before it on stdout, and nothing after; each new address is told on stderr."""
    address, port = begun(playing)
    browser = a_browser()
    with browser.open(address, timeout=5) as answer:
        assert re.fullmatch(rf"http://127.0.0.1:{port}/#[0-9a-f]{{64}}", answer.url)
        assert b'<div id="app">' in answer.read()
    with browser.open(f"http://127.0.0.1:{port}/web/js/main.js", timeout=5) as answer:
        assert answer.headers["content-type"].startswith("text/javascript")
    stranger = a_browser()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        stranger.open(address, timeout=5)
    playing.process.send_signal(signal.SIGTERM)
    assert playing.wait(5) == exits.TERMINATED
    assert [line.strip() for line in playing.said] == [address]
    again = [line for line in playing.words if "another browser" in line]
    assert len(again) == 1
    assert f"http://127.0.0.1:{port}/?token=" in again[0]
    assert address not in "".join(playing.words)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, exits.INTERRUPTED), (signal.SIGTERM, exits.TERMINATED)]
)
def test_signal_ends_it_and_its_bots_within_two_seconds(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """Also with a window open, and with bots that are just sitting down."""
    with running(play(tmp_path / "data", "--bots", "2", "--game", "azi")) as (process,):
        _, port = begun(process)
        deadline = time.monotonic() + 20
        while len(bots := children_of(process.process.pid)) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with socket.create_connection(("127.0.0.1", port)):
            start = time.monotonic()
            process.process.send_signal(number)
            assert process.wait(10) == code
            assert time.monotonic() - start < 2.0
        assert soon_gone(bots, 2.0)
        assert "Traceback" not in "".join(process.words)


def test_bots_end_when_it_is_killed(tmp_path: Path) -> None:
    """Nothing is left behind, whatever happens."""
    with running(play(tmp_path / "data", "--bots", "1", "--game", "azi")) as (process,):
        begun(process)
        deadline = time.monotonic() + 20
        while not (bots := children_of(process.process.pid)):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.kill()
        assert soon_gone(bots, 3.0)


def test_data_folder_in_use_is_said(tmp_path: Path, playing: Running) -> None:
    """One sentence, code 7, no address."""
    begun(playing)
    second = finished(*play(tmp_path / "data")[4:], timeout=20)
    assert second.returncode == exits.CANNOT_START
    assert second.stdout == ""
    (line,) = second.stderr.splitlines()
    assert "in use" in line or "used" in line, line


def test_page_port_that_is_taken_is_said(tmp_path: Path) -> None:
    """One sentence that names it, code 7, no address."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = finished(*play(tmp_path / "data", "--page-port", str(port))[4:], timeout=20)
    assert found.returncode == exits.CANNOT_START
    assert found.stdout == ""
    (line,) = found.stderr.splitlines()
    assert f"127.0.0.1:{port}" in line


def test_ports_and_secret_are_kept(tmp_path: Path) -> None:
    """Started again with the same folder, an open window finds its peer: same port, same cookie."""
    browser = a_browser()
    with running(play(tmp_path / "data")) as (process,):
        address, port = begun(process)
        browser.open(address, timeout=5).close()
        process.kill()
    with running(play(tmp_path / "data")) as (process,):
        assert begun(process)[1] == port
        with browser.open(f"http://127.0.0.1:{port}/", timeout=5) as answer:
            assert answer.status == 200
    kept = tmp_path / "data" / "page.json"
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="Linux")
def test_page_listens_on_loopback_only(playing: Running) -> None:
    """Nothing outside of this computer can connect to it."""
    _, port = begun(playing)
    assert listening(port) == {"0100007F"}
    assert socket_error(port) is not None


def listening(port: int) -> set[str]:
    """The local addresses at which somebody listens at this port, as the kernel writes them."""
    found = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            _, local, _, state, *_ = line.split()
            host, _, number = local.partition(":")
            if int(number, 16) == port and state == "0A":
                found.add(host)
    return found


def socket_error(port: int) -> OSError | None:
    """Why another address of this computer cannot be reached; all of 127/8 are loopback."""
    try:
        socket.create_connection(("127.0.0.2", port), timeout=1).close()
    except OSError as error:
        return error
    return None
