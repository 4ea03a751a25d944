"""The gate in front of the page: who gets in, with what, and what every answer carries."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import asynccontextmanager
from functools import partial
from http.cookies import SimpleCookie
from importlib.resources import files

import pytest
import trio
from starlette.types import ASGIApp

from protocol.errors import LocalError
from tests.page.asgi import Answer, Header, ask, knock
from tests.page.socket_client import connecting
from ui.page.gate import Gate, proof, window_key
from ui.page.serving import listen, serve
from ui.page.site import STRANGER, TYPES, site

pytestmark = pytest.mark.trio

PORT = 7421
TABLE, OTHER = "ab" * 32, "cd" * 32
HOST: Header = ("Host", f"127.0.0.1:{PORT}")
ORIGIN: Header = ("Origin", f"http://127.0.0.1:{PORT}")


class NoHost:
    """A room without anything in it. ``windows``: those that are open."""

    windows = 0

    def window(self) -> Callable[[], object]:
        """See ``Host.window``."""
        self.windows += 1
        return trio.sleep_forever

    def forget(self, window: object) -> None:
        """See ``Host.forget``."""
        self.windows -= 1

    async def obey(self, command: str) -> str:
        """See ``Host.obey``."""
        return command

    async def record(self, table: str) -> bytes:
        """See ``Host.record``."""
        if table != TABLE:
            raise LocalError("There is no record of this name.")
        return b"the record"


def on_site(host: NoHost, port: int = PORT, key: bytes = b"k" * 32) -> ASGIApp:
    """What is behind the gate of a page at this port."""
    return site(host, partial(proof, window_key(key, port), port))


class Entrance:
    """A gate with what it gave away."""

    def __init__(
        self, port: int = PORT, key: bytes = b"k" * 32, app: ASGIApp | None = None
    ) -> None:
        self.fresh: list[str] = []
        self.port = port
        self.gate = Gate(app or on_site(NoHost(), port, key), port, key, self.fresh.append)

    @property
    def way_in(self) -> str:
        """Path and query of the newest address."""
        return self.fresh[-1].removeprefix(f"http://127.0.0.1:{self.port}")

    async def enter(self) -> Header:
        """The cookie that the browser holds after the first visit."""
        answer = await ask(self.gate, self.way_in, [("Host", f"127.0.0.1:{self.port}")])
        assert answer.status == 303
        return "Cookie", answer.one("set-cookie").partition(";")[0]


@pytest.fixture
def entrance() -> Entrance:
    """A fresh gate."""
    return Entrance()


# The host.


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        [""],
        ["127.0.0.1"],
        [f"127.0.0.1:{PORT + 1}"],
        [f"127.0.0.1:0{PORT}"],
        [f"localhost:{PORT}"],
        [f"LOCALHOST:{PORT}"],
        [f"[::1]:{PORT}"],
        [f"0.0.0.0:{PORT}"],
        [f"127.1:{PORT}"],
        [f"rebound.example:{PORT}"],
        [f"127.0.0.1.nip.io:{PORT}"],
        [f"127.0.0.1:{PORT}.rebound.example"],
        [f"user@127.0.0.1:{PORT}"],
        [f"127.0.0.1:{PORT}", f"127.0.0.1:{PORT}"],
        [f"127.0.0.1:{PORT}", f"rebound.example:{PORT}"],
        [f"rebound.example:{PORT}", f"127.0.0.1:{PORT}"],
    ],
)
async def test_only_our_own_host_is_answered(entrance: Entrance, hosts: list[str]) -> None:
    """Whatever name the browser was told: a rebound name brings a page of its own along."""
    cookie = await entrance.enter()
    headers = [*(("Host", host) for host in hosts), cookie]
    answer = await ask(entrance.gate, "/", headers)
    assert answer.status == 421
    assert f"http://127.0.0.1:{PORT}" in answer.body.decode()
    assert await knock(entrance.gate, "/ws", [*headers, ORIGIN]) == "websocket.close"
    before = entrance.way_in
    assert (await ask(entrance.gate, before, headers[:-1])).all("set-cookie") == []
    assert entrance.way_in == before


# Where a request comes from.

ELSEWHERE = [
    [("Origin", "null")],
    [("Origin", "")],
    [("Origin", f"https://127.0.0.1:{PORT}")],
    [("Origin", f"http://127.0.0.1:{PORT + 1}")],
    [("Origin", "http://127.0.0.1")],
    [("Origin", f"http://localhost:{PORT}")],
    [("Origin", f"http://127.0.0.1:{PORT}/")],
    [("Origin", f"HTTP://127.0.0.1:{PORT}")],
    [("Origin", "https://evil.example")],
    [ORIGIN, ("Origin", "https://evil.example")],
    [("Origin", "https://evil.example"), ORIGIN],
    [("Sec-Fetch-Site", "cross-site")],
    [("Sec-Fetch-Site", "same-site")],
    [("Sec-Fetch-Site", "")],
    [ORIGIN, ("Sec-Fetch-Site", "cross-site")],
    [ORIGIN, ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
]


@pytest.mark.parametrize("from_elsewhere", ELSEWHERE)
async def test_other_pages_get_nothing(entrance: Entrance, from_elsewhere: list[Header]) -> None:
    """Not with the cookie, which their requests may carry, and not with the token."""
    cookie = await entrance.enter()
    headers = [HOST, cookie, *from_elsewhere]
    for target in ("/", "/web/js/main.js", f"/record/{TABLE}.facedown", "/nowhere"):
        assert (await ask(entrance.gate, target, headers)).status == 403
    assert await knock(entrance.gate, "/ws", headers) == "websocket.close"
    before = entrance.way_in
    assert (await ask(entrance.gate, before, [HOST, *from_elsewhere])).all("set-cookie") == []
    assert entrance.way_in == before


@pytest.mark.parametrize(
    "own", [[], [ORIGIN], [("Sec-Fetch-Site", "none")], [ORIGIN, ("Sec-Fetch-Site", "same-origin")]]
)
async def test_own_page_gets_in(entrance: Entrance, own: list[Header]) -> None:
    """With the cookie, and for the socket with the origin that every browser sends."""
    headers = [HOST, await entrance.enter(), *own]
    assert (await ask(entrance.gate, "/", headers)).status == 200
    assert (await ask(entrance.gate, f"/record/{TABLE}.facedown", headers)).body == b"the record"
    expected = "websocket.accept" if ORIGIN in own else "websocket.close"
    assert await knock(entrance.gate, "/ws", headers) == expected


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "BREW"]
)
async def test_nothing_but_reading_is_answered(entrance: Entrance, method: str) -> None:
    """All that changes anything goes through the socket; a preflight is not answered either."""
    cookie = await entrance.enter()
    asked = [("Access-Control-Request-Method", "GET"), ORIGIN]
    answer = await ask(entrance.gate, "/", [HOST, cookie, *asked], method)
    assert answer.status == 405
    assert (await ask(entrance.gate, entrance.way_in, [HOST], method)).all("set-cookie") == []


async def test_asking_for_the_head_only_is_fine(entrance: Entrance) -> None:
    """As everywhere."""
    answer = await ask(entrance.gate, "/", [HOST, await entrance.enter()], "HEAD")
    assert answer.status == 200


# The token and the cookie.


async def test_address_lets_in_once(entrance: Entrance) -> None:
    """The second one who comes with it is told in words; the next address is a fresh one."""
    way_in = entrance.way_in
    first = await ask(entrance.gate, way_in, [HOST])
    # The window key stands behind the #, which no browser sends to anybody.
    inside = f"/#{window_key(b'k' * 32, PORT)}"
    assert (first.status, first.one("location")) == (303, inside)
    second = await ask(entrance.gate, way_in, [HOST])
    assert (second.status, second.all("set-cookie")) == (403, [])
    assert b"has been used already" in second.body
    assert entrance.way_in != way_in
    assert (await ask(entrance.gate, entrance.way_in, [HOST])).status == 303
    assert len(set(entrance.fresh)) == len(entrance.fresh) == 3


async def test_token_is_long_and_new_in_each_program() -> None:
    """Nobody guesses 24 random bytes."""
    tokens = {Entrance().way_in.removeprefix("/?token=") for _ in range(20)}
    assert len(tokens) == 20
    assert all(re.fullmatch(r"[\w-]{32}", token) for token in tokens)


@pytest.mark.parametrize("wrong", ["", "x", "%00", "%ff%fe", "ä", "0" * 32, "0" * 10000])
async def test_wrong_token_opens_nothing_and_uses_nothing_up(
    entrance: Entrance, wrong: str
) -> None:
    """The true address still works afterwards."""
    answer = await ask(entrance.gate, f"/?token={wrong}", [HOST])
    assert (answer.status, answer.all("set-cookie")) == (403, [])
    assert len(entrance.fresh) == 1
    await entrance.enter()


@pytest.mark.parametrize(
    "target", ["/web/js/main.js", "/ws", f"/record/{TABLE}.facedown", "//", "/."]
)
async def test_token_opens_the_first_page_only(entrance: Entrance, target: str) -> None:
    """It is no key for anything else."""
    query = entrance.way_in.removeprefix("/")
    assert (await ask(entrance.gate, target + query, [HOST])).status == 403
    assert await knock(entrance.gate, target + query, [HOST, ORIGIN]) == "websocket.close"
    assert len(entrance.fresh) == 1


async def test_who_is_known_already_may_open_an_old_address(entrance: Entrance) -> None:
    """A bookmark leads to the page, without the token; a fresh one brings the key again."""
    old = entrance.way_in
    cookie = await entrance.enter()
    answer = await ask(entrance.gate, old, [HOST, cookie])
    assert (answer.status, answer.one("location")) == (303, "/")
    assert answer.all("set-cookie") == []
    assert len(entrance.fresh) == 2
    again = await ask(entrance.gate, entrance.way_in, [HOST, cookie])
    assert again.one("location").startswith("/#")
    assert len(entrance.fresh) == 3


async def test_cookie_is_for_this_server_and_no_script(entrance: Entrance) -> None:
    """HttpOnly, SameSite=Strict, for all paths, without a domain, with the port in its name."""
    answer = await ask(entrance.gate, entrance.way_in, [HOST])
    (morsel,) = SimpleCookie(answer.one("set-cookie")).values()
    assert morsel.key == f"facedown_{PORT}"
    assert morsel["httponly"] is True
    assert morsel["samesite"].lower() == "strict"
    assert morsel["path"] == "/"
    assert morsel["domain"] == ""
    assert len(morsel.value) == 64


async def test_cookie_is_known_again_after_a_restart(entrance: Entrance) -> None:
    """Same folder, same port: an open window finds its peer again. Another folder's is another."""
    cookie = await entrance.enter()
    assert (await ask(Entrance().gate, "/", [HOST, cookie])).status == 200
    assert (await ask(Entrance(key=b"o" * 32).gate, "/", [HOST, cookie])).status == 403


@pytest.mark.parametrize(
    "cookie",
    [
        f"facedown_{PORT}=",
        f"facedown_{PORT}={'0' * 64}",
        f"facedown_{PORT}=\xe4\xf6",
        f'facedown_{PORT}="',
        f"facedown_{PORT + 1}=VALUE",
        f"Facedown_{PORT}=VALUE",
        "facedown=VALUE",
        "=VALUE",
        "VALUE",
        ";;;===;;",
        "a" * 20000,
    ],
)
async def test_other_cookies_open_nothing(entrance: Entrance, cookie: str) -> None:
    """Neither wrong values nor other names."""
    _, true = await entrance.enter()
    other = cookie.replace("VALUE", true.partition("=")[2])
    assert (await ask(entrance.gate, "/", [HOST, ("Cookie", other)])).status == 403


@pytest.mark.parametrize(
    "other", ['prefs={"a": 1, "b": [2]}', 'x="', "ä=ö", "a b c", "=", "path=/; domain=x", "x=,;y"]
)
async def test_odd_cookies_of_other_programs_do_not_lock_us_out(
    entrance: Entrance, other: str
) -> None:
    """Cookies are not separated by port: whatever is served on loopback sends us its own."""
    _, true = await entrance.enter()
    for line in (f"{other}; {true}", f"{true}; {other}", f"{true};{other}"):
        assert (await ask(entrance.gate, "/", [HOST, ("Cookie", line)])).status == 200


async def test_two_peers_on_one_machine_do_not_disturb_each_other() -> None:
    """The browser sends both cookies to both."""
    one, other = Entrance(PORT, b"1" * 32), Entrance(PORT + 1, b"2" * 32)
    cookies = [(await gate.enter())[1] for gate in (one, other)]
    for both in ("; ".join(cookies), "; ".join(reversed(cookies))):
        for entrance in (one, other):
            host = ("Host", f"127.0.0.1:{entrance.port}")
            assert (await ask(entrance.gate, "/", [host, ("Cookie", both)])).status == 200
    answer = await ask(other.gate, "/", [("Host", f"127.0.0.1:{PORT + 1}"), ("Cookie", cookies[0])])
    assert answer.status == 403


# What every answer carries.

CALM = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}


def assert_dressed(answer: Answer) -> None:
    """All headers once, a strict policy, and nothing that would let another page read it."""
    for name, value in CALM.items():
        assert answer.one(name) == value
    policy = dict(part.split(" ", 1) for part in answer.one("content-security-policy").split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["img-src"] == "'self'"
    assert policy["connect-src"] == f"'self' ws://127.0.0.1:{PORT}"
    assert policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert len(policy) == 9
    for word in ("unsafe", "*", "data:", "blob:", "http:", "https:", "nonce", "sha256"):
        assert word not in answer.one("content-security-policy")
    assert not [name for name, _ in answer.headers if name.startswith("access-control-")]


async def test_every_answer_carries_the_headers(entrance: Entrance) -> None:
    """Pages, downloads, redirections and refusals."""
    seen = [
        await ask(entrance.gate, "/", [HOST]),
        await ask(entrance.gate, "/", []),
        await ask(entrance.gate, "/?token=x", [HOST]),
        await ask(entrance.gate, entrance.way_in, [HOST]),
    ]
    known = [HOST, await entrance.enter()]
    seen.append(await ask(entrance.gate, "/", [*known, ("Origin", "https://evil.example")]))
    seen.append(await ask(entrance.gate, "/", known, "POST"))
    for target in ("/", "/nowhere", "/web/", "/web/no.js", "/web/js/main.js", "/ws"):
        seen.append(await ask(entrance.gate, target, known))
    for target in (f"/record/{TABLE}.facedown", f"/record/{OTHER}.facedown", "/record/.facedown"):
        seen.append(await ask(entrance.gate, target, known))
    seen.append(await ask(entrance.gate, "/?token=x", known))
    for answer in seen:
        assert_dressed(answer)
    statuses = [answer.status for answer in seen]
    assert statuses == [403, 421, 403, 303, 403, 405, 200, 404, 404, 404, 200, 404, 200, 404, 404,
                        303]  # fmt: skip


async def test_headers_are_there_when_the_application_fails() -> None:
    """An error of ours says nothing about us, and is dressed too."""

    async def record(table: str) -> bytes:
        raise ValueError("the secret of this line")

    host = NoHost()
    host.record = record  # type: ignore[method-assign]
    entrance = Entrance(app=on_site(host))
    answer = Answer()
    with pytest.raises(ValueError, match="secret"):
        await _asked(entrance, [HOST, await entrance.enter()], answer)
    assert answer.status == 500
    assert b"secret" not in answer.body
    assert_dressed(answer)


async def _asked(entrance: Entrance, headers: list[Header], into: Answer) -> None:
    from tests.page import asgi

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            into.status = message["status"]  # type: ignore[assignment]
            pairs = message["headers"]
            into.headers = [(n.decode(), v.decode()) for n, v in pairs]  # type: ignore[attr-defined]
        else:
            into.body += message["body"]  # type: ignore[operator]

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = asgi.scope_of("http", f"/record/{TABLE}.facedown", headers)
    await entrance.gate(scope, receive, send)  # type: ignore[arg-type]


# The files.


async def test_page_has_nothing_inline() -> None:
    """The policy would stop it; so there must be none."""
    text = files("ui").joinpath("web", "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|<base", text)
    assert not [tag for tag in re.findall(r"<script[^>]*>", text) if "src=" not in tag]
    assert not re.search(r"""(?:src|href)=["'](?!/web/)""", text)


@pytest.mark.parametrize(
    "path",
    [
        "../page/gate.py",
        "..%2fpage%2fgate.py",
        "%2e%2e/%2e%2e/pyproject.toml",
        "%2e%2e%2fpage%2f__init__.py",
        "..%5cpage%5cgate.py",
        "js/..%5c..%5cindex.html",
        "js/../index.html",
        "js/%2e%2e/index.html",
        "js/./main.js",
        "js//main.js",
        "/js/main.js",
        "//etc/passwd",
        "%2fetc%2fpasswd",
        "%2fetc%2fhosts.js",
        "C:%5cwindows%5cx.js",
        "js/main.js%00.css",
        "js/main.js%00",
        "%00.js",
        "js/main.js/",
        "js/main.js/x.js",
        "js",
        "js.",
        "",
        ".js",
        "index.html%20",
        "js/main.js.map",
        "js/main.js;x.js",
        "..;/x.js",
        "%252e%252e/x.js",
        "a" * 5000 + ".js",
        "%ff%fe.js",
        "%ed%a0%80.js",
    ],
)
async def test_only_the_pages_own_files_are_there(entrance: Entrance, path: str) -> None:
    """However a way out of the folder is spelled."""
    answer = await ask(entrance.gate, f"/web/{path}", [HOST, await entrance.enter()])
    assert answer.status == 404, answer.body


async def test_all_files_of_the_page_are_served_with_their_type(entrance: Entrance) -> None:
    """Exactly as they are on disk; and the folder holds no other kinds."""
    headers = [HOST, await entrance.enter()]
    folder = files("ui").joinpath("web")
    found = [str(f)[len(str(folder)) + 1 :] for f in folder.rglob("*") if f.is_file()]  # type: ignore[attr-defined]
    assert "index.html" in found
    for path in found:
        answer = await ask(entrance.gate, f"/web/{path}", headers)
        assert answer.status == 200, path
        assert answer.body == folder.joinpath(*path.split("/")).read_bytes()
        assert answer.one("content-type") == TYPES[path.rpartition(".")[2]]


async def test_record_is_a_download(entrance: Entrance) -> None:
    """Nothing that the browser would show or run."""
    answer = await ask(entrance.gate, f"/record/{TABLE}.facedown", [HOST, await entrance.enter()])
    assert answer.one("content-type") == "application/octet-stream"
    name = r'attachment; filename="facedown-\d{4}-\d\d-\d\d-abababab\.facedown"'
    assert re.fullmatch(name, answer.one("content-disposition"))


@pytest.mark.parametrize(
    "name", ["ab%22;x", "%0d%0aX-Evil:1", "..%2f..%2fx", "%00", "ä", "a" * 999]
)
async def test_odd_names_of_records_are_just_not_there(entrance: Entrance, name: str) -> None:
    """Nothing of them gets into a header."""
    target = f"/record/{name}.facedown"
    answer = await ask(entrance.gate, target, [HOST, await entrance.enter()])
    assert answer.status == 404
    assert not [found for found, _ in answer.headers if "evil" in found]


# Over a socket.


@asynccontextmanager
async def served():  # type: ignore[no-untyped-def]
    """A served gate at a free port."""
    with listen(0, 0) as listener:
        entrance = Entrance(listener.getsockname()[1])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve, entrance.gate, listener)
            yield entrance
            nursery.cancel_scope.cancel()


async def raw(port: int, text: str) -> bytes:
    """What comes back for these bytes, to the end of the connection."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    async with stream:
        await stream.send_all(text.encode())
        answer = b""
        with trio.fail_after(5):
            async for data in stream:
                answer += data
    return answer


async def test_over_a_real_socket() -> None:
    """The same gate with Hypercorn before it: nothing gets past, nothing names the server."""
    async with served() as entrance:
        host = f"Host: 127.0.0.1:{entrance.port}\r\n"
        end = "Connection: close\r\n\r\n"
        for asked, status in (
            (f"GET / HTTP/1.1\r\n{end}", 400),
            (f"GET / HTTP/1.0\r\n{end}", 421),
            (f"GET / HTTP/1.1\r\n{host}{host}{end}", 400),
            (f"GET / HTTP/1.1\r\nHost: localhost:{entrance.port}\r\n{end}", 421),
            (f"GET http://127.0.0.1:{entrance.port}/ HTTP/1.1\r\n{host}{end}", 403),
            (f"GET / HTTP/1.1\r\n{host}{end}", 403),
            (f"POST / HTTP/1.1\r\n{host}Content-Length: 0\r\n{end}", 405),
        ):
            answer = await raw(entrance.port, asked)
            assert answer.startswith(f"HTTP/1.1 {status} ".encode()), (asked, answer[:200])
            assert b"\r\nserver:" not in answer.lower()
        entered = await raw(entrance.port, f"GET {entrance.way_in} HTTP/1.1\r\n{host}{end}")
        assert entered.startswith(b"HTTP/1.1 303 ")
        (cookie,) = re.findall(rb"(?i)set-cookie: ([^;]+)", entered)
        cookies = f"Cookie: {cookie.decode()}\r\n"
        page = await raw(entrance.port, f"GET / HTTP/1.1\r\n{host}{cookies}{end}")
        assert page.startswith(b"HTTP/1.1 200 ")
        assert b"content-security-policy: default-src 'none'" in page
        for path in (
            "/web/../page/gate.py",
            "/web/%2e%2e/page/gate.py",
            "/web/..%2fpage%2fgate.py",
        ):
            answer = await raw(entrance.port, f"GET {path} HTTP/1.1\r\n{host}{cookies}{end}")
            assert answer.startswith(b"HTTP/1.1 404 ")


async def test_socket_is_on_loopback_only() -> None:
    """And a port that is taken is said so, unless it was only the last one."""
    from p2p.trouble import Trouble

    with listen(0, 0) as one:
        host, port = one.getsockname()
        assert host == "127.0.0.1"
        with pytest.raises(Trouble, match=f"127.0.0.1:{port}"):
            listen(port, 0)
        with listen(0, port) as other:
            assert other.getsockname()[1] != port
    with listen(0, port) as again:
        assert again.getsockname() == ("127.0.0.1", port)


# The window key.


@pytest.mark.parametrize(
    "answer",
    ["", "0" * 64, "{}", proof(window_key(b"k" * 32, PORT), PORT, "0" * 32), "the key", b"bytes"],
)
async def test_cookie_alone_tells_nothing(answer: str | bytes) -> None:
    """Whoever got it from the browser, as any server on 127.0.0.1 may, does not see the table."""
    async with served() as entrance, connecting(entrance.port, await entrance.enter()) as client:
        assert set(await client.hear()) == {"nonce"}
        await client.say(answer)
        assert await client.hear() is None
        assert client.closed == STRANGER


async def test_answer_for_another_port_or_nonce_opens_nothing() -> None:
    """Who sits at a port that we had cannot pass our windows' answers on to us."""
    key = window_key(b"k" * 32, PORT)
    assert proof(key, PORT, "00") != proof(key, PORT + 1, "00")
    assert proof(key, PORT, "00") != proof(key, PORT, "01")
    assert window_key(b"k" * 32, PORT) != window_key(b"k" * 32, PORT + 1)
