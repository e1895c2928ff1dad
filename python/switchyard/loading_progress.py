# SPDX-License-Identifier: Apache-2.0
"""LoadingProgress: that a model is being loaded, on standard error, for as long
as it takes."""

from __future__ import annotations

import os
import sys
import threading
import time

_QUIET = 1.0  # Seconds before anything is shown.
_SECONDS_A_FRAME = 0.2
_SECONDS_A_LINE = 20.0
_WIDTH, _BLOCK = 24, 6  # Of the bar and of what moves in it.
_CLEAR = "\r\x1b[K"


def _is_terminal(stream):
    try:
        return stream is not None and stream.isatty()
    except (AttributeError, ValueError):  # No file, or a closed one.
        return False


def _columns(stream):
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (AttributeError, OSError, ValueError):
        return 80


def _frame(number, text, columns):
    """A line with a bar. How much is left nothing knows, so a block moves."""
    last = _WIDTH - _BLOCK
    at = last - abs(number % (2 * last) - last)
    bar = f"[{' ' * at}{'#' * _BLOCK}{' ' * (last - at)}] "
    return (bar + text)[:max(columns - 1, 0)]


class LoadingProgress:
    """Shows that ``path`` is being loaded while its block runs: after a second
    a bar on a terminal, gone at the end. Anything else gets nothing, but of a
    command of a shell a line now and then.
    """

    in_logs = False  # Set by the commands.

    def __init__(self, path: str):
        name = os.path.basename(os.path.normpath(path))
        self._name = "".join(c if c.isprintable() else "?" for c in name)
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self):
        stream = sys.stderr
        if _is_terminal(stream):
            show, wait = self._on_terminal, _QUIET
        elif self.in_logs and stream is not None:
            show, wait = self._by_lines, _SECONDS_A_LINE
        else:
            return self
        self._thread = threading.Thread(
            target=self._run, args=(show, wait, stream), daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # No more threads may be started.
            self._thread = None
        return self

    def __exit__(self, *error):
        if self._thread is not None:
            self._done.set()
            self._thread.join()

    def _run(self, show, wait, stream):
        start = time.monotonic()
        if self._done.wait(wait):
            return
        try:
            show(stream, start)
        except (OSError, ValueError):  # The stream was closed.
            return

    def _text(self, start):
        return f"loading {self._name}, {int(time.monotonic() - start)} s"

    def _on_terminal(self, stream, start):
        number = 0
        while True:
            stream.write(_CLEAR + _frame(number, self._text(start),
                                         _columns(stream)))
            stream.flush()
            number += 1
            if self._done.wait(_SECONDS_A_FRAME):
                break
        stream.write(_CLEAR)
        stream.flush()

    def _by_lines(self, stream, start):
        while True:
            stream.write(self._text(start) + "\n")
            stream.flush()
            if self._done.wait(_SECONDS_A_LINE):
                break
