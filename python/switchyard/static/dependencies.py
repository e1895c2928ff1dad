# SPDX-License-Identifier: Apache-2.0
"""Dependencies: what a trace has read, and whether it is still what it was."""

from __future__ import annotations

import weakref

from switchyard import _core
from switchyard.static.guards import MISSING


class Read:
    """One thing that was read: ``where`` it is, the ``source`` that reads it again,
    of what ``held`` keeps, and the guard of what it was. ``counted``: its writes
    are."""

    __slots__ = ("where", "guard", "counted", "_source", "_held", "_make")

    def __init__(self, where, source, held, counted, make):
        self.where, self.counted = where, counted
        self._source, self._held = source, held
        self._make = make  # The guard of what is read.
        self.renew()

    def renew(self):
        """Makes it what is there now."""
        self.guard = self._make(self.again())

    def settle(self):
        """Says that it is renewed no more."""
        self._make = None

    def again(self):
        """Returns what is there now; MISSING if nothing is."""
        return self._source.read(MISSING)

    def holds(self):
        """Whether it is what it was."""
        return self.guard.holds(self.again())

    def pair(self):
        """Returns what _core.checks_of takes."""
        return self._source, self.guard.check


class Dependencies:
    """All that a trace depends on beside its arguments. What is compared with is
    held weakly, where that is possible."""

    def __init__(self, reads):
        self._counted = [read for read in reads
                         if read.counted and read.guard.frozen]
        self._always = [read for read in reads
                        if not (read.counted and read.guard.frozen)]
        self._first_of_counted = _core.checks_of(
            MISSING, [read.pair() for read in self._counted]).first
        self._first_of_always = _core.checks_of(
            MISSING, [read.pair() for read in self._always]).first
        self._changes = _core.changes()

    def difference(self):
        """The first Read that is no longer what it was; None if all are."""
        number = self._first_of_always()
        if number >= 0:
            return self._always[number]
        changes = _core.changes()
        if changes != self._changes:
            number = self._first_of_counted()
            if number >= 0:
                return self._counted[number]
            self._changes = changes
        return None

    def when_gone(self, function):
        """Weak references that call ``function()`` when a tensor or a module is
        gone that the trace depends on."""
        things = {id(thing): thing for read in (*self._counted, *self._always)
                  for thing in read.guard.exchangeables() if thing is not None}
        return [weakref.ref(thing, lambda _: function())
                for thing in things.values()]


def referent(thing):
    """The source of an object that is always the same, and what it is made of."""
    try:
        weak = weakref.ref(thing)
    except TypeError:
        return item({"thing": thing}, "thing")
    return _core.Source.referent(weak), (weak,)


def item(inside, key):
    """The source of an item of a dictionary, and what it is made of."""
    return _core.Source.item(inside, key), (inside, key)


def called(function, weak):
    """The source of what a function returns that reads from what ``weak`` refers
    to, and what it is made of."""
    return _core.Source.call(function, weak), (function, weak)
