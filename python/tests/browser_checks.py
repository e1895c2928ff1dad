# SPDX-License-Identifier: Apache-2.0
"""A browser for tests: Chromium without a window, by the WebDriver protocol."""
import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

DRIVER = shutil.which("chromedriver")
PRESENT = DRIVER is not None and shutil.which("chromium") is not None
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--window-size=1500,950",
            "--disable-background-networking", "--no-first-run")


class Browser:
    """A session with one page."""

    def __init__(self, port, profile):
        self._root = f"http://127.0.0.1:{port}/session"
        session = self._ask("", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {
                "args": [*_OPTIONS, f"--user-data-dir={profile}"]},
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self._root += "/" + session["sessionId"]

    def _ask(self, path, body=None, method=None):
        request = urllib.request.Request(
            self._root + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def open(self, path):
        """Opens a file, and waits until a page of View is drawn: its time to
        that, in milliseconds, as the page measures it."""
        self._ask("/url", {"url": "file://" + os.path.abspath(path)})
        return float(self.until("return document.body.dataset.ready"))

    def run(self, script, *arguments):
        """Runs a script in the page, and returns what it returns."""
        return self._ask("/execute/sync", {"script": script,
                                           "args": list(arguments)})

    def until(self, script, *arguments, seconds=60):
        """Runs a script until it returns something, and returns it."""
        end = time.monotonic() + seconds
        while True:
            found = self.run(script, *arguments)
            if found:
                return found
            assert time.monotonic() < end, f"nothing after {seconds} s: {script}"
            time.sleep(0.05)

    def element(self, selector):
        found = self._ask("/element", {"using": "css selector",
                                       "value": selector})
        return found[_ELEMENT]

    def click(self, selector):
        self._ask(f"/element/{self.element(selector)}/click", {})

    def type(self, selector, text):
        self._ask(f"/element/{self.element(selector)}/value", {"text": text})

    def text(self, selector):
        return self._ask(f"/element/{self.element(selector)}/text")

    def click_at(self, x, y, times=1):
        """Clicks by the mouse at a place of the window."""
        press = [{"type": "pointerDown", "button": 0},
                 {"type": "pointerUp", "button": 0}]
        self._ask("/actions", {"actions": [{
            "type": "pointer", "id": "mouse",
            "parameters": {"pointerType": "mouse"},
            "actions": [{"type": "pointerMove", "x": round(x), "y": round(y),
                         "duration": 0}, *press * times]}]})

    def messages(self):
        """Returns what was written to the console, errors among it."""
        return [entry["message"] for entry in self._ask(
            "/se/log", {"type": "browser"})]

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._ask("/screenshot")))

    def end(self):
        self._ask("", method="DELETE")


@contextlib.contextmanager
def browser():
    """Starts a browser, and ends it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        driver = subprocess.Popen(
            [DRIVER, "--port=0"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "HOME": folder, "TMPDIR": folder})
        try:
            port = next(found[1] for found in map(
                re.compile(r"successfully on port (\d+)").search, driver.stdout) if found)
            made = Browser(port, os.path.join(folder, "profile"))
            try:
                yield made
            finally:
                made.end()
        finally:
            driver.terminate()
            driver.wait()
            driver.stdout.close()
