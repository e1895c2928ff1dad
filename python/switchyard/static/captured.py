# SPDX-License-Identifier: Apache-2.0
"""Captures: which states of a program the tensors are that a traced function uses.

A tensor that was there before the trace is a state, read by reference: what it
holds when the program runs, however it was reached. One that the trace makes is
a constant.
"""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad

_ops = _core.ops


class _Captured:
    """One state: its name, its tensor, its value first and now."""

    __slots__ = ("name", "tensor", "first", "now")

    def __init__(self, name, tensor, value):
        self.name, self.tensor = name, tensor
        self.first = self.now = value


class Captures:
    """The states of a program that is traced, by their memory.

    ``names``: {place in memory: name} of tensors that no module or optimizer
    names, kept from trace to trace. ``read``: called with each tensor whose
    elements Python has read.
    """

    def __init__(self, builder, state, names=None, read=None):
        self._builder, self._state = builder, state
        self._names = {} if names is None else names
        self._read = read
        self._known = {}

    def state(self, name, tensor):
        """The value of a tensor, which is a state of this name unless it is one
        already. TypeError for one that is not dense."""
        if tensor.kind != "dense":
            raise TypeError(f"state {name} must be dense, got {tensor.kind}")
        place = _place_of(tensor)
        if place not in self._known:
            self._add(place, name, tensor)
        return self._known[place].now

    def value_of(self, tensor):
        """The value of a tensor that was there before.

        TypeError for one that an operator has computed whose gradient is recorded:
        it would go on in eager code.
        """
        if tensor.requires_grad and not tensor.is_leaf and (
                _core.is_grad_enabled()):
            raise TypeError("a tensor of outside that an operator computed must "
                            "not require a gradient in a traced function: compute "
                            "it there, pass it as an input, or detach it")
        place = _place_of(tensor)
        found = self._known.get(place)
        if found is None:
            if tensor.size and not _core.memory_of(tensor)[3]:
                return self._strided(tensor)
            around = self._around(tensor)
            if around is not None:
                return self._part(around, tensor)
            found = self._add(place, self._name_of(place), tensor)
        if found.tensor.requires_grad and not tensor.requires_grad:
            return _ops.detach(found.now)
        return found.now

    def write(self, tensor, value):
        """Has the tensor hold a value of the graph from now on."""
        self.value_of(tensor)
        found = self._known.get(_place_of(tensor))
        if found is None:
            raise _unwritable("write", tensor)
        found.now = value

    def check_writable(self, operator, tensor):
        """RuntimeError for a tensor that operators can't write in place: a view
        with gaps, or a leaf whose gradient is recorded, as in eager code."""
        if tensor.requires_grad and tensor.is_leaf and _core.is_grad_enabled():
            raise RuntimeError(f"{operator}: x must be written in place under "
                               "no_grad() only, got a leaf that requires grad")
        if tensor.size and not _core.memory_of(tensor)[3] and (
                _packed_order(tensor) is None):
            raise _unwritable(operator, tensor)

    def written(self, operator, tensor):
        """The value of a tensor, which may be written in place: a state, or a view
        of one."""
        self.check_writable(operator, tensor)
        return self.value_of(tensor)

    def copy(self, tensor, source):
        """``tensor.copy_(source)`` as a part of the program."""
        value = self._builder.value(source)
        if tuple(value.shape) != tensor.shape:
            raise ValueError(f"copy_: other must have the shape {tensor.shape}, "
                             f"got {tuple(value.shape)}")
        if value.dtype != tensor.dtype:
            value = _ops.cast(value, tensor.dtype)
        value = _ops.detach(_ops.assign(value))
        if tensor.requires_grad:  # Gradients are those of the new value.
            self.write(tensor, value)
            return
        with no_grad():
            self.written("copy_", tensor)._become(value)

    def index(self, tensor):
        """Returns a tensor's value, for an index; itself, to be read now, if it is a
        mask, which decides extents, and a change has the program traced again."""
        if tensor.dtype == "bool" and self._read is not None:
            return tensor
        return self.value_of(tensor)

    def note_read(self, tensor):
        """Notes that Python knows elements of a tensor."""
        if self._read is not None:
            self._read(tensor)

    def read_as_constant(self, operator, tensor):
        """Notes that the elements go to a tensor that is made while tracing.
        RuntimeError where the program is not traced again if they change."""
        if self._read is None:
            raise RuntimeError(
                f"{operator}: x must be a value of the graph, or a tensor of "
                "outside, to hold a tensor of outside, got one that was made while "
                "tracing: compute a new one")
        self._read(tensor)

    def finish(self):
        """Makes what was written the states of the next run."""
        for captured in self._known.values():
            if captured.now is not captured.first:
                self._builder.update(captured.name, captured.now)

    def check(self, what, written):
        """ValueError where one of the states of the names ``written`` lies in the
        memory of another: the program would not see what it writes."""
        ranges = sorted((*_range_of(captured.tensor), captured.name)
                        for captured in self._known.values())
        for i, (_, end, name) in enumerate(ranges):
            for first, _, other in ranges[i + 1:]:
                if first >= end:
                    break
                both = [name, other] if name in written else [other, name]
                if both[0] in written:
                    raise ValueError(
                        f"{what}: the step writes '{both[0]}', in whose memory "
                        f"'{both[1]}' lies: make that view in the traced function")

    def _around(self, tensor):
        """The state whose memory all of a contiguous tensor is in, or None."""
        if not tensor.size:
            return None
        first, last = _range_of(tensor)
        for captured in self._known.values():
            begin, end = _range_of(captured.tensor)
            if begin <= first and last <= end and (
                    captured.tensor.dtype == tensor.dtype):
                return captured
        return None

    def _part(self, captured, tensor):
        """The part of a state that is the tensor, a view."""
        begin, size, _, _ = _core.memory_of(captured.tensor)
        start = (_core.memory_of(tensor)[0] - begin) // size
        value = captured.now
        if captured.tensor.requires_grad and not tensor.requires_grad:
            value = _ops.detach(value)
        value = _ops.reshape(value, [-1])
        if tensor.size != captured.tensor.size:
            value = _ops.slice(value, [0], [start], [start + tensor.size])
        return _ops.reshape(value, list(tensor.shape))

    def _strided(self, tensor):
        """The value of a tensor that is not contiguous: of its memory's, a
        transposed view if it has no gaps, else what it holds."""
        span, start = _core.span_of(tensor)
        value = self.value_of(span)
        strides, order = _core.memory_of(tensor)[2], _packed_order(tensor)
        if order is not None:
            packed = [tensor.shape[axis] for axis in order]
            return _ops.transpose(_ops.reshape(value, packed),
                                  [order.index(axis) for axis in range(len(order))])
        places = np.full(tensor.shape, start)
        for axis, stride in enumerate(strides):
            extents = [1] * len(strides)
            extents[axis] = -1
            places += (np.arange(tensor.shape[axis]) * stride).reshape(extents)
        value = _ops.index_select(value, places.reshape(-1), 0)
        return _ops.reshape(value, list(tensor.shape))

    def _add(self, place, name, tensor):
        self._state[name] = tensor
        self._known[place] = _Captured(
            name, tensor, self._builder.state(name, tensor))
        return self._known[place]

    def _name_of(self, place):
        if place not in self._names:
            taken = {*self._names.values(), *self._state.keys()}
            number = 0
            while f"captured{number}" in taken:
                number += 1
            self._names[place] = f"captured{number}"
        return self._names[place]


def _packed_order(tensor):
    """The axes in the order in which the memory has them, which has no gaps; else
    None."""
    strides = _core.memory_of(tensor)[2]
    order = sorted(range(len(strides)), key=lambda axis: -strides[axis])
    packed = [tensor.shape[axis] for axis in order]
    fits = all(strides[axis] == math.prod(packed[i + 1:])
               for i, axis in enumerate(order) if packed[i] > 1)
    return order if fits else None


def _unwritable(operator, tensor):
    return RuntimeError(
        f"{operator}: a view {tensor.dtype}{list(tensor.shape)} of outside can't be "
        "written in a traced function: make the view there, or write the whole "
        "tensor")


def _place_of(tensor):
    """Returns the place, which all tensors of the same elements have."""
    return *_core.memory_of(tensor), tensor.shape, tensor.dtype


def _range_of(tensor):
    """The addresses of the first byte and after the last of a contiguous one."""
    first, size, _, _ = _core.memory_of(tensor)
    return first, first + size * tensor.size
