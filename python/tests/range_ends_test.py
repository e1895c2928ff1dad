# SPDX-License-Identifier: Apache-2.0
"""Quotients by norms and by roots of squares, and draws in the proportion of
weights, at the ends of the range: the right numbers are those of elements near 1,
since a factor cancels."""

import unittest
import warnings

import numpy as np

import switchyard as sy
from switchyard import nn, static

F = nn.functional
BASE = np.array([[3.0, -4.0, 0.5], [6.0, 8.0, -1.0]])
# With these squares of BASE leave the range, upwards or downwards; elements do not.
FACTORS = {"float32": (2.0**124, 2.0**90, 1.0, 2.0**-90, 2.0**-110),
           "float64": (2.0**1018, 2.0**700, 1.0, 2.0**-700, 2.0**-900),
           "bfloat16": (2.0**124, 2.0**-110)}


def cases():
    for dtype, factors in FACTORS.items():
        for factor in factors:
            yield dtype, factor, {"bfloat16": 2e-2, "float32": 2e-6,
                                  "float64": 1e-14}[dtype]


def checked(function, right, dtype, factor, tolerance):
    """Checks function(factor x) = right(x), and in programs."""
    x = sy.ops.cast(sy.tensor(BASE * factor), dtype)
    for got in (function(x), static.trace(function, x)(x)):
        np.testing.assert_allclose(sy.ops.cast(got, "float64").numpy(), right(BASE),
                                   tolerance)


class RangeEndsTest(unittest.TestCase):

    def test_normalize(self):
        for order in (1.0, 2.0, 3.0, 0.5):
            def right(x, order=order):
                length = (abs(x) ** order).sum(1, keepdims=True) ** (1 / order)
                return x / length
            for dtype, factor, tolerance in cases():
                with self.subTest(order=order, dtype=dtype, factor=factor):
                    checked(lambda x, order=order: F.normalize(x, order, epsilon=0.0),
                            right, dtype, factor, tolerance)

    def test_a_length_out_of_the_range(self):
        """The norm is above the largest number, the quotients are not."""
        x = sy.full([2, 6], 3e38)
        for got in (F.normalize(x), F.normalize(x, 1.0) * 6 / 6**0.5):
            np.testing.assert_allclose(got.numpy(), np.full((2, 6), 6**-0.5), 1e-6)

    def test_least_lengths_stay(self):
        """Below epsilon it takes the place of the norm."""
        x = sy.tensor([[3e-30, 4e-30]])
        np.testing.assert_allclose(F.normalize(x).numpy(), [[3e-18, 4e-18]], 1e-6)
        self.assertEqual(F.normalize(sy.zeros([1, 2])).tolist(), [[0.0, 0.0]])

    def test_cosine_similarity(self):
        def right(x):
            y = x[:, ::-1]
            return (x * y).sum(1) / (x * x).sum(1)
        for dtype, factor, tolerance in cases():
            with self.subTest(dtype=dtype, factor=factor):
                checked(lambda x: F.cosine_similarity(x, sy.flip(x, 1), epsilon=0.0),
                        right, dtype, factor, 20 * tolerance)

    def test_dist(self):
        for order in (1.0, 2.0, 3.0):
            right = (abs(BASE) ** order).sum() ** (1 / order)
            for dtype, factor, tolerance in cases():
                if factor in (2.0**124, 2.0**1018) or dtype == "bfloat16":
                    continue  # The result is beyond the range; too few bits.
                with self.subTest(order=order, dtype=dtype, factor=factor):
                    x = sy.tensor(BASE * factor, dtype)
                    got = sy.dist(x, sy.zeros_like(x), order).item() / factor
                    self.assertAlmostEqual(got / right, 1.0, delta=tolerance)

    def test_operators(self):
        """Those of sy.ops, of one axis and of all elements, whose first extent is
        open in the program."""
        def of(order, axis):
            return lambda x: (abs(x) ** order).sum(axis) ** (1 / order)

        def unit(x):
            return x / np.sqrt((x * x).sum(1, keepdims=True))
        lengths = (
            (lambda x: sy.ops.p_norm(x, 2.0, 1), of(2, 1)),
            (lambda x: sy.ops.p_norm(x, 3.0, 0), of(3, 0)),
            (lambda x: sy.ops.p_norm(x, 0.5, asvector=True), of(0.5, None)),
            (lambda x: sy.ops.frobenius_norm(x, [1]), of(2, 1)),
            (sy.ops.frobenius_norm, of(2, None)), (sy.norm, of(2, None)),
            (lambda x: sy.ops.norm(x, 1, 0.0)[1][:, 0], of(2, 1)),
            (lambda x: sy.ops.dist(x, sy.zeros_like(x)), of(2, None)))
        for dtype, factor, tolerance in cases():
            if factor in (2.0**124, 2.0**1018):
                factor /= 16  # The result is in the range.
            with self.subTest(dtype=dtype, factor=factor):
                checked(lambda x: sy.ops.norm(x, 1, 0.0)[0], unit, dtype, factor,
                        tolerance)
                for function, right in lengths:
                    checked(function, lambda x, right=right: right(x) * factor, dtype,
                            factor, 4 * tolerance)

    def test_clip_by_norm(self):
        for dtype, factor, tolerance in cases():
            if factor >= 1.0:
                checked(lambda x: sy.ops.clip_by_norm(x, 1e-3),
                        lambda x: x / np.sqrt((x * x).sum()) * 1e-3, dtype, factor,
                        tolerance)
        small = sy.tensor(BASE * 2.0**-110, "float32")
        self.assertTrue((sy.ops.clip_by_norm(small, 1.0) == small).all())
        with self.assertRaisesRegex(ValueError, "max_norm must be over 0"):
            sy.ops.clip_by_norm(small, 0.0)

    def test_groups_and_channels(self):
        """group_norm, instance_norm, batch_norm and their layers, in programs of
        any number of items, too."""
        base = np.random.default_rng(0).normal(size=[3, 4, 5])

        def over(axes, shape):
            def right(_):
                x = base.reshape(shape)
                off = x - x.mean(axes, keepdims=True)
                return (off / np.sqrt((off * off).mean(axes, keepdims=True))).reshape(
                    base.shape)
            return right
        functions = (
            (lambda x: F.group_norm(x, 2, epsilon=0.0), over((2,), (3, 2, 10))),
            (nn.GroupNorm(2, 4, 0.0, affine=False), over((2,), (3, 2, 10))),
            (lambda x: F.instance_norm(x, epsilon=0.0), over((2,), (3, 4, 5))),
            (nn.InstanceNorm1D(4, 0.0), over((2,), (3, 4, 5))),
            (lambda x: F.batch_norm(x, None, None, training=True, epsilon=0.0),
             over((0, 2), (3, 4, 5))),
            (lambda x: sy.reshape(F.batch_norm(sy.reshape(x, [3, 20]), None, None,
                                               training=True, epsilon=0.0), [3, 4, 5]),
             over((0,), (3, 20))))
        for dtype, factor, tolerance in cases():
            for i, (function, right) in enumerate(functions):
                with self.subTest(dtype=dtype, factor=factor, function=i):
                    x = sy.ops.cast(sy.tensor(base * factor), dtype)
                    traced = (function(x),) if i > 3 else (
                        function(x), static.trace(function, x)(x))
                    for got in traced:
                        np.testing.assert_allclose(
                            sy.ops.cast(got, "float64").numpy(), right(base),
                            20 * tolerance, 20 * tolerance)

    def test_rms_norm(self):
        """In programs, too, which have eager code's bits."""
        right = BASE / np.sqrt((BASE * BASE).mean(1, keepdims=True))
        for dtype, factor, tolerance in cases():
            epsilon = 0.0 if factor < 1 else 1e-6
            layer = nn.RMSNorm(3, epsilon, elementwise_affine=False)
            x = sy.ops.cast(sy.tensor(BASE * factor), dtype)
            for function in (lambda x, epsilon=epsilon: F.rms_norm(
                    x, [3], epsilon=epsilon), layer):
                with self.subTest(dtype=dtype, factor=factor):
                    eager = sy.ops.cast(function(x), "float64").numpy()
                    np.testing.assert_allclose(eager, right, max(tolerance, 1e-7))
                    traced = static.trace(function, static.InputSpec([None, 3], dtype))
                    for rows in (x, x[:1]):
                        np.testing.assert_array_equal(
                            sy.ops.cast(traced(rows), "float64").numpy(),
                            eager[:rows.shape[0]])

    def test_rows_of_rms_norm_do_not_change_others(self):
        for dtype, factors in FACTORS.items():
            if dtype != "bfloat16":
                self.check_rows(dtype, factors)

    def check_rows(self, dtype, factors):
        """Rows of all sizes in one tensor: values and gradients of each alone."""
        x = np.concatenate([BASE * by for by in (*factors, 0.0)]).astype(dtype)
        weights = np.random.default_rng(2).normal(size=x.shape).astype(dtype)
        least = {"float32": 2.0**-104, "float64": 2.0**-910}[dtype]
        for epsilon in (1e-6, least):
            def both(x, weights, epsilon=epsilon):
                if isinstance(x, sy.Tensor):
                    x.requires_grad = True
                y = F.rms_norm(x, 3, epsilon=epsilon)
                return (y, *sy.grad(sy.sum(y * weights), [x]))
            together = [y.numpy() for y in both(sy.tensor(x), sy.tensor(weights))]
            alone = [[y.numpy() for y in both(sy.tensor(x[i:i + 1]),
                                              sy.tensor(weights[i:i + 1]))]
                     for i in range(len(x))]
            program = static.trace(both, *[static.InputSpec([None, 3], dtype)] * 2)
            traced = [y.numpy() for y in program(sy.tensor(x), sy.tensor(weights))]
            wide, w = x.astype(np.longdouble), weights.astype(np.longdouble)
            root = np.sqrt((wide * wide).mean(1, keepdims=True) + epsilon)
            y = wide / root
            rights = (y, (w - y * (w * y).mean(1, keepdims=True)) / root)
            for i, right in enumerate(rights):
                np.testing.assert_array_equal(together[i], traced[i])
                np.testing.assert_array_equal(
                    together[i], np.concatenate([one[i] for one in alone]))
                normal = abs(right) > 4 * np.finfo(dtype).tiny
                near = {"float32": 4e-6, "float64": 1e-14}[dtype] * abs(right).max(
                    1, keepdims=True)
                off = abs(together[i] - right)
                self.assertTrue((off <= near)[normal].all(), off / near)

    def test_the_first_nan_of_rms_norm(self):
        """Squares that leave the range are no result of it."""
        x = np.concatenate([BASE * by for by in FACTORS["float32"]]).astype("float32")
        right = F.rms_norm(sy.tensor(x), 3, epsilon=2.0**-104).numpy()
        with sy.detect_anomaly():
            got = F.rms_norm(sy.tensor(x), 3, epsilon=2.0**-104).numpy()
        np.testing.assert_allclose(got, right, 1e-6)

    def test_running_variances(self):
        """The part mixed in, not the batch's variance, must be in the range; what has
        no share is not read."""
        x = np.array([[3e20], [-3e20]], np.float32).reshape(2, 1, 1)
        forms = (lambda x, m, v, share: F.batch_norm(
            x, m, v, training=True, momentum=share), lambda x, m, v, share:
                 F.instance_norm(x.reshape(1, 1, 2), running_mean=m, running_var=v,
                                 momentum=share))
        for form in forms:
            for share, old, size, right in (
                    (0.5, 2.0, 1.0, np.inf), (1 - 2.0**-10, 2.0, 1.0, 9e40 * 2.0**-10),
                    (1.0, 2.0, 1.0, 2.0), (0.0, np.inf, 1e-20, 9.0),
                    (0.0, 2.0, 1e-20, 9.0), (0.5, np.inf, 1e-20, np.inf)):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    mean, var = sy.zeros([1]), sy.tensor(np.array([old], np.float32))
                    y = form(sy.tensor(x * np.float32(size)), mean, var, share)
                np.testing.assert_allclose(var.numpy(), [right], 1e-5)
                self.assertEqual(mean.item(), 0.0)
                np.testing.assert_allclose(abs(y.numpy()), 1.0, 1e-5)
        # An infinite variance leaves nothing of x, and no NaN.
        layer = nn.BatchNorm1D(1)
        layer(sy.tensor(x))
        self.assertEqual(layer.running_var.item(), np.inf)
        np.testing.assert_array_equal(layer.eval()(sy.tensor(x)).numpy(), 0.0 * x)

    def test_layer_norm(self):
        off = BASE - BASE.mean(1, keepdims=True)
        right = off / np.sqrt((off * off).mean(1, keepdims=True))
        for dtype, factor, tolerance in cases():
            with self.subTest(dtype=dtype, factor=factor):
                x = sy.ops.cast(sy.tensor(BASE * factor), dtype)
                got = sy.ops.cast(F.layer_norm(x, [3], epsilon=0.0), "float64")
                np.testing.assert_allclose(got.numpy(), right, 2 * tolerance,
                                           tolerance)

    def test_gradients_of_layer_norm(self):
        """They are those of elements near 1, divided by the factor."""
        weights = np.array([[0.3, -1.0, 2.0], [1.0, 0.5, -0.2]])
        for dtype, factor in (("float32", 2.0**120), ("float64", 2.0**1000)):
            grads = []
            for by in (1.0, factor):
                x = sy.tensor(BASE * by, dtype, requires_grad=True)
                scale = sy.ones([3], dtype, requires_grad=True)
                y = F.layer_norm(x, [3], scale, epsilon=0.0)
                (y * sy.tensor(weights, dtype)).sum().backward()
                grads.append((x.grad.numpy().astype(np.float64) * by,
                              scale.grad.numpy()))
            np.testing.assert_allclose(grads[1][0], grads[0][0], 1e-4, 1e-5)
            np.testing.assert_allclose(grads[1][1], grads[0][1], 1e-5)

    def test_triplet_margin_loss(self):
        loss = nn.TripletMarginLoss(margin=1.0, eps=0.0, reduction="none")
        for factor in (2.0**100, 2.0**-100):
            x = sy.tensor(BASE * factor, "float32")
            near, far = loss(x, sy.zeros_like(x), x), 1.0
            length = np.sqrt((BASE * BASE).sum(1)) * factor
            np.testing.assert_allclose(near.numpy(), length + far, 1e-6)


class MultinomialTest(unittest.TestCase):

    def test_weights_at_the_ends(self):
        """Shares of weights of one size: a quarter and three."""
        for dtype, factors in (("float32", (3e38, 1e-38, 1e-42, 1.0)),
                               ("float64", (1.5e308, 1e-310, 1.0))):
            for factor in factors:
                for replacement in (True, False):
                    with self.subTest(dtype=dtype, factor=factor,
                                      replacement=replacement):
                        sy.seed(3)
                        weights = np.array([[factor / 3, factor, 0.0]])
                        x = sy.tensor(np.tile(weights, (2000, 1)).astype(dtype))
                        got = sy.multinomial(x, 1, replacement).numpy()
                        self.assertAlmostEqual((got == 1).mean(), 0.75, delta=0.05)
                        self.assertEqual((got == 2).sum(), 0)

    def test_classes_of_no_weight_are_last(self):
        sy.seed(4)
        got = sy.multinomial(sy.tensor([[0.0, 1e-30, 0.0, 2.0]] * 50), 2).numpy()
        np.testing.assert_array_equal(np.sort(got, 1), [[1, 3]] * 50)


if __name__ == "__main__":
    unittest.main()
