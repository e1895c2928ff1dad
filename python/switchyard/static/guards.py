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
import types
import weakref

import numpy as np

from switchyard import _core
from switchyard.nn.module import Module

DEPTH, ITEMS = 3, 256
MISSING = object()  # The value of what is not there.


class Cache:
    """The base of objects that keep what they could make again: no result depends on
    what is in them, so they are compared by identity."""


_EXACT = (int, bool, str, bytes, type(None), range)
_CONTAINERS = (list, tuple, collections.deque)
_SETS = (set, frozenset)
_OPAQUE = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType,
           types.ModuleType, enum.Enum, _core.Tensor, _core.Value, Cache)


class Guard:
    """Compares by identity; the base of the others. ``check`` does it.

    Holds an object weakly, where that is possible: the program goes when it does.
    ``frozen``: it stays true until the place that held the value is written.
    ``number``: of a number.
    """

    __slots__ = ("check", "kind", "_weak", "_held")
    frozen = True
    number = False
    parts = ()  # The guards of what is inside.

    def __init__(self, value):
        self.kind = type(value)
        self._weak = self._held = None
        try:
            self._weak = weakref.ref(value)
        except TypeError:
            self._held = value
        self.check = _core.Check.same(value, self._weak)

    @property
    def value(self):
        """Returns what it was; None if that is gone."""
        return self._held if self._weak is None else self._weak()

    @property
    def exchangeable(self):
        """Whether it was a tensor or a module."""
        return issubclass(self.kind, (_core.Tensor, Module))

    def exchangeables(self):
        """The tensors and modules that it and the guards inside compare with."""
        found = [self.value] if self.exchangeable else []
        for part in self.parts:
            found += part.exchangeables()
        return found

    def holds(self, value):
        """Whether the value is what it was."""
        return self.check.holds(value)

    def text(self):
        """Returns what it was, for messages."""
        gone = self._weak is not None and self._weak() is None
        return f"a {self.kind.__name__}" if gone else _short(self.value)


class _Held(Guard):
    """Compares otherwise; the object stays."""

    __slots__ = ()

    def __init__(self, value, check):
        self.kind, self._weak, self._held = type(value), None, value
        self.check = check


class Elements(Guard):
    """A tensor's elements."""

    __slots__ = ()
    frozen = False

    def __init__(self, value):
        super().__init__(value)
        self.check = _core.Check.elements(value)

    def text(self):
        return "others"


class _Exact(_Held):
    __slots__ = ()

    def __init__(self, value):
        super().__init__(value, _core.Check.exact(value))

    @property
    def number(self):
        return self.kind is int


class _Bits(_Held):
    __slots__ = ()
    number = True

    def __init__(self, value):
        super().__init__(value, _core.Check.bits(value))


class _Array(_Held):
    """An array of NumPy."""

    __slots__ = ()
    frozen = False

    def __init__(self, value):
        super().__init__(value, _core.Check.array(value))


class Items(Guard):
    """Compares what is in a container, in order: ``keys`` names them where there are any."""

    __slots__ = ("keys", "items", "length", "frozen")

    def __init__(self, value, keys, items):
        self.kind, self._weak, self._held = type(value), None, None
        self.keys, self.items, self.length = keys, items, len(value)
        self.frozen = self.kind is tuple and all(g.frozen for g in items)
        self.check = _core.Check.items(self.kind, self.length, keys,
                                       [guard.check for guard in items])

    @property
    def parts(self):
        return self.items

    def text(self):
        return f"a {self.kind.__name__} of {self.length}"


class SameOnes(Items):
    """Compares the objects in a tuple, which is another one each time."""

    __slots__ = ()

    def __init__(self, value):
        super().__init__(value, None, [Guard(thing) for thing in value])

    def text(self):
        return f"{self.length} things"


class _Set(_Held):
    __slots__ = ()
    frozen = False

    def __init__(self, value):
        value = frozenset(value)
        super().__init__(value, _core.Check.members(value))


class _Object(Guard):
    """An object, and the attributes of it that were read."""

    __slots__ = ("names", "parts")
    frozen = False

    def __init__(self, value, attributes):
        super().__init__(value)
        self.names, self.parts = tuple(attributes), list(attributes.values())
        self.check = _core.Check.attributes(
            self.check, self.names, MISSING, [part.check for part in self.parts])


class _Partial(Guard):
    __slots__ = ("parts",)
    frozen = False

    def __init__(self, value, parts):
        self.kind, self._weak, self._held = type(value), None, None
        self.parts = parts
        self.check = _core.Check.partial(functools.partial,
                                         [part.check for part in parts])

    def text(self):
        return "a partial"


def _parts(partial):
    return partial.func, partial.args, partial.keywords


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
                                  dict, functools.partial)) and (
                                      hasattr(value, "__dict__")
                                      or bool(attributes_of(value)))


def grown(guard, value):
    """Whether a list or a dict is what it was, with more at its end."""
    items = getattr(guard, "items", None)
    if items is None or not isinstance(value, (list, dict)) or (
            type(value) is not guard.kind or len(value) < len(items)):
        return False
    keys = list(value)[:len(items)]
    if guard.keys is not None and keys != guard.keys:
        return False
    values = value.values() if isinstance(value, dict) else value
    return all(g.holds(v) for g, v in zip(items, values))


class Snapshots:
    """Makes guards of values. ``opaque``: more types that are compared by
    identity; ``wanted(object, name)``: whether an attribute was read; ``asked``:
    names of attributes that code asks for and that may be absent."""

    def __init__(self, opaque, wanted, asked=frozenset()):
        self._opaque, self._wanted, self._asked = opaque, wanted, asked
        self._left = ITEMS
        self._arrays = []  # The guards of arrays of NumPy.

    def written_arrays(self):
        """The arrays of NumPy that have other elements than they had."""
        return [guard.value for guard in self._arrays
                if not guard.holds(guard.value)]

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
            if value.dtype.hasobject:
                return Guard(value)
            self._arrays.append(_Array(value))
            return self._arrays[-1]
        if isinstance(value, functools.partial):
            return _Partial(value, [self._of(part, depth)
                                    for part in _parts(value)])
        if depth == 0 or self._left <= 0:
            return Guard(value)
        if isinstance(value, _CONTAINERS):
            return Items(value, None, self._all(value, depth))
        if isinstance(value, dict):
            return Items(value, list(itertools.islice(value, ITEMS)),
                          self._all(value.values(), depth))
        if isinstance(value, _SETS):
            return _Set(value)
        if is_plain(value, self._opaque):
            names = [n for n in attributes_of(value) if self._wanted(value, n)]
            names += sorted(self._asked.difference(names))
            return _Object(value, {
                name: self._of(attribute(value, name), depth - 1) for name in names})
        return Guard(value)

    def _all(self, values, depth):
        guards = []
        for value in itertools.islice(values, max(self._left, 0)):
            self._left -= 1
            guards.append(self._of(value, depth - 1))
        return guards
