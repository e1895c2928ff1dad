# SPDX-License-Identifier: Apache-2.0
"""Guards: what a value was when a trace read it, to tell later whether it still is.

Numbers and text are compared with their types, by bits: 1, 1.0 and True differ,
NaN is itself. Lists, dicts, sets and tuples are compared by what they hold, plain
objects by identity and what was read of them, to a depth of ``DEPTH`` and
``ITEMS`` items together; arrays of NumPy by identity and bytes; all others, among
them tensors, modules and functions, by identity.
"""

from __future__ import annotations

import collections
import enum
import functools
import itertools
import operator
import struct
import types

import numpy as np

from switchyard import _core

DEPTH, ITEMS = 3, 256
MISSING = object()  # The value of what is not there.

_EXACT = (int, bool, str, bytes, type(None), range)
_CONTAINERS = (list, tuple, collections.deque)
_SETS = (set, frozenset)
_OPAQUE = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType,
           types.ModuleType, enum.Enum, _core.Tensor, _core.Value)


class Guard:
    """Compares by identity; the base of the others. ``frozen``: it stays true until
    the place that held the value is written. ``number``: of a number."""

    __slots__ = ("value",)
    frozen = True
    number = False

    def __init__(self, value):
        self.value = value

    def holds(self, value):
        """Whether the value is what it was."""
        return value is self.value

    def text(self):
        """Returns what it was, for messages."""
        return _short(self.value)


class SameOnes(Guard):
    """Compares the objects in a tuple, which is another one each time."""

    __slots__ = ()

    def holds(self, value):
        return len(value) == len(self.value) and all(
            map(operator.is_, self.value, value))

    def text(self):
        return f"{len(self.value)} things"


class _Exact(Guard):
    __slots__ = ()

    @property
    def number(self):
        return type(self.value) is int

    def holds(self, value):
        return value is self.value or (
            type(value) is type(self.value) and value == self.value)


class _Bits(Guard):
    __slots__ = ("bits",)
    number = True

    def __init__(self, value):
        super().__init__(value)
        self.bits = _bits(value)

    def holds(self, value):
        return value is self.value or (
            type(value) is type(self.value) and _bits(value) == self.bits)


class _Array(Guard):
    """An array of NumPy."""

    __slots__ = ("bytes",)
    frozen = False

    def __init__(self, value):
        super().__init__(value)
        self.bytes = value.tobytes()

    def holds(self, value):
        return value is self.value and value.tobytes() == self.bytes


class _Items(Guard):
    """Compares what is in a container, in order: ``keys`` names them where there are any."""

    __slots__ = ("keys", "items", "length", "frozen")

    def __init__(self, value, keys, items):
        super().__init__(type(value))
        self.keys, self.items, self.length = keys, items, len(value)
        self.frozen = type(value) is tuple and all(g.frozen for g in items)

    def holds(self, value):
        if type(value) is not self.value or len(value) != self.length:
            return False
        if self.keys is None:
            return all(g.holds(v) for g, v in zip(self.items, value))
        return all(k is q or (type(k) is type(q) and k == q) for k, q in zip(
            self.keys, value)) and all(
                g.holds(v) for g, v in zip(self.items, value.values()))

    def text(self):
        return f"a {self.value.__name__} of {self.length}"


class _Set(Guard):
    __slots__ = ()
    frozen = False

    def __init__(self, value):
        super().__init__(frozenset(value))

    def holds(self, value):
        return isinstance(value, _SETS) and value == self.value


class _Object(Guard):
    """An object, and the attributes of it that were read."""

    __slots__ = ("attributes",)
    frozen = False

    def __init__(self, value, attributes):
        super().__init__(value)
        self.attributes = attributes

    def holds(self, value):
        if value is not self.value:
            return False
        return all(guard.holds(attribute(value, name))
                   for name, guard in self.attributes.items())


class _Partial(Guard):
    __slots__ = ("parts",)
    frozen = False

    def __init__(self, value, parts):
        super().__init__(value)
        self.parts = parts

    def holds(self, value):
        return isinstance(value, functools.partial) and all(
            guard.holds(part) for guard, part in zip(self.parts, _parts(value)))


def _parts(partial):
    return partial.func, partial.args, partial.keywords


def _bits(value):
    if type(value) is float:
        return struct.pack("d", value)
    if type(value) is complex:
        return struct.pack("dd", value.real, value.imag)
    return value.tobytes()


def _short(value):
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}..."


def attribute(thing, name):
    """An attribute that an object itself holds; MISSING if none."""
    inside = getattr(thing, "__dict__", None)
    if inside is not None and name in inside:
        return inside[name]
    if any(name in vars(kind).get("__slots__", ())
           for kind in type(thing).__mro__):
        return getattr(thing, name, MISSING)
    return MISSING


def attributes_of(thing):
    """The names of what an object itself holds."""
    names = list(getattr(thing, "__dict__", ()))
    for kind in type(thing).__mro__:
        slots = vars(kind).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    return [name for name in names if not name.startswith("__")]


def is_plain(value, opaque):
    """Whether it is an object whose attributes count: none of ``opaque``, and
    none of the types that are compared otherwise."""
    return not isinstance(value, (*_OPAQUE, *opaque, *_EXACT, float, complex,
                                  np.generic, np.ndarray, *_CONTAINERS, *_SETS,
                                  dict, functools.partial)) and bool(
                                      attributes_of(value))


class Snapshots:
    """Makes guards of values. ``opaque``: more types that are compared by
    identity; ``wanted(object, name)``: whether an attribute was read."""

    def __init__(self, opaque, wanted):
        self._opaque, self._wanted = opaque, wanted
        self._left = ITEMS

    def of(self, value):
        """The guard of a value, as it is now."""
        self._left = ITEMS
        return self._of(value, DEPTH)

    def _of(self, value, depth):
        if type(value) in _EXACT:
            return _Exact(value)
        if type(value) in (float, complex) or isinstance(value, np.generic):
            return _Bits(value)
        if isinstance(value, np.ndarray):
            return Guard(value) if value.dtype.hasobject else _Array(value)
        if isinstance(value, functools.partial):
            return _Partial(value, [self._of(part, depth)
                                    for part in _parts(value)])
        if depth == 0 or self._left <= 0:
            return Guard(value)
        if isinstance(value, _CONTAINERS):
            return _Items(value, None, self._all(value, depth))
        if isinstance(value, dict):
            return _Items(value, list(itertools.islice(value, ITEMS)),
                          self._all(value.values(), depth))
        if isinstance(value, _SETS):
            return _Set(value)
        if is_plain(value, self._opaque):
            return _Object(value, {
                name: self._of(attribute(value, name), depth - 1)
                for name in attributes_of(value) if self._wanted(value, name)})
        return Guard(value)

    def _all(self, values, depth):
        guards = []
        for value in itertools.islice(values, max(self._left, 0)):
            self._left -= 1
            guards.append(self._of(value, depth - 1))
        return guards
