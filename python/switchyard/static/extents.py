# SPDX-License-Identifier: Apache-2.0
"""OpenExtents: which extents of a step's arguments its programs leave open.

The first trace fixes all extents but the first ones. One that is another in a
later call is open from then on: one program serves all its numbers. 0 and 1, which
broadcast, stay traces of their own.
"""

from __future__ import annotations

from typing import NamedTuple
import warnings

from switchyard import _core
from switchyard.static import code_facts
from switchyard.static.structure import leaves, rebuilt, signature
from switchyard.static.tracing import InputSpec

_MOST = 1024  # Signatures that are remembered.


class _Fact(NamedTuple):
    """The facts of one argument that are fixed. ``axes``: how many axes after the first may
    be open; ``shape`` is that of one that is not dense, else the rank."""

    name: str
    dtype: str
    kind: str
    axes: int
    shape: tuple | int


class Arguments:
    """Arguments that one trace serves: their facts, and each extent but the first
    ones, a number or the name of an open one."""

    __slots__ = ("facts", "extents", "is_open")

    def __init__(self, facts, extents):
        self.facts, self.extents = facts, extents
        self.is_open = any(isinstance(extent, str) for extent in extents)

    def __eq__(self, other):
        return self is other or (self.facts == other.facts and
                                 self.extents == other.extents)

    def __hash__(self):
        return hash((self.facts, self.extents))

    def examples(self, structure):
        """The structure of arguments, with InputSpecs where an extent is open."""
        if not self.is_open:
            return structure
        given, extents = {}, list(self.extents)
        for fact, (name, leaf) in zip(self.facts, leaves("", structure)):
            own = [extents.pop(0) for _ in range(fact.axes)]
            is_open = any(isinstance(extent, str) for extent in own)
            given[name] = InputSpec([None, *own], fact.dtype) if is_open else leaf
        return rebuilt("", structure, given)


class _Seen:
    """Earlier arguments with the same facts: the extents that later ones are
    compared with, and the numbers of those that are open."""

    __slots__ = ("reference", "opened", "closed")

    def __init__(self, extents):
        self.reference, self.opened, self.closed = list(extents), set(), False

    def note(self, extents):
        """Opens what is another number than before."""
        before = len(self.opened)
        for i, extent in enumerate(extents):
            if not isinstance(extent, int) or extent <= 1:
                continue
            if self.reference[i] <= 1:
                self.reference[i] = extent
            elif self.reference[i] != extent:
                self.opened.add(i)
        return len(self.opened) > before


class OpenExtents:
    """Which trace serves which arguments. ``what`` names it in messages."""

    def __init__(self, what):
        self._what = what
        self._by_signature = {}
        self._seen = {}
        self._same = {}  # One of equal Arguments.

    def get(self, inputs, labels=None):
        """The Arguments of a call; the same object for equal ones."""
        signed = _core.signature_of(inputs, labels)
        found = self._by_signature.get(signed)
        return found or self._find(signed, (inputs, labels))

    def _find(self, signed, structure):
        facts, extents = _facts_of(structure)
        seen = self._seen.setdefault(facts, _Seen(extents))
        if seen.note(extents) or len(self._by_signature) >= _MOST:
            self._by_signature.clear()
        if not seen.closed:
            extents = _named(facts, extents, seen)
        found = Arguments(facts, extents)
        found = self._same.setdefault(found, found)
        if len(self._same) >= _MOST:
            self._same.clear()
        self._by_signature[signed] = found
        return found

    def traced(self, arguments, structure, trace):
        """The result of ``trace(Arguments)``; with all extents fixed where it can't
        leave them open."""
        try:
            return trace(arguments)
        except Exception as error:  # Of the user's code, of any kind.
            if not arguments.is_open:
                raise
            failed = error
        facts, extents = _facts_of(structure)
        result = trace(Arguments(facts, extents))
        self._seen[facts].closed = True
        self._by_signature.clear()
        numbers = ", ".join(dict.fromkeys(
            extent for extent in arguments.extents if isinstance(extent, str)))
        warnings.warn(
            f"{self._what}: the extents {numbers} are others in each call, and the "
            "program is traced again for each, for a trace that leaves them open "
            f"fails: {failed}{_line_of(failed)}", RuntimeWarning, stacklevel=4)
        return result


def _facts_of(structure):
    """(facts, extents) of inputs and labels."""
    facts, extents = [], []
    for side, argument in zip(("inputs", "labels"), structure):
        for name, dtype, kind, rank, shape in signature(side, argument):
            if kind == "dense":
                facts.append(_Fact(name, dtype, kind, len(shape), rank))
                extents += shape
            else:
                facts.append(_Fact(name, dtype, kind, 0, shape))
    return tuple(facts), tuple(extents)


def _named(facts, extents, seen):
    """The extents with names for those that are open: one for those that were
    equal before and are."""
    places = [f"{fact.name}.{axis}" for fact in facts
              for axis in range(1, fact.axes + 1)]
    names, marked = {}, []
    for i, extent in enumerate(extents):
        if i in seen.opened and extent > 1:
            extent = names.setdefault((seen.reference[i], extent), places[i])
        marked.append(extent)
    return tuple(marked)


def _line_of(error):
    """" (at file:line)" of the user's code that raised; nothing where the message
    has it."""
    if "(at " in str(error):
        return ""
    line, entry = "", error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if code_facts.is_own(code.co_filename):
            line = f" (at {code.co_filename}:{entry.tb_lineno})"
        entry = entry.tb_next
    return line
