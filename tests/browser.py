"""A page in a real browser: Chromium without a window, asked over its own pipe (DevTools protocol), and what can be wrong with a page.

`faults` looks at a page as its readers do: on a wide screen, on a telephone, in the dark, on paper; nothing may leave the machine.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_S: Final = 60.0
"""How long an answer may take."""
SCREEN: Final = (1280, 900)
PHONE: Final = (390, 844)
SCREENS: Final = 3
"""How many of them may stand before the details."""


def installed() -> str | None:
    """The program, if there is one."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def _high(number: int) -> int:
    """The same file at a number that stands in the way of no other."""
    found = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(number)
    return found


def _address(event: dict[str, Any]) -> str | None:
    """Where a frame of this event is now, if it is about one."""
    address: str | None = event.get("params", {}).get("frame", {}).get("url")
    return address


class Browser:
    """One tab. `requests` and `complaints` are those since the page was opened."""

    def __init__(self, program: str) -> None:
        self._home = tempfile.mkdtemp(prefix="sawtooth-browser-")
        to_it, mine = map(_high, os.pipe())
        my_end, from_it = map(_high, os.pipe())
        options = [
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            f"--user-data-dir={self._home}",
            "--remote-debugging-pipe",
        ]
        # It reads commands at 3 and answers at 4; what it says elsewhere is no concern of ours.
        silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
        pipes = [(os.POSIX_SPAWN_DUP2, to_it, 3), (os.POSIX_SPAWN_DUP2, from_it, 4)]
        self._process = os.posix_spawn(program, options, os.environ, file_actions=[*silent, *pipes])
        os.close(to_it)
        os.close(from_it)
        self._write, self._read, self._buffer, self._number = mine, my_end, b"", 0
        self._session: str | None = None
        self._events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End it and remove what it left."""
        os.kill(self._process, signal.SIGTERM)
        os.waitpid(self._process, 0)
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._home, ignore_errors=True)

    def call(self, method: str, **parameters: Any) -> Any:
        """One command of the protocol and its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        while (answer := self._next()).get("id") != self._number:
            self._events.append(answer)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            more = os.read(self._read, 1 << 20) if ready else b""
            if not more:
                raise AssertionError("the browser does not answer")
            self._buffer += more
        head, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(head)
        return found

    def open(
        self, page: Path, size: tuple[int, int] = SCREEN, *, dark: bool = False, place: str = ""
    ) -> None:
        """Show a page, at a `place` of it if one is named."""
        phone = size[0] < 600
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=size[0],
            height=size[1],
            deviceScaleFactor=1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])
        self.call("Page.navigate", url="about:blank")
        self._events = []
        self.call("Page.navigate", url=page.resolve().as_uri() + place)
        begun = ("Page.frameNavigated", page.resolve().as_uri())
        while begun not in ((event.get("method"), _address(event)) for event in self._events):
            self._events.append(self._next())
        while (
            self.run("document.readyState") != "complete"
        ):  # a load event may still be that of the empty page
            time.sleep(0.01)
        self.settle()

    def settle(self) -> None:
        """Until what was changed is laid out."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")

    def run(self, script: str) -> Any:
        """The value of a script in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    @property
    def requests(self) -> list[str]:
        """The addresses that the page asked for."""
        sent = [event for event in self._events if event.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    @property
    def complaints(self) -> list[str]:
        """What the console says: errors, exceptions, warnings."""
        names = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(event["params"]) for event in self._events if event.get("method") in names]

    def paper(self) -> bytes:
        """The page as it is printed."""
        return b64decode(self.call("Page.printToPDF", printBackground=False)["data"])


CONTRAST: Final = """
(() => {
  const rgb = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = (text) => rgb(text).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return "rgb(255,255,255)";
  };
  const poor = [];
  for (const node of document.querySelectorAll("body, p, a, code, .pill, .verdicts li, .spread, summary, svg text, th, td")) {
    const style = getComputedStyle(node);
    const ink = node instanceof SVGElement ? style.fill : style.color;
    if (!/^rgb/.test(ink) || !node.getClientRects().length) continue;
    const [a, b] = [light(ink), light(ground(node))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) poor.push(`${node.nodeName} ${node.className.baseVal ?? node.className} ${ink} on ${ground(node)}`);
  }
  return [...new Set(poor)].slice(0, 5);
})()
"""


def faults(browser: Browser, page: Path) -> list[str]:
    """What is wrong with a page of ours, each in a line."""
    return [*_on_a_screen(browser, page), *_on_a_phone(browser, page), *_in_the_dark(browser, page)]


def _on_a_screen(browser: Browser, page: Path) -> Iterator[str]:
    browser.open(page)
    own = page.resolve().as_uri()
    yield from (f"asks for {url}" for url in browser.requests if url != own and not url.startswith("data:"))
    yield from (f"complains: {words}" for words in browser.complaints)
    yield from (f"poor contrast: {words}" for words in browser.run(CONTRAST))
    if browser.run("document.documentElement.scrollWidth > innerWidth"):
        yield "is wider than a screen"
    top = browser.run("document.getElementById('details').getBoundingClientRect().top + scrollY")
    if top > SCREENS * SCREEN[1]:
        yield f"its details begin after {top / SCREEN[1]:.1f} screens"
    missing = browser.run(
        "[...document.querySelectorAll('a[href^=\"#\"]')].map(link => link.hash.slice(1))"
        ".filter(name => !document.getElementById(decodeURIComponent(name)))"
    )
    yield from (f"a link to {name} leads nowhere" for name in missing[:3])
    sentences = browser.run("document.querySelectorAll('.answer p').length")
    if not 2 <= sentences <= 6:
        yield f"its answer has {sentences} sentences"
    if not browser.paper().startswith(b"%PDF-"):
        yield "cannot be printed"


def _on_a_phone(browser: Browser, page: Path) -> Iterator[str]:
    browser.open(page, PHONE)
    browser.run("document.querySelectorAll('details').forEach(entry => entry.open = true)")
    browser.settle()
    width = browser.run("document.documentElement.scrollWidth")
    if width > PHONE[0]:
        yield f"is {width} pixels wide on a telephone"
    for _ in range(20):  # on a busy machine the page hears late that it has become narrow
        silent = browser.run(
            "[...document.querySelectorAll('.scroll')]"
            ".filter(e => e.scrollWidth > e.clientWidth + 1 && !e.classList.contains('wide')).length"
        )
        if not silent:
            break
        browser.settle()
    if silent:
        yield f"{silent} parts scroll on a telephone and do not say so"
    small = browser.run(
        "[...document.querySelectorAll('figure svg')]"
        ".filter(e => e.getBoundingClientRect().width < 0.65 * parseFloat(e.style.maxWidth)).length"
    )
    if small:
        yield f"{small} pictures are too small on a telephone"


def _in_the_dark(browser: Browser, page: Path) -> Iterator[str]:
    browser.open(page, dark=True)
    yield from (f"poor contrast in the dark: {words}" for words in browser.run(CONTRAST))
    if browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)":
        yield "is white in the dark"
