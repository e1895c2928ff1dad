# SPDX-License-Identifier: Apache-2.0
"""Dependencies: what a trace has read, and whether it is still what it was."""

from __future__ import annotations

from switchyard import _core
from switchyard.nn.module import Module


class Read:
    """One thing that was read: ``where`` it is, what it ``was``, and a function
    that reads it again. ``counted``: its writes are."""

    __slots__ = ("where", "again", "guard", "counted", "make")

    def __init__(self, where, again, counted, make):
        self.where, self.again, self.counted = where, again, counted
        self.make = make  # The guard of what is read.
        self.guard = make(again())

    def holds(self):
        """Whether it is what it was."""
        return self.guard.holds(self.again())

    def exchanged(self):
        """Whether a tensor or a module has gone."""
        return isinstance(self.guard.value, (_core.Tensor, Module))


class Dependencies:
    """All that a trace depends on beside its arguments."""

    def __init__(self, reads):
        self._counted = [read for read in reads
                         if read.counted and read.guard.frozen]
        self._always = [(read.guard.holds, read.again, read) for read in reads
                        if not (read.counted and read.guard.frozen)]
        self._changes = _core.changes()

    def difference(self):
        """The first Read that is no longer what it was; None if all are."""
        for holds, again, read in self._always:
            if not holds(again()):
                return read
        changes = _core.changes()
        if changes != self._changes:
            for read in self._counted:
                if not read.holds():
                    return read
            self._changes = changes
        return None
