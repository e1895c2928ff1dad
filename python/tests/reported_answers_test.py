# SPDX-License-Identifier: Apache-2.0
"""Reports of users of other frameworks for which this library had the right answer
when they were tried: it is to stay. Those that found a fault here are in
reported_faults_test.py; copies of modules in module_test.py, errors of a loader's
workers in io_workers_test.py, LBFGS in adaptive_optim_test.py, children of a
process in process_test.py."""

import math
import os
import pickle
import tempfile
import threading
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
INF, NAN = math.inf, math.nan
BIG = 2**53 + 1  # An int64 holds it, a float64 does not.
HALVES = ("float16", "bfloat16")


def slopes(function, values):
    """The gradient of function(x), a scalar."""
    x = sy.tensor(values, requires_grad=True)
    return sy.grad(function(x), [x])[0].tolist()


class IntegersTest(unittest.TestCase):

    def test_what_an_int64_holds(self):
        x = sy.tensor([BIG, 1])
        self.assertEqual(x.tolist(), [BIG, 1])
        self.assertEqual(x[0].item(), BIG)
        for function in (sy.max, sy.sum, sy.prod):
            want = BIG + 1 if function is sy.sum else BIG
            self.assertEqual(function(x).item(), want, function)
        self.assertEqual(sy.cumsum(x, axis=0).tolist(), [BIG, BIG + 1])
        self.assertEqual(sy.tensor([2**24 + 1], "int32").sum().item(), 2**24 + 1)
        self.assertIn(str(BIG), repr(x))
        self.assertEqual((x // 1).tolist(), [BIG, 1])

    def test_padding_with_an_int64(self):
        x = sy.tensor([1])
        self.assertEqual(F.pad(x, [1, 0], value=BIG).tolist(), [BIG, 1])
        self.assertEqual(sy.pad(x, 1, BIG).tolist(), [BIG, 1, BIG])

    def test_numbers_beyond_the_dtype_are_not_wrapped(self):
        """300 would be 44."""
        x = sy.tensor(np.array([44, 255], np.uint8))
        for call in (lambda: x == 300, lambda: x > -1, lambda: x + 300):
            with self.assertRaisesRegex(ValueError, "a number that uint8 holds"):
                call()
        self.assertEqual((x == sy.tensor([300, 255])).tolist(), [False, True])

    def test_division_by_zero(self):
        x = sy.tensor(np.array([1, -1, 0]))
        for call in (lambda: x // 0, lambda: x % 0, lambda: sy.fmod(x, 0)):
            with self.assertRaises((ZeroDivisionError, ValueError)):
                call().numpy()  # A device may tell when the elements are read.
        np.testing.assert_array_equal((x / 0).numpy(), [INF, -INF, NAN])

    def test_counts_beyond_2_to_31(self):
        x = sy.expand(sy.ones([1], "int8"), [2**31 + 5])
        self.assertEqual((x.numel(), x.shape), (2**31 + 5, (2**31 + 5,)))
        self.assertEqual(x[2**31 + 3:].shape, (2,))
        self.assertEqual(sy.arange(2**31, 2**31 + 2).tolist(), [2**31, 2**31 + 1])
        self.assertEqual(sy.expand(sy.tensor([2**31]), [3]).sum().item(), 3 * 2**31)


class NumbersTest(unittest.TestCase):

    def test_histogram(self):
        x = np.array([NAN, -1.0, 0.0, 0.5, 1.0, 2.0])
        hist, _ = sy.histogram(sy.tensor(x), 2, range=(0.0, 1.0))
        self.assertEqual(hist.tolist(), [1, 2])

    def test_images_of_one_value(self):
        for dtype in (*HALVES, "float32"):
            x = sy.full([1, 1, 5, 7], 0.1, dtype)
            for mode in ("nearest", "bilinear", "bicubic"):
                found = F.interpolate(x, size=(9, 3), mode=mode)
                self.assertEqual(found.dtype, dtype)
                np.testing.assert_allclose(found.astype("float32").numpy(),
                                           x[0, 0, 0, 0].item(),
                                           0 if dtype in HALVES else 1e-6)

    def test_largest_of_what_is_not_finite(self):
        x = sy.tensor([1.0, NAN, INF, -INF, INF, 2.0])
        values, places = sy.topk(x, 4)
        np.testing.assert_array_equal(values.numpy(), [NAN, INF, INF, 2])
        self.assertEqual(places.tolist(), [1, 2, 4, 5])

    def test_gradients_of_products_with_zeros(self):
        self.assertEqual(slopes(sy.prod, [2.0, 0.0, 3.0, 4.0]), [0, 24, 0, 0])
        self.assertEqual(slopes(sy.prod, [2.0, 0.0, 0.0, 4.0]), [0, 0, 0, 0])
        self.assertEqual(slopes(lambda x: sy.cumprod(x, 0).sum(), [2.0, 0.0, 3.0, 4.0]),
                         [1, 32, 0, 0])

    def test_normalisation_far_from_zero(self):
        want = (np.arange(4) - 1.5) / math.sqrt(1.25)
        for far in (0.0, 1e3, 2.0**20, -2.0**22):
            x = sy.tensor(np.arange(4, dtype=np.float32) + np.float32(far))
            for found in (F.layer_norm(x.reshape(1, 4), 4, epsilon=0.0),
                          F.group_norm(x.reshape(1, 1, 4), 1, epsilon=0.0)):
                np.testing.assert_allclose(found.numpy().reshape(-1), want, rtol=1e-6)

    def test_means_of_many_halves(self):
        for dtype in HALVES:
            x = sy.expand(sy.tensor([0.1], dtype), [70000])
            self.assertEqual(x.mean().item(), x[0].item())
            x = sy.expand(sy.tensor([60000.0], dtype), [300, 300])
            self.assertEqual(x.mean(axis=0).tolist(), [x[0, 0].item()] * 300)

    def test_logarithms_of_zero(self):
        low = sy.tensor([-INF, -INF])
        self.assertEqual(sy.logaddexp(low, low).tolist(), [-INF, -INF])
        self.assertEqual(sy.logsumexp(low, axis=0).item(), -INF)
        self.assertEqual(sy.logcumsumexp(low, axis=0).tolist(), [-INF, -INF])
        self.assertEqual(slopes(sy.logsumexp, [-INF, 0.0]), [0, 1])

    def test_running_sums(self):
        x = np.full(100000, 0.1, np.float32)
        found = sy.cumsum(sy.tensor(x), axis=0).numpy()
        right = np.cumsum(x.astype(np.float64))
        self.assertLess(np.abs(found - right).max(), 4 * np.spacing(np.float32(right[-1])))

    def test_classes_of_probability_zero(self):
        for dtype in (*HALVES, "float32"):
            drawn = sy.multinomial(sy.tensor([0.0, 1.0, 0.0], dtype), 1000, True)
            self.assertEqual(set(drawn.tolist()), {1})

    def test_maxima_of_windows_with_nan(self):
        for dtype in ("float16", "float32", "float64"):
            for channels in (1, 3, 16):
                for place in range(4):
                    x = np.zeros((1, channels, 2, 2), dtype)
                    x.reshape(channels, 4)[:, place] = NAN
                    found = F.max_pool2d(sy.tensor(x), 2)
                    self.assertTrue(np.isnan(found.numpy()).all(), (dtype, place))
                low = sy.full([1, channels, 2, 2], -INF, dtype)
                self.assertTrue((F.max_pool2d(low, 2) == -INF).all().item())

    def test_ranks_of_nothing_and_of_nan(self):
        self.assertEqual(sy.linalg.matrix_rank(sy.zeros([3, 3])).item(), 0)
        self.assertEqual(sy.linalg.det(sy.zeros([0, 0])).item(), 1)
        self.assertEqual(sy.linalg.svdvals(sy.zeros([0, 3])).shape, (0,))
        self.assertEqual(sy.linalg.svdvals(sy.zeros([2, 2])).tolist(), [0, 0])


class ArraysTest(unittest.TestCase):

    def test_arrays_of_any_layout(self):
        a = np.arange(12, dtype=np.float32).reshape(3, 4)
        program = sy.static.trace(lambda x: x * 2, a.T.copy())
        for x in (a.T, a.T.copy(), np.broadcast_to(a[:1].T[:, :1], (4, 3)), a[::-1].T):
            np.testing.assert_array_equal(sy.tensor(x).numpy(), x)
            np.testing.assert_array_equal(program(x).numpy(), x * 2)
        for wrong in (a, a.T.astype(np.float64)):
            with self.assertRaisesRegex((TypeError, ValueError), "x"):
                program(wrong)

    def test_arrays_that_must_not_be_written(self):
        a = np.zeros(3)
        a.flags.writeable = False
        x = sy.tensor(a)
        with sy.no_grad():
            x.fill_(1.0)
        self.assertEqual(a.tolist(), [0, 0, 0])

    def test_numbers_of_numpy(self):
        x = sy.tensor([1.0, 2.0], requires_grad=True)
        for number in (np.float32(2), np.float64(2), np.int64(2)):
            for found in (x * number, number * x):
                self.assertIsInstance(found, sy.Tensor)
                self.assertEqual((found.dtype, found.tolist()), ("float32", [2, 4]))
                self.assertEqual(sy.grad(found.sum(), [x])[0].tolist(), [2, 2])

    def test_a_slice_takes_the_room_of_its_elements(self):
        x = sy.zeros([100000])
        self.assertLess(len(pickle.dumps(x[:2])), 2000)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "slice")
            sy.save({"x": x[:2]}, path)
            self.assertLess(os.path.getsize(path), 5000)

    def test_shapes_of_nothing(self):
        x = sy.zeros([0, 3])
        self.assertEqual((x.reshape(-1).shape, x.reshape(-1, 3).shape), ((0,), (0, 3)))
        self.assertEqual(x.reshape(3, 0).shape, (3, 0))
        for shape in ([0, -1], [2]):
            with self.assertRaises(ValueError):
                x.reshape(shape)


class LayersTest(unittest.TestCase):

    def test_sequences_without_steps(self):
        for layer in (nn.RNN, nn.GRU):
            model = layer(2, 3, batch_first=True)
            state = sy.ones([1, 4, 3])
            out, last = model(sy.zeros([4, 0, 2]), state)
            self.assertEqual((out.shape, last.tolist()), ((4, 0, 3), state.tolist()))
            self.assertEqual(model(sy.zeros([0, 5, 2]))[0].shape, (0, 5, 3))

    def test_the_padding_row_has_no_gradient(self):
        model = nn.Embedding(3, 2, padding_idx=1)
        before = model.weight.tolist()
        optimizer = sy.optim.SGD(model.parameters(), 1.0)
        model(sy.tensor([1, 2, 1])).sum().backward()
        optimizer.step()
        after = model.weight.tolist()
        self.assertEqual(after[:2], before[:2])
        np.testing.assert_allclose(after[2], np.array(before[2]) - 1, rtol=1e-6)

    def test_other_extents_than_those_traced(self):
        model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        program = sy.static.trace(model, sy.static.InputSpec([None, 3], "float32"))
        for n in (0, 1, 7):
            x = np.linspace(-1, 1, 3 * n, dtype=np.float32).reshape(n, 3)
            np.testing.assert_array_equal(program(x).numpy(), model(sy.tensor(x)).numpy())

    def test_threads(self):
        x = sy.tensor(np.random.default_rng(0).normal(size=(64, 64)))
        right = (x @ x).numpy().tobytes()
        found = []
        threads = [threading.Thread(target=lambda: found.append((x @ x).numpy().tobytes()))
                   for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(set(found), {right})


if __name__ == "__main__":
    unittest.main()
