# SPDX-License-Identifier: Apache-2.0
"""digamma, Hurwitz's zeta function and polygamma at their poles, below 0, at
infinity."""

import math
import unittest

import numpy as np

import switchyard as sy

INF = math.inf


def with_gradient(function, x):
    x = sy.tensor(x, "float64", requires_grad=True)
    y = function(x)
    y.sum().backward()
    return y.numpy(), x.grad.numpy()


class GammaPolesTest(unittest.TestCase):

    def test_digamma_at_zero(self):
        """The sign of 0 says on which side; there is none at other poles."""
        for dtype in ("float32", "float64"):
            for digamma in (sy.digamma, sy.ops.digamma, sy.special.psi):
                got = digamma(sy.tensor([0.0, -0.0, -1.0, INF, -INF], dtype)).numpy()
                np.testing.assert_array_equal(got, [-INF, INF, np.nan, INF, np.nan])
        _, slope = with_gradient(sy.lgamma, [0.0, -0.0])
        np.testing.assert_array_equal(slope, [-INF, INF])

    def test_polygamma_at_poles(self):
        for order, sign in ((1, 1), (2, -1), (3, 1)):
            value, slope = with_gradient(lambda x, n=order: sy.polygamma(n, x),
                                         [0.0, -1.0, -2.0, INF])
            np.testing.assert_array_equal(value, [sign * INF] * 3 + [0.0])
            np.testing.assert_array_equal(slope, [-sign * INF] * 3 + [0.0])

    def test_polygamma_below_zero(self):
        """At -n - 1/2 by reflection: pi^2 less what is left of the sum."""
        for x in (-0.5, -1.5, -3.5, -100000.5, -1234567.5):
            value, _ = with_gradient(lambda x: sy.polygamma(1, x), [x])
            count = int(-x)
            rest = math.fsum((k - x) ** -2.0 for k in range(1, 200000))
            end = 200000 - x - 0.5  # The rest of the sum, to (1e5)^-3.
            self.assertAlmostEqual(value[0], math.pi**2 - rest - 1 / end, 12, count)

    def test_zeta_of_known_values(self):
        pi2 = math.pi**2
        for s, q, right in ((2, 1.0, pi2 / 6), (2, 0.5, pi2 / 2), (4, 1.0, pi2**2 / 90),
                            (2, -0.5, pi2 / 2 + 4), (2, -1.5, pi2 / 2 + 4 + 4 / 9),
                            (3, -0.5, 7 * 1.2020569031595942 - 8)):
            value, slope = with_gradient(
                lambda q, s=s: sy.special.zeta(sy.full([1], s, "float64"), q), [q])
            self.assertAlmostEqual(value[0] / right, 1.0, 13, (s, q))
            step = 1e-5
            ends = [sy.special.zeta(sy.full([1], s, "float64"),
                                    sy.tensor([q + d], "float64")).item()
                    for d in (step, -step)]
            self.assertAlmostEqual(slope[0] / ((ends[0] - ends[1]) / 2 / step), 1, 6)

    def test_zeta_at_edges(self):
        s = sy.tensor([2.0, 2.0, 3.0, 2.5, 1.0, 0.5], "float64")
        q = sy.tensor([0.0, INF, -0.0, -0.5, 2.0, 2.0], "float64")
        np.testing.assert_array_equal(sy.special.zeta(s, q).numpy(),
                                      [INF, 0.0, INF, np.nan, INF, np.nan])


if __name__ == "__main__":
    unittest.main()
