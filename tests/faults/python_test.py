# SPDX-License-Identifier: Apache-2.0
"""Every operator's samples with every block of a tensor refused once, and what
Python does with every request of the extension for other memory refused:
MemoryError, nothing leaked, arguments as they were, the next run right.

All requests of a scenario are tried if SY_FAULTS_EVERY is set, else some 120.
"""
import ctypes
import gc
import os
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, "tests/faults")
import switchyard as sy

from tests.samples import samples

_library = ctypes.CDLL(sy._core.__file__)
_library.SyRefuseAllocationAfter.argtypes = [ctypes.c_int64]
_library.SyStopRefusing.restype = ctypes.c_bool
_library.SyLiveBlocks.restype = ctypes.c_int64
_library.SyFailNewAfter.argtypes = [ctypes.c_int64, ctypes.c_bool]
_library.SyStopFailingNew.restype = ctypes.c_int64
_library.SyNewRequests.restype = ctypes.c_int64


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
        self.assertGreater(self.refuse_each(run, dispensable=4), 6)


def bits(*tensors):
    return [(tensor.dtype, tensor.shape, tensor.numpy().tobytes())
            for tensor in tensors]


def leaf(*shape):
    x = sy.tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))
    x.requires_grad = True
    return x


class NewTest(unittest.TestCase):
    """Memory beside the elements of tensors, which operator new allocates."""

    def fail_each(self, action):
        """Runs `action`, which returns its result, with its n-th request
        refused, and with all from the n-th on."""
        action()  # Fills caches that stay.
        expected = action()
        _library.SyFailNewAfter(2**62, False)
        action()
        _library.SyStopFailingNew()
        requests = _library.SyNewRequests()
        every = "SY_FAULTS_EVERY" in os.environ
        step = 1 if every else -(-requests // 120)
        failures = 0
        for lasting in (False, True):
            for n in range(0, requests, step):
                raised = None
                _library.SyFailNewAfter(n, lasting)
                try:
                    result = action()
                except Exception as error:
                    raised = f"{type(error).__name__}: {error}"
                    error = None
                failed = _library.SyStopFailingNew()
                failures += failed > 0
                if raised is None:
                    self.assertEqual(result, expected)
                else:
                    self.assertRegex(raised, "^MemoryError", f"request {n}")
                self.assertTrue(sy.is_grad_enabled(), f"request {n}")
                self.assertEqual(action(), expected, f"after request {n}")
        self.assertGreater(failures, 0)
        print(f"  {self.id().split('.')[-1]}: {requests} requests, "
              f"{failures} failures survived")

    def test_calls(self):
        x, y = sy.ones([2, 3]), sy.ones([3])
        self.fail_each(lambda: bits(x + y, sy.matmul(x, y), x > 1.0, -x,
                                    sy.concat([x, x]), *sy.split(x, [1, 1])))

    def test_indices(self):
        x = sy.tensor(np.arange(24.0).reshape(2, 3, 4))
        self.fail_each(lambda: bits(x[1], x[0, 1:, -1], x[..., 2], x[:, None],
                                    x[x > 3.0], x[[0, 1]]))

    def test_attributes_and_text(self):
        x = sy.tensor(np.arange(6.0).reshape(2, 3), lod=[[1, 1]])
        self.fail_each(lambda: (x.shape, x.dtype, x.place, x.lod, len(x),
                                repr(x), x.sum().item(), x.tolist()))

    def test_new_tensors(self):
        def action():
            x = sy.tensor([[1.0, 2.0]])
            y = x.detach()
            y.requires_grad = True
            y.grad = x
            z = sy.from_dlpack(np.arange(3.0))
            z.copy_(sy.zeros([3], "float64"))
            return bits(x, y, y.grad, z, x.clone())
        self.fail_each(action)

    def test_writes(self):
        def action():
            x = sy.zeros([2, 3])
            x[0] = 1.0
            x += 2.0
            x[:, 1] = sy.ones([2])
            return bits(x)
        self.fail_each(action)

    def test_backward_with_a_hook(self):
        def action():
            x = leaf(2, 3)
            y = x * x
            handle = y.register_hook(lambda grad: grad * 2.0)
            y.register_hook(lambda grad: None)
            y.retain_grad()
            sy.tanh(y).sum().backward()
            handle.remove()
            return bits(x.grad, y.grad)
        self.fail_each(action)

    def test_grad_mode(self):
        x = leaf(3)

        @sy.no_grad()
        def quiet():
            return (x * 2.0).requires_grad

        def action():
            with sy.no_grad():
                with sy.enable_grad():
                    inner = (x * 2.0).requires_grad
                outer = (x * 2.0).requires_grad
            return inner, outer, quiet(), (x * 2.0).requires_grad
        self.fail_each(action)

    def test_policy(self):
        x = sy.ones([64, 64])

        def action():
            with sy.policy(backends=["cpu"]):
                inside = bits(sy.tanh(x))
            with sy.record_selections() as log:
                bits(sy.tanh(x))
            return inside, len(log)
        self.fail_each(action)

    def test_optimizer_steps(self):
        def action():
            w = leaf(3, 2)
            results = []
            for optimizer in (sy.optim.SGD([w], 0.1), sy.optim.Adam([w], 0.1)):
                (w * w).sum().backward()
                optimizer.step()
                optimizer.zero_grad()
                results += bits(w)
            return results
        self.fail_each(action)

    def test_a_network(self):
        sy.seed(3)
        model = sy.nn.Sequential(sy.nn.Linear(3, 4), sy.nn.ReLU(),
                                 sy.nn.Linear(4, 2))
        loss = sy.nn.CrossEntropyLoss()
        x, y = sy.ones([2, 3]), sy.tensor(np.array([[0], [1]]))

        def action():
            for _, parameter in model.named_parameters():
                parameter.grad = None
            loss(model(x), y).backward()
            return bits(*[p.grad for _, p in model.named_parameters()])
        self.fail_each(action)

    def test_traced_program(self):
        def action():
            program = sy.static.trace(
                lambda x: sy.static.cond(x.sum() > 0.0, lambda: (x * 2.0,),
                                         lambda: (sy.tanh(x),)),
                np.ones((2, 3), np.float32))
            fetched = program.run({"x0": np.ones((2, 3), np.float32)})
            return program.text(), [a.tobytes() for a in fetched.values()]
        self.fail_each(action)

    def test_next_run_of_a_program(self):
        program = sy.static.trace(lambda x: sy.tanh(x + 1.0),
                                  np.ones((2, 3), np.float32))
        feeds = {"x0": np.ones((2, 3), np.float32)}
        self.fail_each(lambda: [a.tobytes() for a in
                                program.run(feeds).values()])

    def test_train_step(self):
        def action():
            sy.seed(1)
            model = sy.nn.Linear(3, 2)
            step = sy.static.train_step(model, sy.nn.CrossEntropyLoss(),
                                        sy.optim.SGD(model.named_parameters(),
                                                     0.1))
            x = np.ones((2, 3), np.float32)
            y = np.array([[0], [1]])
            step(x, y)
            step(x, y)
            return bits(*[p for _, p in model.named_parameters()])
        self.fail_each(action)

    def test_files(self):
        program = sy.static.trace(lambda x: x + 1.0, np.ones(2, np.float32))
        with tempfile.TemporaryDirectory() as folder:
            def action():
                state = os.path.join(folder, "state")
                sy.save({"a": sy.ones([2]), "b": sy.zeros([1], "int64")}, state)
                path = os.path.join(folder, "program")
                program.save(path)
                loaded = sy.static.load(path)
                self.assertEqual(sorted(os.listdir(folder)),
                                 ["program", "state"])
                return bits(*sy.load_state(state).values()), loaded.text()
            self.fail_each(action)

    def test_a_call_by_legacy_name(self):
        x = sy.ones([2, 3])
        self.fail_each(lambda: bits(*sy.legacy.run(
            "scale", {"X": x}, {"scale": 2.0}).values()))


if __name__ == "__main__":
    unittest.main()
