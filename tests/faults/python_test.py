# SPDX-License-Identifier: Apache-2.0
"""Every operator's samples with every allocation refused once: MemoryError,
nothing leaked, arguments as they were."""
import ctypes
import gc
import sys
import unittest

import numpy as np

sys.path.insert(0, "tests/faults")
import switchyard as sy

from tests.samples import samples

_library = ctypes.CDLL(sy._core.__file__)
_library.SyRefuseAllocationAfter.argtypes = [ctypes.c_int64]
_library.SyStopRefusing.restype = ctypes.c_bool
_library.SyLiveBlocks.restype = ctypes.c_int64


def arrays_in(value):
    return [np.array(tensor.numpy()) for tensor in samples.flat(value)]


class FaultsTest(unittest.TestCase):

    def refuse_each(self, action, arguments=(), most=1000, dispensable=0):
        """Runs `action` with its n-th allocation refused, for every n. It may
        do without `dispensable` of them, and succeed."""
        action()  # Fills caches that stay.
        before = [arrays_in(value) for value in arguments]
        for n in range(most):
            gc.collect(0)
            blocks = _library.SyLiveBlocks()
            _library.SyRefuseAllocationAfter(n)
            try:
                action()
                raised = None
            except Exception as error:
                raised = f"{type(error).__name__}: {error}"
                error = None
            if not _library.SyStopRefusing():
                self.assertIsNone(raised)
                return n
            if raised is None and dispensable > 0:
                dispensable -= 1
            else:
                self.assertRegex(str(raised), "^MemoryError: .*memory")
            self.assertEqual(_library.SyLiveBlocks(), blocks, f"after {n}")
            for value, arrays in zip(arguments, before):
                for got, want in zip(arrays_in(value), arrays):
                    self.assertEqual(got.tobytes(), want.tobytes())
        self.fail(f"more than {most} allocations")

    def test_samples(self):
        refused = 0
        for rows in samples.load("valid").values():
            for sample in rows:
                with self.subTest(str(sample)):
                    tensors = samples.tensors_of(sample,
                                                 samples.arrays_of(sample), sy)
                    function = getattr(sy.ops, sample.op)
                    attributes = sample.attributes()
                    if sample.op.endswith("_"):  # It writes its arguments.
                        continue

                    def call():
                        function(**tensors, **attributes)

                    refused += self.refuse_each(call, tensors.values())
        self.assertGreater(refused, 200)

    def test_training_step_eager(self):
        model = sy.nn.Sequential(sy.nn.Linear(3, 4), sy.nn.ReLU(),
                                 sy.nn.Linear(4, 2))
        loss = sy.nn.CrossEntropyLoss()
        x = sy.tensor(np.ones((2, 3), np.float32))
        y = sy.tensor(np.array([[0], [1]]))
        parameters = [tensor for _, tensor in model.named_parameters()]

        def step():
            try:
                loss(model(x), y).backward()
            finally:
                for parameter in parameters:
                    parameter.grad = None

        self.assertGreater(self.refuse_each(step, parameters), 10)

    def test_traced_program(self):
        table = np.arange(3, dtype=np.float32)

        def run():
            program = sy.static.trace(
                lambda x: sy.ops.tanh(sy.ops.add(x, table)),
                np.ones((2, 3)))
            program.run({"x0": np.ones((4, 3))})

        # Folding the cast of the table takes four; without, the run casts.
        self.assertGreater(self.refuse_each(run, dispensable=4), 7)


if __name__ == "__main__":
    unittest.main()
