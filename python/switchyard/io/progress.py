# SPDX-License-Identifier: Apache-2.0
"""ProgressBar: how far a loop is, and figures beside it, on standard error."""

from __future__ import annotations

import sys
import time

from switchyard.checks import FROM_0, checked, refuse

_SECONDS_A_LINE = 10.0


class ProgressBar:
    """Iterates over ``batches`` and shows how far it is.

    On a terminal a bar that is rewritten in place, by tqdm (python3-tqdm); in a
    file or pipe a line now and then, and at the end.
    """

    @checked(total=FROM_0)
    def __init__(self, batches, text: str = "", total: int | None = None,
                 stream=None):
        if not hasattr(batches, "__iter__"):
            refuse("ProgressBar", "batches", "an iterable", batches)
        self.batches, self.text = batches, text
        if total is None and hasattr(batches, "__len__"):
            total = len(batches)
        self.total = total  # None: not known before the end.
        self.stream = sys.stderr if stream is None else stream
        self._figures: dict[str, object] = {}
        self._bar = None

    def __len__(self):
        if self.total is None:
            raise TypeError("a progress bar of unknown length has no len()")
        return self.total

    def report(self, **figures):
        """Shows figures beside the bar: numbers with four decimals, or text."""
        self._figures.update(figures)
        if self._bar is not None:
            self._bar.set_postfix_str(self._figures_text(), refresh=False)

    def _figures_text(self):
        return "  ".join(
            f"{name} {value}" if isinstance(value, str)
            else f"{name} {float(value):.4f}"
            for name, value in self._figures.items())

    def __iter__(self):
        if self.stream.isatty():
            yield from self._on_terminal()
        else:
            yield from self._by_lines()

    def _by_lines(self):
        count, last = 0, time.monotonic()
        for count, batch in enumerate(self.batches, 1):
            yield batch
            if time.monotonic() - last > _SECONDS_A_LINE and (
                    count != self.total):
                last = time.monotonic()
                self._print_line(count)
        self._print_line(count)

    def _print_line(self, count):
        of_all = "" if self.total is None else f"/{self.total}"
        print(f"{self.text}: {count}{of_all} batches  "
              f"{self._figures_text()}".strip(), file=self.stream, flush=True)

    def _on_terminal(self):
        try:
            from tqdm import tqdm
        except ImportError:
            raise ModuleNotFoundError(
                "a progress bar needs tqdm: install python3-tqdm") from None
        with tqdm(total=self.total, desc=self.text, file=self.stream,
                  leave=True, dynamic_ncols=True, unit="batch") as self._bar:
            for batch in self.batches:
                yield batch
                self._bar.update()
        self._bar = None
