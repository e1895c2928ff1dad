# SPDX-License-Identifier: Apache-2.0
"""Watch: what Python has read while a function was traced, and whether it is still
the same.

While a thread traces, modules, optimizers and scalers tell each attribute that is
read. The code of the functions that are reached so, and of those that it names,
says which globals, cells and attributes of objects may be. At all other times reading an attribute costs nothing more. Afterwards
only what has no counted writes is compared before each step; the rest is when
the counter of writes (``_core.changes``) has moved.
"""

from __future__ import annotations

import argparse
import collections
import functools
import itertools
import threading
import types
import weakref

from switchyard import _core
from switchyard.amp import GradScaler
from switchyard.nn.module import Module
from switchyard.optim import Optimizer
from switchyard.static import code_facts
from switchyard.static.dependencies import (Dependencies, Read, called, item,
                                            referent)
from switchyard.static.guards import (DEPTH, ITEMS, MISSING, Elements, SameOnes,
                                      Snapshots, attribute, grown, is_plain)

_WATCHED = (Module, Optimizer, GradScaler)
_COUNTED = (Module, Optimizer)  # Their __setattr__ counts.
# These are a program's state, or an optimizer's version counts them.
_OWN = frozenset({"parameters", "state", "_groups", "_group_of", "_arguments",
                  "_learning_rate", "_given_rate", "_scale", "_good_steps", "_found"})
_PLACES = ("_parameters", "_buffers", "_modules")
# Methods that code calls without their names.
_BY_SYNTAX = frozenset(f"__{name}__" for name in (
    "call enter exit getattr getattribute getitem iter next len contains bool float "
    "int index array add radd sub rsub mul rmul truediv rtruediv floordiv mod pow "
    "matmul rmatmul neg lt le gt ge").split())

_WITH_MEMBERS = (types.ModuleType, type, types.FunctionType)
_CACHED = type(functools.lru_cache(len))
# Python's own objects whose code, which is not looked into, reads their attributes.
_WRAPPERS = (collections.UserDict, collections.UserList, collections.UserString,
             collections.ChainMap)

_HOLDERS = (types.SimpleNamespace, argparse.Namespace)

_local = threading.local()
_lock = threading.Lock()
_recording = 0  # Threads that trace.
_originals: dict = {}


class Watch:
    """Records in a ``with`` block what this thread's Python code reads."""

    def __init__(self):
        self._reads = {}    # By what is read.
        self._held = []     # Keeps ids from being used again.
        self._names, self._asked, self._any = set(), set(), False
        self._seen = set()  # ids of what was looked into.
        self._owners = []   # Objects, classes and modules with methods.
        self._snapshots = Snapshots(_WATCHED, self._wants,
                                    self._asked)

    # Entering and leaving.

    def __enter__(self):
        self._outer = getattr(_local, "watch", None)
        _local.watch = self
        _install()
        return self

    def __exit__(self, *error):
        _local.watch = self._outer
        _uninstall()

    def finish(self):
        """The Dependencies; and [(read, what it was)] of what has changed since
        it was read."""
        self._settle()
        changed = [(read, read.guard.text()) for read in self._reads.values()
                   if not read.holds() and not grown(read.guard, read.again())]
        for read in self._reads.values():
            read.renew()
            read.settle()
        return Dependencies(list(self._reads.values())), changed

    # Attributes and settings that are read.

    def attribute_of(self, thing, name):
        """Reads an attribute of a module, an optimizer or a scaler."""
        try:
            value = object.__getattribute__(thing, name)
        except AttributeError:
            self._add_attribute(thing, name)
            raise
        if name in _PLACES:
            self._add_places(thing, name)
        elif name == "forward":
            self._add_hooks(thing)
        if not name.startswith("__") and name not in _OWN:
            self._add_attribute(thing, name)
        if isinstance(value, types.MethodType):
            self._see_all(type(thing), name)
            self._see(value.__func__)
            self._add_method(thing, name)
        return value

    def before_write(self, thing, name, value):
        """Raises for an attribute that the traced code changes."""
        if isinstance(thing, Module) and name in thing.__dict__["_buffers"]:
            return
        if isinstance(value, _core.Value):
            raise RuntimeError(
                f"{type(thing).__name__}.{name} is set to a value of the graph "
                "while it is traced, which no step would do again: return it, or "
                f"register_buffer({name!r}, ...) and write that")
        read = self._reads.get((id(thing), name))
        if read is not None and not self._guard(value).holds(read.again()):
            raise RuntimeError(
                f"{type(thing).__name__}.{name} is changed from "
                f"{read.guard.text()} to {self._guard(value).text()} while it is "
                "traced, which no step would do again: "
                f"register_buffer({name!r}, ...) and write that")

    def add_tensor(self, tensor):
        """Adds a tensor whose elements Python has read."""
        self._add(("elements", id(tensor)), "the elements of a tensor "
                  f"{tensor.dtype}{list(tensor.shape)}", *referent(tensor), False,
                  tensor, make=Elements)

    def written_arrays(self):
        """The arrays of NumPy that the traced code has written."""
        return self._snapshots.written_arrays()

    def add_roots(self, step, names):
        """Adds what is called and trained, attributes of the step."""
        for name in names:
            self._see(getattr(step, name))
        self._settle()
        weak = weakref.ref(step)
        for name in names:
            self._add((id(step), name), "the model, the loss or the optimizer",
                      _core.Source.attribute(weak, name, ()), (weak, name), False)

    def add_settings(self, tensors, optimizers):
        """Adds whether each tensor requires a gradient, and its hooks; and what
        optimizers count: their groups."""
        for optimizer in optimizers:
            self._add_attribute(optimizer, "version")
        for name, tensor in tensors:
            weak = weakref.ref(tensor)

            def settings(weak=weak):
                return weak().requires_grad, *weak()._hooks()
            self._add(("settings", id(tensor)),
                      f"requires_grad or a hook of {name}",
                      *called(settings, weak), True, tensor, make=SameOnes)

    def _add(self, key, where, source, held, counted, *things, make=None):
        """Adds a read of a source, which is made of what is ``held``; ``things``
        stay while it is traced."""
        if key not in self._reads:
            self._reads[key] = Read(where, source, held, counted,
                                    make or self._guard)
            self._held += things

    def _guard(self, value):
        return self._snapshots.of(value)

    def _add_attribute(self, thing, name):
        key = id(thing), name
        if key in self._reads:
            return
        kind, weak = type(thing), weakref.ref(thing)
        source = _core.Source.attribute(weak, name, _PLACES)
        found = source.read(MISSING)
        inside = object.__getattribute__(thing, "__dict__")
        own = name in inside or any(
            inside.get(places, {}).get(name) is not None for places in _PLACES)
        if not own and not _is_data(found):
            return
        self._see(found)
        where, of_class = f"{kind.__name__}.{name}", not own and found is not MISSING
        self._add(key, where, source, (weak, name),
                  isinstance(thing, _COUNTED) and not of_class, thing)
        if of_class:  # The object may be one that the trace makes.
            self._add_member(kind, name)

    def _add_method(self, thing, name):
        """Adds which function a method is: the object or its class may get another."""
        kind, weak = type(thing), weakref.ref(thing)
        if name.startswith("__"):  # These are the class's, whatever the object has.
            return
        where = f"{kind.__name__}.{name}"
        self._add((id(thing), name), where,
                  _core.Source.attribute(weak, name, _PLACES), (weak, name),
                  isinstance(thing, _COUNTED), thing)
        if code_facts.is_users(kind):
            self._add_member(kind, name)

    def _add_member(self, owner, name):
        weak = weakref.ref(owner)
        self._add((id(owner), name), f"{owner.__name__}.{name}",
                  _core.Source.member(weak, name), (weak, name), False, owner)

    def _add_places(self, thing, places):
        weak = weakref.ref(thing)

        def all_of():
            inside = object.__getattribute__(weak(), "__dict__")[places]
            return *inside, *[getattr(held, "tensor", held)
                              for held in inside.values()]
        self._add((id(thing), places), f"{places[1:]} of {type(thing).__name__}",
                  *called(all_of, weak), True, thing, make=SameOnes)

    def _add_hooks(self, module):
        weak = weakref.ref(module)

        def all_of():
            hooks = object.__getattribute__(weak(), "__dict__")["_hooks"]
            return tuple([part for pair in hooks.values() for part in pair])
        self._add((id(module), "_hooks"), f"hooks of {type(module).__name__}",
                  *called(all_of, weak), True, module, make=SameOnes)
        for hook in all_of():
            self._see(hook)

    # Functions, and what their code may read.

    def _see(self, value, depth=DEPTH):
        """Looks into what is a function, holds some or has methods."""
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        self._held.append(value)
        if isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, types.MethodType):
            self._see(value.__func__)
            self._see(value.__self__)
        elif isinstance(value, _CACHED):
            self._see(value.__wrapped__)
        elif isinstance(value, functools.partial):
            for part in (value.func, *value.args, *value.keywords.values()):
                self._see(part, depth)
        elif isinstance(value, (list, tuple, dict)):
            inside = value.values() if isinstance(value, dict) else value
            for part in itertools.islice(inside, ITEMS if depth else 0):
                self._see(part, depth - 1)
        elif isinstance(value, _WITH_MEMBERS) or is_plain(value, _WATCHED):
            if not code_facts.is_users(value) and not isinstance(value, _HOLDERS):
                return
            self._owners.append(value)
            if not isinstance(value, _WITH_MEMBERS):
                self._add(("object", id(value)),
                          f"an attribute of {type(value).__name__}",
                          *referent(value), False)

    def _settle(self):
        """Looks into the methods that the code seen so far names."""
        before = None
        while before != (len(self._seen), len(self._names), self._any):
            before = len(self._seen), len(self._names), self._any
            for owner in list(self._owners):
                kind = owner if isinstance(owner, _WITH_MEMBERS) else type(owner)
                if kind is not owner:
                    self._add_members(kind, _BY_SYNTAX)
                self._add_members(kind, self._names)
                for name in tuple(self._names) if kind is not owner else ():
                    self._see(attribute(owner, name))

    def _add_function(self, function):
        facts = code_facts.facts_of(function.__code__)
        if facts is None:
            return
        self._names |= facts.attributes
        self._asked |= facts.asked
        self._any |= facts.any
        for name in facts.globals:
            space = function.__globals__
            value = space.get(name, MISSING)
            if value is MISSING:
                continue
            self._see(value)
            if not isinstance(value, (types.ModuleType, type)):
                self._add((id(space), name), f"the global {name}",
                          *item(space, name), False, space)
        for name, cell in zip(function.__code__.co_freevars,
                              function.__closure__ or ()):
            if name == "__class__":
                continue
            self._see(_content(cell))
            self._add(("cell", id(cell)),
                      f"{name}, which {function.__qualname__} reads",
                      _core.Source.cell(cell), (cell,), False, cell)
        if function.__dict__:
            self._owners.append(function)
        weak = weakref.ref(function)
        for place in ("__defaults__", "__kwdefaults__"):
            if getattr(function, place):
                self._see(getattr(function, place))
                self._add((place, id(function)),
                          f"a default of {function.__qualname__}",
                          *called(lambda place=place: getattr(weak(), place), weak),
                          False, function)

    def _add_members(self, owner, names):
        """Adds what a module or class holds under the names: data, and the code
        of functions."""
        for name in tuple(names):  # Which grow meanwhile.
            value = code_facts.member(owner, name, MISSING)
            if value is MISSING or name.startswith("__") and name not in _BY_SYNTAX:
                continue
            if self._see_all(owner, name) or _is_data(value):
                self._see(value)
                self._add_member(owner, name)

    def _see_all(self, owner, name):
        """Looks into the functions under a name; returns whether there are some."""
        functions = code_facts.functions_under(owner, name)
        for function in functions:
            self._see(function)
        return bool(functions)

    def _wants(self, thing, name):
        """Whether an attribute of a plain object counts: code that was entered
        names it, or code of this package may."""
        return self._any or name in self._names or isinstance(thing, _WRAPPERS) or (
            type(thing).__module__.startswith("switchyard."))


def _is_data(value):
    """Whether what a class or a Python module holds is data: no function, no
    property, no class."""
    return not isinstance(value, (type, types.ModuleType)) and (
        isinstance(value, Module) or not (
            callable(value) or hasattr(type(value), "__get__")))


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _install():
    """Has the classes tell what is read."""
    global _recording
    with _lock:
        _recording += 1
        if _recording > 1:
            return
        for kind in _WATCHED:
            _originals[kind] = vars(kind).get("__setattr__")
            kind.__getattribute__ = _reading
            kind.__setattr__ = _writing_of(_originals[kind] or object.__setattr__)


def _uninstall():
    global _recording
    with _lock:
        _recording -= 1
        if _recording:
            return
        for kind in _WATCHED:
            del kind.__getattribute__
            if _originals[kind] is None:
                del kind.__setattr__
            else:
                kind.__setattr__ = _originals[kind]


def _reading(self, name):
    watch = getattr(_local, "watch", None)
    if watch is None:
        return object.__getattribute__(self, name)
    return watch.attribute_of(self, name)


def _writing_of(original):
    def writing(self, name, value):
        watch = getattr(_local, "watch", None)
        if watch is not None:
            watch.before_write(self, name, value)
        original(self, name, value)
    return writing
