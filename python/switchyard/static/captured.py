# SPDX-License-Identifier: Apache-2.0
"""Captures: which states of a program the tensors are that a traced function uses.

A tensor that was there before the trace is a state, read by reference: what it
holds when the program runs, however it was reached. One that the trace makes is
a constant.
"""

from __future__ import annotations

import itertools
import math
import weakref

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad

_ops = _core.ops


class _Captured:
    """One state: its name, its tensor, its value first and now."""

    __slots__ = ("name", "tensor", "identity", "first", "now")

    def __init__(self, name, tensor, value):
        self.name, self.tensor = name, tensor
        self.identity = _core.identity_of(tensor)
        self.first = self.now = value


class Captures:
    """The states of a program that is traced, by their memory.

    ``names``: {place in memory: (name, the state that has it last)} of tensors
    that no module or optimizer names, kept from trace to trace. ``read``: called with each tensor whose
    elements Python has read.
    """

    def __init__(self, builder, state, names=None, read=None):
        self._builder, self._state = builder, state
        self._names = {} if names is None else names
        self._read = read
        self._known = {}
        self._aliases = {}  # Tensors and values, by identity.
        self._arrays = []  # Of NumPy, which are constants.

    def state(self, name, tensor):
        """The value of a tensor, which is a state of this name unless it is one
        already. TypeError for one that is not dense."""
        if tensor.kind != "dense":
            raise TypeError(f"state {name} must be dense, got {tensor.kind}")
        place = place_of(tensor)
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
        place = place_of(tensor)
        found = self._known.get(place)
        if found is None:
            if tensor.size and not _core.memory_of(tensor)[3]:
                return self._strided(tensor)
            around = self._around(tensor)
            if around is not None:
                return self._part(around, tensor)
            found = self._add(place, self._name_of(place), tensor)
        if found.identity == _core.identity_of(tensor):
            return found.now
        return self._alias(found, tensor)

    def _alias(self, found, tensor):
        """The value of another tensor over the same elements, as x.detach() is:
        what is written follows, and its gradient is its own."""
        identity = _core.identity_of(tensor)
        if identity in self._aliases:
            return self._aliases[identity][1]
        value = _ops.detach(found.now)
        if not self._builder.in_region:  # Where its values end.
            self._aliases[identity] = tensor, value
        return value

    def become(self, operator, tensor, value):
        """Has the tensor, and what shares its memory, hold a value of the graph
        from now on. Gradients go to the tensor as before."""
        with no_grad():
            self.written(operator, tensor)._become(_ops.detach(value))

    def write(self, tensor, value):
        """Has a tensor without views hold a value of the graph from now on."""
        self.value_of(tensor)
        found = self._known.get(place_of(tensor))
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
        self.become("copy_", tensor, _ops.assign(value))

    def shared(self, array):
        """The value of an array of NumPy that lies in a state's memory; None for
        what is a constant. ValueError for a part that is no tensor."""
        if not isinstance(array, np.ndarray) or not array.size:
            return None
        for captured in self._known.values():
            if self._overlaps(captured, array):
                break
        else:
            self._arrays.append(array)
            return None
        begin, size, _, _ = _core.memory_of(captured.tensor)
        start = array.__array_interface__["data"][0] - begin
        steps = [stride // size for stride in array.strides]
        if str(array.dtype) != captured.tensor.dtype or start % size or any(
                stride % size for stride in array.strides):
            raise ValueError(
                f"an array {array.dtype}{list(array.shape)} of NumPy must not lie "
                f"in the memory of '{captured.name}' in a traced function: use the "
                "tensor")
        return self._elements(captured.now, start // size, steps, array.shape,
                              array.flags.c_contiguous)

    def _overlaps(self, captured, array):
        first, last = _bytes_of(array)
        begin, end = _range_of(captured.tensor)
        return captured.tensor.place == "cpu" and first < end and begin < last

    def check_arrays(self, what, arrays):
        """RuntimeError where one of the arrays, which the traced function wrote,
        lies in a state's memory."""
        for array in arrays:
            for captured in self._known.values():
                if self._overlaps(captured, array):
                    raise RuntimeError(
                        f"{what}: the traced function writes an array of NumPy in "
                        f"the memory of '{captured.name}', which no step would do "
                        "again: write the tensor")

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
        written = frozenset(written)
        ranges = sorted((*_range_of(captured.tensor), captured.name)
                        for captured in self._known.values())
        for i, (_, end, name) in enumerate(ranges):
            for later in range(i + 1, len(ranges)):
                first, _, other = ranges[later]
                if first >= end:
                    break
                both = [name, other] if name in written else [other, name]
                if both[0] in written:
                    raise ValueError(
                        f"{what}: the step writes '{both[0]}', in whose memory "
                        f"'{both[1]}' lies: make that view in the traced function")
        for captured in self._known.values():
            if captured.name in written and any(
                    self._overlaps(captured, array) for array in self._arrays):
                raise ValueError(
                    f"{what}: the step writes '{captured.name}', in whose memory an "
                    "array of NumPy lies that it read before: use the tensor")

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
        if tensor.size == captured.tensor.size:
            return _ops.reshape(value, list(tensor.shape))
        return self._elements(value, start, None, tensor.shape, True)

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
        return self._elements(value, start, strides, tensor.shape, False)

    def _elements(self, value, start, strides, shape, contiguous):
        """The elements of a value that a view of its memory would have."""
        value, size = _ops.reshape(value, [-1]), math.prod(shape)
        if contiguous:
            value = _ops.slice(value, [0], [start], [start + size])
            return _ops.reshape(value, list(shape))
        places = np.full(shape, start)
        for axis, stride in enumerate(strides):
            extents = [1] * len(strides)
            extents[axis] = -1
            places += (np.arange(shape[axis]) * stride).reshape(extents)
        value = _ops.index_select(value, places.reshape(-1), 0)
        return _ops.reshape(value, list(shape))

    def _add(self, place, name, tensor):
        self._state[name] = tensor
        self._known[place] = _Captured(
            name, tensor, self._builder.state(name, tensor))
        return self._known[place]

    def _name_of(self, place):
        name, _ = self._names.get(place, (None, None))
        if name is None:
            for other, (_, state) in tuple(self._names.items()):
                if state() is None:  # Of a program that is gone.
                    del self._names[other]
            taken = {*(name for name, _ in self._names.values()),
                     *self._state.keys()}
            name = next(name for name in map("captured{}".format, itertools.count())
                        if name not in taken)
        self._names[place] = name, weakref.ref(self._state)
        return name


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


def place_of(tensor):
    """Returns the place, which all tensors of the same elements have."""
    return *_core.memory_of(tensor), tensor.shape, tensor.dtype


def _bytes_of(array):
    """The addresses of an array's first byte and after its last."""
    first = last = array.__array_interface__["data"][0]
    for extent, stride in zip(array.shape, array.strides):
        if stride < 0:
            first += (extent - 1) * stride
        else:
            last += (extent - 1) * stride
    return first, last + array.itemsize


def _range_of(tensor):
    """The addresses of the first byte and after the last of a contiguous one."""
    first, size, _, _ = _core.memory_of(tensor)
    return first, first + size * tensor.size
