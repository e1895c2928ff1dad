# SPDX-License-Identifier: Apache-2.0
"""Attributes that tensors supply: read at once by an eager call, and while it
runs by a program, which has the same bits, gradients included."""
import unittest

import numpy as np

import switchyard as sy
from supplied_checks import SuppliedChecks, floats
from switchyard import static


class SuppliedAttributesTest(SuppliedChecks, unittest.TestCase):

    def test_axis_of_concat(self):
        x, y = floats(2, 2, 3), floats(2, 2, 3, seed=5)
        self.check(lambda x, y, n: sy.concat([x, y], axis=n), [x, y],
                   [(np.int64(axis),) for axis in (0, 1, 2, -1)])

    def test_axis_and_sections_of_split(self):
        self.check(lambda x, n: sy.split(x, [1, -1], axis=n), [floats(3, 4)],
                   [(np.int64(axis),) for axis in (0, 1, -2)])
        self.check(lambda x, n, m: sy.split(x, [n, m], axis=1), [floats(3, 4)],
                   [(np.int64(1), np.int64(3)), (np.int64(2), np.int64(-1)),
                    (np.int64(4), np.int64(0))])
        self.check(lambda x, s, n: sy.split(x, s, axis=n), [floats(5, 5)],
                   [(np.array([1, 4]), np.int64(0)),
                    (np.array([3, 2]), np.int64(1))])

    def test_what_decides_how_many_results_there_are_is_known(self):
        graph = sy._core.GraphBuilder("split")
        x = graph.feed("x", [4], "float32")
        sections = graph.feed("s", [None], "int64")
        with self.assertRaisesRegex(ValueError, "a known number of elements"):
            sy.split(x, sections)

    def test_k_of_topk(self):
        self.check(lambda x, k: list(sy.topk(x, k)), [floats(3, 6)],
                   [(np.int32(k),) for k in (1, 4, 6)], gradient=False)
        self.check(lambda x, k: sy.topk(x, k)[0], [floats(3, 6)],
                   [(np.int64(k),) for k in (1, 4, 6)])

    def test_bounds_of_clip(self):
        self.check(lambda x, low, high: sy.clip(x, low, high), [floats(4, 5)],
                   [(np.float32(-0.5), np.float32(0.5)),
                    (np.float32(0), np.float32(9))])
        self.check(lambda x, high: sy.clip(x, -1.0, high), [floats(4, 5)],
                   [(np.array([n], np.float32),) for n in (0.25, 1)])

    def test_depth_of_one_hot(self):
        self.check(lambda x, n: sy.ops.one_hot(x, n),
                   [np.array([[0, 2], [1, 1]])],
                   [(np.int64(n),) for n in (3, 7)], gradient=False)

    def test_exponent_of_pow(self):
        x = np.abs(floats(4, 5)) + 0.5
        self.check(lambda x, n: sy.pow(x, n), [x],
                   [(np.float32(n),) for n in (2, -0.5, 0, 1)])

    def test_axes_of_unsqueeze(self):
        self.check(lambda x, n: sy.unsqueeze(x, n), [floats(2, 3)],
                   [(np.array(axes),) for axes in ([0, 1], [1, -1], [2, 0])])

    def test_axes_of_reductions(self):
        self.check_reduction(
            lambda x, n, keep: sy.sum(x, axis=n, keepdim=keep))
        self.check_reduction(
            lambda x, n, keep: sy.mean(x, axis=n, keepdim=keep))
        self.check_reduction(lambda x, n, keep: sy.max(x, axis=n, keepdim=keep))
        self.check_reduction(lambda x, n, keep: sy.min(x, axis=n, keepdim=keep))
        self.check_reduction(
            lambda x, n, keep: sy.logsumexp(x, axis=n, keepdim=keep))
        self.check_reduction(
            lambda x, n, keep: sy.any(x, axis=n, keepdim=keep), gradient=False)
        self.check_reduction(
            lambda x, n, keep: sy.all(x, axis=n, keepdim=keep), gradient=False)

    def test_axes_of_no_elements(self):
        for unknown in (False, True):
            for keep in (False, True):
                for shape in ((2, 0), (0, 2)):
                    self.check(
                        lambda x, n: sy.logsumexp(x, axis=n, keepdim=keep),
                        [np.zeros(shape, np.float32)],
                        [(np.int64(0),), (np.int64(1),), (np.int64(-1),)],
                        unknown=unknown)

    def test_axes_of_products(self):
        zeros = floats(2, 3, 4)
        zeros[0, 1, 2] = zeros[1, 1, 2] = zeros[1, 0, 0] = 0
        for data in (None, zeros):
            self.check_reduction(
                lambda x, n, keep: sy.prod(x, axis=n, keepdim=keep), data=data)

    def test_axis_of_positions_and_running_sums(self):
        for unknown in (False, True):
            for keep in (False, True):
                for function in (sy.argmax, sy.argmin):
                    self.check(
                        lambda x, n: function(x, axis=n, keepdims=keep),
                        [floats(2, 3, 4)], [(np.int64(a),) for a in (0, 1, -1)],
                        gradient=False, unknown=unknown)
            self.check(lambda x, n: sy.cumsum(x, axis=n), [floats(2, 3, 4)],
                       [(np.int64(a),) for a in (0, 1, -1)], unknown=unknown)

    def test_axis_of_gather(self):
        for unknown in (False, True):
            for index in (np.array([1, 0, 1]), np.array([[1], [0]]),
                          np.array(1)):
                self.check(lambda x, i, n: sy.ops.gather(x, i, axis=n),
                           [floats(2, 3, 4), index],
                           [(np.int64(a),) for a in (0, 1, -1)],
                           unknown=unknown and index.ndim != 2)
            self.check(lambda x, i, n: sy.ops.index_select(x, i, axis=n),
                       [floats(2, 3, 4), np.array([1, 0, 1])],
                       [(np.int64(a),) for a in (0, 1, -1)], unknown=unknown)
            self.check(lambda x, i, v, n: sy.ops.index_add(x, i, v, axis=n),
                       [floats(3, 3), np.array([1, 0, 1]),
                        floats(3, 3, seed=9)],
                       [(np.int64(a),) for a in (0, 1, -1)], unknown=unknown)

    def test_factor_of_scale(self):
        self.check(lambda x, n, m: sy.ops.scale(x, n, m), [floats(3, 4)],
                   [(np.float32(2.5), np.float32(-1)),
                    (np.float32(0), np.float32(3))], unknown=True)
        self.check(lambda x, n: sy.ops.scale(x, 2.0, n, bias_after_scale=False),
                   [floats(3, 4)], [(np.float32(1.5),)])

    def test_tolerances_of_comparisons(self):
        x = floats(3, 4)
        y = x * np.float32(1.001)
        for function in (sy.isclose, sy.allclose):
            self.check(lambda x, y, r, a: function(x, y, r, a), [x, y],
                       [(np.float64(1e-5), np.float64(0)),
                        (np.float64(1e-2), np.float64(0)),
                        (np.float64(0), np.float64(1))], gradient=False)

    def test_parts_that_are_replaced(self):
        x, v = floats(5, 4, 3), floats(2, 3)
        sets = [(np.int64(1), np.int64(3)), (np.int64(-2), np.int64(5))]
        self.check(
            lambda x, v, a, b: sy.ops.set_value_with_tensor(
                x, v, [a, 2], [b, 3], [1, 1], axes=[0, 1], decrease_axes=[1]),
            [x, v], sets)
        self.check(
            lambda x, a, b: sy.ops.set_value(x, [a], [b], [1], axes=[0],
                                         shape=[1], values=[2.5]), [x], sets)
        # Neither the slice's extents nor the tensor's are known.
        self.check(
            lambda x, v, a, b: sy.ops.set_value_with_tensor(
                x, v, [a, 0], [b, 3], [1, 1], axes=[0, 2]),
            [x, floats(3)], sets, unknown=True)

    def test_axes_of_shared_extremes(self):
        tied = np.round(floats(2, 3, 4))
        for function in (sy.ops.amax, sy.ops.amin):
            self.check_reduction(
                lambda x, n, keep: function(x, axis=n, keepdim=keep), data=tied)

    def test_gradients_of_gradients(self):
        """x is squared, reduced and squared again, before the gradient of
        the sum of the squares of its gradient is taken."""
        x = floats(2, 3, 4)
        for reduce in (sy.sum, sy.mean, sy.max, sy.logsumexp):
            for keepdim in (False, True):
                for axes in ([1], [2, 0]):
                    with self.subTest(reduce.__name__, axes=axes):
                        self.check_second_order(reduce, x, axes, keepdim)

    def check_second_order(self, reduce, x, axes, keepdim):
        graph = sy._core.GraphBuilder("second_order")
        value = graph.feed("x", [None] * 3, "float32")
        n = graph.feed("n", [len(axes)], "int64")
        out = reduce(value * value, axis=n, keepdim=keepdim)
        first, = graph.gradients((out * out).sum(), [value])
        second, = graph.gradients((first * first).sum(), [value])
        graph.fetch("second", second)
        got = graph.finish().run({"x": x, "n": np.array(axes)},
                                 sy._core.State())["second"]
        eager = sy.tensor(x, requires_grad=True)
        out = reduce(eager * eager, axis=axes, keepdim=keepdim)
        first, = sy.grad((out * out).sum(), [eager], create_graph=True)
        want, = sy.grad((first * first).sum(), [eager])
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-4, atol=1e-4)

    def test_what_decides_the_rank_is_known(self):
        graph = sy._core.GraphBuilder("axes")
        x = graph.feed("x", [3, 4], "float32")
        with self.assertRaisesRegex(ValueError, "a known number of elements"):
            sy.sum(x, axis=graph.feed("n", [None], "int64"))
        with self.assertRaisesRegex(ValueError,
                                    "sum: axis must be of at most 2 axes"):
            sy.sum(x, axis=graph.feed("m", [3], "int64"))

    def test_wrong_axes_are_refused_while_it_runs(self):
        program = static.trace(lambda x, n: sy.sum(x, axis=n), floats(2, 3),
                               static.InputSpec([2], "int64"),
                               names=["x", "n"])
        for axes, words in (([0, 2], r"sum: axis must be in \[-2, 2\)"),
                            ([1, -1], "sum: axis must be without repetitions")):
            with self.assertRaisesRegex((IndexError, ValueError), words):
                program.run({"x": floats(2, 3), "n": np.array(axes)})

    def test_legacy_slices_and_one_hot(self):
        self.check(
            lambda x, a, b: sy.ops.legacy_slice(x, [0, 1], [a, 0], [b, 2]),
            [floats(5, 4)], [(np.int64(0), np.int64(3)),
                             (np.int64(-2), np.int64(9))])
        self.check(
            lambda x, a, b: sy.ops.legacy_slice(x, [0], [a], [b],
                                                decrease_axis=[0]),
            [floats(5, 4)], [(np.int64(2), np.int64(3))])
        self.check(lambda x, n: sy.ops.legacy_one_hot(x, n),
                   [np.array([[2], [0]])], [(np.int64(4),), (np.int64(3),)],
                   gradient=False)

    def test_wrong_numbers_are_refused_while_it_runs(self):
        program = static.trace(lambda x, k: sy.topk(x, k)[0], floats(3, 6),
                               np.int64(2), names=["x", "k"])
        for k in (-1, 7):
            with self.assertRaisesRegex(IndexError, r"topk: k must be in \[0, 6\]"):
                program.run({"x": floats(3, 6), "k": np.int64(k)})
        program = static.trace(lambda x, n: sy.concat([x, x], axis=n),
                               floats(2, 2), np.int64(0), names=["x", "n"])
        with self.assertRaisesRegex((ValueError, IndexError),
                                    "concat: axis must be"):
            program.run({"x": floats(2, 2), "n": np.int64(5)})


if __name__ == "__main__":
    unittest.main()
