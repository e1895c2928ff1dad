# SPDX-License-Identifier: Apache-2.0
"""The fuller forms of operators: dtypes across kinds, bool, and
keywords of PyTorch; in programs that are traced, too."""

import unittest

import numpy as np

import switchyard as sy

I = np.array([1, 2, 3])
F = np.array([0.5, 2.0, -1.5], np.float32)
B = np.array([True, False, True])
C = np.array([1 + 2j, -1j, 2.0], np.complex64)


class PromotionTest(unittest.TestCase):

    def check(self, result, expected, dtype=None):
        expected = np.asarray(expected)
        self.assertEqual(result.dtype, dtype or expected.dtype.name)
        if expected.dtype.kind in "fc":
            np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5)
        else:
            np.testing.assert_array_equal(result.numpy(), expected)

    def test_functions_of_reals_of_integers_and_bools(self):
        for name in ("exp", "sin", "sqrt", "log1p", "tanh", "sigmoid", "rsqrt",
                     "reciprocal", "erf", "atan"):
            for x in (I, B):
                if name in ("rsqrt", "reciprocal") and x is B:
                    continue
                function = getattr(sy, name)
                wide = function(sy.tensor(x.astype(np.float32)))
                self.check(function(sy.tensor(x)), wide.numpy(), "float32")
        self.check(sy.tensor(I).exp(), np.exp(I), "float32")

    def test_kinds_are_mixed(self):
        i, f, b, c = map(sy.tensor, (I, F, B, C))
        self.check(i + f, (I + F).astype(np.float32))
        self.check(f * b, F * B)
        self.check(sy.maximum(i, f), np.maximum(I, F).astype(np.float32))
        self.check(i * b, I * B)
        self.check(i < f, I < F)
        self.check(sy.equal(b, f), B == F)
        self.check(sy.where(b, i, f), np.where(B, I, F).astype(np.float32))
        self.check(sy.where(b, 1.0, i), np.where(B, 1.0, I), "float32")
        self.check(sy.atan2(i, f), np.arctan2(I, F), "float32")
        self.check(sy.divide(b, i), (B / I).astype(np.float32))
        self.check(sy.pow(i, f), (I.astype(np.float32)**F))
        self.check(i + c, (I + C).astype(np.complex64))
        self.check(sy.logical_and(i, c), np.logical_and(I, C))
        # A scalar tensor of the same kind decides nothing, a wider kind does.
        self.check(i + sy.tensor(0.5), (I + 0.5).astype(np.float32))
        self.check(f + sy.tensor(np.float64(0.5)), F + np.float32(0.5))

    def test_bools(self):
        x, y = sy.tensor(B), sy.tensor(~B)
        self.check(sy.add(x, y), B | ~B)
        self.check(sy.multiply(x, y), B & ~B)
        self.check(sy.maximum(x, y), B | ~B)
        with self.assertRaisesRegex(TypeError, "subtract: x must be"):
            sy.subtract(x, y)
        self.check(sy.max(x), True)
        self.check(sy.cumsum(x), np.cumsum(B))
        self.check(sy.sort(x), np.sort(B))
        self.check(sy.isfinite(x), np.ones(3, bool))

    def test_errors_are_the_operators_own(self):
        with self.assertRaisesRegex(TypeError, "exp: x must be a tensor, got None"):
            sy.exp(None)
        with self.assertRaisesRegex(TypeError, "exp: has no argument 'z'"):
            sy.exp(sy.tensor(F), z=1)
        with self.assertRaisesRegex(TypeError, "exp: x must be"):
            sy.tensor(I).exp_()
        with self.assertRaisesRegex(ValueError, "add: y must be broadcastable"):
            sy.add(sy.tensor(I), sy.ones([2]))

    def test_alpha_and_rounding(self):
        self.check(sy.add(sy.tensor(F), sy.tensor(I), alpha=2),
                   F + 2 * I.astype(np.float32))
        self.check(sy.subtract(sy.tensor(I), 1, alpha=3), I - 3)
        with self.assertRaisesRegex(TypeError, "add: alpha must be a number that "
                                    "int64 holds, got 0.5"):
            sy.add(sy.tensor(I), sy.tensor(I), alpha=0.5)
        x = np.array([-7, 7, -6])
        self.check(sy.div(sy.tensor(x), 2, rounding_mode="trunc"), [-3, 3, -3])
        self.check(sy.div(sy.tensor(x), 2, rounding_mode="floor"), [-4, 3, -3])
        self.check(sy.div(sy.tensor(F), 0.4, rounding_mode="trunc"),
                   np.trunc(F / np.float32(0.4)))
        with self.assertRaisesRegex(ValueError, "divide: rounding_mode must be"):
            sy.div(sy.tensor(x), 2, rounding_mode="up")

    def test_programs_promote_as_tensors_do(self):
        def all_of(i, f, b):
            return (sy.exp(i), i + f, f * b, i < f, sy.where(b, i, f),
                    sy.add(f, i, alpha=2), sy.max(f, dim=0).values)
        program = sy.static.trace(all_of, *map(sy.tensor, (I, F, B)))
        given = dict(zip(("x0", "x1", "x2"), (I, F, B)))
        for found, expected in zip(program.run(given).values(), all_of(
                *map(sy.tensor, (I, F, B)))):
            np.testing.assert_allclose(np.asarray(found), expected.numpy(), rtol=1e-6)

    def test_gradients_flow_through_casts(self):
        f = sy.tensor(F, requires_grad=True)
        sy.sum(f * sy.tensor(I) + sy.where(sy.tensor(B), f, 2)).backward()
        np.testing.assert_array_equal(f.grad.numpy(), I + B)


if __name__ == "__main__":
    unittest.main()
