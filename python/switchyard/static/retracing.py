# SPDX-License-Identifier: Apache-2.0
"""Programs that are traced again when something has changed that they depend on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from typing import Any

from switchyard import _core
from switchyard.static.guards import MISSING
from switchyard.static.watch import Watch

# A number that has changed in this many calls running gets a warning.
_RUNNING = 3


class _Kept:
    """A trace: the key it was made for, what it depends on, what it returned."""

    __slots__ = ("key", "dependencies", "result")

    def __init__(self, key, dependencies, result):
        self.key, self.dependencies, self.result = key, dependencies, result


class Retraced:
    """Traces by what they depend on, of which ``traces`` counts how many were made.
    Keeps those used last. ``what`` names them in messages."""

    def __init__(self, what: str):
        self.traces = 0
        self._what = what
        self._kept: list[_Kept] = []  # The last used first.
        self._calls = 0
        self._moved = {}     # {where: (the last call that it was new in, how many
                             # running)}
        self._warned = set()

    def __len__(self):
        return len(self._kept)

    def get(self, key: Hashable, trace: Callable[[Watch], Any], most: int):
        """Returns the trace of ``key`` that still holds: one that is kept, or that
        of a call of ``trace``, which gets the Watch that records what it reads.
        Keeps ``most``."""
        self._calls += 1
        settings = key, _core.thread_settings()
        first = None  # Why the last one doesn't hold.
        for kept in [kept for kept in self._kept if kept.key == settings]:
            different = kept.dependencies.difference()
            if different is None:
                if kept is not self._kept[0]:
                    self._kept.remove(kept)
                    self._kept.insert(0, kept)
                return kept.result
            first = first or different
            if different.exchanged():
                self._kept.remove(kept)  # It holds what is gone.
        if first is not None:
            self._note(first)
        dependencies, result = self._traced(trace)
        self.traces += 1
        self._kept.insert(0, _Kept(settings, dependencies, result))
        del self._kept[most:]
        return result

    def _traced(self, trace):
        """The Dependencies of a trace, and what it returned. Traced twice where
        the code has changed what it reads: for a cache, say."""
        before = None
        while True:
            watch = Watch()
            result = trace(watch)
            dependencies, changed = watch.finish()
            again = {read.where for read, _ in changed}
            if before is not None:
                for read, was in changed:
                    if read.where in before:
                        raise RuntimeError(
                            f"{self._what}: what is traced changes {read.where} "
                            f"({was} to {read.guard.text()}), which no step would "
                            "do again: make it a buffer (register_buffer), or "
                            "change it outside")
            if not again or before is not None:
                return dependencies, result
            before = again

    def _note(self, read):
        """Warns of a number that is new in call after call."""
        value = read.again()
        if not read.guard.number or value is MISSING:
            return
        last, running = self._moved.get(read.where, (0, 0))
        running = running + 1 if last == self._calls - 1 else 1
        self._moved[read.where] = self._calls, running
        if running < _RUNNING or read.where in self._warned:
            return
        self._warned.add(read.where)
        warnings.warn(
            f"{self._what}: {read.where} is another number in each call (now "
            f"{value!r}, before {read.guard.text()}), and the "
            "program is traced again for each: make it a buffer of one element, or an argument of "
            "the step", RuntimeWarning, stacklevel=5)


def named_tensors(modules, optimizers):
    """[(name, tensor)] of parameters whose settings a trace depends on."""
    found = {}
    for module in modules:
        for name, tensor in module.named_parameters():
            found.setdefault(id(tensor), (name, tensor))
    for optimizer in optimizers:
        for name, tensor in optimizer.parameters.items():
            found.setdefault(id(tensor), (name, tensor))
    return list(found.values())
