# SPDX-License-Identifier: Apache-2.0
"""Progress: how far long work is, on standard error.

    progress = Progress(folders, "conformance")
    for folder in progress:
        ...
        progress.print(line)  # A line of results, on standard output.

On a terminal a bar that is rewritten in place and gone at the end; in a log a
line now and then. Work that ends within a second shows nothing.
"""
import sys
import time

WIDTH = 24
_QUIET = 1.0  # Seconds before anything is shown.
_SECONDS_A_LINE = 20.0


def _seconds_text(seconds):
    seconds = int(seconds)
    return f"{seconds // 60} min {seconds % 60:02} s" if seconds >= 60 else f"{seconds} s"


class Progress:
    """Iterates over items, of which there is a known number, and shows which
    one it is at."""

    def __init__(self, items, text, stream=None, clock=time.monotonic):
        self._items, self._text = list(items), text
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._shown = False
        self._done = 0
        self._start = self._last = clock()

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        self._start = self._last = self._clock()
        try:
            for self._done, item in enumerate(self._items):
                self._show()
                yield item
        finally:
            self._clear()

    def print(self, text):
        """Prints a line on standard output, the bar below it."""
        self._clear()
        print(text, flush=True)
        self._show()

    def _show(self):
        now = self._clock()
        if now - self._start < _QUIET:
            return
        if self._stream.isatty():
            self._shown = True
            self._write(f"\r\x1b[K{self._line(now)}")
        elif now - self._last >= _SECONDS_A_LINE:
            self._last = now
            self._write(self._line(now) + "\n")

    def _line(self, now):
        total, spent = len(self._items), now - self._start
        line = f"{self._text}: {self._done}/{total}, {_seconds_text(spent)}"
        if self._done:
            rest = spent / self._done * (total - self._done)
            line += f", {_seconds_text(rest)} left"
        if not self._stream.isatty():
            return line
        full = WIDTH * self._done // total
        return f"[{'#' * full}{' ' * (WIDTH - full)}] {line}"

    def _clear(self):
        if self._shown:
            self._shown = False
            self._write("\r\x1b[K")

    def _write(self, text):
        self._stream.write(text)
        self._stream.flush()
