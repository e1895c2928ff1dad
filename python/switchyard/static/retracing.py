# SPDX-License-Identifier: Apache-2.0
"""Programs that are traced again when something has changed that they depend on."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Hashable
from typing import Any

from switchyard import _core
from switchyard.static.guards import MISSING, Snapshots
from switchyard.static.watch import Watch

# A number that has changed in this many calls running gets a warning.
_RUNNING = 3


class _Kept:
    """A trace: the key and the thread's settings that it was made for, what it
    depends on, what it returned."""

    __slots__ = ("key", "settings", "difference", "result", "things", "__weakref__")

    def __init__(self, key, settings, dependencies, result):
        self.key, self.settings = key, settings
        self.difference, self.result = dependencies.difference, result
        self.things = ()  # Weak references to what it depends on.


class Retraced:
    """Traces by what they depend on, of which ``traces`` counts how many were made.
    Keeps those used last. ``what`` names them in messages."""

    def __init__(self, what: str):
        self.traces = 0
        self._what = what
        self._kept: list[_Kept] = []  # The last used first.
        self._calls = 0
        self._different = None  # Why the last one that was looked at doesn't hold.
        self._moved = {}     # {where: (the last call that it was new in, how many
                             # running, the guard of the number)}
        self._guards = Snapshots((), lambda thing, name: False)
        self._warned = set()

    def __len__(self):
        return len(self._kept)

    def find(self, key: Hashable):
        """Returns the trace of ``key`` that still holds; None if there is none."""
        self._calls += 1
        settings = _core.thread_settings()
        self._different = None
        for kept in self._kept:
            if kept.settings != settings or kept.key != key:
                continue
            different = kept.difference()
            if different is None:
                if kept is not self._kept[0]:
                    self._kept = [kept, *(k for k in self._kept if k is not kept)]
                return kept.result
            self._different = self._different or different
            if self._exchanged(different):
                self._drop(kept)  # It holds what is gone.
        return None

    def trace(self, key: Hashable, trace: Callable[[Watch], Any], most: int):
        """Makes the trace that ``find`` did not find, by a call of ``trace``, which
        gets the Watch that records what it reads. Keeps ``most``."""
        if self._different is not None:
            self._note(self._different)
        self._different = None
        settings = _core.thread_settings()
        dependencies, result = self._traced(trace)
        self.traces += 1
        kept = _Kept(key, settings, dependencies, result)
        weak, own = weakref.ref(kept), weakref.ref(self)

        def gone():
            if own() is not None:
                own()._drop(weak())
        kept.things = dependencies.when_gone(gone)
        self._kept = [kept, *self._kept[:most - 1]]
        return result

    def _exchanged(self, read):
        """Whether a tensor or a module is no longer where it was read, by itself or
        in a list or a dict."""
        before = read.guard.exchangeables()
        value = read.again() if before else MISSING
        now = [] if value is MISSING else self._guards.of(value).exchangeables()
        return any(all(thing is not other for other in now) for thing in before)

    def _drop(self, gone):
        """Keeps a trace no longer; the list stays as it is for who goes over it."""
        self._kept = [kept for kept in self._kept if kept is not gone]

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
        last, running, before = self._moved.get(read.where, (0, 0, None))
        if before is not None and before.holds(value):
            return  # Of the same change: another turn of a sum.
        running = running + 1 if last == self._calls - 1 else 1
        self._moved[read.where] = self._calls, running, self._guards.of(value)
        if running < _RUNNING or read.where in self._warned:
            return
        self._warned.add(read.where)
        warnings.warn(
            f"{self._what}: {read.where} is another number in each call (now "
            f"{value!r}, before {read.guard.text()}), and the "
            "program is traced again for each: make it a buffer of one element, or an argument of "
            "the step", RuntimeWarning, stacklevel=8)


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
