# SPDX-License-Identifier: Apache-2.0
"""The gradients of a model in buckets, which are summed one by one."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.distributed.calls import elements

_LINE = 16  # Elements; of float32 64 bytes.


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
        for bucket, members in enumerate(self.members):
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

    def _mark_of(self, number):
        """Where the bucket says in how many shards a parameter has a gradient."""
        bucket = self.bucket_of[number]
        last = self.members[bucket][-1]  # The numbers go down by one.
        return self.lengths[bucket] - 1 - (number - last)

    def vectors(self):
        """A bucket of zeros for each."""
        return [np.zeros(length, dtype)
                for dtype, length in zip(self.dtypes, self.lengths)]

    def take_gradients(self):
        """The gradients, which the parameters then have no more."""
        before = [each.grad for each in self.tensors]
        self.put_gradients([None] * len(before))
        return before

    def put_gradients(self, gradients):
        for each, gradient in zip(self.tensors, gradients):
            each.grad = gradient

    def write(self, number, gradient, vectors):
        """Writes the gradient of a parameter to its bucket."""
        bucket, begin = self.bucket_of[number], self.begins[number]
        values = gradient.to_dense()
        if values.dtype != self.dtypes[bucket]:  # A cast copies.
            values = _core.ops.cast(values, self.dtypes[bucket])
        values = elements(values)
        vectors[bucket][begin:begin + values.size] = values.reshape(-1)
        vectors[bucket][self._mark_of(number)] = 1

    def write_all(self, vectors):
        """Writes what the parameters have as gradients, and takes it from them."""
        for number, gradient in enumerate(self.take_gradients()):
            if gradient is not None:
                self.write(number, gradient, vectors)

    def add_gradients(self, before, totals, memory):
        """Gives the parameters their gradients of ``before`` plus the totals, which are
        the elements of the tensors ``memory``."""
        for number, (each, old) in enumerate(zip(self.tensors, before)):
            bucket, begin = self.bucket_of[number], self.begins[number]
            if totals[bucket][self._mark_of(number)] == 0:  # No shard used it.
                each.grad = old
                continue
            new = memory[bucket][begin:begin + each.size].reshape(each.shape)
            if new.dtype != each.dtype:
                new = _core.ops.cast(new, each.dtype)
            if each.place != "cpu":
                new = new.to(each.place)
            each.grad = new if old is None else _core.ops.add(old, new)


class Watch:
    """Tells of each bucket that is complete while gradients are computed.

    ``launch(bucket)`` is called in the order of the buckets: for a bucket as soon as
    all its parameters have their gradients and the buckets before it were launched,
    and for the rest by ``finish()``.
    """

    def __init__(self, buckets, vectors, launch):
        self._buckets, self._vectors, self._launch = buckets, vectors, launch
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
        self._buckets.write(number, gradient, self._vectors)
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


def wide(dtype):
    """In which dtype a sum is taken: halves in float32."""
    return "float32" if dtype in ("float16", "bfloat16") else dtype
