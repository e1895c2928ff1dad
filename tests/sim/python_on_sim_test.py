# SPDX-License-Identifier: Apache-2.0
"""The tests of python/tests with the simulated device as the default place.
python_exceptions.txt lists those that can't pass there, by kernel set (all, few,
both), each with a reason; the list may only shrink. MODULE.* is a whole module. With SIM_KERNELS=few the device has a dozen kernels, and all
other calls fall back to the CPU."""
import contextlib
import importlib.util
import os
import pathlib
import sys
import unittest

import numpy as np

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
FEW = os.environ.get("SIM_KERNELS") == "few"
sys.path.insert(0, str(HERE / "few" if FEW else HERE))  # With sim linked.
sys.path.append(str(ROOT / "python" / "tests"))  # What its tests share.

import switchyard as sy  # noqa: E402
from tests.sim import training  # noqa: E402

def tests_of(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from tests_of(item)
        else:
            yield item


def load(path):
    name = path.rpartition("/")[2]
    path = ROOT / "python" / "tests" / f"{path}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def exceptions():
    """{test: reason}, of this kernel set"""
    lines = (HERE / "python_exceptions.txt").read_text().splitlines()
    rows = [line.split(" ", 2) for line in lines
            if line and not line.startswith("#")]
    sets = {"both", "few" if FEW else "all"}
    if "SIM_DELAYS" in os.environ:
        sets.add("delayed")
    return {test: reason for kernels, test, reason in rows if kernels in sets}


def modules():
    """All modules of python/tests, as paths; those of a GPU apart."""
    folder = ROOT / "python" / "tests"
    paths = [str(path.relative_to(folder))[:-len(".py")]
             for path in folder.rglob("*_test.py")]
    return sorted(path for path in paths if not path.startswith("gpu/"))


@contextlib.contextmanager
def on_sim():
    """The default place, and a policy with which all operators run there."""
    sy.set_default_place("sim:0")
    try:
        with sy.policy(allow_fallback=FEW):
            yield
    finally:
        sy.set_default_place("cpu")


class PythonOnSimTest(unittest.TestCase):

    def run(self, result=None):
        with on_sim():
            return super().run(result)

    def test_tensors_are_made_there(self):
        x = sy.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        self.assertEqual(x.place, "sim:0")
        y = (x @ x + 1).sum()
        self.assertEqual(y.place, "sim:0")
        y.backward()
        self.assertEqual(x.grad.place, "sim:0")
        self.assertEqual(x.grad.tolist(), [[7.0, 11.0], [9.0, 13.0]])
        self.assertEqual(y.item(), 58.0)
        self.assertEqual(sy.zeros([2]).place, "sim:0")

    def test_a_device_is_named(self):
        """Tensors are made on it, where it has a kernel, and copied nowhere."""
        for make, want in ((lambda at: sy.zeros([2], device=at), [0.0, 0.0]),
                           (lambda at: sy.full([2], 3, device=at), [3, 3]),
                           (lambda at: sy.ones_like(x, device=at), [1.0, 1.0]),
                           (lambda at: sy.arange(2, device=at), [0, 1]),
                           (lambda at: sy.eye(1, 2, device=at), [[1.0, 0.0]])):
            for place in ("sim:1", "sim:0", "cpu"):
                x = sy.tensor([1.0, 2.0])
                with sy.record_selections() as lines:
                    made = make(place)
                self.assertEqual((made.place, made.tolist()), (place, want))
                self.assertFalse([line for line in lines if "copy" in line])
                self.assertEqual(sy.default_place(), "sim:0")
        self.assertEqual(sy.randn(2, device="cpu").place, "cpu")

    def test_gradients_flow_between_places(self):
        x = sy.tensor([1.0, 2.0], requires_grad=True, place="cpu")
        y = x.to("sim:0") * 3.0
        z = y.to("sim:1").to("cpu")
        self.assertEqual((y.place, z.place), ("sim:0", "cpu"))
        (z * z).sum().backward()
        self.assertEqual(x.grad.place, "cpu")
        self.assertEqual(x.grad.tolist(), [18.0, 36.0])

    def test_tensors_of_two_devices_do_not_mix(self):
        x = sy.tensor([1.0], place="sim:0")
        y = sy.tensor([1.0], place="sim:1")
        with self.assertRaisesRegex(ValueError,
                                    "add: y must be on sim:0, got sim:1"):
            sy.add(x, y)

    def test_the_host_sees_copies_alone(self):
        x = sy.tensor([1.0, 2.0])
        array = x.numpy()
        array[0] = 7
        self.assertEqual(x.tolist(), [1.0, 2.0])
        with self.assertRaisesRegex(BufferError, "must be on the CPU, got sim"):
            x.__dlpack__()
        x.copy_(sy.tensor([3.0, 4.0], place="cpu"))
        self.assertEqual(x.tolist(), [3.0, 4.0])

    def test_devices(self):
        places = [device["place"] for device in sy.devices()]
        self.assertEqual(places, ["cpu", "sim:0", "sim:1"])
        with self.assertRaisesRegex(RuntimeError, r"\(there are 2\), got sim:2"):
            sy.tensor([1.0], place="sim:2")

    def test_streams(self):
        x = sy.tensor([1.0, 2.0])
        side = sy.Stream("sim:0")
        self.assertEqual(side.place, "sim:0")
        own = sy.current_stream("sim:0")
        y = x * 2.0
        with side as entered:
            self.assertIs(entered, side)
            self.assertTrue(sy.current_stream("sim:0") == side)
            z = y + x  # Waits for y, by itself.
            with own:
                self.assertTrue(sy.current_stream("sim:0") == own)
            event = side.record()
        self.assertTrue(sy.current_stream("sim:0") == own)
        own.wait(event)
        own.wait(side)
        event.synchronize()
        self.assertTrue(event.query())
        self.assertEqual((z * y).tolist(), [6.0, 24.0])
        side.synchronize()
        for place in ("cpu", "sim:7"):
            with self.assertRaisesRegex(RuntimeError, "place must be"):
                sy.Stream(place)

    @unittest.skipIf(FEW, "a fallback has done its work when it returns")
    def test_an_error_comes_when_somebody_waits(self):
        weight = sy.tensor([[1.0], [2.0]])
        y = sy.ops.embedding(sy.tensor([0, 5]), weight)
        other = weight * 2.0
        with self.assertRaisesRegex(IndexError, "^embedding: "):
            sy.synchronize("sim:0")
        sy.synchronize("sim:0")
        with self.assertRaisesRegex(IndexError, "embedding: "):
            y.numpy()
        with self.assertRaisesRegex(IndexError, "relu: embedding: "):
            sy.relu(y)
        self.assertEqual(other.tolist(), [[2.0], [4.0]])
        # A read that comes first raises it, and the next wait says nothing.
        with self.assertRaisesRegex(IndexError, "embedding: "):
            sy.ops.embedding(sy.tensor([0, 5]), weight).numpy()
        sy.synchronize("sim:0")

    def write_through_views(self, x):
        """Writes through views of 2 x; returns that base and all views."""
        y = x * 2.0
        row, column = y[1:2], y.transpose([1, 0]).squeeze([])[1]
        flat = y.reshape([-1])
        row.relu_()
        flat.add_(sy.full_like(flat, 1.0))
        y.tanh_()
        return y, row, column, flat

    def test_a_write_through_a_view_is_one_of_its_base(self):
        array = np.linspace(-3, 2, 12, dtype=np.float32).reshape(3, 4)
        got = self.write_through_views(sy.tensor(array))
        want = self.write_through_views(sy.tensor(array, place="cpu"))
        for mine, its in zip(got, want):
            self.assertEqual(mine.place, "sim:0")
            self.assertEqual(mine.tolist(), its.tolist())
        base = sy.tensor(array)
        for index in range(3):
            base[index].copy_(sy.full([4], float(index)))
        self.assertEqual(base.tolist(), [[float(i)] * 4 for i in range(3)])

    def test_a_traced_write_through_a_view_is_one_of_its_base(self):
        def written(x):
            y = x * 2.0
            flat = y.reshape([12]).unsqueeze([0])
            flat.relu_()
            flat.tanh_()
            return y, y[1:2], flat

        array = np.linspace(-3, 2, 12, dtype=np.float32).reshape(3, 4)
        want = [t.tolist() for t in written(sy.tensor(array, place="cpu"))]
        self.assertEqual([t.tolist() for t in written(sy.tensor(array))], want)
        program = sy.static.trace(lambda x: tuple(written(x)), array)
        got = program.run({"x0": array})
        self.assertEqual([got[f"out{i}"].tolist() for i in range(3)], want)

    def test_a_view_is_no_fallback(self):
        x = sy.tensor(np.ones([3, 4], np.float32))
        sy._core.clear_fallback_log()
        with sy.policy(allow_fallback=FEW, strict=True):
            for view in (x[1:2], x.reshape([12]), x.transpose([1, 0]),
                         x.unsqueeze([0]), x.expand([2, 3, 4]), x.flatten(),
                         *x.split([1, 2])):
                self.assertEqual(view.place, "sim:0")
        self.assertEqual(sy.fallback_log(), [])
        said = sy.explain(sy.ops.slice, input=x, axes=[0], starts=[1], ends=[2])
        if FEW:
            self.assertIn("view: it shares the memory of its input on sim:0; "
                          "no element is moved", str(said))

    def test_a_fallback_leaves_a_receipt_or_is_an_error(self):
        x = sy.tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
        text = sy.explain("cumsum", x=x, axis=1)
        sy._core.clear_fallback_log()
        with sy.policy(allow_fallback=True):
            sums = sy.ops.cumsum(x, axis=1)
            self.assertEqual(sums.place, "sim:0")
        np.testing.assert_array_equal(sums.numpy(), [[0, 1, 3], [3, 7, 12]])
        log = sy.fallback_log()
        if not FEW:  # The device has a kernel.
            self.assertEqual(log, [])
            return
        self.assertIn("chosen: cpu float32", text)
        self.assertEqual(log, [{"op": "cumsum", "location": "", "from": "sim:0",
                                "to": "cpu", "bytes": 48, "count": 1}])
        strict = sy.policy(allow_fallback=True, strict=True)
        with strict, self.assertRaisesRegex(
                RuntimeError, "cumsum: a strict policy forbids the fallback"):
            sy.ops.cumsum(x, axis=1)
        with self.assertRaisesRegex(RuntimeError, "cumsum: a strict policy"):
            sy.static.trace(lambda v: sy.ops.cumsum(v, axis=1), x,
                            policy=strict)(x)
        with sy.policy(allow_fallback=False):
            with self.assertRaisesRegex(NotImplementedError, "cumsum: no kern"):
                sy.ops.cumsum(x, axis=1)
        self.assertEqual(sy.fallback_log(), log)

    def program_that_counts(self):
        """Adds embedding(rows, weight) to the state `sum`."""
        builder = sy._core.GraphBuilder("count")
        rows = builder.feed("rows", [1], "int64")
        state = sy._core.State()
        state["weight"] = sy.tensor([[1.0], [2.0]])
        state["sum"] = sy.tensor([[0.0]])
        weight = builder.state("weight", state["weight"])
        total = builder.state("sum", state["sum"])
        builder.update("sum", total + sy.ops.embedding(rows, weight))
        return builder.finish(), state

    @unittest.skipIf(FEW, "a fallback has done its work when it returns")
    def test_an_asynchronous_run_that_fails_loses_its_states(self):
        program, state = self.program_that_counts()
        good, bad = ({"rows": np.array([row])} for row in (1, 7))
        program.run(good, state)
        with self.assertRaisesRegex(IndexError, "embedding: "):
            program.run(bad, state)
        self.assertEqual(state["sum"].tolist(), [[2.0]])
        program.run(good, state, asynchronous=True)
        self.assertEqual(state["sum"].tolist(), [[4.0]])
        program.run(bad, state, asynchronous=True)
        with self.assertRaisesRegex(IndexError, "embedding: "):
            state["sum"].numpy()
        state["sum"].copy_(sy.tensor([[1.0]]))
        program.run(good, state)
        self.assertEqual(state["sum"].tolist(), [[3.0]])
        sy.synchronize("sim:0")

    def test_training_has_the_bits_of_the_cpu(self):
        for case in training.CASES:
            for static in (False, True):
                with self.subTest(case, static=static):
                    got = training.trained(case, static)
                    sy.set_default_place("cpu")
                    want = training.trained(case, static)
                    sy.set_default_place("sim:0")
                    self.assertEqual(got, want)

    def test_a_call_of_open_extents_is_chosen_when_it_runs(self):
        def normed(x):
            return sy.ops.layer_norm(sy.relu(x))

        program = sy.static.trace(normed, sy.static.InputSpec([None, 1000]))
        for rows in (1, 64):
            array = np.linspace(-1, 3, rows * 1000, dtype=np.float32)
            array = array.reshape(rows, 1000)
            got, = program.run({"x0": array}).values()
            want = normed(sy.tensor(array, place="cpu"))
            self.assertEqual(got.tobytes(), want.numpy().tobytes())

    def test_the_tests_of_the_host(self):
        expected = exceptions()
        failed, count = {}, 0
        names = modules()
        listed = {test[:-len(".*")] for test in expected
                  if test.endswith(".*")}
        self.assertEqual(listed - set(names), set(), "no such module")
        for name in names:
            if name in listed:
                continue
            module = load(name)
            suite = unittest.defaultTestLoader.loadTestsFromModule(module)
            for test in tests_of(suite):
                result = unittest.TestResult()
                with on_sim():
                    test.run(result)
                count += 1
                for _, text in result.errors + result.failures:
                    failed[test.id()] = text
        self.assertGreater(count, 150)
        for test, text in failed.items():
            with self.subTest(test):
                self.assertIn(test, expected, text)
        for test, reason in expected.items():
            with self.subTest(test):
                self.assertGreater(len(reason), 10)
                if not test.endswith(".*"):
                    self.assertIn(test, failed,
                                  "passes: remove it from the list")


if __name__ == "__main__":
    unittest.main()
