# SPDX-License-Identifier: Apache-2.0
"""The gradients of a model in buckets, which are summed one by one."""

from __future__ import annotations

import numpy as np

from switchyard import _collective, _core
from switchyard.distributed.calls import elements
from switchyard.dlpack import from_dlpack
from switchyard.static.guards import Cache

_LINE = 16  # Elements; of float32 64 bytes.
_NAMES = {np.dtype(name): name for name in (
    "float32", "float64", "complex64", "complex128")}  # NumPy finds a name slowly.


class GradientBuckets:
    """The trainable parameters, and where the gradient of each lies.

    A bucket is a vector of one dtype: the elements of its parameters, then a number a
    parameter that says in how many shards it had a gradient. The first bucket has the
    last parameters, whose gradients are the first to be known; a bucket ends beyond
    ``size`` bytes. Halves are summed in float32. A parameter's elements begin at a
    whole cache line of the bucket: its gradient is a view of it.
    """

    def __init__(self, module, size):
        self.tensors = [each for each in module.parameters() if each.requires_grad]
        self.dtypes, self.lengths = [], []
        self.members = []  # By bucket, the numbers of its parameters.
        self.begins = [None] * len(self.tensors)  # By parameter.
        self.bucket_of = [None] * len(self.tensors)
        for number in reversed(range(len(self.tensors))):
            self._place(number, size)
        self._gaps = [[] for _ in self.members]  # What no parameter has.
        for bucket, members in enumerate(self.members):
            for number, following in zip(members, members[1:]):
                end = self.begins[number] + self.tensors[number].size
                if end < self.begins[following]:
                    self._gaps[bucket].append(slice(end, self.begins[following]))
            self._gaps[bucket].append(slice(self.lengths[bucket], None))
            self.lengths[bucket] += len(members)

    def _place(self, number, size):
        tensor = self.tensors[number]
        dtype = wide(tensor.dtype)
        if (not self.dtypes or self.dtypes[-1] != dtype
                or self.lengths[-1] * np.dtype(dtype).itemsize >= size):
            self.dtypes.append(dtype)
            self.lengths.append(0)
            self.members.append([])
        self.bucket_of[number] = len(self.dtypes) - 1
        self.begins[number] = -(-self.lengths[-1] // _LINE) * _LINE
        self.lengths[-1] = self.begins[number] + tensor.size
        self.members[-1].append(number)

    def mark_of(self, number):
        """Where the bucket says in how many shards a parameter has a gradient."""
        bucket = self.bucket_of[number]
        last = self.members[bucket][-1]  # The numbers go down by one.
        return self.lengths[bucket] - 1 - (number - last)

    def clear_rest(self, vectors):
        """Writes zeros for the marks and between parameters."""
        for gaps, vector in zip(self._gaps, vectors):
            for each in gaps:
                vector[each] = 0

    def take_gradients(self):
        """The gradients, which the parameters then have no more."""
        before = [each.grad for each in self.tensors]
        self.put_gradients([None] * len(before))
        return before

    def put_gradients(self, gradients):
        for each, gradient in zip(self.tensors, gradients):
            each.grad = gradient

    def add_gradients(self, before, totals):
        """Gives the parameters their gradients of ``before`` plus the totals, whose
        memory they have."""
        for number, (each, old) in enumerate(zip(self.tensors, before)):
            bucket, begin = self.bucket_of[number], self.begins[number]
            if totals[bucket][self.mark_of(number)] == 0:  # No shard used it.
                each.grad = old
                continue
            new = from_dlpack(totals[bucket][begin:begin + each.size].reshape(each.shape))
            if new.dtype != each.dtype:
                new = _core.ops.cast(new, each.dtype)
            if each.place != "cpu":
                new = new.to(each.place)
            each.grad = new if old is None else _core.ops.add(old, new)


class Vectors(Cache):
    """The memory of vectors, which is used again: pages that are new to the process
    cost more than sums over them."""

    def __init__(self):
        self._free = {}  # By dtype and length.

    def take(self, dtypes, lengths):
        """A vector for each, which holds anything."""
        made = []
        for kind in zip(dtypes, lengths):
            free = self._free.get(kind)
            made.append(free.pop() if free else _new(*kind))
        return made

    def take_back(self, vector):
        """Takes a vector of ``take`` that has served."""
        kind = _NAMES[vector.dtype], vector.size
        self._free.setdefault(kind, []).append(vector)

    def keep(self, dtypes, lengths):
        """Gives up the memory of vectors of other kinds."""
        kinds = set(zip(dtypes, lengths))
        self._free = {kind: free for kind, free in self._free.items() if kind in kinds}


def _new(dtype, length):
    """A vector that begins at a cache line."""
    size = length * np.dtype(dtype).itemsize
    memory = np.empty(size + 64, np.uint8)
    begin = -memory.__array_interface__["data"][0] % 64
    return memory[begin:begin + size].view(dtype)


class ShardWriter:
    """Writes the gradients of one shard to ``vectors``, a bucket each, or, where it
    is ``adding``, adds them to those of a node of the tree, which the vectors hold."""

    def __init__(self, buckets, vectors, adding):
        self._buckets, self._vectors, self._adding = buckets, vectors, adding
        self._missing = set(range(len(buckets.tensors)))
        if not adding:
            buckets.clear_rest(vectors)

    def write(self, number, gradient):
        """Writes the gradient of a parameter to its bucket."""
        buckets = self._buckets
        bucket = buckets.bucket_of[number]
        values = gradient.to_dense()
        if values.dtype != buckets.dtypes[bucket]:  # A cast copies.
            values = _core.ops.cast(values, buckets.dtypes[bucket])
        self.put(bucket, buckets.begins[number], elements(values))
        self._vectors[bucket][buckets.mark_of(number)] += 1
        self._missing.discard(number)

    def put(self, bucket, begin, values):
        """Writes an array to a bucket, from an element on."""
        values = np.ascontiguousarray(values).reshape(-1)
        part = self._vectors[bucket][begin:begin + values.size]
        if self._adding:
            combine(part, values)
        else:
            part[:] = values

    def finish(self):
        """Writes zeros for the parameters that had no gradient."""
        for number in self._missing:
            bucket = self._buckets.bucket_of[number]
            self.put(bucket, self._buckets.begins[number], np.zeros(
                self._buckets.tensors[number].size, self._vectors[bucket].dtype))


class Watch:
    """Tells of each bucket that is complete while gradients are computed.

    ``launch(bucket)`` is called in the order of the buckets: for a bucket as soon as
    all its parameters have their gradients and the buckets before it were launched,
    and for the rest by ``finish()``.
    """

    def __init__(self, buckets, writer, launch):
        self._buckets, self._writer, self._launch = buckets, writer, launch
        self._missing = [len(members) for members in buckets.members]
        self._next = 0
        self._hooks = []

    def __enter__(self):
        for number, tensor in enumerate(self._buckets.tensors):
            self._hooks.append(tensor.register_hook(
                lambda gradient, number=number: self._take(number, gradient)))
        return self

    def __exit__(self, kind, error, where):
        for each in self._hooks:
            each.remove()

    def _take(self, number, gradient):
        self._writer.write(number, gradient)
        self._missing[self._buckets.bucket_of[number]] -= 1
        while self._next < len(self._missing) and self._missing[self._next] == 0:
            self._go_on()

    def _go_on(self):
        self._next += 1
        self._launch(self._next - 1)

    def finish(self):
        """Launches the buckets of which a parameter was not used."""
        while self._next < len(self._missing):
            self._go_on()


def combine(left, right):
    """Adds the values of a node of the tree to those of the node to its left."""
    _collective.combine("sum", _NAMES[left.dtype], left, right, left.size)


def copy_sum(values, out):
    """Copies the values of a node of the tree, each NaN as the one that sums have."""
    values = np.ascontiguousarray(values)
    _collective.finish_sum(_NAMES[out.dtype], values, out, out.size)


def node_of(begin, end, take, sum_of):
    """The values of the node [begin, end) of the tree: ``take(shard)`` gives those of a
    shard, ``take(shard, left)`` adds them to the node to its left, and
    ``sum_of(left, right)`` adds two nodes."""
    if end - begin == 1:
        return take(begin)
    cut = _collective.cut(begin, end)
    left = node_of(begin, cut, take, sum_of)
    if end - cut == 1:
        return take(cut, left)
    return sum_of(left, node_of(cut, end, take, sum_of))


def wide(dtype):
    """In which dtype a sum is taken: halves in float32."""
    return "float32" if dtype in ("float16", "bfloat16") else dtype
