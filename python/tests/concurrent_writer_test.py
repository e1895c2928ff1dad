# SPDX-License-Identifier: Apache-2.0
"""Calls while another thread writes the tensors that say what they read.

A kernel that checks an index, a count or a mask, and then reads it again, leaves
its memory when it has changed in between. Here any result or error will do.
"""

import threading
import time
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
COUNT = 2000
SECONDS = 0.15  # For each function.


class Writer:
    """A thread that writes the second half of an array, valid and not, in
    turns."""

    def __init__(self, array, valid, invalid):
        self.done = False
        self.half, self.values = array[len(array) // 2:], (invalid, valid)
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.done:
            for value in self.values:
                self.half[...] = value

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.done = True
        self.thread.join()


class ConcurrentWriterTest(unittest.TestCase):

    def bear(self, call, tensor, valid, invalid):
        """Calls for a while; an error is as right as a result."""
        with Writer(tensor.numpy(), valid, invalid):
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                try:
                    call(tensor)
                except (IndexError, ValueError, MemoryError):
                    pass

    def test_indices(self):
        table = sy.rand(COUNT, 4)
        rows = sy.rand(COUNT, 4, requires_grad=True)
        plane = sy.rand(1, 1, COUNT, 1)
        line = sy.rand(COUNT)

        def gradient(i):
            F.embedding(i, rows).sum().backward()

        for call in (
                sy.bincount,
                lambda i: sy.bincount(i, weights=line),
                lambda i: F.embedding(i, table), gradient,
                lambda i: F.cross_entropy(rows, i),
                lambda i: sy.ops.one_hot(i, 16),
                lambda i: sy.ops.unpool(
                    plane, sy.reshape(i, [1, 1, COUNT, 1]), [COUNT, 1], [1, 1],
                    [0, 0], [COUNT, 1], "NCHW"),
                lambda i: sy.ops.gather(table, i, 0), lambda i: table[i],
                lambda i: sy.index_select(table, 0, i),
                lambda i: sy.take_along_axis(line, i, 0),
                lambda i: sy.ops.scatter(table, i, table)):
            index = sy.tensor(np.ones(COUNT, np.int64))
            self.bear(call, index, 1, 10**7)

    def test_repeats(self):
        line = sy.rand(COUNT)
        for call in (sy.repeat_interleave,
                     sy.ops.repeat_interleave_with_tensor_index):
            self.bear(lambda i, call=call: call(line, i, 0),
                      sy.tensor(np.ones(COUNT, np.int64)), 1, 1000)

    def test_labels(self):
        """Also of the gradient, whose labels the forward call checked."""
        scores = sy.rand(COUNT, 3, requires_grad=True)

        def train(labels):
            F.cross_entropy(scores, labels).backward()

        self.bear(train, sy.tensor(np.ones(COUNT, np.int64)), 1, 10**7)

    def test_masks(self):
        """A count, taken first, decides how much memory the result has."""
        line = sy.rand(COUNT, requires_grad=True)

        def train(mask):
            sy.masked_select(line, mask).sum().backward()

        for call in (sy.nonzero, lambda m: sy.masked_select(line, m), train,
                     lambda m: line[m]):
            mask = sy.tensor(np.zeros(COUNT, bool))
            self.bear(call, mask, False, True)

    def test_sorted(self):
        """A sort that reads what it compares again leaves its memory."""
        for call in (sy.unique, sy.sort, lambda x: sy.topk(x, 5),
                     lambda x: sy.ops.kthvalue(x, 7), sy.median):
            numbers = sy.tensor(np.random.default_rng(0).normal(
                size=COUNT).astype(np.float32))
            self.bear(call, numbers, -1.0, 1.0)


if __name__ == "__main__":
    unittest.main()
